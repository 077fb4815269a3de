//! A log of an eager runtime under a policy: what it comes to, and what is to be planned.

use super::cost::Needs;
use super::dtr::{Act, Ended, Heuristic, Limits, Log, Played, phases, residencies, run};
use super::policies::NoWalk;
use super::table::{Part, PolicyTable, Row};
use super::{Policy, choice};
use crate::liveness::Lifetimes;
use crate::schedule::Phase;
use crate::settings::Training;
use crate::units::{Bytes, Span};

/// What a run of `log` may take: computing as much again as it takes without a budget is given
/// up.
#[must_use]
pub fn limits(log: &Log, budget: Option<Bytes>) -> Limits {
    Limits {
        budget,
        recompute: Some(log.base_cost()),
        ..Limits::default()
    }
}

/// What playing `log` under `policy` comes to, and the run where the policy is one that evicts.
/// The budget is for all that is in memory, what is always there included.
#[must_use]
pub fn played(log: &Log, policy: Policy, limits: Limits) -> (Row, Option<Played>) {
    let mut row = Row {
        policy,
        budget: limits.budget,
        needs: None,
        overhead: 0.0,
        again: Bytes::ZERO,
        optimal: false,
        lower_bound: None,
        why: Some(NoWalk::NotForLogs),
        at: None,
    };
    let Some(evictor) = policy.evictor() else {
        return (row, None);
    };
    let played = run(log, evictor, limits, None);
    row.why = match played.ended {
        Ended::Well => None,
        Ended::OutOfMemory { call } => {
            row.at = log.calls.get(call).map(|call| call.name.clone());
            Some(NoWalk::OutOfMemory(call))
        }
        Ended::Thrashed => Some(NoWalk::Thrashed),
        Ended::Stopped => Some(NoWalk::Stopped),
    };
    if row.why.is_none() {
        let cost = played.first + played.again;
        row.needs = Some(Needs {
            peak: played.peak,
            cost,
            stall: 0,
        });
        row.overhead = cost as f64 / log.base_cost().max(1) as f64;
        row.optimal = played.again == 0;
        row.again = bytes_again(log, &played);
    }
    (row, Some(played))
}

/// The bytes of all that is computed once more.
fn bytes_again(log: &Log, played: &Played) -> Bytes {
    let mut ran = vec![false; log.calls.len()];
    let mut bytes = 0_u64;
    for act in &played.acts {
        if let Act::Compute { call, .. } = *act
            && std::mem::replace(&mut ran[call], true)
        {
            let made = log.calls[call].makes.iter().map(|made| made.bytes);
            bytes = bytes.saturating_add(made.sum());
        }
    }
    Bytes(bytes)
}

/// A log as it is to be planned.
#[derive(Debug, Default)]
pub struct Staged {
    /// What it needs in memory as chosen, or without a budget.
    pub lifetimes: Lifetimes,
    /// When it is in the forward pass, and when in the backward pass.
    pub phases: Vec<(Phase, Span)>,
    /// What the chosen policy came to.
    pub trained: Option<Row>,
}

/// Plays `log` as chosen, or without a budget.
#[must_use]
pub fn stage(log: &Log, chosen: Option<Training>) -> Staged {
    let dtr = Policy::Live(Heuristic::Dtr);
    let policy = chosen.map_or(dtr, choice::policy);
    let limits = limits(log, chosen.and_then(|it| it.budget));
    let (row, played) = played(log, policy, limits);
    let fits = row.needs.is_some();
    let trained = chosen.map(|_| row);
    match played.filter(|_| fits) {
        Some(played) => Staged {
            lifetimes: residencies(log, &played),
            phases: phases(log, &played),
            trained,
        },
        None => Staged {
            trained,
            ..Staged::default()
        },
    }
}

/// A part of the table of policies under a chosen `budget`.
#[must_use]
pub fn table(log: &Log, budget: Option<Bytes>, part: &Part) -> PolicyTable {
    let free = run(log, Heuristic::Dtr, limits(log, None), None);
    let mut table = PolicyTable {
        nodes: log.calls.len(),
        fixed: log.constants(),
        base: log.base_cost(),
        minimum: log.minimum(),
        keep_all: free.peak,
        log: true,
        ..PolicyTable::default()
    };
    table.fill(budget, part, |policy, budget| {
        played(log, policy, limits(log, budget)).0
    });
    table
}
