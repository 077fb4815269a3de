//! Lessons: the player, the list, the lecturer's window.

use std::cell::Cell;

use leptos::prelude::*;
use wasm_split_helpers::wasm_split;
use web_sys::KeyboardEvent;

use super::{Table, Unfetched};
use crate::learn::{keys, list, notes, panel, player};
use crate::state::session::Session;

/// The part's functions.
pub(crate) struct Functions {
    /// Shows the scene of a link, at a moment of it; both as a link says them.
    pub(crate) follow: fn(Session, &str, &str),
    /// Plays the text of a lesson file of this name.
    pub(crate) play: fn(Session, &str, &str),
    /// The scene, beside the picture.
    pub(crate) panel: fn() -> AnyView,
    /// The list of lessons.
    pub(crate) list: fn() -> AnyView,
    /// The lecturer's window.
    pub(crate) notes: fn() -> AnyView,
    /// Whether a key was for the lesson.
    pub(crate) pressed: fn(Session, &KeyboardEvent) -> bool,
}

static FUNCTIONS: Functions = Functions {
    follow: player::follow,
    play: player::play,
    panel: || view! { <panel::Panel/> }.into_any(),
    list: || view! { <list::List/> }.into_any(),
    notes: || view! { <notes::Notes/> }.into_any(),
    pressed: keys::pressed,
};

thread_local! {
    /// The session of this page, for what the reducer asks for.
    static SESSION: Cell<Option<Session>> = const { Cell::new(None) };
}

/// Links that lead to scenes are followed in this session.
pub(crate) fn know(session: Session) {
    SESSION.set(Some(session));
}

/// The session that was said.
pub(crate) fn known() -> Option<Session> {
    SESSION.get()
}

#[wasm_split(learn, fallible)]
pub(super) fn fetch() -> Result<Table, Unfetched> {
    Ok(&FUNCTIONS)
}
