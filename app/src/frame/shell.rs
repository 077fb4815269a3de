//! The page's frame: where each part stands, and what follows the whole window.

use crate::picture::hover_card::window_size;
use crate::picture::lanes::ROOM;
use crate::state::driver::act;
use crate::state::driver::all_given;
use crate::state::session::{Session, session};
use conversation::Given;
use conversation::Where;
use conversation::{Action, DifferenceAction, Theme};
use gloo::events::{EventListener, EventListenerOptions};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{ClipboardEvent, DragEvent, Element, KeyboardEvent};

use super::bar::Bar;
use super::help::Help;
use super::keys;
use super::notice::Notices;
use super::tabs::Tabs;
use crate::document::document::DocumentPane;
use crate::inspect::inspector::Inspector;
use crate::picture::lanes::LaneBar;
use crate::picture::minimap::Minimap;
use crate::picture::pane::Panes;
use crate::state::driver::visit;
use crate::take_home::share::ShareDialog;
use crate::words::{GivenWord, HelpWord, Word, filled};

/// What a pasted text is called.
const PASTED: &str = "pasted.txt";

/// The whole page.
#[component]
pub(crate) fn Shell() -> impl IntoView {
    let session = session();
    follow_system_theme(session);
    follow_window(session);
    show_theme(session);
    let dragging = RwSignal::new(false);
    let over = move |event: DragEvent| {
        event.prevent_default();
        dragging.set(true);
    };
    let dropped = move |event: DragEvent| {
        event.prevent_default();
        dragging.set(false);
        let list = event.data_transfer().and_then(|data| data.files());
        if let Some(list) = list {
            take(session, all_given(session, &list));
        }
    };
    let completes = move || {
        let waiting = session.completes_other()?;
        let what = filled(session.say(GivenWord::DropMissing), &[&waiting]);
        Some([session.say(GivenWord::DropCompare).to_owned(), what])
    };
    let opens = move || {
        let words = [
            HelpWord::DropTitle,
            HelpWord::DropKinds,
            HelpWord::DropTogether,
        ];
        words.map(|word| session.say(word).to_owned())
    };
    let dropping = move || match completes() {
        Some(lines) => lines.map(|line| view! { <p>{line}</p> }).collect_view(),
        None => opens().map(|line| view! { <p>{line}</p> }).collect_view(),
    };
    view! {
        <div
            class="page"
            on:dragover=over
            on:dragleave=move |event: DragEvent| {
                if event.related_target().is_none() {
                    dragging.set(false);
                }
            }
            on:drop=dropped
        >
            <a class="skip" href="#picture" on:click=skip>
                {move || session.say(Word::SkipToPicture)}
            </a>
            <Bar/>
            <Notices/>
            <main>
                <DocumentPane/>
                <div class="middle">
                    <Panes/>
                    <LaneBar/>
                    <Minimap/>
                </div>
                <Inspector/>
                <Tabs/>
            </main>
            <Help/>
            <ShareDialog/>
            <Show when=move || dragging.get()>
                <div class="drop">{dropping}</div>
            </Show>
        </div>
    }
}

/// Moves the focus without touching the address bar, which holds the session.
fn skip(event: web_sys::MouseEvent) {
    event.prevent_default();
    let target = document().get_element_by_id("picture");
    let target = target.and_then(|target| target.query_selector(".stage").ok().flatten());
    if let Some(target) = target.and_then(|target| target.dyn_into::<web_sys::HtmlElement>().ok()) {
        let _ = target.focus();
    }
}

fn follow_system_theme(session: Session) {
    let query = window().match_media("(prefers-color-scheme: dark)");
    let Ok(Some(query)) = query else { return };
    act(session, Action::Darken(query.matches()));
    let watched = query.clone();
    let changed = Closure::<dyn Fn()>::new(move || {
        act(session, Action::Darken(watched.matches()));
    });
    query.set_onchange(Some(changed.as_ref().unchecked_ref()));
    changed.forget();
}

/// Reports to the state whether the window has room for lanes.
fn measure(session: Session) {
    let (width, height) = window_size();
    let roomy = width >= ROOM.0 && height >= ROOM.1;
    act(session, Action::MakeRoom(roomy));
}

fn follow_window(session: Session) {
    let window = window();
    measure(session);
    EventListener::new(&window, "resize", move |_| measure(session)).forget();
    // Back and Forward, and a link typed into the address bar.
    EventListener::new(&window, "popstate", move |_| visit(session)).forget();
    let options = EventListenerOptions::enable_prevent_default();
    EventListener::new_with_options(&window, "keydown", options, move |event| {
        if let Some(event) = event.dyn_ref::<KeyboardEvent>() {
            keys::pressed(session, event);
        }
    })
    .forget();
    EventListener::new(&window, "paste", move |event| {
        if let Some(event) = event.dyn_ref::<ClipboardEvent>() {
            pasted(session, event);
        }
    })
    .forget();
    EventListener::new(&window, "keyup", |event| {
        if let Some(event) = event.dyn_ref::<KeyboardEvent>() {
            keys::released(event);
        }
    })
    .forget();
}

/// Opens pasted files, or a pasted text such as a log, as one file. What is pasted into a
/// field belongs there.
fn pasted(session: Session, event: &ClipboardEvent) {
    let target = event.target();
    let target = target.and_then(|target| target.dyn_into::<Element>().ok());
    let in_field = target.is_some_and(|it| matches!(it.closest("input, textarea"), Ok(Some(_))));
    let Some(data) = event.clipboard_data().filter(|_| !in_field) else {
        return;
    };
    let mut given = data
        .files()
        .map_or_else(Vec::new, |list| all_given(session, &list));
    if given.is_empty() {
        let text = data.get_data("text/plain").unwrap_or_default();
        let text = Some(text).filter(|text| !text.trim().is_empty());
        given.extend(text.map(|text| Given::text(PASTED, &text)));
    }
    if !given.is_empty() {
        take(session, given);
    }
}

/// Opens files, or takes them for the missing ones of the dump that is to be compared.
fn take(session: Session, given: Vec<Given>) {
    let action = match session.completes_other() {
        Some(_) => Action::Differ(DifferenceAction::Dump(given)),
        None => Action::OpenFiles(given, Where::Instead),
    };
    act(session, action);
}

/// Puts theme and language on the document, for the style sheet and for screen readers.
fn show_theme(session: Session) {
    Effect::new(move |_| {
        let Some(root) = document().document_element() else {
            return;
        };
        let theme = session.theme.get();
        let _ = match theme {
            Theme::System => root.remove_attribute("data-theme"),
            Theme::Light | Theme::Dark => root.set_attribute("data-theme", theme.name()),
        };
        let _ = root.set_attribute("lang", session.language.get().tag());
    });
}
