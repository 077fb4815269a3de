//! Free bytes over time: how many, in how many free ranges, and the largest of them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Block, blocks};
use crate::liveness::Lifetimes;
use crate::plan::Plan;
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Step};

/// The free bytes of the arena from this step until the next point's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FreePoint {
    /// From when.
    pub step: Step,
    /// Bytes that no buffer needs.
    pub free: Bytes,
    /// Number of free ranges that they lie in.
    pub free_ranges: u64,
    /// The largest free range.
    pub largest: Bytes,
}

impl FreePoint {
    /// The share of the free bytes that do not lie in the largest free range: 0 when they are all
    /// together or there are none.
    #[must_use]
    pub fn external_fragmentation(self) -> f64 {
        match self.free {
            Bytes::ZERO => 0.0,
            free => (free.0 - self.largest.0) as f64 / free.0 as f64,
        }
    }
}

/// The free bytes of `plan` over time, from step 0 to the horizon, with a point only where
/// they change. A sweep over starts and ends: O(n log n).
#[must_use]
pub fn free(lifetimes: &Lifetimes, plan: &Plan) -> Vec<FreePoint> {
    let mut events: Vec<(Step, bool, u64, u64)> = Vec::new();
    for Block {
        span, low, high, ..
    } in blocks(lifetimes, plan)
    {
        let high = high.min(plan.arena.0);
        if low < high {
            events.push((span.start, true, low, high));
            events.push((span.end, false, low, high));
        }
    }
    events.order();
    let mut arena = Arena::new(plan.arena.0);
    let mut points: Vec<FreePoint> = Vec::new();
    let mut report = |step: Step, arena: &Arena| {
        let now = arena.now(step);
        match points.last_mut() {
            Some(last) if last.step == step => *last = now,
            Some(last) if FreePoint { step, ..*last } == now => {}
            _ => points.push(now),
        }
    };
    report(Step::default(), &arena);
    for together in events.chunk_by(|a, b| a.0 == b.0) {
        for &(_, starts, low, high) in together {
            arena.change(low, high, starts);
        }
        report(together[0].0, &arena);
    }
    points.retain(|point| point.step < lifetimes.horizon);
    points
}

/// How often each byte is needed now, and the free ranges between.
struct Arena {
    size: u64,
    /// From each address on, how many need the bytes there: runs of equal counts.
    counts: BTreeMap<u64, u32>,
    /// The heights of all free ranges, each with how many have it.
    free_ranges: BTreeMap<u64, u64>,
    /// How many free ranges there are.
    count: u64,
    free: u64,
}

impl Arena {
    fn new(size: u64) -> Self {
        let mut arena = Self {
            size,
            counts: BTreeMap::from([(0, 0)]),
            free_ranges: BTreeMap::new(),
            count: 0,
            free: size,
        };
        if size > 0 {
            arena.count = 1;
            arena.free_ranges.insert(size, 1);
        }
        arena
    }

    fn now(&self, step: Step) -> FreePoint {
        let largest = self.free_ranges.last_key_value();
        FreePoint {
            step,
            free: Bytes(self.free),
            free_ranges: self.count,
            largest: Bytes(largest.map_or(0, |(&height, _)| height)),
        }
    }

    /// One more, or one fewer, needs the bytes of `[low, high)`.
    fn change(&mut self, low: u64, high: u64, more: bool) {
        let from = self.run_before(low);
        let to = self.run_end(high);
        self.note(from, to, false);
        self.split(low);
        self.split(high);
        for (_, count) in self.counts.range_mut(low..high) {
            *count = if more {
                *count + 1
            } else {
                count.saturating_sub(1)
            };
        }
        self.join(from, to);
        self.note(from, to, true);
    }

    /// The start of the run before the one that `address` lies in, so that joining sees it.
    fn run_before(&self, address: u64) -> u64 {
        let mut runs = self.counts.range(..=address).rev().map(|(&start, _)| start);
        let here = runs.next().unwrap_or(0);
        if here < address {
            here
        } else {
            runs.next().unwrap_or(here)
        }
    }

    /// The end of the run that begins at or holds `address`.
    fn run_end(&self, address: u64) -> u64 {
        let next = self.counts.range(address.saturating_add(1)..).next();
        next.map_or(self.size, |(&start, _)| start).min(self.size)
    }

    fn split(&mut self, address: u64) {
        if address < self.size
            && let Some((_, &count)) = self.counts.range(..=address).next_back()
        {
            self.counts.entry(address).or_insert(count);
        }
    }

    /// Makes one run of neighbours with equal counts within `[from, to)`.
    fn join(&mut self, from: u64, to: u64) {
        let mut last = None;
        let mut gone = Vec::new();
        for (&start, &count) in self.counts.range(from..to) {
            if last == Some(count) {
                gone.push(start);
            }
            last = Some(count);
        }
        // The next run may now be equal, too.
        if let (Some(last), Some(next)) = (last, self.counts.get(&to))
            && last == *next
        {
            gone.push(to);
        }
        for start in gone {
            self.counts.remove(&start);
        }
    }

    /// Enters the free ranges that begin within `[from, to)`, or takes them out.
    fn note(&mut self, from: u64, to: u64, enter: bool) {
        let starts = self
            .counts
            .range(from..=to.min(self.size.saturating_sub(1)));
        let free: Vec<u64> = starts
            .filter(|(_, count)| **count == 0)
            .map(|(&it, _)| it)
            .collect();
        for start in free {
            let height = self.run_end(start) - start;
            let entry = self.free_ranges.entry(height).or_insert(0);
            if enter {
                *entry += 1;
                self.count += 1;
                self.free += height;
            } else {
                *entry = entry.saturating_sub(1);
                self.count -= 1;
                self.free -= height;
                if *entry == 0 {
                    self.free_ranges.remove(&height);
                }
            }
        }
    }
}
