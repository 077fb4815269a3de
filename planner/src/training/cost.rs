//! What a walk needs: the most bytes at once, and the cost of everything that it computes.

use serde::{Deserialize, Serialize};

use super::{Move, Problem};
use crate::units::Bytes;

/// What a walk needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Needs {
    /// The most bytes of values at once, fixed bytes aside.
    pub peak: Bytes,
    /// What all that is computed costs.
    pub cost: u64,
}

/// Counts what `walk` needs.
#[must_use]
pub fn needs(problem: &Problem, walk: &[Move]) -> Needs {
    let mut there = vec![false; problem.nodes.len()];
    let mut live = 0;
    let mut needs = Needs::default();
    for step in walk {
        match *step {
            Move::Compute(node) => {
                let own = &problem.nodes[node];
                if !there[node] {
                    live += own.bytes.0;
                    there[node] = true;
                }
                needs.peak = needs.peak.max(Bytes(live));
                needs.cost += own.cost;
            }
            Move::Forget(node) => {
                if there[node] {
                    live -= problem.nodes[node].bytes.0;
                    there[node] = false;
                }
            }
        }
    }
    needs
}

/// How much more a walk computes than running every node once: 1 is nothing more.
#[must_use]
pub fn overhead(problem: &Problem, cost: u64) -> f64 {
    match problem.base_cost() {
        0 => 1.0,
        base => cost as f64 / base as f64,
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
