//! Free bytes over time: how many, in how many free ranges, and the largest of them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{blocks, segments};
use crate::liveness::Lifetimes;
use crate::plan::Plan;
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Offset, Step};

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
/// they change. Of pools and segments each is an address space of its own, and what is not taken from the
/// device is not free. A sweep over starts and ends: O(n log n).
#[must_use]
pub fn free(lifetimes: &Lifetimes, plan: &Plan) -> Vec<FreePoint> {
    let mut arenas = arenas(plan);
    let of_pools = plan.memories().map(|it| it.of_buffer.as_slice());
    let of_segments = plan.segments.as_ref().map(|it| it.of_buffer.as_slice());
    let of_buffer = of_segments.or(of_pools);
    let mut changes: Vec<Change> = mapped(plan);
    for block in blocks(lifetimes, plan) {
        let arena = of_buffer.map_or(Some(0), |of| of.get(block.buffer).copied());
        let limits = arena.and_then(|it| arenas.get(it as usize));
        if let (Some(arena), Some(limits)) = (arena, limits) {
            let (low, high) = (block.low.max(limits.low), block.high.min(limits.high));
            let change = |step, more| (step, more, arena, low, high);
            changes.push(change(block.span.start, true));
            changes.push(change(block.span.end, false));
        }
    }
    changes.retain(|&(.., low, high)| low < high);
    changes.order();
    let mut totals = Totals::default();
    for arena in &arenas {
        arena.note(arena.low, arena.high, true, &mut totals);
    }
    let mut points: Vec<FreePoint> = Vec::new();
    let mut report = |step: Step, totals: &Totals| {
        let now = totals.now(step);
        match points.last_mut() {
            Some(last) if last.step == step => *last = now,
            Some(last) if FreePoint { step, ..*last } == now => {}
            _ => points.push(now),
        }
    };
    report(Step::default(), &totals);
    for together in changes.chunk_by(|a, b| a.0 == b.0) {
        for &(_, more, arena, low, high) in together {
            if let Some(arena) = arenas.get_mut(arena as usize) {
                arena.change((low, high), more, &mut totals);
            }
        }
        report(together[0].0, &totals);
    }
    points.retain(|point| point.step < lifetimes.horizon);
    points
}

/// At which step one more, or one fewer, needs bytes of an address space, from and to where.
type Change = (Step, bool, u32, u64, u64);

/// Every address space: the whole arena, each of its pools, or each segment, of which nothing is there yet.
fn arenas(plan: &Plan) -> Vec<Arena> {
    match &plan.segments {
        None => match plan.memories() {
            None => vec![Arena::new(0, plan.arena.0, 0)],
            Some(pools) => {
                let pools = pools.bases.iter().zip(&pools.sizes);
                let arena = |(base, size): (&Offset, &Bytes)| {
                    Arena::new(base.0, base.0.saturating_add(size.0), 0)
                };
                pools.map(arena).collect()
            }
        },
        Some(segments) => {
            let all = segments.list.iter();
            all.map(|it| Arena::new(it.low.0, it.high.0, 1)).collect()
        }
    }
}

/// What is taken from the device is no longer withheld.
fn mapped(plan: &Plan) -> Vec<Change> {
    let all = (0..).zip(segments(plan));
    let changes = all.flat_map(|(index, segment)| {
        segment.mapped.iter().flat_map(move |it| {
            let change = |step, more| (step, more, index, it.low.0, it.high.0);
            [change(it.span.start, false), change(it.span.end, true)]
        })
    });
    changes.collect()
}

/// The free ranges of all address spaces now.
#[derive(Default)]
struct Totals {
    /// Their heights, each with how many have it.
    free_ranges: BTreeMap<u64, u64>,
    /// How many there are.
    count: u64,
    free: u64,
}

impl Totals {
    fn now(&self, step: Step) -> FreePoint {
        let largest = self.free_ranges.last_key_value();
        FreePoint {
            step,
            free: Bytes(self.free),
            free_ranges: self.count,
            largest: Bytes(largest.map_or(0, |(&height, _)| height)),
        }
    }

    /// One more free range of this height, or one fewer.
    fn note(&mut self, height: u64, enter: bool) {
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

/// How often each byte of an address space is needed now. While the changes of one step are made
/// it may be below zero.
struct Arena {
    low: u64,
    high: u64,
    /// From each address on, how many need the bytes there: runs of equal counts.
    counts: BTreeMap<u64, i64>,
}

impl Arena {
    fn new(low: u64, high: u64, count: i64) -> Self {
        Self {
            low,
            high,
            counts: BTreeMap::from([(low, count)]),
        }
    }

    /// One more, or one fewer, needs the bytes of `[low, high)`.
    fn change(&mut self, (low, high): (u64, u64), more: bool, totals: &mut Totals) {
        let from = self.run_before(low);
        let to = self.run_end(high);
        self.note(from, to, false, totals);
        self.split(low);
        self.split(high);
        for (_, count) in self.counts.range_mut(low..high) {
            *count += if more { 1 } else { -1 };
        }
        self.join(from, to);
        self.note(from, to, true, totals);
    }

    /// The start of the run before the one that `address` lies in, so that joining sees it.
    fn run_before(&self, address: u64) -> u64 {
        let mut runs = self.counts.range(..=address).rev().map(|(&start, _)| start);
        let here = runs.next().unwrap_or(self.low);
        if here < address {
            here
        } else {
            runs.next().unwrap_or(here)
        }
    }

    /// The end of the run that begins at or holds `address`.
    fn run_end(&self, address: u64) -> u64 {
        let next = self.counts.range(address.saturating_add(1)..).next();
        next.map_or(self.high, |(&start, _)| start).min(self.high)
    }

    fn split(&mut self, address: u64) {
        if address < self.high
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
    fn note(&self, from: u64, to: u64, enter: bool, totals: &mut Totals) {
        if self.low == self.high {
            return;
        }
        let starts = self.counts.range(from..=to.min(self.high - 1));
        let free = starts.filter(|(_, count)| **count == 0);
        for (&start, _) in free {
            totals.note(self.run_end(start) - start, enter);
        }
    }
}
