//! The free bytes at one step: every free range, and for how long it is one.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::{Block, blocks};
use crate::free_space;
use crate::liveness::Lifetimes;
use crate::plan::Plan;
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Offset, Span, Step};

/// The most free ranges that [`free_ranges`] names.
pub const RANGES_LISTED: usize = 500;

/// Bytes that no buffer needs at some step, as high as they are free there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FreeRange {
    /// First byte.
    pub low: Offset,
    /// End, exclusive.
    pub high: Offset,
    /// When all of them are free; the step of the query is within.
    pub span: Span,
}

impl FreeRange {
    /// Its height in bytes.
    #[must_use]
    pub fn height(&self) -> Bytes {
        Bytes(self.high.0.saturating_sub(self.low.0))
    }
}

/// The free ranges of the arena at `step`, largest first, ties by address; at most
/// [`RANGES_LISTED`], and none outside the plan's steps. O(n log n), and for each buffer the
/// free ranges whose bytes it needs at another time.
#[must_use]
pub fn free_ranges(lifetimes: &Lifetimes, plan: &Plan, step: Step) -> Vec<FreeRange> {
    if step >= lifetimes.horizon {
        return Vec::new();
    }
    let whole = Span {
        start: Step::default(),
        end: lifetimes.horizon,
    };
    let now = blocks(lifetimes, plan).filter(|block| block.span.contains(step));
    let mut held: Vec<(u64, u64)> = now.map(|block| (block.low, block.high)).collect();
    held.order();
    let held = held.into_iter().map(|(low, high)| (low, high, ()));
    let mut ranges: Vec<FreeRange> = free_space::free_ranges(0, held)
        .map(|range| FreeRange {
            low: Offset(range.start),
            high: Offset(range.end.unwrap_or(u64::MAX).min(plan.arena.0)),
            span: whole,
        })
        .filter(|range| range.low < range.high)
        .collect();
    ranges.order_by_key(|range| (Reverse(range.height()), range.low));
    ranges.truncate(RANGES_LISTED);
    ranges.order_by_key(|range| range.low);
    for block in blocks(lifetimes, plan) {
        narrow(&mut ranges, block, step);
    }
    ranges.order_by_key(|range| (Reverse(range.height()), range.low));
    ranges
}

/// Ends the free ranges that `block` reaches into where it begins or ends. `ranges` is by address.
fn narrow(ranges: &mut [FreeRange], block: Block, step: Step) {
    if block.span.contains(step) || block.low >= block.high {
        return;
    }
    let first = ranges.partition_point(|range| range.high.0 <= block.low);
    for range in &mut ranges[first..] {
        if range.low.0 >= block.high {
            break;
        }
        if block.span.end <= step {
            range.span.start = range.span.start.max(block.span.end);
        } else {
            range.span.end = range.span.end.min(block.span.start);
        }
    }
}
