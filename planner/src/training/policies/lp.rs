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
use super::swap::{bound, quicker, search};
use super::{Found, NoWalk, keep_all};
use crate::training::matrices::{self, Matrix};
use crate::training::swap::script::How;
use crate::training::swap::{Played, play};
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
    let mut swaps: Option<Played> = None;
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
            let extra = bound::extra(problem, limit);
            let moment = base.saturating_add(extra.first().copied().unwrap_or(0));
            bound = whole(problem, solved.at_least).max(moment);
        }
        found = Found::fitting(problem, found.walk.take().into_iter().chain(walks), budget);
        let runs = swapped(problem, &relaxed, (&solved.x, limit));
        swaps = swaps.into_iter().chain(runs).min_by_key(|it| it.run.time);
        let time = swaps.as_ref().map(|it| it.run.time);
        let best = found.walk.as_ref().map(|_| found.needs.time());
        if best.into_iter().chain(time).any(|time| time <= bound) {
            break;
        }
    }
    found = quicker(problem, found, swaps);
    found.lower_bound = Some(bound);
    match found.walk {
        Some(_) => found.optimal = found.needs.time() <= bound,
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

/// A bound on what is computed again and waited for, in running everything once, as a bound on the
/// time of a walk: that is a sum of costs of nodes and times of copies, so a multiple of what
/// divides them all, and what is above one multiple is at least the next. Rounding up is safe because the bound is less already
/// by more than its rounding errors.
fn whole(problem: &Problem, again: f64) -> u64 {
    let base = problem.base_cost();
    let divisor = problem
        .nodes
        .iter()
        .fold(0, |all, it| {
            let copies = problem.link.and_then(|link| link.times(it.bytes));
            let (out, back) = copies.unwrap_or((0, 0));
            common(common(common(all, it.cost), out), back)
        })
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

/// Runs of what is kept, rounded to at least so many tenths from one use of a value to the next;
/// what is not is swapped where more of it is fetched than runs, and else computed again. None
/// without a link.
fn swapped(problem: &Problem, relaxed: &Relaxed, (x, limit): (&[f64], Bytes)) -> Vec<Played> {
    if problem.link.is_none() {
        return Vec::new();
    }
    let gaps = search::gaps(problem);
    let figures = gaps.iter().map(|gap| {
        let stages = gap.after + 2..=gap.before;
        let kept = stages.map(|stage| relaxed.kept(x, stage, gap.value));
        let brought = (gap.after + 1..=gap.before).map(|it| relaxed.brought(x, it, gap.value));
        let (runs, fetched) = brought.fold((0.0, 0.0), |all, it| (all.0 + it.0, all.1 + it.1));
        (kept.fold(1.0, f64::min), fetched > runs)
    });
    let figures: Vec<(f64, bool)> = figures.collect();
    let mut runs = Vec::new();
    for tenths in 1..10 {
        let threshold = f64::from(tenths) / 10.0;
        let choices = gaps.iter().zip(&figures).map(|(gap, (kept, is_fetched))| {
            match (*kept >= threshold, is_fetched) {
                (true, _) => None,
                (false, true) => gap.swap.or(Some(How::Recompute)),
                (false, false) => Some(How::Recompute),
            }
        });
        let choices: Vec<Option<How>> = choices.collect();
        runs.extend(play(problem, &search::script(&gaps, &choices), Some(limit)));
    }
    runs
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
