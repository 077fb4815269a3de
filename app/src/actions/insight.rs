//! Questions about a plan: why it is as large as it is, and what lies where.

use std::collections::BTreeMap;
use std::sync::Arc;

use leptos::prelude::*;
use planner::space::Spot;
use planner::waste::Kind;
use planner::{Offset, Sorting as _, Step};
use worker::{Explained, Planned, explain};

use super::flow;
use crate::state::column::Column;
use crate::state::insight::{Known, LaneName, Lit, OnePlan, Place};
use crate::state::session::{Session, Tab, to_f64};

/// Up to this many buffers a plan is explained at once, without asking the worker, which may
/// be busy with a search.
const AT_ONCE: usize = 1_000;

/// So many pixels a press of an arrow key moves the crosshair at least.
const STRIDE: f64 = 6.0;

/// A question about a plan.
#[derive(Clone, Debug)]
pub(crate) enum InsightAction {
    /// Pointed at a place, or at none.
    Ask(Option<Place>),
    /// Switched the crosshair on or off.
    Cross,
    /// Moved it so many strides later and higher.
    Move(i8, i8),
    /// Lit a part of the arena, or nothing.
    Part(Option<Kind>),
    /// Lit what the selected buffer rests on, or not.
    Chain(bool),
    /// Looked at a step, or at none.
    Step(Option<Step>),
    /// Has the pointer over a step, or over none.
    Point(Option<Step>),
    /// Opened or closed the lanes.
    Open(bool),
    /// Showed or hid a lane.
    Lane(LaneName, bool),
    /// Has asked enough.
    Clear,
}

pub(super) fn ask(session: Session, action: InsightAction) {
    let insight = session.insight;
    match action {
        InsightAction::Ask(place) => {
            if place.is_none() {
                insight.cross.set(false);
            }
            look_at(session, place);
        }
        InsightAction::Cross => cross(session),
        InsightAction::Move(later, higher) => move_by(session, later, higher),
        InsightAction::Part(kind) => {
            session.planning.witness.set(None);
            session.selected.set(None);
            insight.spot.set(None);
            insight.cross.set(false);
            insight.lit.set(kind.map(Lit::Part));
            let part = untrack(|| session.lit_part());
            insight.step.set(part.map(|part| part.step));
        }
        InsightAction::Chain(on) => insight.lit.set(on.then_some(Lit::Chain)),
        InsightAction::Step(step) => insight.step.set(step),
        InsightAction::Point(step) => {
            if insight.pointed.get_untracked() != step {
                insight.pointed.set(step);
            }
        }
        InsightAction::Open(open) => insight.open.set(Some(open)),
        InsightAction::Lane(lane, on) => insight.lanes.update(|lanes| {
            lanes.retain(|other| *other != lane);
            if on {
                lanes.insert(lane);
            }
        }),
        InsightAction::Clear => clear(session),
    }
}

/// Forgets what was asked: the plans are others now.
pub(super) fn forget(session: Session) {
    clear(session);
    session.insight.known.update(BTreeMap::clear);
}

/// Nothing is lit any longer: outlines of something else come instead.
pub(super) fn unlight(session: Session) {
    let insight = session.insight;
    if insight.lit.get_untracked().is_some() {
        insight.lit.set(None);
        insight.step.set(None);
    }
}

fn clear(session: Session) {
    let insight = session.insight;
    insight.cross.set(false);
    insight.spot.set(None);
    insight.lit.set(None);
    insight.step.set(None);
}

/// Makes a point query; the buffer that lies there is selected.
fn look_at(session: Session, place: Option<Place>) {
    let insight = session.insight;
    insight.spot.set(place);
    let Some((place, spot)) = untrack(|| session.spot()) else {
        insight.spot.set(None);
        return;
    };
    session.runs.target.set(Some(place.column));
    if !insight.cross.get_untracked() && !matches!(spot, Spot::Empty(_)) {
        insight.spot.set(None);
    }
    let held = match spot {
        // The one that is drawn on top.
        Spot::Held(by) => by.last().copied(),
        Spot::Empty(_) | Spot::Outside => None,
    };
    if session.selected.get_untracked() != held {
        session.selected.set(held);
    }
}

/// Begins in the middle of what is in view, or where something was asked before.
fn cross(session: Session) {
    let insight = session.insight;
    if insight.cross.get_untracked() {
        insight.cross.set(false);
        return look_at(session, None);
    }
    let Some(column) = untrack(|| session.target()) else {
        return;
    };
    let before = insight.spot.get_untracked();
    let before = before.filter(|place| place.column == column);
    let middle = || {
        let camera = untrack(|| session.camera(session.size.get()));
        place_at(session, column, (camera.x.middle(), camera.y.middle()))
    };
    insight.cross.set(true);
    look_at(session, Some(before.unwrap_or_else(middle)));
}

fn move_by(session: Session, later: i8, higher: i8) {
    let Some(place) = session.insight.spot.get_untracked() else {
        return;
    };
    let camera = untrack(|| session.camera(session.size.get()));
    let steps = (STRIDE / camera.pixels_per_step()).ceil().max(1.0);
    let bytes = (STRIDE / camera.pixels_per_byte()).ceil().max(1.0);
    let at = (
        to_f64(place.step.0) + steps * f64::from(later),
        to_f64(place.offset.0) + bytes * f64::from(higher),
    );
    look_at(session, Some(place_at(session, place.column, at)));
}

/// The place at a point of the data, kept inside the plan.
fn place_at(session: Session, column: Column, (x, y): (f64, f64)) -> Place {
    let planned = untrack(|| session.one_plan(Some(column))).0;
    let arena = planned.map_or(1, |(_, planned)| planned.judged.plan.arena.0);
    let horizon = untrack(|| session.with_lifetimes(|lifetimes| lifetimes.horizon.0));
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "float casts saturate"
    )]
    let whole = |value: f64, end: u64| (value.max(0.0) as u64).min(end.saturating_sub(1));
    Place {
        column,
        step: Step(whole(x, horizon.unwrap_or(1))),
        offset: Offset(whole(y, arena)),
    }
}

/// Keeps the plans explained whose explanations are in view.
pub(crate) fn start(session: Session) {
    let wanted = Memo::new(move |_| Wanted(wanted(session)));
    Effect::new(move |_| {
        for plan in wanted.get().0 {
            if let Some((column, planned)) = plan.0 {
                explain_plan(session, column, planned);
            }
        }
    });
}

#[derive(Clone, PartialEq)]
struct Wanted(Vec<OnePlan>);

fn wanted(session: Session) -> Vec<OnePlan> {
    let mut columns = Vec::new();
    if session.tab.get() == Tab::Waste || session.insight.lit.get().is_some() {
        columns.extend(session.target());
    }
    if session.lanes_open() {
        columns.extend(session.shown.get());
    }
    columns.order();
    columns.dedup();
    let plans = columns.into_iter();
    plans.map(|column| session.one_plan(Some(column))).collect()
}

fn explain_plan(session: Session, column: Column, planned: Arc<Planned>) {
    let insight = session.insight;
    let known = insight.known.with_untracked(|known| {
        let known = known.get(&column);
        known.is_some_and(|known| Arc::ptr_eq(&known.planned, &planned))
    });
    let Some(prepared) = session.prepared.get_untracked().filter(|_| !known) else {
        return;
    };
    let few = prepared.subject.lifetimes.buffers.len() <= AT_ONCE;
    let explained = few.then(|| {
        let plan = &planned.judged.plan;
        Arc::new(explain(&prepared.subject, &prepared.bounds, plan))
    });
    insight.known.update(|known| {
        known.insert(column, Known { planned, explained });
    });
    if !few {
        flow::explain(session, column);
    }
}

/// The worker explains nothing more: what is looked at again is asked for again.
pub(super) fn give_up(session: Session) {
    let waits = |known: &Known| known.explained.is_none();
    if session
        .insight
        .known
        .with_untracked(|known| known.values().any(waits))
    {
        let found = |_: &Column, known: &mut Known| known.explained.is_some();
        session.insight.known.update(|known| known.retain(found));
    }
}

/// The worker has explained the plan of `column`.
pub(super) fn explained(session: Session, column: Column, of: &Arc<Planned>, explained: Explained) {
    session.insight.known.update(|known| {
        let known = known.get_mut(&column);
        if let Some(known) = known.filter(|known| Arc::ptr_eq(&known.planned, of)) {
            known.explained = Some(Arc::new(explained));
        }
    });
}
