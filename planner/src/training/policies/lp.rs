//! The linear relaxation, rounded: a bound on what any walk costs, and a walk.
//!
//! Jain et al., "Checkmate: Breaking the Memory Wall with Optimal Tensor Rematerialization",
//! MLSys 2020, section 5: what is kept (S) is rounded, what runs is the least that S needs, and
//! because that may take more than the relaxation thinks, the program is solved for a tenth less
//! as well. We round at nine thresholds instead of one half, and dive (round one stage, solve for
//! the others again), and take the cheapest walk that fits.
//!
//! The program ([`relaxed`]) is a relaxation of all walks, not only of those of Checkmate's form,
//! so its bound is one on what [`Policy::Exact`](super::Policy::Exact) finds. It is solved
//! approximately ([`gradient`]); the bound holds however far that has come.

mod gradient;
mod relaxed;

use self::gradient::Solved;
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
/// Tenths of the budget for which the program is solved; a glance is at the budget itself.
const BUDGETS: [u64; 2] = [10, 9];
/// Where numbers become 1 in a dive.
const DIVES: [f64; 2] = [0.1, 0.5];
/// The most iterations after a stage was rounded.
const AGAIN: u64 = 100;
/// A number below which a value is not kept.
const LITTLE: f64 = 1e-3;

/// Solves, and rounds.
pub(super) fn run(
    problem: &Problem,
    (budget, most): (Option<Bytes>, u64),
    watch: &mut dyn FnMut(u64, u64) -> bool,
) -> Found {
    let base = problem.base_cost();
    let mut found = Found::fitting(problem, [keep_all(problem)], budget);
    let (Some(limit), false) = (budget, found.optimal) else {
        found.lower_bound = Some(base);
        return found;
    };
    let mut bound = base;
    let attempts = match problem.nodes.len() <= MOST_NODES {
        true if most < MOST_WORK => 1,
        true => BUDGETS.len(),
        false => 0,
    };
    let share = most / attempts.max(1) as u64;
    for &tenths in &BUDGETS[..attempts] {
        let left = 10 - tenths;
        let own = limit.0 - (limit.0 / 10).saturating_mul(left);
        let relaxed = Relaxed::new(problem, own.max(problem.minimum().0.0));
        let work = Work {
            spent: share * left,
            share,
            most,
        };
        let Some((solved, walks)) = attempt(problem, &relaxed, (own, work), watch) else {
            return Found::none(NoWalk::Stopped);
        };
        if left == 0 {
            if relaxed.impossible || solved.impossible {
                return Found::none(NoWalk::Impossible);
            }
            bound = whole(problem, solved.at_least);
        }
        found = Found::fitting(problem, found.walk.take().into_iter().chain(walks), budget);
        if found.walk.is_some() && found.needs.cost <= bound {
            break;
        }
    }
    found.lower_bound = Some(bound);
    match found.walk {
        Some(_) => found.optimal = found.needs.cost <= bound,
        None if attempts == 0 => found.why = Some(NoWalk::MoreNodesThan(MOST_NODES)),
        None => found.why = Some(NoWalk::NotSearched),
    }
    found
}

/// How much was computed before, what may be now, and what may be in all.
#[derive(Clone, Copy)]
struct Work {
    spent: u64,
    share: u64,
    most: u64,
}

/// Solves the program, in three quarters of its share, and rounds what comes out; `None` where it is stopped.
fn attempt(
    problem: &Problem,
    relaxed: &Relaxed,
    (budget, work): (u64, Work),
    watch: &mut dyn FnMut(u64, u64) -> bool,
) -> Option<(Solved, Vec<Walk>)> {
    let size = problem.nodes.len() as u64;
    let step = relaxed.program.work();
    let mut stopped = false;
    let solved = relaxed
        .program
        .solve(work.share / 4 * 3 / step, &mut |done| {
            stopped = !watch(work.spent + done * step, work.most);
            !stopped
        });
    if stopped {
        return None;
    }
    let mut walks = rounded(problem, relaxed, (&solved.x, budget));
    let again = AGAIN.min(work.share / 8 / step / size.max(1));
    let mut spent = work.spent + work.share / 4 * 3;
    for threshold in DIVES {
        let dive = (solved.clone(), again);
        let walk = dived(problem, relaxed, dive, (budget, threshold), &mut || {
            spent += again * step;
            watch(spent, work.most)
        });
        walks.push(walk?);
    }
    Some((solved, walks))
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
    // A float beyond 64 bits becomes the largest number of those.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it saturates, and what is below 0 is 0"
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

/// Walks of what is kept, rounded: to at least so many tenths (section 5.2 of the paper, where it
/// is one half), and, ours, [`fill`]ed stage by stage.
fn rounded(problem: &Problem, relaxed: &Relaxed, (x, budget): (&[f64], u64)) -> Vec<Walk> {
    let size = problem.nodes.len();
    let mut all: Vec<Matrix> = Vec::new();
    for tenths in 1..10 {
        let threshold = f64::from(tenths) / 10.0;
        let (mut kept, mut full) = (Matrix::new(size), Matrix::new(size));
        for stage in 0..size {
            let nodes = (0..stage).filter(|node| relaxed.kept(x, stage, *node) >= threshold);
            nodes.for_each(|node| kept.set(stage, node));
            let numbers = |node: usize| relaxed.kept(x, stage, node);
            fill(problem, &numbers, (budget, threshold), (stage, &mut full));
        }
        all.extend([kept, full]);
    }
    all.dedup();
    all.iter().map(|kept| walk(problem, kept)).collect()
}

fn walk(problem: &Problem, kept: &Matrix) -> Walk {
    matrices::walk(problem, &matrices::least_runs(problem, kept), kept)
}

/// Dives: stage by stage what is kept is rounded, and the program is solved again, in some
/// iterations, for the stages to come. `None` where it is stopped.
fn dived(
    problem: &Problem,
    relaxed: &Relaxed,
    (mut solved, again): (Solved, u64),
    how: (u64, f64),
    go_on: &mut dyn FnMut() -> bool,
) -> Option<Walk> {
    let size = problem.nodes.len();
    let mut kept = Matrix::new(size);
    for stage in 1..size {
        if !go_on() {
            return None;
        }
        let numbers = |node: usize| relaxed.kept(&solved.x, stage, node);
        fill(problem, &numbers, how, (stage, &mut kept));
        let mut changed = false;
        for node in 0..stage {
            if let Some(column) = relaxed.column(stage, node) {
                let to = f64::from(u8::from(kept.get(stage, node)));
                changed |= (solved.x[column] - to).abs() > LITTLE;
                solved.fix(column, to);
            }
        }
        if changed {
            solved.again(again);
        }
    }
    Some(walk(problem, &kept))
}

/// Rounds one stage, the greatest numbers first: those from the threshold on, and lesser ones of
/// what was kept before, as long as they fit.
fn fill(
    problem: &Problem,
    numbers: &dyn Fn(usize) -> f64,
    (budget, threshold): (u64, f64),
    (stage, kept): (usize, &mut Matrix),
) {
    let some = (0..stage).map(|node| (numbers(node), node));
    let mut order: Vec<(f64, usize)> = some.filter(|(number, _)| *number > LITTLE).collect();
    // Of equal ones the last first.
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
    let mut room = budget;
    for (number, node) in order {
        let there = kept.get(stage - 1, node) || node + 1 == stage;
        if !there && number < threshold {
            continue;
        }
        if let Some(left) = room.checked_sub(problem.nodes[node].bytes.0) {
            room = left;
            kept.set(stage, node);
        }
    }
}
