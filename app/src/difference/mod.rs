//! What two plans of the open file, or two dumps of one program, do not have in common.

mod dumps;
mod plans;

use crate::state::session::Session;
use leptos::html::Canvas;
use leptos::prelude::*;
use timeline::overlay_difference::difference_overlay;

use crate::format;
use crate::picture::run_marks::keep_over;
use crate::picture::stage::View;
use crate::words::{DifferenceWord, filled};
use dumps::Dumps;
use plans::Plans;

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

/// Draws again, at most once per frame, whenever something of it changes.
pub(super) fn keep_drawn(here: View, canvas: NodeRef<Canvas>) {
    let marks = Memo::new(move |_| {
        // A film shows another plan than the one that is compared.
        if here.still.with(Option::is_some) {
            return Default::default();
        }
        here.session.difference_marks(here.column)
    });
    keep_over(here, canvas, marks, difference_overlay);
}
