//! What comes to a pane after its first picture.

use std::sync::Arc;

use conversation::{Action, Column, Gpu, Progress, RunAction, Tab};
use leptos::html::Canvas;
use leptos::prelude::*;
use worker::Prepared;

use crate::drawing::into_view::bring_into_view;
use crate::drawing::view::View;
use crate::export::menu::ExportMenu;
use crate::picture::hover_card::HoverCard;
use crate::picture::lanes::Lanes;
use crate::picture::nothing_here::NothingHere;
use crate::picture::outlook::Outlook;
use crate::picture::pane::{Figures, Status};
use crate::picture::silhouette::Reach;
use crate::picture::spot::SpotHover;
use crate::picture::violations::Violations;
use crate::picture::{run_marks, spot};
use crate::state::driver::act;
use crate::state::film::Still;
use crate::state::session::session;
use crate::strings::Word;
use crate::text::title::title;

/// What stands in the head: figures, and what can be taken away.
pub(crate) fn head(
    column: Column,
    progress: Memo<Option<Progress>>,
    still: Memo<Option<Still>>,
) -> AnyView {
    view! {
        <Figures column progress still/>
        <RunThis column progress/>
        <ExportMenu column/>
    }
    .into_any()
}

/// Runs the plan, and leads to what the run finds.
#[component]
fn RunThis(column: Column, progress: Memo<Option<Progress>>) -> impl IntoView {
    let session = session();
    let can_run = Memo::new(move |_| {
        let model = |it: &Arc<Prepared>| it.subject.program.is_some();
        let model = session.prepared.with(|it| it.as_ref().is_some_and(model));
        let there = |it: &Progress| it.planned().is_some();
        model && progress.with(|it| it.as_ref().is_some_and(there))
    });
    // On which machine is known once the GPU has answered, which the task asks.
    let wanted = RwSignal::new(false);
    let start = move |_| {
        act(session, Action::Run(RunAction::Target(column)));
        act(session, Action::Turn(Tab::RUN));
        wanted.set(true);
        bring_into_view();
    };
    Effect::new(move |_| {
        let answered = !matches!(session.runs.gpu.get(), Gpu::Unasked | Gpu::Asked);
        if wanted.get() && answered {
            wanted.set(false);
            act(session, Action::Run(RunAction::Start));
        }
    });
    let says = move || session.say(Word::Run);
    view! {
        <button
            class="run-this"
            data-do="run-this"
            hidden=move || !can_run.get()
            aria-label=move || format!("{}: {}", says(), title(session, column))
            title=move || session.say(Word::RunHint)
            on:click=start
        >
            {says}
        </button>
    }
}

/// What the judge says of the plan, and of what is held.
pub(crate) fn says(column: Column, progress: Memo<Option<Progress>>) -> AnyView {
    view! {
        <Outlook column/>
        <Violations progress/>
    }
    .into_any()
}

/// What stands under the picture.
pub(crate) fn foot(column: Column, progress: Memo<Option<Progress>>) -> AnyView {
    view! {
        <Lanes column/>
        <Status column progress/>
    }
    .into_any()
}

/// The cards of what is under the pointer; keeps what runs and questions mark drawn on their
/// canvases.
pub(crate) fn cards(here: View, column: Column, [run, spots]: [NodeRef<Canvas>; 2]) -> AnyView {
    run_marks::keep_drawn(here, run);
    spot::keep_drawn(here, spots);
    view! {
        <HoverCard here column/>
        <SpotHover here/>
        <NothingHere here/>
        <Reach column/>
    }
    .into_any()
}
