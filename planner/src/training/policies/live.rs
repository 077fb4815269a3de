//! Eager runtimes as policies: what they did as a walk.

use super::{Found, NoWalk};
use crate::training::cost::needs;
use crate::training::dtr::{Act, Ended, Evictor, Limits, Log, run as play};
use crate::training::{Move, Problem};
use crate::units::Bytes;

/// What a step may take under a budget: computing as much again as it takes is given up.
#[must_use]
pub fn limits(problem: &Problem, budget: Option<Bytes>) -> Limits {
    Limits {
        budget,
        recompute: Some(problem.base_cost()),
        ..Limits::default()
    }
}

/// Runs the step in an eager runtime. What its smallest budget is is not looked at.
#[must_use]
pub fn live(problem: &Problem, evictor: Evictor, limits: Limits) -> Found {
    let log = Log::from(problem);
    let played = play(&log, evictor, limits, None);
    match played.ended {
        Ended::Well => {}
        Ended::OutOfMemory { call } => return Found::none(NoWalk::OutOfMemory(call)),
        Ended::Thrashed => return Found::none(NoWalk::Thrashed),
        Ended::Stopped => return Found::none(NoWalk::Stopped),
    }
    // A node is a call is a storage.
    let walk = played.acts.into_iter().map(|act| match act {
        Act::Compute { call, .. } => Move::Compute(call),
        Act::Evict(storage) | Act::Free(storage) => Move::Forget(storage),
    });
    let mut walk: Vec<Move> = walk.collect();
    // What was computed again after the program had let go of it stays until there is no room.
    let mut there = vec![false; problem.nodes.len()];
    for step in &walk {
        there[step.node()] = step.brings();
    }
    let left = there.iter().enumerate().filter(|(_, is)| **is);
    walk.extend(left.map(|(node, _)| Move::Forget(node)));
    let needs = needs(problem, &walk);
    Found {
        optimal: needs.cost == problem.base_cost(),
        walk: Some(walk),
        needs,
        lower_bound: None,
        why: None,
        run: None,
    }
}
