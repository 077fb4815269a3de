//! Plans changed by hand or spoiled: judged like any other, run on purpose, taken back.
//! Every change can be undone.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use executor::measure::spoil;
use leptos::prelude::*;
use planner::load::load_plan;
use planner::pipeline::judge;
use planner::plan::Plan;
use planner::units::{Bytes, Offset};
use planner::what_if;
use worker::Planned;

use super::what_if::{is_pinned, remember};

use crate::state::column::Column;
use crate::state::run::Edit;
use crate::state::session::{Notice, Progress, Session};
use crate::words::{Word, filled};

/// A run needs addresses of whole words.
const WORD: u64 = 4;

thread_local! {
    /// Seed of the next corruption, so that every click makes another one.
    static SPOILS: Cell<u64> = const { Cell::new(1) };
}

/// Corrupts the plan that the buttons are about; the column, if it could be.
pub(super) fn spoil(session: Session) -> Option<Column> {
    let column = untrack(|| session.target())?;
    let original = original(session, column)?;
    let seed = SPOILS.get();
    SPOILS.set(seed.wrapping_add(1));
    let prepared = session.prepared.get_untracked()?;
    let lifetimes = &prepared.subject.lifetimes;
    let spoiled = spoil::spoil(lifetimes, &original.judged.plan, seed)?;
    let (buffer, to) = (spoiled.moved, *spoiled.plan.offsets.get(spoiled.moved)?);
    remember(session, column);
    restore_quietly(session, column);
    put(session, &[(buffer, to)], column);
    session.selected.set(None);
    Some(column)
}

/// Lays the plan of a file over the plan that the buttons are about: every buffer where the
/// file says, found by its name.
///
/// # Errors
/// Why the file is no plan of this model, in words.
pub(super) fn import(session: Session, file: Vec<u8>) -> Result<Column, String> {
    let (lifetimes, plan) = load_plan(&file).map_err(|error| error.to_string())?;
    let none = || session.say(Word::NoPlan).to_owned();
    let column = untrack(|| session.target()).ok_or_else(none)?;
    let original = original(session, column).ok_or_else(none)?;
    let prepared = session.prepared.get_untracked().ok_or_else(none)?;
    let places: BTreeMap<&str, (Bytes, Offset)> = lifetimes
        .buffers
        .iter()
        .zip(&plan.offsets)
        .map(|(buffer, &offset)| (buffer.name.as_str(), (buffer.size, offset)))
        .collect();
    let mut moved = BTreeMap::new();
    let mut offsets = original.judged.plan.offsets.clone();
    let buffers = prepared.subject.lifetimes.buffers.iter();
    for ((index, buffer), offset) in buffers.enumerate().zip(&mut offsets) {
        let found = places.get(buffer.name.as_str());
        let fits = found.filter(|(size, _)| *size >= buffer.payload);
        let &(_, to) =
            fits.ok_or_else(|| filled(session.say(Word::PlanMisses), &[buffer.name.as_str()]))?;
        if *offset != to {
            moved.insert(index, *offset);
        }
        *offset = to;
    }
    remember(session, column);
    restore_quietly(session, column);
    if moved.is_empty() {
        return Ok(column);
    }
    let laid = Plan {
        origin: plan.origin,
        offsets,
        arena: plan.arena,
        ..Plan::default()
    };
    keep(session, column, original, laid, moved);
    Ok(column)
}

/// Lets go of the rectangle that is held.
pub(super) fn drop(session: Session) {
    if let Some(moving) = session.runs.moving.get_untracked() {
        session.runs.moving.set(None);
        place(session, &[moving.into_place()], moving.column);
    }
}

/// Moves the selected rectangle of the plan that the buttons are about.
pub(super) fn nudge(session: Session, steps: i8) {
    let Some(column) = untrack(|| session.target()) else {
        return;
    };
    let Some(buffer) = session.selected.get_untracked() else {
        return;
    };
    let Some(planned) = current(session, column) else {
        return;
    };
    let Some(&from) = planned.judged.plan.offsets.get(buffer) else {
        return;
    };
    let step = grid(session).0 * u64::from(steps.unsigned_abs());
    let to = if steps < 0 {
        from.0.saturating_sub(step)
    } else {
        from.0.saturating_add(step)
    };
    if is_pinned(session, column, buffer) {
        session.notice.set(Some(Notice::Said(Word::IsPinned)));
        return;
    }
    place(session, &[(buffer, Offset(to))], column);
}

/// What offsets are moved by: the alignment; whole words where a model can be run.
pub(crate) fn grid(session: Session) -> Bytes {
    let alignment = session.settings.get_untracked().alignment.0.max(1);
    let prepared = session.prepared.get_untracked();
    match prepared.is_some_and(|prepared| prepared.subject.graph.is_some()) {
        true => Bytes(alignment.next_multiple_of(WORD)),
        false => Bytes(alignment),
    }
}

/// Takes all changes of a plan back, which can be undone.
pub(super) fn restore(session: Session, column: Column) {
    remember(session, column);
    restore_quietly(session, column);
}

pub(super) fn restore_quietly(session: Session, column: Column) {
    let runs = session.runs;
    let edit = runs
        .edits
        .with_untracked(|edits| edits.get(&column).cloned());
    let Some(edit) = edit else { return };
    runs.edits.update(|edits| {
        edits.remove(&column);
    });
    runs.moving.set(None);
    set(session, column, Arc::clone(&edit.original));
    drop_outcome(session, column);
    if runs.told.get_untracked() == Some((column, true)) {
        runs.told.set(Some((column, false)));
    }
}

/// The plan of a column as it is now.
pub(super) fn current(session: Session, column: Column) -> Option<Arc<Planned>> {
    let planned = |plans: &BTreeMap<Column, Progress>| plans.get(&column)?.planned().cloned();
    session.plans.with_untracked(planned)
}

/// The plan of a column as it was made.
pub(super) fn original(session: Session, column: Column) -> Option<Arc<Planned>> {
    let edits = session.runs.edits;
    let edited = edits.with_untracked(|edits| Some(Arc::clone(&edits.get(&column)?.original)));
    edited.or_else(|| current(session, column))
}

/// Puts buffers elsewhere and has the judge look at it, which can be undone.
pub(super) fn place(session: Session, places: &[(usize, Offset)], column: Column) {
    remember(session, column);
    put(session, places, column);
}

pub(super) fn put(session: Session, places: &[(usize, Offset)], column: Column) {
    let (Some(original), Some(now)) = (original(session, column), current(session, column)) else {
        return;
    };
    let Some(prepared) = session.prepared.get_untracked() else {
        return;
    };
    let edits = session.runs.edits;
    let edit = edits.with_untracked(|edits| edits.get(&column).cloned());
    let mut moved = edit.map(|edit| edit.moved.clone()).unwrap_or_default();
    let mut plan = Plan {
        origin: format!("{} (edited)", original.judged.plan.origin),
        objects: None,
        proved: None,
        ..now.judged.plan.clone()
    };
    for &(buffer, to) in places {
        let was = original.judged.plan.offsets.get(buffer).copied();
        let (Some(was), Some(place)) = (was, plan.offsets.get_mut(buffer)) else {
            return;
        };
        *place = to;
        if was == to {
            moved.remove(&buffer);
        } else {
            moved.insert(buffer, was);
        }
    }
    if moved.is_empty() {
        restore_quietly(session, column);
        return;
    }
    let options = untrack(|| session.options());
    plan.arena = what_if::arena(&prepared.subject.lifetimes, &plan.offsets, &options);
    keep(session, column, original, plan, moved);
}

/// Has the judge look at a changed plan and shows it in place of the original.
pub(super) fn keep(
    session: Session,
    column: Column,
    original: Arc<Planned>,
    plan: Plan,
    moved: BTreeMap<usize, Offset>,
) {
    let Some(prepared) = session.prepared.get_untracked() else {
        return;
    };
    let options = untrack(|| session.options());
    let lifetimes = &prepared.subject.lifetimes;
    let judged = judge(lifetimes, &prepared.bounds, &options, plan);
    let planned = Planned {
        judged,
        ..original.as_ref().clone()
    };
    drop_outcome(session, column);
    session.runs.edits.update(|edits| {
        edits.insert(column, Arc::new(Edit { original, moved }));
    });
    set(session, column, Arc::new(planned));
}

/// What an earlier change of the plan did says nothing of this one.
pub(super) fn drop_outcome(session: Session, column: Column) {
    session.runs.outcomes.update(|outcomes| {
        outcomes.remove(&(column, true));
    });
}

fn set(session: Session, column: Column, planned: Arc<Planned>) {
    session.plans.update(|plans| {
        plans.insert(column, Progress::Done(planned));
    });
}
