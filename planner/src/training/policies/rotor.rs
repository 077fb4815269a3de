//! Beaumont, Eyraud-Dubois, Herrmann, Joly and Shilova 2019, "Optimal checkpointing for
//! heterogeneous chains: how to train deep neural networks with limited memory" (Rotor): the
//! cheapest persistent schedule of a chain of stages, by dynamic programming over the first
//! stage, the last stage and the memory that is left (sections 4.2 and 4.3).

use super::chain::{Act, Chain, ChainStage};
use super::{Found, NoWalk, keep_all, revolve};
use crate::training::cost::needs;
use crate::training::{Problem, Walk};
use crate::units::{Bytes, common_divisor};

/// The most slots into which memory is divided.
const MOST_SLOTS: u64 = 500;
/// The most steps of a search, and of one for a table of many: of long chains fewer slots.
pub(super) const MOST_WORK: u64 = 1 << 30;
pub(super) const GLANCE: u64 = 1 << 27;
/// No schedule.
const NONE: u64 = u64::MAX;

/// The least cost of all persistent schedules of a chain of stages, whose sizes are slots: a
/// value that is kept stays until the backward pass has come to it. `slots` is what there is
/// beside what the first stage reads. `None` where there is no such schedule.
#[must_use]
pub fn least_cost(stages: &[ChainStage], slots: usize) -> Option<u64> {
    let table = Table::new(stages, slots, &mut |_, _| true)?;
    table.cost(slots)
}

/// The cheapest walk that fits of those that are the best for so much memory or a little more:
/// sizes are rounded up to slots, so that most need less than the table has it.
pub(super) fn run(
    problem: &Problem,
    (budget, most): (Option<Bytes>, u64),
    watch: &mut dyn FnMut(u64, u64) -> bool,
) -> Found {
    let Some(chain) = Chain::of(problem) else {
        return Found::none(NoWalk::NotAChain);
    };
    let all = keep_all(problem);
    let peak = needs(problem, &all).peak;
    let Some(budget) = budget.filter(|budget| *budget < peak) else {
        return Found::fitting(problem, [all], budget);
    };
    let stages = chain.stages();
    let more = budget.0.saturating_add(budget.0 / 4).min(peak.0);
    let (unit, slots) = slots(&stages, more, most);
    let sized: Vec<ChainStage> = stages.iter().map(|stage| stage.in_units(unit)).collect();
    let Some(table) = Table::new(&sized, slots, watch) else {
        return Found::none(NoWalk::Stopped);
    };
    let enough = usize::try_from(budget.0 / unit).unwrap_or(slots).min(slots);
    let mut before = NONE;
    let sizes = (enough..=slots).filter(|slots| {
        let cost = table.cost(*slots).unwrap_or(NONE);
        std::mem::replace(&mut before, cost) != cost
    });
    let found = sizes.flat_map(|slots| [true, false].map(|keeps| table.walk(&chain, slots, keeps)));
    let walks = std::iter::once(revolve::smallest(&chain)).chain(found);
    Found::fitting(problem, walks, Some(budget))
}

/// What a slot takes, and how many there are in `bytes`: as many as there are different sizes to
/// tell apart, if these are few.
fn slots(stages: &[ChainStage], bytes: u64, most: u64) -> (u64, usize) {
    let count = stages.len() as u64;
    let most = (most / (count.pow(3) / 6).max(1)).clamp(1, MOST_SLOTS);
    let sizes = stages.iter().flat_map(ChainStage::sizes);
    let common = sizes.fold(0, common_divisor).max(1);
    let unit = match bytes / common <= most {
        true => common,
        false => bytes.div_ceil(most),
    };
    (unit, usize::try_from(bytes / unit).unwrap_or(0))
}

/// What is done first with the stages from one to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Choice {
    /// There is no schedule.
    #[default]
    None,
    /// All that the backward pass of the first stage reads is kept.
    Keep,
    /// The stages before this one run, of which only the last boundary value is kept.
    Split(usize),
}

/// For each range of stages and each number of slots the cheapest schedule.
struct Table<'a> {
    stages: &'a [ChainStage],
    slots: usize,
    /// By last stage, first stage and slots.
    costs: Vec<u64>,
    choices: Vec<Choice>,
}

impl<'a> Table<'a> {
    /// `None` where the observer had it stop.
    fn new(
        stages: &'a [ChainStage],
        slots: usize,
        watch: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Option<Self> {
        let count = stages.len();
        let size = (count * (count + 1) / 2) * (slots + 1);
        let mut table = Self {
            stages,
            slots,
            costs: vec![NONE; size],
            choices: vec![Choice::None; size],
        };
        for length in 0..count {
            if !watch(length as u64, count as u64) {
                return None;
            }
            for first in 0..count - length {
                table.fill(first, first + length);
            }
        }
        Some(table)
    }

    /// Where the row of these stages begins.
    fn row(&self, first: usize, last: usize) -> usize {
        (last * (last + 1) / 2 + first) * (self.slots + 1)
    }

    fn costs(&self, first: usize, last: usize) -> &[u64] {
        let row = self.row(first, last);
        &self.costs[row..=row + self.slots]
    }

    /// The cost of the whole chain.
    fn cost(&self, slots: usize) -> Option<u64> {
        let last = self.stages.len().checked_sub(1)?;
        let cost = self.costs(0, last).get(slots).copied();
        cost.filter(|cost| *cost != NONE)
    }

    fn fill(&mut self, first: usize, last: usize) {
        let mut best = vec![NONE; self.slots + 1];
        let mut choices = vec![Choice::None; self.slots + 1];
        self.keep((first, last), &mut best, &mut choices);
        self.splits((first, last), &mut best, &mut choices);
        let row = self.row(first, last);
        self.costs[row..=row + self.slots].copy_from_slice(&best);
        self.choices[row..=row + self.slots].copy_from_slice(&choices);
    }

    /// All that the backward pass of the first stage reads stays while the others run.
    fn keep(&self, (first, last): (usize, usize), best: &mut [u64], choices: &mut [Choice]) {
        let own = &self.stages[first];
        // The gradient that the last stage begins with is there while the first one runs.
        let forward = self.stages[last].gradient.saturating_add(own.keeping);
        let most = match own.returning {
            // It has no backward pass.
            0 if first == last => 0,
            returning => forward.max(returning),
        };
        let (most, saved) = (index(most), index(own.saved));
        if first == last {
            let cost = own.again.saturating_add(own.backward);
            best.iter_mut().skip(most).for_each(|it| *it = cost);
        } else {
            let cost = own.saving.saturating_add(own.backward);
            let rest = self.costs(first + 1, last);
            for slots in most.max(saved)..=self.slots {
                best[slots] = rest[slots - saved].saturating_add(cost);
            }
        }
        for (choice, best) in choices.iter_mut().zip(best) {
            if *best != NONE {
                *choice = Choice::Keep;
            }
        }
    }

    /// Some stages run with their last boundary value as a checkpoint, then the rest of them as
    /// well as can be, then those once more.
    fn splits(&self, (first, last): (usize, usize), best: &mut [u64], choices: &mut [Choice]) {
        let (mut forward, mut most, mut input) = (0_u64, 0_u64, 0_u64);
        for next in first + 1..=last {
            let before = &self.stages[next - 1];
            forward = forward.saturating_add(before.forward);
            let runs = self.stages[last].gradient.saturating_add(input);
            most = most.max(runs.saturating_add(before.passing));
            input = before.output;
            let (output, least) = (index(before.output), index(most.max(before.output)));
            let Some(cheapest) = best.get_mut(least..) else {
                return;
            };
            let behind = &self.costs(next, last)[least - output..];
            let again = &self.costs(first, next - 1)[least..];
            let choices = &mut choices[least..];
            for (((best, choice), behind), again) in
                cheapest.iter_mut().zip(choices).zip(behind).zip(again)
            {
                let cost = behind.saturating_add(*again).saturating_add(forward);
                if cost < *best {
                    *best = cost;
                    *choice = Choice::Split(next);
                }
            }
        }
    }

    /// What is done with the stages from `first` to `last` in so many slots. With `keeps` the
    /// boundary value of a stage stays if only that stage is done again: it need not be computed
    /// once more, but is there earlier.
    fn acts(
        &self,
        (first, last): (usize, usize),
        (slots, keeps): (usize, bool),
        acts: &mut Vec<Act>,
    ) {
        match self.choices[self.row(first, last) + slots] {
            Choice::None => {}
            Choice::Keep => {
                let own = &self.stages[first];
                if first < last || own.returning > 0 {
                    acts.push(Act::Save(first));
                }
                if first < last {
                    let left = slots.saturating_sub(index(own.saved));
                    self.acts((first + 1, last), (left, keeps), acts);
                }
                acts.push(Act::Back(first));
            }
            Choice::Split(next) => {
                for stage in first..next {
                    acts.push(Act::Forward(stage));
                    if stage > first {
                        acts.push(Act::Drop(stage - 1));
                    }
                }
                let output = index(self.stages[next - 1].output);
                let left = slots.saturating_sub(output);
                self.acts((next, last), (left, keeps), acts);
                if !keeps || next - first > 1 {
                    acts.push(Act::Drop(next - 1));
                }
                self.acts((first, next - 1), (slots, keeps), acts);
            }
        }
    }

    /// The walk of the cheapest schedule in so many slots.
    fn walk(&self, chain: &Chain<'_>, slots: usize, keeps: bool) -> Walk {
        let mut acts = Vec::new();
        let last = self.stages.len() - 1;
        self.acts((0, last), (slots, keeps), &mut acts);
        chain.walk(acts)
    }
}

/// A number of slots; one beyond any table for what no index is.
fn index(slots: u64) -> usize {
    usize::try_from(slots).unwrap_or(usize::MAX)
}
