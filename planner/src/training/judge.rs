//! Whether a walk can happen and computes the training step: every node runs, what a node reads
//! is there when it runs, and what is computed again is the same expression. Shares no code with
//! the policies.

use super::{Move, Problem, Walk};
use crate::units::Bytes;

/// What is wrong with a walk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The move names a node that there is not.
    NoSuchNode {
        /// The move.
        at: usize,
        /// The node.
        node: usize,
    },
    /// What a node reads is not there.
    NotThere {
        /// The move.
        at: usize,
        /// The node that runs.
        node: usize,
        /// What it reads.
        read: usize,
    },
    /// What is forgotten is not there.
    NothingToForget {
        /// The move.
        at: usize,
        /// The node.
        node: usize,
    },
    /// A node never runs.
    NeverRuns {
        /// The node.
        node: usize,
    },
    /// A node that is not early runs for the first time before one that comes before it.
    OutOfOrder {
        /// The move.
        at: usize,
        /// The node.
        node: usize,
    },
    /// More bytes are there than the budget allows.
    OverBudget {
        /// The move.
        at: usize,
        /// The bytes that are there.
        live: Bytes,
    },
}

/// Judges `walk`, under a budget for the values if there is one.
///
/// # Errors
/// The first fault.
pub fn judge(problem: &Problem, walk: &Walk, budget: Option<Bytes>) -> Result<(), Fault> {
    let count = problem.nodes.len();
    let mut resident: Vec<bool> = vec![false; count];
    let mut ran: Vec<bool> = vec![false; count];
    let mut next = 0;
    for (at, step) in walk.iter().enumerate() {
        let (Move::Compute(node) | Move::Forget(node)) = *step;
        if node >= count {
            return Err(Fault::NoSuchNode { at, node });
        }
        if let Move::Forget(_) = step {
            if !resident[node] {
                return Err(Fault::NothingToForget { at, node });
            }
            resident[node] = false;
            continue;
        }
        while next < count && ran[next] {
            next += 1;
        }
        let skipped = next..node;
        let waits = |it: usize| !ran[it] && !problem.nodes[it].early;
        if !problem.nodes[node].early && skipped.into_iter().any(waits) {
            return Err(Fault::OutOfOrder { at, node });
        }
        let absent = problem.nodes[node].reads.iter().find(|it| !resident[**it]);
        if let Some(&read) = absent {
            return Err(Fault::NotThere { at, node, read });
        }
        ran[node] = true;
        resident[node] = true;
        let there = resident.iter().zip(&problem.nodes);
        let live: u64 = there.filter(|(is, _)| **is).map(|(_, it)| it.bytes.0).sum();
        if budget.is_some_and(|most| live > most.0) {
            let live = Bytes(live);
            return Err(Fault::OverBudget { at, live });
        }
    }
    match ran.iter().position(|ran| !ran) {
        None => Ok(()),
        Some(node) => Err(Fault::NeverRuns { node }),
    }
}
