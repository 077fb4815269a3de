//! Lessons: the player, the list, the lecturer's window.

use leptos::prelude::*;
use web_sys::KeyboardEvent;

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
