//! Whether a walk can happen and computes the training step: every node runs, what a node reads
//! is there when it runs, what is computed again is the same expression, and what comes back from
//! the host has been taken there. Shares no code with the policies.

use super::sharding::expanded;
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
    /// What a node reads is on the host.
    Away {
        /// The move.
        at: usize,
        /// The node that runs.
        node: usize,
        /// What it reads.
        read: usize,
    },
    /// What is forgotten, or swapped out, is not there.
    NothingToForget {
        /// The move.
        at: usize,
        /// The node.
        node: usize,
    },
    /// What is swapped in is not on the host.
    NotOnHost {
        /// The move.
        at: usize,
        /// The node.
        node: usize,
    },
    /// There is nothing to swap over.
    NoLink {
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

/// Where a value is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Nowhere,
    Here,
    Host,
}

/// Judges `walk`, under a budget for the values if there is one: of a step that is divided among devices
/// all that a rank runs.
///
/// # Errors
/// The first fault.
pub fn judge(problem: &Problem, walk: &Walk, budget: Option<Bytes>) -> Result<(), Fault> {
    match expanded(problem, walk) {
        None => of_walk(problem, walk, budget),
        Some(all) => {
            of_walk(problem, walk, None)?;
            of_walk(&all.problem, &all.walk, budget)
        }
    }
}

fn of_walk(problem: &Problem, walk: &Walk, budget: Option<Bytes>) -> Result<(), Fault> {
    let count = problem.nodes.len();
    let mut places = vec![Place::Nowhere; count];
    let mut ran = vec![false; count];
    let mut next = 0;
    let mut live = 0_u64;
    for (at, step) in walk.iter().enumerate() {
        let node = step.node();
        if node >= count {
            return Err(Fault::NoSuchNode { at, node });
        }
        let swaps = matches!(step, Move::SwapOut(_) | Move::SwapIn(_));
        let before = places[node] == Place::Here;
        if swaps && problem.link.is_none() {
            return Err(Fault::NoLink { at, node });
        }
        match step {
            Move::Forget(_) | Move::SwapOut(_) if places[node] != Place::Here => {
                return Err(Fault::NothingToForget { at, node });
            }
            Move::SwapIn(_) if places[node] != Place::Host => {
                return Err(Fault::NotOnHost { at, node });
            }
            Move::Forget(_) => places[node] = Place::Nowhere,
            Move::SwapOut(_) => places[node] = Place::Host,
            Move::SwapIn(_) => places[node] = Place::Here,
            Move::Compute(_) => {
                while next < count && ran[next] {
                    next += 1;
                }
                let waits = |it: usize| !ran[it] && !problem.nodes[it].early;
                if !problem.nodes[node].early && (next..node).any(waits) {
                    return Err(Fault::OutOfOrder { at, node });
                }
                for &read in &problem.nodes[node].reads {
                    match places[read] {
                        Place::Here => {}
                        Place::Host => return Err(Fault::Away { at, node, read }),
                        Place::Nowhere => return Err(Fault::NotThere { at, node, read }),
                    }
                }
                ran[node] = true;
                places[node] = Place::Here;
            }
        }
        let bytes = problem.nodes[node].bytes.0;
        match (before, places[node] == Place::Here) {
            (false, true) => live += bytes,
            (true, false) => live -= bytes,
            _ => {}
        }
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
