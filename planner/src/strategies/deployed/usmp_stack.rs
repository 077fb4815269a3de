//! What TVM's USMP planners share: which buffers conflict how often, the order in which buffers
//! choose, and the greedy stack. Source: TVM USMP, `GreedyBase`.
//!
//! A buffer of the greedy planners lies above all placed buffers that it conflicts with,
//! whatever is free below them. TVM rounds the end of what lies below up to the alignment of
//! that buffer and never asks what the upper one needs; here it is rounded up to that too,
//! which changes nothing where all alignments are alike.

use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::free_space::Fit;
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::sorting::Sorting as _;
use crate::strategies::layout::Layout;
use crate::strategies::records::{Record, records};
use crate::strategies::{Observer, PlanError, Search, Strategy, Taken};

/// The records, and with how many others each is live together.
pub(super) struct Conflicts<'a> {
    lifetimes: &'a Lifetimes,
    /// In the buffers' order.
    pub(super) records: Vec<Record>,
    counts: Vec<usize>,
}

impl<'a> Conflicts<'a> {
    /// Those of `lifetimes`.
    pub(super) fn of(lifetimes: &'a Lifetimes) -> Self {
        let records = records(lifetimes);
        let mut starts: Vec<u64> = records.iter().map(|record| record.start).collect();
        let mut ends: Vec<u64> = records.iter().map(|record| record.end).collect();
        starts.order();
        ends.order();
        let count = |record: &Record| {
            let begun = starts.partition_point(|&start| start < record.end);
            let over = ends.partition_point(|&end| end <= record.start);
            // The record itself has begun and is not over.
            begun - over - 1
        };
        let counts = records.iter().map(count).collect();
        Self {
            lifetimes,
            records,
            counts,
        }
    }

    /// All records by size, then number of conflicts, then name, all descending.
    pub(super) fn by_size(&self) -> Vec<usize> {
        self.sorted(|index| (self.records[index].size, self.counts[index] as u64))
    }

    /// All records by number of conflicts, then size, then name, all descending.
    pub(super) fn by_conflicts(&self) -> Vec<usize> {
        self.sorted(|index| (self.counts[index] as u64, self.records[index].size))
    }

    /// Ties of `key` and name, which TVM leaves open, go to the lower index.
    fn sorted(&self, key: impl Fn(usize) -> (u64, u64)) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.records.len()).collect();
        order.order_by(|&a, &b| match key(b).cmp(&key(a)) {
            Ordering::Equal => self.name(b).cmp(self.name(a)),
            unequal => unequal,
        });
        order
    }

    fn name(&self, index: usize) -> &str {
        &self.lifetimes.buffers[self.records[index].buffer].name
    }
}

/// Stacks the records in the order `turns`.
pub(super) fn stack(
    strategy: Strategy,
    conflicts: &Conflicts<'_>,
    turns: &[usize],
    (options, observer): (&Options, &mut dyn Observer),
) -> Result<Plan, PlanError> {
    let records = &conflicts.records;
    let mut layout = Layout::new(conflicts.lifetimes, options, observer)?;
    let mut tops = Tops::new(records);
    for &index in turns {
        let record = &records[index];
        let offset = layout.align(record, tops.highest(record))?;
        layout.chosen(record, Search::Free(Fit::OnTop), Taken::Open)?;
        let end = layout.put(record, offset)?;
        tops.raise(record, layout.align(record, end)?);
    }
    Ok(layout.into_plan(strategy))
}

/// The top of the stack over time: a segment tree over the steps at which records start.
/// Records that are live together both are at the later of their two starts.
struct Tops {
    starts: Vec<u64>,
    /// Highest top of what covers all leaves of a node; the root is node 1.
    whole: Vec<u64>,
    /// Highest top of what covers any leaf of a node.
    part: Vec<u64>,
    /// Number of leaves, a power of two.
    width: usize,
}

impl Tops {
    fn new(records: &[Record]) -> Self {
        let mut starts: Vec<u64> = records.iter().map(|record| record.start).collect();
        starts.order();
        starts.dedup();
        let width = starts.len().next_power_of_two();
        Self {
            starts,
            whole: vec![0; 2 * width],
            part: vec![0; 2 * width],
            width,
        }
    }

    /// The nodes that together cover the steps of `record`.
    fn cover(&self, record: &Record) -> Vec<usize> {
        let leaf = |step: u64| self.width + self.starts.partition_point(|&start| start < step);
        let (mut lower, mut upper) = (leaf(record.start), leaf(record.end));
        let mut nodes = Vec::new();
        while lower < upper {
            if lower % 2 == 1 {
                nodes.push(lower);
                lower += 1;
            }
            if upper % 2 == 1 {
                upper -= 1;
                nodes.push(upper);
            }
            lower /= 2;
            upper /= 2;
        }
        nodes
    }

    fn highest(&self, record: &Record) -> u64 {
        let mut highest = 0;
        for mut node in self.cover(record) {
            highest = highest.max(self.part[node]);
            while node > 1 {
                node /= 2;
                highest = highest.max(self.whole[node]);
            }
        }
        highest
    }

    fn raise(&mut self, record: &Record, top: u64) {
        for mut node in self.cover(record) {
            self.whole[node] = self.whole[node].max(top);
            while node > 0 {
                self.part[node] = self.part[node].max(top);
                node /= 2;
            }
        }
    }
}

/// The largest sum of sizes that are live at once.
pub(super) fn pressure(records: &[Record]) -> u64 {
    let starts = records.iter().map(|r| (r.start, true, r.size));
    let ends = records.iter().map(|r| (r.end, false, r.size));
    let mut changes: Vec<(u64, bool, u64)> = starts.chain(ends).collect();
    changes.order();
    let (mut live, mut most) = (0_u64, 0);
    for (_, starts, size) in changes {
        if starts {
            live = live.saturating_add(size);
            most = live.max(most);
        } else {
            live = live.saturating_sub(size);
        }
    }
    most
}
