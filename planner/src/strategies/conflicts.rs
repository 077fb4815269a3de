//! An index over time that finds the records live during a span.
//!
//! A segment tree over the records in order of their starts, each node with the latest end
//! below it. Those that start before a span's end are a prefix of the leaves; within it only
//! subtrees that reach beyond the span's start are entered. A query that finds k records
//! costs O((k + 1) log n).

use crate::sorting::Sorting as _;
use alloc::vec;
use alloc::vec::Vec;

use super::records::Record;

/// A set of records, searchable by time.
#[derive(Debug)]
pub(super) struct TimeIndex {
    /// Records in order of their starts.
    by_start: Vec<usize>,
    /// Starts in that order.
    starts: Vec<u64>,
    /// Leaf of each record.
    leaf: Vec<usize>,
    /// End of each record.
    ends: Vec<u64>,
    /// Latest end under each node of the tree, 0 for none; the root is node 1.
    latest: Vec<u64>,
    /// Number of leaves, a power of two.
    width: usize,
}

impl TimeIndex {
    /// An empty set of these records.
    pub(super) fn new(records: &[Record]) -> Self {
        let mut by_start: Vec<usize> = (0..records.len()).collect();
        by_start.order_by_key(|&record| records[record].start);
        let mut leaf = vec![0; records.len()];
        for (position, &record) in by_start.iter().enumerate() {
            leaf[record] = position;
        }
        let width = records.len().next_power_of_two();
        Self {
            starts: by_start
                .iter()
                .map(|&record| records[record].start)
                .collect(),
            by_start,
            leaf,
            ends: records.iter().map(|record| record.end).collect(),
            latest: vec![0; 2 * width],
            width,
        }
    }

    /// Adds `record`.
    pub(super) fn insert(&mut self, record: usize) {
        self.set(self.leaf[record], self.ends[record]);
    }

    /// Adds `record`, which is live until `end`.
    pub(super) fn insert_until(&mut self, record: usize, end: u64) {
        self.set(self.leaf[record], end);
    }

    /// Takes `record` out.
    pub(super) fn remove(&mut self, record: usize) {
        self.set(self.leaf[record], 0);
    }

    /// Appends to `found` every record of the set that is live during `[start, end)`, or
    /// gives up once `found` is longer than `limit`.
    pub(super) fn overlapping(
        &self,
        (start, end): (u64, u64),
        limit: usize,
        found: &mut Vec<usize>,
    ) {
        let before = self.starts.partition_point(|&known| known < end);
        self.descend(1, 0, self.width, (start, before, limit), found);
    }

    fn set(&mut self, leaf: usize, end: u64) {
        let mut node = self.width + leaf;
        self.latest[node] = end;
        while node > 1 {
            node /= 2;
            self.latest[node] = self.latest[2 * node].max(self.latest[2 * node + 1]);
        }
    }

    /// Visits the node over `width` leaves from `first` on. Recursion is as deep as the tree.
    fn descend(
        &self,
        node: usize,
        first: usize,
        width: usize,
        (start, before, limit): (u64, usize, usize),
        found: &mut Vec<usize>,
    ) {
        if first >= before || self.latest[node] <= start || found.len() > limit {
            return;
        }
        if width == 1 {
            found.push(self.by_start[first]);
            return;
        }
        let half = width / 2;
        self.descend(2 * node, first, half, (start, before, limit), found);
        self.descend(
            2 * node + 1,
            first + half,
            half,
            (start, before, limit),
            found,
        );
    }
}
