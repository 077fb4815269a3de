//! What two plans of the open file, or two dumps of one program, do not have in common.

mod dumps;
mod plans;

use crate::state::session::Session;
use conversation::Tab;
use leptos::prelude::*;

use crate::format;
use crate::parts::{DIFFERENCES, TabEntry};
use crate::words::{DifferenceWord, Word, filled};
use dumps::Dumps;
use plans::Plans;

/// The tab.
pub(crate) const TAB: TabEntry = TabEntry {
    tab: Tab::DIFFERENCES,
    title: |language| Word::Differences.in_language(language),
    show: || DIFFERENCES.view(|part| (part.tab)()),
    source: None,
};

/// The tab.
#[component]
pub(crate) fn Differences() -> impl IntoView {
    view! {
        <div class="differences">
            <Plans/>
            <Dumps/>
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
