//! Policies that swap values to the host.

pub(super) mod bound;
pub mod capuchin;
mod exact;
mod megengine;
pub mod poet;
pub(super) mod search;
mod vdnn;

use super::{Found, NoWalk, Policy};
use crate::training::Problem;
use crate::training::cost::Needs;
use crate::training::swap::{Played, play};
use crate::units::Bytes;

pub use exact::{Quickest, quickest};
pub use vdnn::vdnn;

pub(super) use exact::{GLANCE, MOST_STATES};

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

/// The quickest of runs under a budget that fits, and what was found without swapping.
pub(super) fn quicker(problem: &Problem, found: Found, played: Option<Played>) -> Found {
    let Some(played) = played else {
        return found;
    };
    let own = needs(problem, &played);
    let price = |needs: Needs| (needs.time(), needs.peak);
    if found.walk.is_some() && price(found.needs) <= price(own) {
        return found;
    }
    Found {
        walk: Some(played.walk),
        needs: own,
        optimal: own.time() == problem.base_cost(),
        why: None,
        run: Some(played.run),
        ..found
    }
}

/// A local search that also swaps, from what policies that swap do, beside what was found without.
pub(super) fn local(
    problem: &Problem,
    (found, budget, most): (Found, Option<Bytes>, u64),
    watch: &mut dyn FnMut(u64, u64) -> bool,
) -> Found {
    let stopped = found.why == Some(NoWalk::Stopped);
    let (Some(limit), Some(_), false) = (budget, problem.link, found.optimal || stopped) else {
        return found;
    };
    match searched(problem, (limit, most), watch) {
        Ok(played) => quicker(problem, found, played),
        Err(()) => Found::none(NoWalk::Stopped),
    }
}

/// The local search from what policies that swap do; `Err` where it is stopped.
fn searched(
    problem: &Problem,
    (budget, most): (Bytes, u64),
    watch: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Option<Played>, ()> {
    let mut starts = vec![vdnn(problem, false).absences];
    if let Ok(all) = capuchin::iterations(problem, Some(budget), &mut |_, _| true) {
        starts.extend(all.iter().map(capuchin::Iteration::absences));
    }
    search::search(problem, (budget, most), &starts, watch)
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
                run: Some(played.run),
            }
        }
        Err(why) => Found::none(why),
    }
}
