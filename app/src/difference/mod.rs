//! What two plans of the open file, or two dumps of one program, do not have in common.

mod dumps;
mod growth;
mod plans;

use conversation::Tab;
use leptos::prelude::*;

use crate::difference::dumps::{Dumps, NoDump};
use crate::difference::plans::Plans;
use crate::format;
use crate::lazy::{DIFFERENCES, TabEntry};
use crate::state::session::{Session, session};
use crate::strings::{DifferenceWord, Word, filled};

/// The tab.
pub(crate) const TAB: TabEntry = TabEntry {
    tab: Tab::DIFFERENCES,
    title: |language| Word::Differences.in_language(language),
    show: || DIFFERENCES.view(|part| (part.tab)()),
    count: |_| None,
    source: None,
};

/// The tab.
#[component]
pub(crate) fn Differences() -> impl IntoView {
    let session = session();
    let is_dump = Memo::new(move |_| {
        let file = session.file.get();
        file.is_some_and(|file| file.opened.deployed)
    });
    view! {
        <div class="differences">
            // Above the plans, of which many tensors may have moved.
            <Show when=move || is_dump.get()><Dumps/></Show>
            <Plans/>
            <Show when=move || !is_dump.get()><NoDump/></Show>
        </div>
    }
}

/// That a table leaves `count` rows out, if it does.
fn left_out(session: Session, count: usize) -> Option<impl IntoView> {
    let text = || {
        filled(
            session.say(DifferenceWord::More),
            &[&format::grouped(count as u64)],
        )
    };
    (count > 0).then(|| view! { <p class="soft">{text()}</p> })
}
