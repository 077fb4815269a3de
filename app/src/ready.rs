//! When the page has shown what it was asked for: the sign that tests and benchmarks wait
//! for, and the mark of each document's first picture.

use crate::state::session::Session;
use std::cell::Cell;

use leptos::prelude::*;

const FIRST_PICTURE: &str = "arenascope:first-picture";

thread_local! {
    static MARKED: Cell<bool> = const { Cell::new(false) };
}

/// A picture was painted.
pub(crate) fn painted() {
    if !MARKED.replace(true)
        && let Some(clock) = window().performance()
    {
        // Refused only for names that the browser reserves.
        let _ = clock.mark(FIRST_PICTURE);
    }
}

/// Keeps `data-ready` on the body true while nothing is at work.
pub(crate) fn show_idle(session: Session) {
    Effect::new(move |_| {
        // Another document is there: the next picture is its first.
        session.prepared.track();
        MARKED.set(false);
    });
    Effect::new(move |_| {
        if let Some(body) = document().body() {
            let _ = body.set_attribute("data-ready", &session.idle.get().to_string());
        }
    });
}
