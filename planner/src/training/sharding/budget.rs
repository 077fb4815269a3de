//! Policies know the budget of a micro-batch, a rank has that of all it holds.

use crate::training::Problem;
use crate::training::cost::{needs, of_walk};
use crate::training::policies::{Found, NoWalk, keep_all};
use crate::units::Bytes;

/// The most budgets that are tried.
const ROUNDS: u32 = 12;

/// A step with more nodes is large: the search for the largest budget ends early, because each try takes
/// long.
const LARGE: usize = 1_000;

/// The most budgets that are tried for a large step after the first that fits.
const REFINED: u32 = 2;

/// What `find` finds with which a rank stays within `budget`: the largest budget of a micro-batch is
/// looked for, by halving.
pub(in crate::training) fn under(
    problem: &Problem,
    budget: Option<Bytes>,
    mut find: impl FnMut(Option<Bytes>) -> Found,
) -> Found {
    let mut counted = |budget| {
        let mut found = find(budget);
        if let Some(walk) = &found.walk {
            found.needs = needs(problem, walk);
            found.optimal = found.needs.time() == problem.base_cost();
        }
        found.lower_bound = None;
        found
    };
    let Some(most) = budget else {
        return counted(budget);
    };
    let large = problem.nodes.len() > LARGE;
    let start = match large {
        true => Bytes(most.0.saturating_sub(beside(problem))),
        false => most,
    };
    let first = counted(Some(start));
    let fits = |it: &Found| it.walk.is_some() && it.needs.peak <= most;
    if first.walk.is_none() || fits(&first) {
        return first;
    }
    let (mut below, mut above) = (problem.minimum().0.0, start.0);
    let mut least = first.needs.peak;
    let mut best = None;
    // What a rank holds beside a micro-batch changes little from one schedule to another. Where it does,
    // each step down is twice as large as the one before.
    let mut step = least.0 - most.0;
    let mut middle = start.0.saturating_sub(step).max(below);
    let mut left = ROUNDS;
    while left > 0 && below < above {
        left -= 1;
        let found = counted(Some(Bytes(middle)));
        let mut next = 0;
        if fits(&found) {
            below = middle;
            left = if large { left.min(REFINED) } else { left };
            best = Some(found);
        } else if found.walk.is_some() {
            least = least.min(found.needs.peak);
            above = middle;
            step = step.saturating_mul(2).max(found.needs.peak.0 - most.0);
            next = middle.saturating_sub(step);
        } else {
            // It has nothing so small.
            below = middle;
        }
        middle = below.midpoint(above).max(next);
    }
    best.unwrap_or_else(|| Found::none(NoWalk::SmallestNeeds(least)))
}

/// What a rank has beside its micro-batch where everything is kept.
fn beside(problem: &Problem) -> u64 {
    let all = keep_all(problem);
    let micro = of_walk(problem, &all).peak.0;
    needs(problem, &all).peak.0.saturating_sub(micro)
}
