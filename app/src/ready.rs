//! When the page has shown what it was asked for: the sign that tests and benchmarks wait
//! for, and the mark of each document's first picture.

use std::cell::Cell;

use leptos::prelude::*;

use crate::state::session::{Progress, Session, Work};

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
        let idle = !session.work.with(Work::is_busy)
            && (session.file.with(Option::is_some) || session.notice.with(Option::is_some));
        let waiting = session
            .plans
            .with(|plans| plans.values().any(Progress::is_open));
        if let Some(body) = document().body() {
            let ready = if idle && !waiting { "true" } else { "false" };
            let _ = body.set_attribute("data-ready", ready);
        }
    });
}
