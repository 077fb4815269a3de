//! The order in which the by-breadth strategies take buffers: step by step, the step with
//! the most live bytes first.

use alloc::vec::Vec;
use core::cmp::Reverse;

use crate::sorting::Sorting as _;

use super::conflicts::TimeIndex;
use super::records::Record;

/// Indices of `records`: steps by breadth (sum of live sizes) descending, ties by the earlier
/// step; at each step the records not yet taken by size descending, ties by lower index.
///
/// Consecutive steps with the same live records are visited as one, since nothing is left
/// to take at the later ones.
pub(super) fn by_breadth(records: &[Record]) -> Vec<usize> {
    let mut index = TimeIndex::new(records);
    for record in 0..records.len() {
        index.insert(record);
    }
    let mut order = Vec::with_capacity(records.len());
    let mut live = Vec::new();
    for step in steps_by_breadth(records) {
        live.clear();
        index.overlapping((step, step + 1), usize::MAX, &mut live);
        live.order_by_key(|&record| (Reverse(records[record].size), record));
        for &record in &live {
            index.remove(record);
        }
        order.append(&mut live);
    }
    order
}

/// The first step of every stretch with the same live records, broadest first.
fn steps_by_breadth(records: &[Record]) -> Vec<u64> {
    let mut changes: Vec<(u64, i128)> = Vec::with_capacity(2 * records.len());
    for record in records {
        changes.push((record.start, i128::from(record.size)));
        changes.push((record.end, -i128::from(record.size)));
    }
    changes.order();
    let mut breadth = 0;
    let mut steps: Vec<(Reverse<i128>, u64)> = Vec::new();
    for together in changes.chunk_by(|a, b| a.0 == b.0) {
        breadth += together.iter().map(|change| change.1).sum::<i128>();
        if breadth > 0 {
            steps.push((Reverse(breadth), together[0].0));
        }
    }
    steps.order();
    steps.into_iter().map(|(_, step)| step).collect()
}
