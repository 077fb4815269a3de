//! Lessons: the player, the list, the lecturer's window.

use std::cell::Cell;

use leptos::prelude::*;
use wasm_split_helpers::wasm_split;

use crate::lazy::learn::Functions;
use crate::lazy::{Table, Unfetched};
use crate::learn::{keys, list, notes, panel, player};
use crate::state::session::Session;

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
