//! What is needed at each step, and figures of it that are counted from nothing else.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use planner::{Buffer, Bytes, Lifetimes, Span, Step};

/// Bytes of one buffer that are needed at one step.
#[derive(Clone, Copy)]
pub(super) struct Need {
    buffer: usize,
    start: u64,
    end: u64,
}

impl Need {
    fn bytes(self) -> u64 {
        self.end - self.start
    }
}

/// With more steps than this, only those are counted at which something begins or ends.
const STEPS: u64 = 10_000;

/// What is needed at each step: one row for each.
pub(super) struct Table<'a> {
    pub(super) lifetimes: &'a Lifetimes,
    pub(super) alignment: u64,
    /// The step of each row, ascending.
    pub(super) steps: Vec<u64>,
    pub(super) rows: Vec<Vec<Need>>,
    /// For each row what the buffers written over others there may save.
    pub(super) saved: BTreeMap<usize, u64>,
}

/// The bytes of `buffer` at `step`, at which it is live.
fn need(buffer: &Buffer, step: u64) -> Option<(u64, u64)> {
    let pause = buffer.pauses.iter().find(|it| it.span.contains(Step(step)));
    let whole = Some((Bytes(0), buffer.size));
    let (start, end) = pause.map_or(whole, |pause| pause.window)?;
    (start < end).then_some((start.0, end.0))
}

impl<'a> Table<'a> {
    pub(super) fn of(lifetimes: &'a Lifetimes, alignment: u64) -> Self {
        let buffers = &lifetimes.buffers;
        let last = buffers.iter().map(|it| it.span.end.0).max().unwrap_or(0);
        let mut steps: BTreeSet<u64> = if last <= STEPS {
            (0..=last).collect()
        } else {
            BTreeSet::new()
        };
        for buffer in buffers {
            let pauses = buffer.pauses.iter().map(|it| it.span);
            for span in pauses.chain([buffer.span]) {
                // The step before an end may be one of a handover.
                steps.extend([span.start.0, span.end.0.saturating_sub(1), span.end.0]);
            }
        }
        let steps: Vec<u64> = steps.into_iter().collect();
        let row = |&step: &u64| {
            let live = (0..).zip(buffers);
            let live = live.filter(|(_, it)| it.span.contains(Step(step)));
            let needs = live.filter_map(|(buffer, known)| {
                let (start, end) = need(known, step)?;
                Some(Need { buffer, start, end })
            });
            needs.collect()
        };
        let mut table = Self {
            rows: steps.iter().map(row).collect(),
            lifetimes,
            alignment,
            steps,
            saved: BTreeMap::new(),
        };
        table.saved = table.savings();
        table
    }

    pub(super) fn row(&self, step: u64) -> usize {
        self.steps.binary_search(&step).expect("a counted step")
    }

    pub(super) fn rows_of(&self, span: Span) -> Range<usize> {
        self.row(span.start.0)..self.row(span.end.0)
    }

    /// Of all that a buffer may be written over it saves the most; only whole buffers are told
    /// apart so.
    fn savings(&self) -> BTreeMap<usize, u64> {
        let mut most: BTreeMap<usize, u64> = BTreeMap::new();
        for handover in &self.lifetimes.handovers {
            let [before, after] =
                [handover.before, handover.after].map(|it| &self.lifetimes.buffers[it]);
            let step = after.span.start.0;
            if step + 1 != before.span.end.0 || step < before.span.start.0 {
                continue;
            }
            assert!(before.pauses.is_empty() && after.pauses.is_empty());
            let shift = handover.shift.0;
            let shared = (after.size.0 + shift)
                .min(before.size.0)
                .saturating_sub(shift);
            let known = most.entry(handover.after).or_default();
            *known = shared.max(*known);
        }
        let mut saved = BTreeMap::new();
        for (after, bytes) in most.into_iter().filter(|it| it.1 > 0) {
            let row = self.row(self.lifetimes.buffers[after].span.start.0);
            *saved.entry(row).or_default() += bytes;
        }
        saved
    }

    pub(super) fn live(&self, row: usize) -> u64 {
        let sum: u64 = self.rows[row].iter().map(|need| need.bytes()).sum();
        sum - self.saved.get(&row).unwrap_or(&0)
    }

    /// The most of `figure` over `rows`, and the first row with so much.
    pub(super) fn most(
        rows: Range<usize>,
        figure: impl Fn(usize) -> Option<u64>,
    ) -> Option<(u64, usize)> {
        let figures = rows.filter_map(|row| Some((figure(row)?, Reverse(row))));
        figures.max().map(|(bytes, row)| (bytes, row.0))
    }

    /// Everything needed in `row`, the most first, ties by index.
    pub(super) fn witness(&self, row: usize) -> Vec<usize> {
        let mut needs = self.rows[row].clone();
        needs.sort_by_key(|need| (Reverse(need.bytes()), need.buffer));
        needs.into_iter().map(|need| need.buffer).collect()
    }

    /// Runs of steps in each of which something is live that is live in the next one too.
    pub(super) fn stretches(&self) -> Vec<Span> {
        let needed = |it: &&Buffer| it.size.0 > 0 && !it.span.is_empty();
        let (mut live, mut tied) = (vec![false; self.rows.len()], vec![false; self.rows.len()]);
        for buffer in self.lifetimes.buffers.iter().filter(needed) {
            for row in self.rows_of(buffer.span) {
                live[row] = true;
                tied[row] |= self.steps[row] > buffer.span.start.0;
            }
        }
        let mut found: Vec<Span> = Vec::new();
        for row in (0..self.rows.len()).filter(|&row| live[row]) {
            // Something is live up to the next row at least.
            let end = Step(self.steps[row + 1]);
            match found.last_mut() {
                Some(last) if tied[row] => last.end = end,
                _ => found.push(Span::new(self.steps[row], end.0)),
            }
        }
        found
    }

    /// The largest block at each step, the second-largest, …: the most of each over all steps,
    /// and the sizes in each row. What may be written over another from its first byte on is
    /// none of those at that step.
    pub(super) fn by_rank(&self) -> (Vec<u64>, Vec<Vec<u64>>) {
        let over = self.lifetimes.handovers.iter().filter(|it| it.shift.0 == 0);
        let over = over.map(|it| (it.after, self.lifetimes.buffers[it.after].span.start.0));
        let over: BTreeSet<(usize, u64)> = over.collect();
        let mut most: Vec<u64> = Vec::new();
        let mut ranked = Vec::new();
        for (&step, needs) in self.steps.iter().zip(&self.rows) {
            let first = needs.iter().filter(|need| need.start == 0);
            let first = first.filter(|need| !over.contains(&(need.buffer, step)));
            let size = |need: &Need| self.lifetimes.buffers[need.buffer].size.0;
            let mut sizes: Vec<u64> = first.map(size).collect();
            sizes.sort_by_key(|&size| Reverse(size));
            most.resize(sizes.len().max(most.len()), 0);
            for (known, &size) in most.iter_mut().zip(&sizes) {
                *known = size.max(*known);
            }
            ranked.push(sizes);
        }
        (most, ranked)
    }

    /// The number that the start of every movable block is a multiple of.
    pub(super) fn unit(&self) -> u64 {
        let all = self.lifetimes.buffers.iter();
        let movable = all.filter(|it| it.fixed.is_none() && it.size.0 > 0 && !it.span.is_empty());
        let wished: BTreeSet<u64> = movable
            .map(|it| it.alignment.0.max(self.alignment).max(1))
            .collect();
        let least = wished.first().copied().unwrap_or(0);
        let divides = |unit: &u64| wished.iter().all(|it| it.is_multiple_of(*unit));
        (1..=least).rev().find(divides).unwrap_or(1)
    }

    /// What is needed in `row` with every block but one rounded up; `None` where a block need
    /// not start at a multiple.
    pub(super) fn rounded(&self, row: usize, unit: u64) -> Option<u64> {
        let needs = &self.rows[row];
        let starts = |need: &Need| {
            let fixed = self.lifetimes.buffers[need.buffer].fixed;
            (fixed.map_or(0, |it| it.0) + need.start).is_multiple_of(unit)
        };
        if self.saved.contains_key(&row) || !needs.iter().all(starts) {
            return None;
        }
        let up = |need: &Need| need.bytes().next_multiple_of(unit);
        // Whichever block is the highest: the least of all choices.
        let sum: u64 = needs.iter().map(up).sum();
        let without = needs.iter().map(|need| sum - up(need) + need.bytes());
        without.min().or(Some(0))
    }

    /// What is needed in `row` where some blocks are fixed: up to the highest of these, and of
    /// the others what finds no room in a free range below that could hold the smallest.
    pub(super) fn beside_fixed(&self, row: usize) -> Option<u64> {
        let fixed = |need: &&Need| self.lifetimes.buffers[need.buffer].fixed.is_some();
        let (fixed, free): (Vec<&Need>, Vec<&Need>) = self.rows[row].iter().partition(fixed);
        if fixed.is_empty() || self.saved.contains_key(&row) {
            return None;
        }
        let place = |need: &&Need| {
            let at = self.lifetimes.buffers[need.buffer].fixed;
            let at = at.expect("it is fixed").0;
            (at + need.start, at + need.end)
        };
        let mut places: Vec<(u64, u64)> = fixed.iter().map(place).collect();
        places.sort_unstable();
        let smallest = free.iter().map(|need| need.bytes()).min().unwrap_or(1);
        let (mut top, mut room) = (0, 0);
        for (start, end) in places {
            if start >= top + smallest {
                room += start - top;
            }
            top = end.max(top);
        }
        let rest: u64 = free.iter().map(|need| need.bytes()).sum();
        Some(top + rest.saturating_sub(room))
    }
}
