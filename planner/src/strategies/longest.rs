//! Finds the longest-lived record inside a stretch of steps.
//!
//! A segment tree over the records in order of their starts. Each node knows the best record
//! below it and the earliest end below it; a search skips what ends too late altogether or
//! cannot beat what was found, and takes a node's best at once when it lies inside.

use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

use crate::sorting::Sorting as _;

use super::records::Record;

/// Rank of "no record": after all others.
const NONE: usize = usize::MAX;

/// A shrinking set of records.
pub(super) struct Longest {
    /// Records from the best to the worst: by lifetime, then size, then index.
    ranked: Vec<Ranked>,
    /// Starts in ascending order.
    starts: Vec<u64>,
    /// Best rank and earliest end under each node; the root is node 1.
    nodes: Vec<(usize, u64)>,
    width: usize,
    left: usize,
}

struct Ranked {
    record: usize,
    leaf: usize,
    end: u64,
}

impl Longest {
    /// The set of all `records`.
    pub(super) fn new(records: &[Record]) -> Self {
        let mut order: Vec<usize> = (0..records.len()).collect();
        order.order_by_key(|&r| (Reverse(records[r].len()), Reverse(records[r].size)));
        let mut by_start: Vec<usize> = (0..records.len()).collect();
        by_start.order_by_key(|&record| records[record].start);
        let mut leaves = vec![0; records.len()];
        for (leaf, &record) in by_start.iter().enumerate() {
            leaves[record] = leaf;
        }
        let width = records.len().next_power_of_two();
        let mut nodes = vec![(NONE, u64::MAX); 2 * width];
        let rank = |(rank, &record): (usize, &usize)| {
            let (leaf, end) = (leaves[record], records[record].end);
            nodes[width + leaf] = (rank, end);
            Ranked { record, leaf, end }
        };
        let ranked: Vec<Ranked> = order.iter().enumerate().map(rank).collect();
        for node in (1..width).rev() {
            nodes[node] = joined(nodes[2 * node], nodes[2 * node + 1]);
        }
        Self {
            left: ranked.len(),
            ranked,
            starts: by_start
                .iter()
                .map(|&record| records[record].start)
                .collect(),
            nodes,
            width,
        }
    }

    /// Whether all records were taken.
    pub(super) fn is_empty(&self) -> bool {
        self.left == 0
    }

    /// Takes the best record that is live only during `[start, end)`.
    pub(super) fn take_within(&mut self, start: u64, end: u64) -> Option<usize> {
        let from = self.starts.partition_point(|&known| known < start);
        let to = self.starts.partition_point(|&known| known < end);
        let mut best = NONE;
        self.search(1, (0, self.width), (from, to, end), &mut best);
        let &Ranked { record, leaf, .. } = self.ranked.get(best)?;
        self.left -= 1;
        let mut node = self.width + leaf;
        self.nodes[node] = (NONE, u64::MAX);
        while node > 1 {
            node /= 2;
            self.nodes[node] = joined(self.nodes[2 * node], self.nodes[2 * node + 1]);
        }
        Some(record)
    }

    /// Improves `best` from the node over the leaves `[first, last)`. Recursion is as deep
    /// as the tree.
    fn search(
        &self,
        node: usize,
        (first, last): (usize, usize),
        (from, to, end): (usize, usize, u64),
        best: &mut usize,
    ) {
        let (rank, earliest) = self.nodes[node];
        if first >= to || last <= from || rank >= *best || earliest > end {
            return;
        }
        let Ranked { leaf, end: own, .. } = self.ranked[rank];
        if (from..to).contains(&leaf) && own <= end {
            *best = rank;
        } else if last - first > 1 {
            let middle = first + (last - first) / 2;
            self.search(2 * node, (first, middle), (from, to, end), best);
            self.search(2 * node + 1, (middle, last), (from, to, end), best);
        }
    }
}

fn joined(a: (usize, u64), b: (usize, u64)) -> (usize, u64) {
    (a.0.min(b.0), a.1.min(b.1))
}
