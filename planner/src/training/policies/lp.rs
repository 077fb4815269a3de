//! The linear relaxation, rounded: a bound on what any walk costs, and a walk.
//!
//! Jain et al., "Checkmate: Breaking the Memory Wall with Optimal Tensor Rematerialization",
//! MLSys 2020, section 5: what is kept (S) is rounded, what runs is the least that S needs, and
//! because that may take more than the relaxation thinks, the program is solved for a tenth less
//! as well. We round at nine thresholds instead of one half, and take the cheapest walk that fits.
//!
//! The program ([`relaxed`]) is a relaxation of all walks, not only of those of Checkmate's form,
//! so its bound is one on what [`Policy::Exact`](super::Policy::Exact) finds. It is solved
//! approximately ([`gradient`]); the bound holds however far that has come.

mod gradient;
mod relaxed;

use self::relaxed::Relaxed;
use super::{Found, NoWalk, keep_all};
use crate::training::matrices::{self, Matrix};
use crate::training::{Problem, Walk};
use crate::units::Bytes;

/// The most nodes: the program has a number for every two, and some for all that a node reads.
const MOST_NODES: usize = 64;
/// How much is computed, in entries of the program, and what a table of many has time for.
pub(super) const MOST_WORK: u64 = 3_000_000_000;
pub(super) const GLANCE: u64 = 200_000_000;
/// Tenths of the budget for which the program is solved, and thirds of the work.
const BUDGETS: [(u64, u64); 2] = [(10, 2), (9, 1)];

/// Solves, and rounds.
pub(super) fn run(
    problem: &Problem,
    (budget, most): (Option<Bytes>, u64),
    watch: &mut dyn FnMut(u64, u64) -> bool,
) -> Found {
    let all = keep_all(problem);
    let mut found = Found::fitting(problem, [all], budget);
    let base = problem.base_cost();
    let (Some(limit), false) = (budget, found.optimal) else {
        found.lower_bound = Some(base);
        return found;
    };
    if problem.nodes.len() > MOST_NODES {
        found.why = Some(NoWalk::NotSearched);
        found.lower_bound = Some(base);
        return found;
    }
    let mut walks: Vec<Walk> = found.walk.take().into_iter().collect();
    let mut bound = base;
    let mut spent = 0;
    for (tenths, thirds) in BUDGETS {
        let own = (u128::from(limit.0) * u128::from(tenths) / 10) as u64;
        let relaxed = Relaxed::new(problem, own.max(problem.minimum().0.0));
        let (step, share) = (relaxed.program.work(), most / 3 * thirds);
        let mut stopped = false;
        let solved = relaxed.program.solve(share / step, &mut |done, _| {
            stopped = !watch(spent + done * step, most);
            !stopped
        });
        if stopped {
            return Found::none(NoWalk::Stopped);
        }
        spent += share;
        if own == limit.0 {
            if relaxed.impossible || solved.impossible {
                return Found::none(NoWalk::Impossible);
            }
            bound = whole(problem, solved.at_least);
        }
        walks.extend(rounded(problem, &relaxed, &solved.x));
        found = Found::fitting(problem, walks.drain(..), budget);
        if found.walk.is_some() && found.needs.cost <= bound {
            break;
        }
        walks.extend(found.walk.take());
    }
    let mut found = Found::fitting(problem, walks.into_iter().chain(found.walk), budget);
    found.lower_bound = Some(bound);
    match found.walk {
        Some(_) => found.optimal = found.needs.cost <= bound,
        None => found.why = Some(NoWalk::NotSearched),
    }
    found
}

/// A bound on what is computed again, in running everything once, as a bound on the cost of a
/// walk: that is a sum of costs of nodes, so a multiple of what divides them all, and what is
/// above one multiple is at least the next. Rounding up is safe because the bound is less already
/// by more than its rounding errors.
fn whole(problem: &Problem, again: f64) -> u64 {
    let base = problem.base_cost();
    let divisor = problem
        .nodes
        .iter()
        .fold(0, |all, it| common(all, it.cost))
        .max(1);
    let again = again * (base as f64 / divisor as f64);
    if !(again > 0.0) {
        return base;
    }
    // A float beyond 64 bits becomes the largest number of those.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "above 0, and it saturates"
    )]
    let steps = again.ceil() as u64;
    base.saturating_add(steps.saturating_mul(divisor))
}

fn common(one: u64, other: u64) -> u64 {
    match other {
        0 => one,
        _ => common(other, one % other),
    }
}

/// The walks of what is kept to at least so many tenths.
fn rounded(problem: &Problem, relaxed: &Relaxed, x: &[f64]) -> Vec<Walk> {
    let size = problem.nodes.len();
    let mut last: Option<Matrix> = None;
    let mut walks = Vec::new();
    for tenths in 1..10 {
        let threshold = f64::from(tenths) / 10.0;
        let mut kept = Matrix::new(size);
        for stage in 0..size {
            let nodes = (0..stage).filter(|node| relaxed.kept(x, stage, *node) >= threshold);
            nodes.for_each(|node| kept.set(stage, node));
        }
        if last.as_ref() != Some(&kept) {
            walks.push(matrices::walk(
                problem,
                &matrices::least_runs(problem, &kept),
                &kept,
            ));
            last = Some(kept);
        }
    }
    walks
}
