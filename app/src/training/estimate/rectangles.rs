//! All that a step asks for, opened as a problem of its own beside the model.

use conversation::{Answer, CaseAction, Given, TrainingAction, Where};
use leptos::prelude::*;
use planner::save;

use super::asked;
use crate::state::driver::act;
use crate::state::session::session;
use crate::strings::EstimateWord as W;
use crate::training::train;

/// The way to it: it opens once it is there.
#[component]
pub(super) fn Rectangles() -> impl IntoView {
    let session = session();
    let state = session.training_asides().requests;
    Effect::new(move |_| {
        let Answer::There(found) = state.get() else {
            return;
        };
        if let Ok(csv) = &*found {
            let file = session
                .file
                .with_untracked(|it| it.as_ref().map(|it| it.name.clone()));
            let name = format!("{} step.csv", save::stem(&file.unwrap_or_default()));
            let given = vec![Given::text(&name, csv)];
            train(session, TrainingAction::Requests(false));
            act(session, CaseAction::OpenFiles(given, Where::Beside));
        }
    });
    let says = move || asked(session, state.get(), |_| ().into_any());
    view! {
        <p class="choices">
            <button
                data-do="rectangles"
                title=move || session.say(W::RectanglesHint)
                on:click=move |_| train(session, TrainingAction::Requests(true))
            >
                {move || session.say(W::Rectangles)}
            </button>
            {says}
        </p>
    }
}
