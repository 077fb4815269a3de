//! Choices about planning: what is planned for, and for how long.

use leptos::prelude::*;
use planner::{Bytes, Effort, Io, Parallel, Pool, TFLM_ALIGNMENT};

use super::{flow, what_if};
use crate::state::column::Column;
use crate::state::planning::MOST_EFFORT;
use crate::state::session::{Notice, Session};
use crate::words::Word;

/// How much longer a search may take when it is asked to.
const LONGER: u64 = 4;

/// Something that a person chose about planning.
#[derive(Clone, Debug)]
pub(crate) enum PlanningAction {
    /// Chose an arena of a deployed plan.
    Arena(u32),
    /// Chose an alignment in bytes.
    Align(u64),
    /// Chose where inputs and outputs live.
    PlaceIo(Io),
    /// Chose whether the pass at this row of the table runs.
    Pass(usize, bool),
    /// Chose which operators may run at the same time.
    Parallel(Parallel),
    /// Chose the memories to plan for.
    Pools(Vec<Pool>),
    /// Chose how long searches may search.
    Effort(Effort),
    /// Typed an effort that there cannot be.
    EffortOutside,
    /// Asked searches to search longer.
    SearchLonger(Column),
    /// Asked what running in parallel costs.
    MeasurePrice,
    /// Does not want to know it any longer.
    StopPrice,
    /// Stopped a strategy.
    Stop(Column),
    /// Asked for a plan once more.
    Again(Column),
    /// Looks at the witness of a bound, by its place in the list, or at none.
    Witness(Option<usize>),
}

pub(super) fn choose(session: Session, action: PlanningAction) {
    let planning = session.planning;
    let settings = session.settings;
    match action {
        PlanningAction::Arena(arena) => {
            settings.update(|settings| settings.arena = arena);
            // What was in view is another memory's.
            session.window.set(None);
            session.selected.set(None);
        }
        PlanningAction::Align(alignment) => {
            settings.update(|settings| settings.alignment = Bytes(alignment));
        }
        PlanningAction::PlaceIo(io) => settings.update(|settings| {
            settings.io = io;
            if io == Io::Tflm {
                settings.alignment = TFLM_ALIGNMENT;
            }
        }),
        PlanningAction::Pass(row, on) => settings.update(|settings| {
            settings.passes = settings.passes.with(row, on);
        }),
        PlanningAction::Parallel(parallel) => {
            settings.update(|settings| settings.parallel = parallel);
        }
        PlanningAction::Pools(pools) => planning.pools.set(pools),
        PlanningAction::Effort(effort) => return spend(session, effort, None),
        PlanningAction::EffortOutside => {
            session.notice.set(Some(Notice::EffortOutside));
            return;
        }
        PlanningAction::SearchLonger(column) => {
            let effort = planning.effort.get_untracked();
            let longer = |effort: u64| effort.saturating_mul(LONGER).min(MOST_EFFORT);
            let effort = Effort {
                nodes: longer(effort.nodes),
                moves: longer(effort.moves),
            };
            return spend(session, effort, Some(column));
        }
        PlanningAction::MeasurePrice => return flow::measure_price(session),
        PlanningAction::StopPrice => return flow::stop_price(session),
        PlanningAction::Stop(column) => return flow::stop(session, column),
        PlanningAction::Again(column) => return flow::again(session, column),
        PlanningAction::Witness(shown) => {
            planning.witness.set(shown);
            session.insight.lit.set(None);
            if shown.is_some() {
                session.selected.set(None);
            }
            return;
        }
    }
    if session.runs.edits.with_untracked(|edits| !edits.is_empty()) {
        session.notice.set(Some(Notice::Said(Word::EditsDropped)));
    }
    what_if::unwant();
    flow::replan(session);
}

/// Searches with another effort, for `first` before all others.
fn spend(session: Session, effort: Effort, first: Option<Column>) {
    if session.planning.effort.get_untracked() != effort {
        session.planning.effort.set(effort);
        flow::search_again(session, first);
    }
}
