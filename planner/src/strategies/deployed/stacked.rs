//! Intervals over one another, and how far each may rise. Source: MegEngine,
//! `StaticMemAllocIntervalMove`.
//!
//! MegEngine notes for each interval all intervals above it that are live at the same time.
//! Here only the nearest are noted, with nothing else between at some step: what lies above
//! them is reached through them, so that all sums are the same, and there are few.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;
use alloc::vec::Vec;

use crate::strategies::conflicts::TimeIndex;
use crate::strategies::records::Record;

/// The placed intervals.
pub(super) struct Stacked<'a> {
    records: &'a [Record],
    by_time: TimeIndex,
    /// Start and end of each placed record.
    places: Vec<(u64, u64)>,
    /// Intervals directly above each.
    above: Vec<Vec<usize>>,
    /// The highest end of all.
    pub(super) peak: u64,
    /// Highest start of each without a higher peak, with the insertion that it belongs to.
    ceilings: Vec<(usize, u64)>,
    insertion: usize,
}

impl<'a> Stacked<'a> {
    /// Nothing placed.
    pub(super) fn new(records: &'a [Record]) -> Self {
        Self {
            records,
            by_time: TimeIndex::new(records),
            places: vec![(0, 0); records.len()],
            above: vec![Vec::new(); records.len()],
            peak: 0,
            ceilings: vec![(0, 0); records.len()],
            insertion: 0,
        }
    }

    /// Start and end of `index`.
    pub(super) fn place(&self, index: usize) -> (u64, u64) {
        self.places[index]
    }

    /// Those that are live together with `index`, by address; for the next one to insert.
    pub(super) fn in_the_way(&mut self, index: usize) -> Vec<usize> {
        self.insertion += 1;
        let Record { start, end, .. } = self.records[index];
        let mut found = Vec::new();
        self.by_time
            .overlapping((start, end), usize::MAX, &mut found);
        self.by_address(&mut found);
        found
    }

    /// Sorts placed ones by their addresses, ties by index.
    fn by_address(&self, placed: &mut [usize]) {
        placed.sort_unstable_by_key(|&other| (self.places[other], other));
    }

    /// The highest address at which `index` could start without raising the peak, if all above
    /// it rose as far as they can.
    pub(super) fn ceiling(&mut self, index: usize) -> u64 {
        let mut path = vec![(index, 0)];
        while let Some((one, done)) = path.last_mut() {
            let one = *one;
            if self.ceilings[one].0 == self.insertion {
                path.pop();
                continue;
            }
            if let Some(&next) = self.above[one].get(*done) {
                *done += 1;
                path.push((next, 0));
                continue;
            }
            let tops = self.above[one].iter().map(|&next| self.ceilings[next].1);
            let top = tops.min().unwrap_or(self.peak);
            let ceiling = top.saturating_sub(self.records[one].size);
            self.ceilings[one] = (self.insertion, ceiling);
            path.pop();
        }
        self.ceilings[index].1
    }

    /// Lifts those of `conflicts` that reach above `offset` to `top` or higher, and what
    /// lies on them with them: their new addresses, the highest first. `None` beyond 64 bits.
    pub(super) fn make_room(
        &mut self,
        conflicts: &[usize],
        (offset, top): (u64, u64),
    ) -> Option<Vec<(usize, u64)>> {
        let mut lifted = Vec::new();
        let mut least: BTreeMap<(u64, usize), u64> = BTreeMap::new();
        for &index in conflicts {
            let (from, end) = self.place(index);
            if end > offset {
                least.insert((from, index), top);
            }
        }
        // From below, so that each is met with all that pushes it known.
        while let Some(((from, index), to)) = least.pop_first() {
            if to <= from {
                continue;
            }
            let end = to.checked_add(self.records[index].size)?;
            for &next in &self.above[index] {
                let key = (self.place(next).0, next);
                let known = least.entry(key).or_insert(0);
                *known = end.max(*known);
            }
            lifted.push((index, to, end));
        }
        for &(index, to, end) in &lifted {
            self.places[index] = (to, end);
            self.peak = self.peak.max(end);
        }
        lifted.reverse();
        Some(
            lifted
                .into_iter()
                .map(|(index, to, _)| (index, to))
                .collect(),
        )
    }

    /// Places `index` among its `conflicts`, which are out of its way.
    pub(super) fn insert(&mut self, index: usize, place: (u64, u64), conflicts: &[usize]) {
        self.by_time.insert(index);
        self.places[index] = place;
        self.peak = self.peak.max(place.1);
        let mut conflicts = conflicts.to_vec();
        self.by_address(&mut conflicts);
        let between = conflicts.partition_point(|&other| self.place(other).0 < place.0);
        let lower = conflicts[..between].iter().rev().copied();
        for other in in_sight(self.records, index, lower) {
            self.above[other].push(index);
        }
        let higher = conflicts[between..].iter().copied();
        self.above[index] = in_sight(self.records, index, higher);
    }
}

/// Those of `others`, from near to far, that none of the nearer ones hide from `index` at
/// every step.
fn in_sight(records: &[Record], index: usize, others: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut seen = Vec::new();
    // Steps with nothing between yet: disjoint stretches.
    let mut open = BTreeSet::from([(records[index].start, records[index].end)]);
    for other in others {
        let Record { start, end, .. } = records[other];
        let first = open.range(..=(start, u64::MAX)).next_back().copied();
        let first = first.filter(|stretch| stretch.1 > start);
        let rest = open.range((start, u64::MAX)..(end, 0)).copied();
        let hit: Vec<(u64, u64)> = first.into_iter().chain(rest).collect();
        for &stretch in &hit {
            open.remove(&stretch);
            if stretch.0 < start {
                open.insert((stretch.0, start));
            }
            if end < stretch.1 {
                open.insert((end, stretch.1));
            }
        }
        if !hit.is_empty() {
            seen.push(other);
        }
        if open.is_empty() {
            break;
        }
    }
    seen
}
