//! What people do with films: they ask for them, go through them, and let them play.

use std::cell::{Cell, RefCell};

use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use planner::Strategy;

use super::flow;
use crate::state::column::Column;
use crate::state::film::{FILMS, Footage, Pace};
use crate::state::session::{Session, Tab};

/// At speed 1 a film of fewer steps plays one a second; a longer one takes this many seconds.
const LONGEST: f64 = 60.0;

/// Pictures follow each other no faster than this, in milliseconds.
const FASTEST: f64 = 50.0;

/// The same for people who asked their system for less motion.
const CALMEST: f64 = 500.0;

/// Something that a person did with films.
#[derive(Clone, Debug)]
pub(crate) enum FilmAction {
    /// Chose the strategy of the first or second film; `None` for none.
    Choose(usize, Option<Strategy>),
    /// Asked again for a film that was cancelled or failed.
    Make(Column),
    /// Started or stopped.
    Play(bool),
    /// Went to a step.
    Go(usize),
    /// Went this many steps on, or back.
    Step(i8),
    /// Went to the start (`false`) or to the end.
    End(bool),
    /// Chose how fast it plays.
    Speed(f64),
    /// Chose how two films keep step.
    Keep(Pace),
}

thread_local! {
    /// The next tick of what plays. Dropped, it never comes.
    static TICK: RefCell<Option<Timeout>> = const { RefCell::new(None) };
    /// Part of a step that is owed.
    static OWED: Cell<f64> = const { Cell::new(0.0) };
}

/// Asks for the films that are on and not there, whenever that changes.
pub(crate) fn start(session: Session) {
    Effect::new(move |_| {
        let filmed = session.filmed();
        let prepared = session.prepared.with(Option::is_some);
        let missing = session.films.footage.with(|all| {
            let mut missing = filmed;
            missing.retain(|column| !all.contains_key(column));
            missing
        });
        if prepared {
            for column in missing {
                flow::film(session, column);
            }
        }
    });
    // Other memories or another effort make other decisions.
    Effect::new(move |before: Option<_>| {
        let now = (session.planning.pools.get(), session.planning.effort.get());
        if before.is_some_and(|before| before != now) {
            session
                .films
                .footage
                .update(std::collections::BTreeMap::clear);
        }
        now
    });
    // A link may name a step past the end, which is known once all films are there.
    Effect::new(move |_| {
        let filmed = session.filmed();
        let done = session.films.footage.with(|all| {
            let done = |column: &Column| {
                matches!(all.get(column), Some(Footage::Done(_) | Footage::Failed(_)))
            };
            filmed.iter().all(done)
        });
        let end = session.film_len();
        if done && end > 0 && session.films.cursor.get() > end {
            session.films.cursor.set(end);
            if !session.films.playing.get_untracked() {
                session.films.rest.set(end);
            }
        }
    });
    // Nothing plays unseen.
    Effect::new(move |_| {
        if session.tab.get() != Tab::Film && session.films.playing.get_untracked() {
            play(session, false);
        }
    });
}

pub(super) fn film(session: Session, action: FilmAction) {
    let films = session.films;
    match action {
        FilmAction::Choose(slot, strategy) => choose(session, slot, strategy),
        FilmAction::Make(column) => flow::film(session, column),
        FilmAction::Play(on) => play(session, on),
        FilmAction::Go(step) => go(session, step),
        FilmAction::Step(by) => {
            play(session, false);
            let now = untrack(|| films.cursor.get().min(session.film_len()));
            let by = isize::from(by);
            go(session, now.saturating_add_signed(by));
        }
        FilmAction::End(last) => {
            play(session, false);
            let end = untrack(|| session.film_len());
            go(session, if last { end } else { 0 });
        }
        FilmAction::Speed(speed) => {
            films.speed.set(speed);
            if films.playing.get_untracked() {
                wait(session);
            }
        }
        FilmAction::Keep(pace) => films.pace.set(pace),
    }
    if !films.playing.get_untracked() {
        films.rest.set(films.cursor.get_untracked());
    }
}

/// Shows what a link says of films.
pub(super) fn restore(session: Session, step: Option<u64>) {
    let Some(step) = step else { return };
    play(session, false);
    session.tab.set(Tab::Film);
    // Beyond the end it shows the end; how long the film is is not known yet.
    let step = usize::try_from(step).unwrap_or(usize::MAX);
    session.films.cursor.set(step);
    session.films.rest.set(step);
}

/// Another file is open: its films begin at the start, or where a link says.
pub(super) fn restart(session: Session, step: Option<u64>) {
    play(session, false);
    session.films.cursor.set(0);
    session.films.rest.set(0);
    restore(session, step);
}

/// Puts a strategy into the place of the first or second film among what is shown.
fn choose(session: Session, slot: usize, strategy: Option<Strategy>) {
    let old = untrack(|| session.filmed());
    let chosen = strategy.map(Column::Strategy);
    let mut films = old.clone();
    match chosen {
        Some(chosen) => {
            let before = films.get(slot).copied();
            if let Some(other) = films.iter_mut().find(|other| **other == chosen) {
                // Shown in the other place: they change places.
                *other = before.unwrap_or(chosen);
            }
            if slot < films.len() {
                films[slot] = chosen;
            } else if !films.contains(&chosen) {
                films.push(chosen);
            }
        }
        None if slot < films.len() => {
            films.remove(slot);
        }
        None => {}
    }
    films.truncate(FILMS);
    session.shown.update(|shown| {
        let first = shown.iter().position(|column| old.contains(column));
        let keeps = |column: &Column| {
            // Without a second film, no other strategy moves up into its place.
            let extra = films.len() < FILMS && *column != Column::Deployed;
            !old.contains(column) && !films.contains(column) && !extra
        };
        shown.retain(keeps);
        let at = first.unwrap_or(shown.len()).min(shown.len());
        shown.splice(at..at, films.iter().copied());
    });
    for column in films {
        flow::plan(session, column);
    }
}

fn go(session: Session, step: usize) {
    let end = untrack(|| session.film_len());
    session.films.cursor.set(step.min(end));
}

fn play(session: Session, on: bool) {
    let films = session.films;
    if on {
        let end = untrack(|| session.film_len());
        if end == 0 {
            return;
        }
        if films.cursor.get_untracked() >= end {
            films.cursor.set(0);
        }
        films.playing.set(true);
        wait(session);
    } else if films.playing.get_untracked() {
        TICK.with_borrow_mut(|tick| *tick = None);
        films.playing.set(false);
        films.rest.set(films.cursor.get_untracked());
    }
}

/// Waits for the next tick: a step each, or several where they would come too fast.
fn wait(session: Session) {
    let (end, speed) = untrack(|| (session.film_len(), session.films.speed.get()));
    #[expect(clippy::cast_precision_loss, reason = "a film has at most 10^5 steps")]
    let a_second = speed * (end as f64 / LONGEST).max(1.0);
    let calm = if prefers_calm() { CALMEST } else { FASTEST };
    let wait = (1000.0 / a_second).max(calm);
    OWED.set(0.0);
    tick_after(session, wait, a_second * wait / 1000.0);
}

fn tick_after(session: Session, wait: f64, steps: f64) {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "float casts saturate, and both are positive"
    )]
    let tick = move || {
        let films = session.films;
        if !films.playing.get_untracked() {
            return;
        }
        let owed = OWED.get() + steps;
        let whole = (owed + 1e-9).floor();
        OWED.set(owed - whole);
        let end = untrack(|| session.film_len());
        let next = films.cursor.get_untracked().saturating_add(whole as usize);
        films.cursor.set(next.min(end));
        if next >= end {
            play(session, false);
        } else {
            tick_after(session, wait, steps);
        }
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at most two seconds"
    )]
    let timeout = Timeout::new(wait as u32, tick);
    TICK.with_borrow_mut(|kept| *kept = Some(timeout));
}

fn prefers_calm() -> bool {
    let query = window().match_media("(prefers-reduced-motion: reduce)");
    query.ok().flatten().is_some_and(|query| query.matches())
}

/// Takes note of how far a film is.
pub(super) fn keep(session: Session, column: Column, footage: Footage) {
    session.films.footage.update(|all| {
        all.insert(column, footage);
    });
}
