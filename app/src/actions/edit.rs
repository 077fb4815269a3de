//! Plans changed by hand or spoiled: judged like any other, run on purpose, taken back.
//! Every change can be undone.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use executor::measure::spoil;
use leptos::prelude::*;
use planner::{Bytes, Lifetimes, Offset, Options, Plan, judge, what_if};
use worker::Planned;

use super::what_if::remember;

use crate::state::column::Column;
use crate::state::run::Edit;
use crate::state::session::{Notice, Progress, Session};
use crate::words::{HandWord, Word, filled};

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
pub(super) fn import(
    session: Session,
    lifetimes: &Lifetimes,
    plan: &Plan,
) -> Result<Column, String> {
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
    let before = &original.judged.plan;
    let laid = if before.pools.is_some() {
        let places: Vec<(usize, Offset)> = offsets.into_iter().enumerate().collect();
        let options = untrack(|| session.options());
        let lifetimes = &prepared.subject.lifetimes;
        what_if::moved(lifetimes, before, &options, &places)
    } else {
        Plan {
            offsets,
            arena: plan.arena,
            ..Plan::default()
        }
    };
    let laid = Plan {
        origin: plan.origin.clone(),
        ..laid
    };
    keep(session, column, original, laid, moved);
    Ok(column)
}

/// Lets go of the rectangle that is held.
pub(super) fn drop(session: Session) {
    if let Some(moving) = session.runs.moving.get_untracked() {
        session.runs.moving.set(None);
        session.runs.target.set(Some(moving.column));
        place(session, &[moving.into_place()], moving.column);
    }
}

/// The plan that the buttons are about, and the buffer that is selected.
fn chosen(session: Session) -> Option<(Column, usize)> {
    untrack(|| session.target()).zip(session.selected.get_untracked())
}

/// Moves the selected rectangle of the plan that the buttons are about by so many steps, from
/// one multiple of its alignment to another.
pub(super) fn nudge(session: Session, steps: i8) {
    let Some((column, buffer)) = chosen(session) else {
        return;
    };
    let Some(Offset(from)) = untrack(|| session.offset(column, buffer)) else {
        return;
    };
    let step = untrack(|| step(session, buffer)).0;
    let count = u64::from(steps.unsigned_abs());
    let below = from / step;
    let to = if steps < 0 {
        // What lies between two multiples goes to the lower one first.
        below
            .saturating_add(u64::from(!from.is_multiple_of(step)))
            .saturating_sub(count)
    } else {
        below.saturating_add(count)
    };
    place(
        session,
        &[(buffer, Offset(to.saturating_mul(step)))],
        column,
    );
}

/// Moves the selected rectangle to the next end of a free place above or below.
pub(super) fn hop(session: Session, above: bool) {
    let Some((column, buffer)) = chosen(session) else {
        return;
    };
    let (Some(now), Some(prepared)) = (current(session, column), session.prepared.get_untracked())
    else {
        return;
    };
    let options = Options::aligned(grid(session));
    let lifetimes = &prepared.subject.lifetimes;
    match what_if::next(lifetimes, &now.judged.plan, &options, buffer, above) {
        Some(to) => place(session, &[(buffer, to)], column),
        None => {
            let word = if above {
                HandWord::NoneAbove
            } else {
                HandWord::NoneBelow
            };
            session.notice.set(Some(Notice::Hand(word)));
        }
    }
}

/// What a buffer is moved by: the larger of its own alignment and [`grid`]; follows nothing but
/// the lifetimes.
pub(crate) fn step(session: Session, buffer: usize) -> Bytes {
    let own = session.with_lifetimes(|lifetimes| Some(lifetimes.buffers.get(buffer)?.alignment));
    own.flatten().unwrap_or_default().max(grid(session))
}

/// What offsets are moved by: the alignment; whole words where a model can be run.
pub(crate) fn grid(session: Session) -> Bytes {
    let alignment = session.settings.get_untracked().alignment.0.max(1);
    let prepared = session.prepared.get_untracked();
    match prepared.is_some_and(|prepared| prepared.subject.program.is_some()) {
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
    if runs.shown.get_untracked() == Some((column, true)) {
        runs.shown.set(Some((column, false)));
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

/// Whether anything of a column's plan was changed or pinned by hand.
pub(super) fn is_held(session: Session, column: Column) -> bool {
    let edited = session
        .runs
        .edits
        .with_untracked(|edits| edits.contains_key(&column));
    edited || untrack(|| !session.what_if.pinned(column).is_empty())
}

/// A strategy has made another plan while one of its was changed or pinned by hand: that stays
/// in view, as a change of the new one. One that is made `on_the_way` counts where it is
/// smaller.
pub(crate) fn rebase(session: Session, column: Column, made: Arc<Planned>, on_the_way: bool) {
    let (Some(before), Some(now)) = (original(session, column), current(session, column)) else {
        set(session, column, made);
        return;
    };
    if on_the_way && made.judged.plan.arena >= before.judged.plan.arena {
        return;
    }
    let edits = session.runs.edits;
    let edited = edits.with_untracked(|edits| edits.contains_key(&column));
    let moved = difference(&made, &now);
    if moved.is_empty() {
        edits.update(|edits| {
            edits.remove(&column);
        });
        set(session, column, made);
    } else if edited {
        edits.update(|edits| {
            let original = made;
            edits.insert(column, Arc::new(Edit { original, moved }));
        });
    } else {
        let plan = &now.judged.plan;
        if let Some(plan) = laid(session, plan, &[]) {
            keep(session, column, made, plan, moved);
        }
    }
}

/// The buffers that `now` has elsewhere than `made`, with where `made` has them.
fn difference(made: &Planned, now: &Planned) -> BTreeMap<usize, Offset> {
    let places = made
        .judged
        .plan
        .offsets
        .iter()
        .zip(&now.judged.plan.offsets);
    let moved = places.enumerate().filter(|(_, (was, now))| was != now);
    moved.map(|(buffer, (was, _))| (buffer, *was)).collect()
}

/// Puts buffers elsewhere and has the judge look at it, which can be undone. Where they are
/// already, or pinned, or too high, nothing is done.
pub(super) fn place(session: Session, places: &[(usize, Offset)], column: Column) {
    let stays = |&(buffer, to): &(usize, Offset)| {
        untrack(|| session.offset(column, buffer)).is_none_or(|at| at == to)
    };
    if places.iter().all(stays) {
        return;
    }
    let pinned =
        |&(buffer, _): &(usize, Offset)| untrack(|| session.what_if.is_pinned(column, buffer));
    if places.iter().any(pinned) {
        session.notice.set(Some(Notice::Said(Word::IsPinned)));
        return;
    }
    let highest = untrack(|| highest(session));
    if places.iter().any(|&(_, to)| to > highest) {
        let word = HandWord::TooHighSaid;
        session.notice.set(Some(Notice::Hand(word)));
        return;
    }
    remember(session, column);
    put(session, places, column);
}

/// The highest address at which a buffer may be put by hand; follows what it depends on.
pub(crate) fn highest(session: Session) -> Offset {
    let options = session.options();
    let highest = session.with_lifetimes(|lifetimes| what_if::highest(lifetimes, &options));
    highest.unwrap_or_default()
}

pub(super) fn put(session: Session, places: &[(usize, Offset)], column: Column) {
    let (Some(original), Some(now)) = (original(session, column), current(session, column)) else {
        return;
    };
    if let Some(plan) = laid(session, &now.judged.plan, places) {
        lay(session, column, original, plan);
    }
}

/// `plan` with buffers elsewhere.
fn laid(session: Session, plan: &Plan, places: &[(usize, Offset)]) -> Option<Plan> {
    let prepared = session.prepared.get_untracked()?;
    let options = untrack(|| session.options());
    let plan = what_if::moved(&prepared.subject.lifetimes, plan, &options, places);
    Some(Plan {
        origin: plan.origin.edited(),
        ..plan
    })
}

/// Lays `plan` over the original of a column.
pub(super) fn lay(session: Session, column: Column, original: Arc<Planned>, plan: Plan) {
    let before = original.judged.plan.offsets.iter().zip(&plan.offsets);
    let moved = before.enumerate().filter(|(_, (was, now))| was != now);
    let moved: BTreeMap<usize, Offset> = moved.map(|(buffer, (was, _))| (buffer, *was)).collect();
    if moved.is_empty() {
        restore_quietly(session, column);
    } else {
        keep(session, column, original, plan, moved);
    }
}

/// Shows a changed plan that was judged before.
pub(super) fn show_again(session: Session, column: Column, planned: Arc<Planned>) {
    let Some(original) = original(session, column) else {
        return;
    };
    session.runs.moving.set(None);
    let moved = difference(&original, &planned);
    if moved.is_empty() {
        restore_quietly(session, column);
        return;
    }
    drop_outcome(session, column);
    session.runs.edits.update(|edits| {
        edits.insert(column, Arc::new(Edit { original, moved }));
    });
    set(session, column, planned);
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
    let judged = prepared.subject.counted(judged);
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
