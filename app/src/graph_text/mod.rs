//! The graph as text: an editor, what comes of every edit, and the language in short.

mod editor;
mod figures;
mod language;

use std::sync::Arc;

use conversation::{Action, Answer, CaseAction, Given, MOST_TEXT, TextAction, Where};
use leptos::prelude::*;
use planner::load::Format;
use planner::save;

use crate::browser::files::download;
use crate::format;
use crate::lazy::tab;
use crate::state::driver::act;
use crate::state::graph_text::GraphText;
use crate::state::session::{Session, session};
use crate::strings::{GraphWord as W, filled};

tab!(graph, W::Tab, GraphTab);

/// What one can begin with where nothing is open that could be edited.
const EXAMPLE: &str = include_str!("example.graph");

/// The tab.
#[component]
fn GraphTab() -> impl IntoView {
    let session = session();
    let text = GraphText::of(session);
    let large = |written: &Answer<str>| match written {
        Answer::There(text) if text.len() > MOST_TEXT => Some(text.len()),
        _ => None,
    };
    let state = Memo::new(move |_| {
        text.written.with(|written| match written {
            Answer::Unasked if !session.is_open() => Shown::Nothing,
            Answer::Unasked | Answer::Working(..) => Shown::Waits,
            Answer::Nothing | Answer::Stopped => Shown::Nothing,
            Answer::There(_) => large(written).map_or(Shown::Editor, Shown::TooLarge),
        })
    });
    let body = move || match state.get() {
        Shown::Waits => view! { <p role="status">{session.say(W::Working)}</p> }.into_any(),
        Shown::Nothing => nothing(session).into_any(),
        Shown::TooLarge(bytes) => too_large(session, bytes).into_any(),
        Shown::Editor => view! {
            <figures::Needs text/>
            <Loses/>
            <div class="work-area">
                <editor::Editor text/>
                <div class="beside">
                    <Buttons text/>
                    <figures::Figures text/>
                    <language::Language/>
                </div>
            </div>
        }
        .into_any(),
    };
    view! { <div class="graph-text">{body}</div> }
}

/// What the tab shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    Waits,
    Nothing,
    TooLarge(usize),
    Editor,
}

fn nothing(session: Session) -> impl IntoView {
    let begin = move |_| {
        let example = Given::text("example.graph", EXAMPLE);
        act(
            session,
            CaseAction::OpenFiles(vec![example], Where::Instead),
        );
    };
    view! {
        <p class="empty">{move || session.say(W::Nothing)}</p>
        <p><button data-text="begin" on:click=begin>{move || session.say(W::Begin)}</button></p>
    }
}

fn too_large(session: Session, bytes: usize) -> impl IntoView {
    let says = move || filled(session.say(W::TooLarge), &[&format::bytes(bytes as u64)]);
    view! {
        <p class="empty">{says}</p>
        <p><Download/></p>
    }
}

/// A file with a schedule of its own loses it.
#[component]
fn Loses() -> impl IntoView {
    let session = session();
    let program = move || {
        let format = session.file.with(|file| Some(file.as_ref()?.opened.format));
        format == Some(Format::ProgramJson)
    };
    move || program().then(|| view! { <p class="soft">{session.say(W::Loses)}</p> })
}

#[component]
fn Buttons(text: GraphText) -> impl IntoView {
    let session = session();
    let follow = move || {
        text.typed.track();
        text.planned.track();
    };
    let past = move || {
        follow();
        session.case(|case| case.text.has_past())
    };
    let future = move || {
        follow();
        session.case(|case| !case.text.future.is_empty())
    };
    let edited = move || {
        follow();
        session.case(|case| case.text.planned.is_some() || case.text.typed.is_some())
    };
    let does = move |action: fn() -> TextAction| move |_| act(session, Action::Text(action()));
    let copy = move |_| {
        if let Some(text) = shown(session) {
            act(session, Action::Copy(text.to_string()));
        }
    };
    view! {
        <p class="pair">
            <button data-text="undo" disabled=move || !past() on:click=does(|| TextAction::Undo)>
                {move || session.say(W::Undo)}
            </button>
            <button data-text="redo" disabled=move || !future() on:click=does(|| TextAction::Redo)>
                {move || session.say(W::Redo)}
            </button>
            <button data-text="opened" disabled=move || !edited() on:click=does(|| TextAction::AsOpened)>
                {move || session.say(W::AsOpened)}
            </button>
            <button data-text="copy" on:click=copy>{move || session.say(W::Copy)}</button>
            <Download/>
        </p>
    }
}

/// Takes the text away as a file.
#[component]
fn Download() -> impl IntoView {
    let session = session();
    let text = GraphText::of(session);
    let says = move || {
        text.typed.track();
        text.planned.track();
        text.written.track();
        let bytes = shown(session).map_or(0, |text| text.len());
        filled(session.say(W::Download), &[&format::bytes(bytes as u64)])
    };
    let take = move |_| {
        if let Some(text) = shown(session) {
            let name = session.file.with_untracked(|file| {
                let name = file.as_ref().map(|file| file.name.clone());
                name.unwrap_or_default()
            });
            let safe = name.replace(['/', '\\', ':'], "_");
            let name = format!("{}.graph", save::stem(&safe));
            download(&name, "text/plain", text.as_bytes());
        }
    };
    view! { <button data-text="download" on:click=take>{says}</button> }
}

/// What the editor has; follows nothing.
fn shown(session: Session) -> Option<Arc<str>> {
    session.case(|case| case.text.shown())
}
