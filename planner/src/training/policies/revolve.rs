//! Griewank and Walther 2000, "Algorithm 799: Revolve: An Implementation of Checkpointing for the
//! Reverse or Adjoint Mode of Computational Differentiation": the fewest evaluations of a chain
//! of steps of equal cost, with so many checkpoints.

use super::chain::{Act, Chain};
use super::{Found, NoWalk, keep_all};
use crate::training::{Problem, Walk};
use crate::units::Bytes;

/// The least number of evaluations of steps that reversing `steps` steps takes beside the one of
/// each step right before it is reversed, if its input and `checkpoints` states may be there at
/// once: r l - C(s + r, r - 1) with l steps, s = `checkpoints` + 1 and r the least number for
/// which C(s + r, s) is at least l.
#[must_use]
pub fn extra_runs(steps: u32, checkpoints: u32) -> u64 {
    let (l, s) = (u128::from(steps), u128::from(checkpoints) + 1);
    if checkpoints == 0 {
        return u64::from(steps) * u64::from(steps.saturating_sub(1)) / 2;
    }
    let (mut r, mut reached) = (0_u128, 1_u128);
    while reached < l {
        r += 1;
        // C(s + r, s) = C(s + r - 1, s) (s + r) / r.
        reached = reached * (s + r) / r;
    }
    // C(s + r, r - 1) = C(s + r, s) r / (s + 1).
    let extra = (r * l).saturating_sub(reached * r / (s + 1));
    u64::try_from(extra).unwrap_or(u64::MAX)
}

/// Every segment is a step; any number of checkpoints is tried.
pub(super) fn run(
    problem: &Problem,
    budget: Option<Bytes>,
    watch: &mut dyn FnMut(u64, u64) -> bool,
) -> Found {
    let Some(chain) = Chain::of(problem) else {
        return Found::none(NoWalk::NotAChain);
    };
    let steps = chain.steps();
    let extra = Extra::new(steps, steps);
    let mut stopped = false;
    let walks = (0..steps).map_while(|checkpoints| {
        stopped = !watch(checkpoints as u64, steps as u64);
        (!stopped).then(|| walk(&chain, &extra, checkpoints))
    });
    // With a checkpoint at every step nothing has to be run again: each value is kept.
    let walks = walks.chain([keep_all(problem)]);
    let found = Found::fitting(problem, walks, budget);
    match stopped {
        true => Found::none(NoWalk::Stopped),
        false => found,
    }
}

/// The walk with no checkpoint beside the first value, the smallest of all.
pub(super) fn smallest(chain: &Chain<'_>) -> Walk {
    walk(chain, &Extra::new(chain.steps(), 0), 0)
}

fn walk(chain: &Chain<'_>, extra: &Extra, checkpoints: usize) -> Walk {
    let mut reversal = Reversal {
        extra,
        last: chain.steps(),
        acts: vec![Act::Forward(0)],
    };
    reversal.reverse(0, reversal.last, checkpoints);
    chain.walk(reversal.acts)
}

/// [`extra_runs`] of all smaller chains with fewer checkpoints.
struct Extra {
    rows: Vec<Vec<u64>>,
}

impl Extra {
    fn new(steps: usize, checkpoints: usize) -> Self {
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let row = |checkpoints| {
            let lengths = 0..=count(steps);
            lengths.map(move |steps| extra_runs(steps, checkpoints))
        };
        let rows = (0..=count(checkpoints)).map(|checkpoints| row(checkpoints).collect());
        Self {
            rows: rows.collect(),
        }
    }

    /// After how many of `steps` steps the next checkpoint is: the first of the best places.
    fn split(&self, steps: usize, checkpoints: usize) -> usize {
        let Some(fewer) = checkpoints.checked_sub(1) else {
            return steps - 1;
        };
        let (behind, before) = (&self.rows[fewer], &self.rows[checkpoints]);
        let cost = |place: &usize| *place as u64 + behind[steps - place] + before[*place];
        (1..steps).min_by_key(cost).unwrap_or(1)
    }
}

struct Reversal<'a> {
    extra: &'a Extra,
    /// The last step, after which the loss is.
    last: usize,
    acts: Vec<Act>,
}

impl Reversal<'_> {
    /// Reverses the steps after `start` up to `end`; the value that the first of them reads is
    /// there.
    fn reverse(&mut self, start: usize, end: usize, checkpoints: usize) {
        if end - start == 1 {
            self.acts.push(Act::Save(end));
            if end == self.last {
                self.acts.extend([Act::Save(end + 1), Act::Back(end + 1)]);
            }
            self.acts.push(Act::Back(end));
            return;
        }
        let middle = start + self.extra.split(end - start, checkpoints);
        for step in start + 1..=middle {
            self.acts.push(Act::Forward(step));
            if step - 1 > start {
                self.acts.push(Act::Drop(step - 1));
            }
        }
        self.reverse(middle, end, checkpoints.saturating_sub(1));
        // Reversing one step needs this value, which is there: it need not be computed anew.
        if middle - start > 1 {
            self.acts.push(Act::Drop(middle));
        }
        self.reverse(start, middle, checkpoints);
    }
}
