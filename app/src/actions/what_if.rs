//! Plans changed by hand beyond a drag: pins, swaps, a strategy that plans the rest, undo.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use leptos::prelude::*;
use planner::liveness::Lifetimes;
use planner::plan::Plan;
use planner::strategies::{PlanError, Strategy};
use planner::units::Offset;
use planner::what_if;
use worker::Planned;

use super::{edit, flow};
use crate::state::column::Column;
use crate::state::handiwork::{Handiwork, Put};
use crate::state::run::Moving;
use crate::state::session::{Notice, Progress, Session};
use crate::state::what_if::{Keep, Version};
use crate::words::Word;

/// At most this many changes can be undone.
const REMEMBERED: usize = 200;

thread_local! {
    /// What a link changes by hand, of plans that are not made yet.
    static WANTED: RefCell<Handiwork> = const { RefCell::new(Handiwork::new()) };
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
    /// Chose who plans the rest.
    Finisher(Strategy),
    /// Has a strategy plan what is not kept.
    Finish(Column, Keep),
    /// Took the latest change back.
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
        WhatIfAction::Undo => travel(session, true),
        WhatIfAction::Redo => travel(session, false),
    }
}

/// Whether a buffer of a plan stays where it is.
pub(crate) fn is_pinned(session: Session, column: Column, buffer: usize) -> bool {
    let pins = session.what_if.pins;
    pins.with_untracked(|pins| pins.get(&column).is_some_and(|pins| pins.contains(&buffer)))
}

/// Keeps a column's plan as it is now, because it is about to change.
pub(super) fn remember(session: Session, column: Column) {
    let Some(version) = version(session, column) else {
        return;
    };
    let state = session.what_if;
    state.future.update(Vec::clear);
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
    Some(Version {
        column,
        edit: edits.with_untracked(|edits| edits.get(&column).cloned()),
        planned: edit::current(session, column)?,
        pins: untrack(|| session.what_if.pinned(column)),
    })
}

/// Goes one change back, or forth again.
fn travel(session: Session, back: bool) {
    let state = session.what_if;
    let (from, to) = if back {
        (state.past, state.future)
    } else {
        (state.future, state.past)
    };
    let Some(version) = from.try_update(Vec::pop).flatten() else {
        let word = if back {
            Word::NothingToUndo
        } else {
            Word::NothingToRedo
        };
        session.notice.set(Some(Notice::Said(word)));
        return;
    };
    if let Some(now) = self::version(session, version.column) {
        to.update(|versions| versions.push(now));
    }
    let Version {
        column,
        edit,
        planned,
        pins,
    } = version;
    session.runs.moving.set(None);
    session.runs.edits.update(|edits| match edit {
        Some(edit) => {
            edits.insert(column, edit);
        }
        None => {
            edits.remove(&column);
        }
    });
    state.pins.update(|all| {
        all.insert(column, pins);
    });
    edit::drop_outcome(session, column);
    session.plans.update(|plans| {
        plans.insert(column, Progress::Done(planned));
    });
}

fn swap(session: Session, column: Column, one: usize, other: usize) {
    session.what_if.partner.set(None);
    let Some(offsets) = untrack(|| session.offsets(column)) else {
        return;
    };
    let offsets = what_if::swapped(&offsets, one, other);
    let place = |buffer: usize| Some((buffer, *offsets.get(buffer)?));
    let places: Vec<(usize, Offset)> = [one, other].into_iter().filter_map(place).collect();
    edit::place(session, &places, column);
}

fn finish(session: Session, column: Column, keep: Keep) {
    let Some(offsets) = untrack(|| session.offsets(column)) else {
        return;
    };
    let pins = untrack(|| session.what_if.pinned(column));
    let kept = offsets.iter().copied().enumerate();
    let kept = kept.filter(|(buffer, _)| match keep {
        Keep::Pins => pins.contains(buffer),
        Keep::AllBut(free) => *buffer != free,
    });
    let strategy = session.what_if.finisher.get_untracked();
    session.what_if.finishing.set(Some(column));
    flow::finish(session, column, strategy, kept.collect());
}

/// A strategy has planned the rest of a column's plan, or could not.
pub(super) fn finished(session: Session, column: Column, planned: Result<Planned, PlanError>) {
    session.what_if.finishing.set(None);
    let planned = match planned {
        Ok(planned) => planned,
        Err(error) => {
            session.notice.set(Some(Notice::NotFinished(error)));
            return;
        }
    };
    let Some(original) = edit::original(session, column) else {
        return;
    };
    let Plan { offsets, .. } = &planned.judged.plan;
    let before = original.judged.plan.offsets.iter().zip(offsets).enumerate();
    let moved = before.filter(|(_, (was, now))| was != now);
    let moved: BTreeMap<usize, Offset> = moved.map(|(buffer, (was, _))| (buffer, *was)).collect();
    remember(session, column);
    if moved.is_empty() {
        edit::restore_quietly(session, column);
        session.notice.set(Some(Notice::Said(Word::NothingMoved)));
        return;
    }
    edit::keep(
        session,
        column,
        Arc::clone(&original),
        planned.judged.plan,
        moved,
    );
}

/// What was changed by hand, for the address bar; follows it.
pub(super) fn handiwork(session: Session) -> Handiwork {
    let mut work = Handiwork::new();
    let edits = session.runs.edits.get();
    let pins = session.what_if.pins.get();
    let columns: BTreeSet<Column> = edits.keys().chain(pins.keys()).copied().collect();
    for column in columns {
        let pins = pins.get(&column).cloned().unwrap_or_default();
        let moved = edits.get(&column).into_iter();
        let moved = moved.flat_map(|edit| edit.moved.keys().copied());
        let buffers: BTreeSet<usize> = moved.chain(pins.iter().copied()).collect();
        let Some(offsets) = session.offsets(column).filter(|_| !buffers.is_empty()) else {
            continue;
        };
        let puts = session.with_lifetimes(|lifetimes| {
            let put = |buffer: usize| {
                Some(Put {
                    name: lifetimes.buffers.get(buffer)?.name.clone(),
                    at: offsets.get(buffer)?.0,
                    pinned: pins.contains(&buffer),
                })
            };
            buffers.into_iter().filter_map(put).collect()
        });
        work.insert(column, puts.unwrap_or_default());
    }
    work
}

/// Takes note of what a link changes by hand; plans that are there are changed now, others
/// once they are.
pub(super) fn wanted(session: Session, work: Handiwork) {
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

/// Changes a plan that has just been made as the link says.
pub(super) fn resume(session: Session, column: Column) {
    let Some(puts) = WANTED.with_borrow_mut(|wanted| wanted.remove(&column)) else {
        return;
    };
    let find = |lifetimes: &Lifetimes| {
        let names = lifetimes.buffers.iter().enumerate();
        let names: BTreeMap<&str, usize> = names
            .map(|(index, buffer)| (buffer.name.as_str(), index))
            .collect();
        let found = puts
            .iter()
            .filter_map(|put| Some((*names.get(put.name.as_str())?, put)));
        let found: Vec<(usize, Offset, bool)> = found
            .map(|(buffer, put)| (buffer, Offset(put.at), put.pinned))
            .collect();
        found
    };
    let found = untrack(|| session.with_lifetimes(find)).unwrap_or_default();
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
