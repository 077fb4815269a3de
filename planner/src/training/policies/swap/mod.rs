//! Policies that swap values to the host.

pub mod capuchin;
mod megengine;
mod vdnn;

use super::{Found, NoWalk, Policy};
use crate::training::Problem;
use crate::training::cost::Needs;
use crate::training::swap::{Played, play};
use crate::units::Bytes;

pub use vdnn::vdnn;

/// The run of a policy that swaps: the walk with its times.
///
/// # Errors
/// Why there is none.
pub fn played(
    policy: Policy,
    problem: &Problem,
    budget: Option<Bytes>,
    watch: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Played, NoWalk> {
    if problem.link.is_none() {
        return Err(NoWalk::NoLink);
    }
    let fixed = |script| {
        let played = play(problem, &script, None).map_err(|full| NoWalk::OutOfMemory(full.node))?;
        let peak = played.run.peak;
        match budget.is_none_or(|budget| peak <= budget) {
            true => Ok(played),
            false => Err(NoWalk::SmallestNeeds(peak)),
        }
    };
    match policy {
        Policy::VdnnAll => fixed(vdnn(problem, false)),
        Policy::VdnnConv => fixed(vdnn(problem, true)),
        Policy::MegengineSwap => megengine::run(problem, budget, watch),
        _ => {
            let iterations = capuchin::iterations(problem, budget, watch)?;
            let best = iterations.into_iter().min_by_key(|it| it.played.run.time);
            best.map(|it| it.played).ok_or(NoWalk::NotSearched)
        }
    }
}

/// What such a run needs.
pub(super) fn needs(problem: &Problem, played: &Played) -> Needs {
    let ran = played.run.ran.iter();
    Needs {
        peak: played.run.peak,
        cost: ran.map(|it| problem.nodes[it.node].cost).sum(),
        stall: played.run.stall.sum(),
    }
}

/// The run as what a policy has found.
pub(super) fn run(
    policy: Policy,
    problem: &Problem,
    budget: Option<Bytes>,
    watch: &mut dyn FnMut(u64, u64) -> bool,
) -> Found {
    match played(policy, problem, budget, watch) {
        Ok(played) => {
            let needs = needs(problem, &played);
            Found {
                walk: Some(played.walk),
                needs,
                optimal: needs.time() == problem.base_cost(),
                lower_bound: None,
                why: None,
            }
        }
        Err(why) => Found::none(why),
    }
}
