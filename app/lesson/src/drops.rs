//! What a training step costs for each set of activations that is given up.

use planner::training::cost::needs;
use planner::training::{Move, Problem, Walk, stage};
use serde::{Deserialize, Serialize};

use planner::message;

use crate::instance::{ReadyInstance, Unmeasured};

/// All sets of at most so many activations are looked at.
const MOST: usize = 10;

/// What one set of activations that are given up comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drop {
    /// The set, one bit for each activation in their order.
    pub set: u32,
    /// The most bytes at once.
    pub peak: u64,
    /// How many operators run once more.
    pub again: u64,
}

/// The activations of the forward pass, and what every set of them comes to that is given up:
/// see [`walk`].
///
/// # Errors
/// [`Unmeasured`] for what is no training step, or one of more than [`MOST`] activations.
pub(crate) fn drops(instance: &ReadyInstance) -> Result<(Vec<String>, Vec<Drop>), Unmeasured> {
    let none = || Unmeasured::NotThere(message!("training step"));
    let graph = instance.untrained.clone().ok_or_else(none)?;
    let step = stage::step(&graph, 1, planner::Recipe::default());
    let problem = step.map_err(|_why| none())?.problem;
    let count = problem.forward();
    if count > MOST {
        return Err(Unmeasured::TooLarge(instance.name.clone()));
    }
    let names = problem.nodes.iter().take(count);
    let names = names.map(|node| node.name.clone()).collect();
    let of = |set: u32| {
        let walk = walk(&problem, |node| node < count && set >> node & 1 == 1);
        let runs = walk.iter().filter(|step| matches!(step, Move::Compute(_)));
        Drop {
            set,
            peak: needs(&problem, &walk).peak.0,
            again: runs.count().saturating_sub(problem.nodes.len()) as u64,
        }
    };
    Ok((names, (0..1 << count).map(of).collect()))
}

/// What is given up is forgotten once the forward pass, the loss included, has read it for the last
/// time, and computed again when the backward pass reads it first; everything is kept from there
/// to its last reader.
fn walk(problem: &Problem, is_given_up: impl Fn(usize) -> bool) -> Walk {
    let readers = problem.readers();
    let forward = problem.forward();
    let last = |node: usize| readers[node].last().copied();
    let last_before = |node: usize| readers[node].iter().filter(|it| **it <= forward).max();
    let mut there = vec![false; problem.nodes.len()];
    let mut walk = Walk::new();
    for step in 0..problem.nodes.len() {
        compute(problem, step, &mut there, &mut walk);
        for (node, there) in there.iter_mut().enumerate().take(step + 1) {
            let read = last(node).is_none_or(|last| last <= step) && node != step;
            let dropped = is_given_up(node)
                && step <= forward
                && last_before(node).is_some_and(|last| *last <= step);
            if *there && (read || dropped) {
                *there = false;
                walk.push(Move::Forget(node));
            }
        }
    }
    walk
}

/// Computes a node, and before it whatever it reads that is not there.
fn compute(problem: &Problem, node: usize, there: &mut [bool], walk: &mut Walk) {
    for read in &problem.nodes[node].reads {
        if !there[*read] {
            compute(problem, *read, there, walk);
        }
    }
    there[node] = true;
    walk.push(Move::Compute(node));
}
