//! The film's keys: anywhere on the page while its tab is open, and more of them inside its
//! controls.

use crate::state::driver::act;
use crate::state::session::Session;
use conversation::{Action, FilmAction, Tab};
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};

/// What a key does while the film's tab is open. `own` says that the focus is on a picture or
/// nowhere: elsewhere Space presses buttons, and Home and End go through tables.
pub(crate) fn anywhere(session: Session, key: &str, own: bool) -> Option<Action> {
    if session.tab.get_untracked() != Tab::FILM {
        return None;
    }
    Some(Action::Film(match key {
        " " if own => toggle(session),
        "Home" if own => FilmAction::End(false),
        "End" if own => FilmAction::End(true),
        "[" => FilmAction::Step(-1),
        "]" => FilmAction::Step(1),
        _ => return None,
    }))
}

/// What a key does inside the controls. The scrubber and the lists have their arrows already.
pub(crate) fn inside(session: Session, event: &KeyboardEvent) {
    if event.ctrl_key() || event.meta_key() || event.alt_key() {
        return;
    }
    let target: Option<Element> = event.target().and_then(|target| target.dyn_into().ok());
    let on = |name: &str| {
        let target = target.as_ref();
        target.is_some_and(|target| target.tag_name().eq_ignore_ascii_case(name))
    };
    let action = match event.key().as_str() {
        " " if on("input") => toggle(session),
        _ if on("input") || on("select") => return,
        "ArrowLeft" => FilmAction::Step(-1),
        "ArrowRight" => FilmAction::Step(1),
        "Home" => FilmAction::End(false),
        "End" => FilmAction::End(true),
        _ => return,
    };
    event.prevent_default();
    event.stop_propagation();
    act(session, Action::Film(action));
}

fn toggle(session: Session) -> FilmAction {
    FilmAction::Play(!session.films.playing.get_untracked())
}
