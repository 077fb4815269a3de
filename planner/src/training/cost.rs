//! What a walk needs: the most bytes at once, the cost of everything that it computes, and how long
//! it waits for copies.

use serde::{Deserialize, Serialize};

use super::sharding::{expanded, in_bytes};
use super::{Move, Problem, swap};
use crate::units::Bytes;

/// What a walk needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Needs {
    /// The most bytes of values at once, fixed bytes aside.
    pub peak: Bytes,
    /// What all that is computed costs.
    pub cost: u64,
    /// How long computing waits for values that are swapped, in the same unit.
    #[serde(default)]
    pub stall: u64,
}

impl Needs {
    /// What is computed and what is waited for.
    #[must_use]
    pub const fn time(self) -> u64 {
        self.cost.saturating_add(self.stall)
    }
}

/// Counts what `walk` needs; what is swapped is copied as early as the walk allows. Of a step that is
/// divided among devices the bytes are those of all that a rank runs, the cost is that of a
/// micro-batch.
#[must_use]
pub fn needs(problem: &Problem, walk: &[Move]) -> Needs {
    let own = of_walk(problem, walk);
    let swaps = walk.iter().any(|it| matches!(it, Move::SwapOut(_)));
    let all = match swaps {
        true => expanded(problem, walk),
        false => in_bytes(problem, walk),
    };
    match all {
        None => own,
        Some(all) => Needs {
            peak: of_walk(&all.problem, &all.walk).peak,
            ..own
        },
    }
}

/// The same of the walk alone: of a step that is divided, of a micro-batch.
pub(super) fn of_walk(problem: &Problem, walk: &[Move]) -> Needs {
    let mut there = vec![false; problem.nodes.len()];
    let mut live = 0;
    let mut needs = Needs::default();
    let mut swaps = false;
    for step in walk {
        let node = step.node();
        let own = &problem.nodes[node];
        if std::mem::replace(&mut there[node], step.brings()) != step.brings() {
            match step.brings() {
                true => live += own.bytes.0,
                false => live -= own.bytes.0,
            }
        }
        match *step {
            Move::Compute(_) => needs.cost += own.cost,
            Move::Forget(_) => {}
            Move::SwapOut(_) | Move::SwapIn(_) => swaps = true,
        }
        needs.peak = needs.peak.max(Bytes(live));
    }
    if swaps {
        needs.stall = swap::earliest(problem, walk).stall.sum();
    }
    needs
}

/// How much longer a walk takes than running every node once: 1 is no longer.
#[must_use]
pub fn overhead(problem: &Problem, time: u64) -> f64 {
    match problem.base_cost() {
        0 => 1.0,
        base => time as f64 / base as f64,
    }
}

/// The bytes of all that `walk` computes once more.
#[must_use]
pub fn again(problem: &Problem, walk: &[Move]) -> Bytes {
    let mut ran = vec![false; problem.nodes.len()];
    let mut again = 0_u64;
    for step in walk {
        if let Move::Compute(node) = *step
            && std::mem::replace(&mut ran[node], true)
        {
            again = again.saturating_add(problem.nodes[node].bytes.0);
        }
    }
    Bytes(again)
}
