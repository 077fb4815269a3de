//! Says so where nothing is in view, and leads back.

use conversation::Action;
use leptos::prelude::*;
use timeline::hit::is_any_in_view;

use crate::drawing::view::View;
use crate::state::driver::act;
use crate::strings::AnswerWord;

/// The sentence with its button.
#[component]
pub(crate) fn NothingHere(here: View) -> impl IntoView {
    let session = here.session;
    let is_empty = Memo::new(move |_| {
        let moved = session.window.with(Option::is_some);
        let scene = here.scene.get().filter(|_| moved);
        scene.is_some_and(|scene| !scene.0.is_empty() && !is_any_in_view(&scene.0, &here.camera()))
    });
    view! {
        <Show when=move || is_empty.get()>
            // What is pressed here is not pressed on the picture.
            <p class="nothing-here" on:pointerdown=move |event| event.stop_propagation()>
                {move || session.say(AnswerWord::Empty)}
                " "
                <button class="link" on:click=move |_| act(session, Action::Look(None))>
                    {move || session.say(AnswerWord::ShowAll)}
                </button>
            </p>
        </Show>
    }
}
