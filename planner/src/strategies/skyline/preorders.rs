//! The static orders that break the skyline's ties.

use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::blocks::Blocks;
use crate::sorting::Sorting as _;

/// What blocks are compared by, the larger first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Key {
    /// Number of steps.
    Width,
    /// Bytes times steps.
    Area,
    /// The largest sum of sizes live during one of its steps.
    Total,
    /// Bytes.
    Size,
    /// Number of other blocks live at the same time.
    Overlaps,
    /// First step.
    Lower,
    /// End, exclusive.
    Upper,
}

use Key::{Area, Lower, Overlaps, Size, Total, Upper, Width};

/// The orders, by three keys each; further ties by lower index. Those that do best on
/// average stand first.
pub(in crate::strategies) const PREORDERS: [[Key; 3]; 13] = [
    [Width, Area, Total],
    [Total, Area, Width],
    [Total, Width, Area],
    [Area, Width, Total],
    [Width, Total, Area],
    [Area, Total, Width],
    [Size, Width, Total],
    [Size, Total, Width],
    [Total, Size, Width],
    [Overlaps, Width, Area],
    [Overlaps, Area, Width],
    [Lower, Width, Area],
    [Upper, Width, Area],
];

/// What the orders need to know of blocks beside their records.
pub(in crate::strategies) struct Measures {
    totals: Vec<u64>,
    overlaps: Vec<u32>,
    bound: u64,
}

impl Measures {
    /// The measures of `blocks`, in O(n log n).
    pub(in crate::strategies) fn new(blocks: &Blocks) -> Self {
        let highest = |totals: &[u64]| totals.iter().copied().max().unwrap_or(0);
        let padding = |size: u64| blocks.top(size) - size;
        let paddings = blocks.records.iter().map(|record| padding(record.size));
        let most = paddings.max().unwrap_or(0);
        let totals_of_sizes = totals(blocks, |size| size);
        let mut bound = highest(&totals_of_sizes);
        if most > 0 {
            // All but the highest are followed by another, and take their padding too.
            let rounded = highest(&totals(blocks, |size| blocks.top(size)));
            bound = bound.max(rounded.saturating_sub(most));
        }
        Self {
            totals: totals_of_sizes,
            overlaps: overlaps(blocks),
            bound,
        }
    }

    /// What no arena of whole blocks is smaller than: the largest sum of sizes live at one
    /// step, each but the highest rounded up to the grid.
    pub(in crate::strategies) fn bound(&self) -> u64 {
        self.bound
    }

    /// Number of pairs of blocks that are live at the same time.
    pub(in crate::strategies) fn conflicts(&self) -> u64 {
        let all: u64 = self
            .overlaps
            .iter()
            .map(|&overlaps| u64::from(overlaps))
            .sum();
        all / 2
    }

    /// The records by `keys` descending.
    pub(in crate::strategies) fn order(&self, blocks: &Blocks, keys: [Key; 3]) -> Vec<u32> {
        let value = |key: Key, index: u32| -> u128 {
            let record = &blocks.records[index as usize];
            match key {
                Width => record.len().into(),
                Area => u128::from(record.len()) * u128::from(record.size),
                Total => self.totals[index as usize].into(),
                Size => record.size.into(),
                Overlaps => self.overlaps[index as usize].into(),
                Lower => record.start.into(),
                Upper => record.end.into(),
            }
        };
        let keyed = |index: u32| (index, Reverse(keys.map(|key| value(key, index))));
        let mut order: Vec<_> = (0..).take(blocks.len()).map(keyed).collect();
        order.order_by_key(|&(_, key)| key);
        order.into_iter().map(|(index, _)| index).collect()
    }
}

/// The largest live sum during each block: a segment tree of maxima over the moments.
fn totals(blocks: &Blocks, bytes: impl Fn(u64) -> u64) -> Vec<u64> {
    let width = blocks.moments as usize;
    let mut live = vec![0_u64; 2 * width];
    for (record, &(start, end)) in blocks.records.iter().zip(&blocks.spans) {
        let (start, end) = (width + start as usize, width + end as usize);
        live[start] = live[start].wrapping_add(bytes(record.size));
        live[end] = live[end].wrapping_sub(bytes(record.size));
    }
    // Sums of all sizes stay below 2^62, so that what wraps comes back.
    for moment in width + 1..2 * width {
        live[moment] = live[moment].wrapping_add(live[moment - 1]);
    }
    for node in (1..width).rev() {
        live[node] = live[2 * node].max(live[2 * node + 1]);
    }
    let total = |&(start, end): &(u32, u32)| {
        let (mut from, mut to) = (width + start as usize, width + end as usize);
        let mut total = 0;
        while from < to {
            if from % 2 == 1 {
                total = live[from].max(total);
                from += 1;
            }
            if to % 2 == 1 {
                to -= 1;
                total = live[to].max(total);
            }
            (from, to) = (from / 2, to / 2);
        }
        total
    };
    blocks.spans.iter().map(total).collect()
}

/// For each block the number of those that start before its end, less those that end before
/// its start, itself left out.
pub(super) fn overlaps(blocks: &Blocks) -> Vec<u32> {
    let moments = blocks.moments as usize;
    let mut started = vec![0_u32; moments + 1];
    let mut ended = vec![0_u32; moments + 1];
    for &(start, end) in &blocks.spans {
        started[start as usize + 1] += 1;
        ended[end as usize] += 1;
    }
    for moment in 1..=moments {
        started[moment] += started[moment - 1];
        ended[moment] += ended[moment - 1];
    }
    let overlaps = |&(start, end): &(u32, u32)| started[end as usize] - ended[start as usize] - 1;
    blocks.spans.iter().map(overlaps).collect()
}
