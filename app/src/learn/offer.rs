//! The first lesson is offered to who has seen none, in one line.

use leptos::prelude::*;

use crate::lazy::LEARN;
use crate::learn::progress;
use crate::state::memory;
use crate::state::session::session;
use crate::strings::LearnWord;

/// The lesson that is offered.
const FIRST: &str = "why-reuse:1.1";

/// The line.
#[component]
pub(crate) fn Offer() -> impl IntoView {
    let session = session();
    let new = RwSignal::new(progress::is_new());
    let begin = move |_| {
        memory::lesson_offered();
        new.set(false);
        LEARN.then(move |learn| (learn.follow)(session, FIRST, ""));
    };
    let not_now = move |_| {
        memory::lesson_offered();
        new.set(false);
    };
    let shown = move || new.get() && session.taught.scene.with(Option::is_none);
    view! {
        <p class="offer" hidden=move || !shown()>
            {move || session.say(LearnWord::Offer)} " "
            <button class="link" data-do="first-lesson" on:click=begin>{move || session.say(LearnWord::OfferTitle)}</button>
            <button class="quiet" data-do="no-lesson" aria-label=move || session.say(LearnWord::OfferNo) title=move || session.say(LearnWord::OfferNo) on:click=not_now>"×"</button>
        </p>
    }
}
