//! Plans changed by hand beyond a drag: pins, swaps, a strategy that plans the rest, undo.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use leptos::prelude::*;
use planner::{Lifetimes, Offset, PlanError, Strategy, what_if};
use worker::Planned;

use super::{edit, flow, history};
use crate::state::column::Column;
use crate::state::handiwork::{CARRIED, Handiwork, Put};
use crate::state::link::{Ignored, Known};
use crate::state::run::{Edit, Moving};
use crate::state::session::{Notice, Progress, Session};
use crate::state::what_if::{Keep, Version};
use crate::words::{ConstraintWord, HandWord};

/// A link's unknown buffers are named up to this many.
const LISTED: usize = 5;

/// At most this many changes can be undone.
const REMEMBERED: usize = 200;

thread_local! {
    /// What a link changes by hand, of plans that are not made yet.
    static WANTED: RefCell<Handiwork> = const { RefCell::new(Handiwork::new()) };
    /// Number of the latest question to a strategy.
    static ASKED: Cell<u32> = const { Cell::new(0) };
}

/// Something that a person did to a plan by hand.
#[derive(Clone, Debug)]
pub(crate) enum WhatIfAction {
    /// Put a buffer of a plan elsewhere.
    Move(Moving),
    /// Pinned or unpinned a buffer of a plan.
    Pin(Column, usize),
    /// Chose the buffer that is to change places with another, or none.
    Partner(Option<usize>),
    /// Had two buffers of a plan change places.
    Swap(Column, usize, usize),
    /// Chose what plans the rest.
    Finisher(Strategy),
    /// Has a strategy plan what is not kept.
    Finish(Column, Keep),
    /// Moved the selected buffer to the next free place above (true) or below.
    Hop(bool),
    /// Took the latest change of the plan that the buttons are about back.
    Undo,
    /// Did again what was taken back.
    Redo,
}

pub(super) fn act(session: Session, action: WhatIfAction) {
    let state = session.what_if;
    match action {
        WhatIfAction::Move(moving) => edit::place(session, &[moving.into_place()], moving.column),
        WhatIfAction::Pin(column, buffer) => {
            remember(session, column);
            state.pins.update(|pins| {
                let pins = pins.entry(column).or_default();
                if !pins.remove(&buffer) {
                    pins.insert(buffer);
                }
            });
        }
        WhatIfAction::Partner(buffer) => state.partner.set(buffer),
        WhatIfAction::Swap(column, one, other) => swap(session, column, one, other),
        WhatIfAction::Finisher(strategy) => state.finisher.set(strategy),
        WhatIfAction::Finish(column, keep) => finish(session, column, keep),
        WhatIfAction::Hop(above) => edit::hop(session, above),
        WhatIfAction::Undo => travel(session, true),
        WhatIfAction::Redo => travel(session, false),
    }
}

/// Keeps a column's plan as it is now, because it is about to change.
pub(super) fn remember(session: Session, column: Column) {
    let Some(version) = version(session, column) else {
        return;
    };
    let state = session.what_if;
    let finishing = state.finishing.get_untracked();
    if finishing.is_some_and(|(finished, _)| finished == column) {
        state.finishing.set(None);
        let word = HandWord::ChangedMeanwhile;
        session.notice.set(Some(Notice::Hand(word)));
    }
    let others = |version: &Version| version.column != column;
    state.future.update(|versions| versions.retain(others));
    state.past.update(|past| {
        past.push(version);
        let surplus = past.len().saturating_sub(REMEMBERED);
        past.drain(..surplus);
    });
}

/// Forgets everything: the plans are others now.
pub(super) fn forget(session: Session) {
    let state = session.what_if;
    state.pins.update(BTreeMap::clear);
    state.past.update(Vec::clear);
    state.future.update(Vec::clear);
    state.partner.set(None);
    state.finishing.set(None);
}

fn version(session: Session, column: Column) -> Option<Version> {
    let edits = session.runs.edits;
    let edited = edits.with_untracked(|edits| edits.contains_key(&column));
    Some(Version {
        column,
        planned: edit::current(session, column).filter(|_| edited),
        pins: untrack(|| session.what_if.pinned(column)),
    })
}

/// Goes one change of the plan that the buttons are about back, or forth again.
fn travel(session: Session, back: bool) {
    let state = session.what_if;
    let (from, to) = if back {
        (state.past, state.future)
    } else {
        (state.future, state.past)
    };
    let target = untrack(|| session.target());
    let latest = from.try_update(|versions| {
        let own = |version: &Version| Some(version.column) == target;
        let latest = versions.iter().rposition(own)?;
        Some(versions.remove(latest))
    });
    let Some(Version {
        column,
        planned,
        pins,
    }) = latest.flatten()
    else {
        let word = if back {
            HandWord::NothingToUndo
        } else {
            HandWord::NothingToRedo
        };
        session.notice.set(Some(Notice::Hand(word)));
        return;
    };
    if let Some(now) = version(session, column) {
        to.update(|versions| versions.push(now));
    }
    match planned {
        Some(planned) => edit::show_again(session, column, planned),
        None => edit::restore_quietly(session, column),
    }
    state.pins.update(|all| {
        all.insert(column, pins);
    });
}

fn swap(session: Session, column: Column, one: usize, other: usize) {
    session.what_if.partner.set(None);
    let places = edit::current(session, column)
        .map(|planned| what_if::swapped(&planned.judged.plan.offsets, one, other));
    edit::place(session, &places.unwrap_or_default(), column);
}

fn finish(session: Session, column: Column, keep: Keep) {
    let Some(now) = edit::current(session, column) else {
        return;
    };
    let plan = &now.judged.plan;
    let kept = match keep {
        Keep::Pins => {
            let pins = untrack(|| session.what_if.pinned(column));
            what_if::kept(plan, pins)
        }
        Keep::AllBut(free) => {
            let all = 0..plan.offsets.len();
            what_if::kept(plan, all.filter(|buffer| *buffer != free))
        }
    };
    let number = ASKED.get().wrapping_add(1);
    ASKED.set(number);
    session.what_if.finishing.set(Some((column, number)));
    let finish = flow::Finish {
        column,
        number,
        strategy: session.what_if.finisher.get_untracked(),
        kept,
    };
    flow::finish(session, finish);
}

/// A strategy has planned the rest of a column's plan, or could not. An answer that nothing
/// waits for any longer is dropped.
pub(super) fn finished(
    session: Session,
    (column, number): (Column, u32),
    planned: Result<Planned, PlanError>,
) {
    let finishing = session.what_if.finishing;
    if finishing.get_untracked() != Some((column, number)) {
        return;
    }
    finishing.set(None);
    let planned = match planned {
        Ok(planned) => planned,
        Err(error) => {
            session.notice.set(Some(Notice::NotFinished(error)));
            return;
        }
    };
    let now = edit::current(session, column);
    let (Some(original), Some(now)) = (edit::original(session, column), now) else {
        return;
    };
    let plan = planned.judged.plan;
    if plan.offsets == now.judged.plan.offsets {
        session
            .notice
            .set(Some(Notice::Hand(HandWord::NothingMoved)));
        return;
    }
    remember(session, column);
    edit::lay(session, column, original, plan);
}

/// What was changed by hand, for the address bar; follows it.
pub(super) fn handiwork(session: Session) -> Handiwork {
    let mut work = Handiwork::new();
    let edits = session.runs.edits.get();
    let pins = session.what_if.pins.get();
    let columns: BTreeSet<Column> = edits.keys().chain(pins.keys()).copied().collect();
    for column in columns {
        let buffers = changed(&edits, &pins, column);
        let pins = pins.get(&column);
        let puts = session.plans.with(|plans| {
            let offsets = &plans.get(&column)?.planned()?.judged.plan.offsets;
            session.with_lifetimes(|lifetimes| {
                let mut named: BTreeMap<&str, usize> = BTreeMap::new();
                let mut puts = Vec::with_capacity(buffers.len());
                for (index, (buffer, at)) in lifetimes.buffers.iter().zip(offsets).enumerate() {
                    let nth = named.entry(&buffer.name).or_default();
                    *nth += 1;
                    if buffers.contains(&index) {
                        puts.push(Put {
                            name: buffer.name.clone(),
                            nth: *nth,
                            at: at.0,
                            pinned: pins.is_some_and(|pins| pins.contains(&index)),
                        });
                    }
                }
                puts
            })
        });
        if let Some(puts) = puts.filter(|puts| !puts.is_empty()) {
            work.insert(column, puts);
        }
    }
    work
}

/// The buffers of a plan that were moved or pinned.
fn changed(
    edits: &BTreeMap<Column, Arc<Edit>>,
    pins: &BTreeMap<Column, BTreeSet<usize>>,
    column: Column,
) -> BTreeSet<usize> {
    let moved = edits.get(&column).into_iter();
    let moved = moved.flat_map(|edit| edit.moved.keys().copied());
    let pins = pins.get(&column).into_iter().flatten().copied();
    moved.chain(pins).collect()
}

/// Whether more was changed by hand than a link carries; follows it.
pub(crate) fn is_too_much_for_a_link(session: Session) -> bool {
    let edits = session.runs.edits.get();
    let pins = session.what_if.pins.get();
    let columns: BTreeSet<Column> = edits.keys().chain(pins.keys()).copied().collect();
    let count = |column| changed(&edits, &pins, column).len();
    columns.into_iter().map(count).sum::<usize>() > CARRIED
}

/// Forgets what a link changes in plans that are not made yet: the person wants others now.
pub(super) fn unwant() {
    WANTED.with_borrow_mut(Handiwork::clear);
}

/// Takes note of what a link changes by hand in plans that are all to be made.
pub(super) fn wanted_later(work: Handiwork) {
    WANTED.with_borrow_mut(|wanted| *wanted = work);
}

/// Takes note of what a link changes by hand; plans that are there are changed now, others
/// once they are.
pub(crate) fn wanted(session: Session, work: Handiwork) {
    let same = untrack(|| handiwork(session)) == work;
    WANTED.with_borrow_mut(|wanted| *wanted = if same { Handiwork::new() } else { work });
    if same {
        return;
    }
    let now: Vec<Column> = session.plans.with_untracked(|plans| {
        let there = |(_, plan): &(&Column, &Progress)| plan.planned().is_some();
        plans
            .iter()
            .filter(there)
            .map(|(&column, _)| column)
            .collect()
    });
    for column in now {
        edit::restore_quietly(session, column);
        session.what_if.pins.update(|pins| {
            pins.remove(&column);
        });
        resume(session, column);
    }
}

/// Whether a link changes a column's plan.
pub(super) fn is_wanted(column: Column) -> bool {
    WANTED.with_borrow(|wanted| wanted.contains_key(&column))
}

/// Changes a plan that has just been made as the link says.
pub(crate) fn resume(session: Session, column: Column) {
    let Some(puts) = WANTED.with_borrow_mut(|wanted| wanted.remove(&column)) else {
        return;
    };
    let mut unknown = Vec::new();
    let find = |lifetimes: &Lifetimes| {
        let mut named: BTreeMap<&str, usize> = BTreeMap::new();
        let mut indices: BTreeMap<(&str, usize), usize> = BTreeMap::new();
        for (index, buffer) in lifetimes.buffers.iter().enumerate() {
            let nth = named.entry(&buffer.name).or_default();
            *nth += 1;
            indices.insert((&buffer.name, *nth), index);
        }
        let mut found = Vec::new();
        for put in &puts {
            match indices.get(&(put.name.as_str(), put.nth)) {
                Some(&index) => found.push((index, Offset(put.at), put.pinned)),
                None => unknown.push(put),
            }
        }
        found
    };
    let found: Option<Vec<(usize, Offset, bool)>> = untrack(|| session.with_lifetimes(find));
    let mut found = found.unwrap_or_default();
    let unknown = unknown.into_iter().take(LISTED).map(|put| Ignored {
        part: format!("edit={column}:{}@{}", put.name, put.at),
        known: Known::Word(ConstraintWord::KnownSelect),
    });
    history::say_ignored(session, unknown.collect());
    let highest = untrack(|| edit::highest(session));
    let count = found.len();
    found.retain(|(_, at, _)| *at <= highest);
    if found.len() < count {
        let word = HandWord::TooHighSaid;
        session.notice.set(Some(Notice::Hand(word)));
    }
    let places: Vec<(usize, Offset)> = found.iter().map(|&(buffer, at, _)| (buffer, at)).collect();
    edit::put(session, &places, column);
    let pins = found.into_iter().filter(|(.., pinned)| *pinned);
    let pins: BTreeSet<usize> = pins.map(|(buffer, ..)| buffer).collect();
    session.what_if.pins.update(|all| {
        all.insert(column, pins);
    });
}

impl Moving {
    /// Which buffer goes where.
    pub(super) fn into_place(self) -> (usize, Offset) {
        (self.buffer, self.to)
    }
}
