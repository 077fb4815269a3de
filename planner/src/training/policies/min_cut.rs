//! What torch.compile's partitioner makes of a step, over its memory budget.

use serde::{Deserialize, Serialize};

use super::{Found, NoWalk};
use crate::training::cost::{Needs, needs};
use crate::training::joint::partition::{NoCut, Partitioner, Solver};
use crate::training::{Problem, Walk};
use crate::units::Bytes;

/// Into how many parts the memory budget from 0 to 1 is divided.
const PARTS: u32 = 20;

/// What the partitioner makes of one memory budget.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Partition {
    /// The budget in hundredths: `activation_memory_budget` × 100.
    pub budget: u32,
    /// What is kept for the backward pass by the partitioner's count, which the budget is about:
    /// inputs included, parameters left out.
    pub kept: Bytes,
    /// What the schedule needs.
    pub needs: Needs,
}

/// What the partitioner makes of each memory budget, from 0 to 1 in twentieths; nothing of a step
/// that is no joint graph.
///
/// # Errors
/// Why it cannot be cut.
pub fn partitions(problem: &Problem) -> Result<Vec<Partition>, NoWalk> {
    let walks = walks(problem, &mut |_, _| true)?;
    let made = walks.into_iter().map(|(budget, kept, walk)| Partition {
        budget,
        kept,
        needs: needs(problem, &walk),
    });
    Ok(made.collect())
}

/// Budget in hundredths, what is kept, and the walk.
fn walks(
    problem: &Problem,
    watch: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Vec<(u32, Bytes, Walk)>, NoWalk> {
    let joint = problem.joint.as_ref().ok_or(NoWalk::NoJointGraph)?;
    let partitioner = Partitioner::new(&joint.graph).map_err(no_walk)?;
    let mut walks = Vec::new();
    for part in 0..=PARTS {
        if !watch(part.into(), PARTS.into()) {
            return Err(NoWalk::Stopped);
        }
        let budget = f64::from(part) / f64::from(PARTS);
        let saved = partitioner.saved(budget, Solver::Dp).map_err(no_walk)?;
        let kept = partitioner.kept(&saved);
        walks.push((part * 100 / PARTS, kept, joint.walk(problem, &saved)));
    }
    Ok(walks)
}

/// The walk of one memory budget, in hundredths, if it fits.
pub(in crate::training) fn at(problem: &Problem, share: u8, budget: Option<Bytes>) -> Found {
    let share = f64::from(share) / 100.0;
    let walk = problem.joint.as_ref().ok_or(NoWalk::NoJointGraph);
    let walk = walk.and_then(|joint| {
        let partitioner = Partitioner::new(&joint.graph).map_err(no_walk)?;
        let saved = partitioner.saved(share, Solver::Dp).map_err(no_walk)?;
        Ok(joint.walk(problem, &saved))
    });
    match walk {
        Ok(walk) => Found::fitting(problem, [walk], budget),
        Err(why) => Found::none(why),
    }
}

fn no_walk(why: NoCut) -> NoWalk {
    match why {
        NoCut::Endless => NoWalk::NoCut,
        NoCut::TooMany => NoWalk::NotSearched,
    }
}

/// The cheapest walk that fits, of 21 memory budgets.
pub(super) fn run(
    problem: &Problem,
    budget: Option<Bytes>,
    watch: &mut dyn FnMut(u64, u64) -> bool,
) -> Found {
    match walks(problem, watch) {
        Ok(walks) => Found::fitting(problem, walks.into_iter().map(|it| it.2), budget),
        Err(why) => Found::none(why),
    }
}
