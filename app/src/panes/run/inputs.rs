//! What each input is fed with: seeded elements, or a file of the user's.

use leptos::html::Input;
use leptos::prelude::*;
use web_sys::{DragEvent, Event};

use crate::actions::{Action, RunAction, act};
use crate::format;
use crate::state::run::Feeding;
use crate::state::session::session;
use crate::words::{Word, filled};

/// Position, name, and shape with element type.
type Described = (usize, String, String);

#[component]
pub(super) fn Inputs() -> impl IntoView {
    let session = session();
    let inputs = Memo::new(move |_| {
        session.prepared.with(|prepared| {
            let graph = prepared.as_ref()?.subject.graph.as_ref()?;
            let described = graph.inputs.iter().enumerate().map(|(position, &id)| {
                let tensor = graph.tensor(id);
                let dims = tensor.dims.as_deref().map(format::dims).unwrap_or_default();
                let shape = format!("{dims} {}", tensor.dtype.name());
                (position, tensor.name.clone(), shape)
            });
            Some(described.collect::<Vec<Described>>())
        })
    });
    let each = move || inputs.get().unwrap_or_default();
    view! {
        <details class="inputs">
            <summary>{move || session.say(Word::Inputs)} " (" {move || each().len()} ")"</summary>
            <p class="size">{move || session.say(Word::InputDrop)}</p>
            <ul>
                <For each=each key=Clone::clone let:described>
                    <OneInput described/>
                </For>
            </ul>
        </details>
    }
}

#[component]
fn OneInput(described: Described) -> impl IntoView {
    let session = session();
    let (position, name, shape) = described;
    let field = NodeRef::<Input>::new();
    let feeding = Memo::new(move |_| {
        session
            .runs
            .inputs
            .with(|inputs| inputs.get(&position).cloned().unwrap_or_default())
    });
    let take = move |file: web_sys::File| {
        act(
            session,
            Action::Run(RunAction::Feed(position, file.name(), file.into())),
        );
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
    let text = move || match feeding.get() {
        Feeding::Seeded => session.say(Word::InputSeeded).to_owned(),
        Feeding::File(name, _) => filled(session.say(Word::InputFile), &[&name]),
        Feeding::Misfit(name, why) => filled(session.say(Word::InputMisfit), &[&name, &why]),
    };
    let misfit = move || feeding.with(|feeding| matches!(feeding, Feeding::Misfit(..)));
    let given = move || feeding.with(|feeding| *feeding != Feeding::Seeded);
    let label = name.clone();
    view! {
        <li data-input=position.to_string() on:drop=dropped>
            <b>{name}</b> " " <span class="size">{shape}</span> " "
            <span role="status" class:misfit=misfit>{text}</span> " "
            <input type="file" node_ref=field hidden on:change=chosen/>
            <button
                aria-label=move || format!("{}: {label}", session.say(Word::ChooseFile))
                on:click=move |_| {
                    if let Some(field) = field.get_untracked() {
                        field.click();
                    }
                }
            >
                {move || session.say(Word::ChooseFile)}
            </button>
            <button
                hidden=move || !given()
                on:click=move |_| act(session, Action::Run(RunAction::Unfeed(position)))
            >
                {move || session.say(Word::UseSeed)}
            </button>
        </li>
    }
}
