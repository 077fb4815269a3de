//! What each input is fed with: seeded elements, or a file of the user's.

use crate::state::driver::act;
use crate::state::driver::given;
use crate::state::session::{Session, session};
use conversation::{Action, Feeding, RunAction};
use leptos::html::Input;
use leptos::prelude::*;
use web_sys::{DragEvent, Event};

use crate::format;
use crate::strings::{Word, filled};
use crate::text::fault::said;

#[component]
pub(super) fn Inputs() -> impl IntoView {
    let session = session();
    move || {
        let prepared = session.prepared.get()?;
        let graph = prepared.subject.graph()?;
        let rows = graph.inputs.iter().enumerate().map(|(position, &id)| {
            let tensor = graph.tensor(id);
            let dims = tensor.dims.as_deref().map(format::dims).unwrap_or_default();
            let shape = format!("{dims} {}", tensor.dtype.name());
            input(session, position, &tensor.name, shape)
        });
        Some(view! {
            <details class="inputs">
                <summary>{format!("{} ({})", session.say(Word::Inputs), graph.inputs.len())}</summary>
                <p class="size">{session.say(Word::InputDrop)}</p>
                <ul>{rows.collect_view()}</ul>
            </details>
        })
    }
}

fn input(session: Session, position: usize, name: &str, shape: String) -> impl IntoView + use<> {
    let field = NodeRef::<Input>::new();
    let take = move |file: web_sys::File| {
        let action = RunAction::Feed(position, given(session, file.name(), file.into()));
        act(session, Action::Run(action));
    };
    let chosen = move |_: Event| {
        let Some(field) = field.get_untracked() else {
            return;
        };
        if let Some(file) = field.files().and_then(|files| files.get(0)) {
            take(file);
        }
        // So that the same file can be chosen again after it has changed.
        field.set_value("");
    };
    let dropped = move |event: DragEvent| {
        let file = event.data_transfer().and_then(|data| data.files()?.get(0));
        if let Some(file) = file {
            // The page around would open it as a model.
            event.prevent_default();
            event.stop_propagation();
            take(file);
        }
    };
    let choose = move |_| {
        if let Some(field) = field.get_untracked() {
            field.click();
        }
    };
    let forget = move |_| act(session, Action::Run(RunAction::Unfeed(position)));
    let inputs = session.runs.inputs;
    let feeding = inputs.with(|inputs| inputs.get(&position).cloned().unwrap_or_default());
    let given = feeding != Feeding::Seeded;
    let misfit = matches!(feeding, Feeding::Misfit(..));
    let text = match feeding {
        Feeding::Seeded => session.say(Word::InputSeeded).to_owned(),
        Feeding::File(name, _) => filled(session.say(Word::InputFile), &[&name]),
        Feeding::Misfit(name, why) => filled(
            session.say(Word::InputMisfit),
            &[&name, &said(session, &why)],
        ),
    };
    let label = format!("{}: {name}", session.say(Word::ChooseFile));
    view! {
        <li data-input=position.to_string() on:drop=dropped>
            <b>{name.to_owned()}</b> " " <span class="size">{shape}</span> " "
            <span role="status" class:misfit=misfit>{text}</span> " "
            <input type="file" node_ref=field hidden on:change=chosen/>
            <button aria-label=label on:click=choose>{session.say(Word::ChooseFile)}</button>
            <button hidden=!given on:click=forget>{session.say(Word::UseSeed)}</button>
        </li>
    }
}
