//! When the page has shown what it was asked for: the sign that tests and benchmarks wait
//! for, and the mark of each document's first picture.

use std::cell::Cell;

use conversation::{Language, Work};
use gloo::timers::callback::Timeout;
use leptos::prelude::*;

use crate::lazy::{self, CONTROLS};
use crate::state::session::Session;

const FIRST_PICTURE: &str = "arenascope:first-picture";
const MOVING: &str = "arenascope:moving";
const MOVED: &str = "arenascope:moved";

/// What stands around the picture waits for it at most this long, in milliseconds.
const SOON_MS: u32 = 5_000;

/// The same once nothing is at work: what is opened may have no picture.
const PAINT_MS: u32 = 1_000;

thread_local! {
    static MARKED: Cell<bool> = const { Cell::new(false) };
}

/// A picture was painted.
pub(crate) fn painted() {
    if !MARKED.replace(true) {
        mark(FIRST_PICTURE);
        CONTROLS.fetch();
    }
}

/// Rectangles begin to move, or are there.
pub(crate) fn moves(begins: bool) {
    mark(if begins { MOVING } else { MOVED });
}

fn mark(name: &str) {
    if let Some(clock) = window().performance() {
        // Refused only for names that the browser reserves.
        let _ = clock.mark(name);
    }
}

thread_local! {
    /// How many pictures are on their way to another stage.
    static ON_THEIR_WAY: ArcRwSignal<usize> = ArcRwSignal::new(0);
}

/// A picture moves while this is there.
pub(crate) struct Busy(());

impl Busy {
    pub(crate) fn new() -> Self {
        ON_THEIR_WAY.with(|moving| moving.update(|count| *count += 1));
        Self(())
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        ON_THEIR_WAY.with(|moving| moving.update(|count| *count -= 1));
    }
}

/// Fetches the parts of the page: what stands around the picture when that is there or does
/// not come soon, and everything else when nothing is at work.
fn fetch_parts(session: Session, idle: Signal<bool>) {
    let owner = Owner::current();
    CONTROLS.wait(move |controls| match owner {
        Some(owner) => owner.with(|| (controls.start)(session)),
        None => (controls.start)(session),
    });
    Effect::new(move |_| {
        if session.notice.with(Option::is_some) {
            CONTROLS.fetch();
        }
    });
    Timeout::new(SOON_MS, || CONTROLS.fetch()).forget();
    let settled =
        Memo::new(move |_| session.file.with(Option::is_some) && !session.work.with(Work::is_busy));
    Effect::new(move |_| {
        if settled.get() {
            Timeout::new(PAINT_MS, || CONTROLS.fetch()).forget();
        }
    });
    Effect::new(move |done: Option<bool>| {
        let done = done.unwrap_or_default();
        if idle.get() && !done {
            Timeout::new(0, fetch_rest).forget();
        }
        done || idle.get()
    });
}

/// Fetches every part that nobody has asked for.
fn fetch_rest() {
    CONTROLS.then(|controls| {
        let texts = lazy::speaks(Language::Zh).then(|| lazy::ERROR_TEXTS.source());
        let sources = lazy::sources().chain((controls.tabs)()).chain(texts);
        lazy::fetch_ahead(sources.collect());
    });
}

/// Keeps `data-ready` on the body true while nothing is at work.
pub(crate) fn show_idle(session: Session) {
    Effect::new(move |_| {
        // Another document is there: the next picture is its first.
        session.prepared.track();
        MARKED.set(false);
    });
    let ready = Memo::new(move |_| {
        let there = CONTROLS.get().is_some();
        let still = ON_THEIR_WAY.with(ArcRwSignal::get) == 0;
        there && still && session.idle.get() && !lazy::are_awaited()
    });
    Effect::new(move |_| {
        if let Some(body) = document().body() {
            let _ = body.set_attribute("data-ready", if ready.get() { "true" } else { "false" });
        }
    });
    fetch_parts(session, ready.into());
}
