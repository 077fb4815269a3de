//! The free bytes at one step: every free range, and for how long it is one.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::{Block, blocks, segments};
use crate::free_space;
use crate::liveness::Lifetimes;
use crate::plan::{Plan, Segment};
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
    /// The segment that they lie in, by index, and whether no block is in it, or in that part of
    /// it where it can grow; `None` where the plan has no segments.
    pub segment: Option<(u32, bool)>,
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
    let mut ranges = everywhere(lifetimes, plan, step);
    ranges.order_by_key(|range| (Reverse(range.height()), range.low));
    ranges.truncate(RANGES_LISTED);
    ranges.order_by_key(|range| range.low);
    for block in blocks(lifetimes, plan) {
        narrow(&mut ranges, block, step);
    }
    // Of one segment they come one after the other. Where another lies at another time, it has
    // walls of its own.
    for same in ranges.chunk_by_mut(|one, other| index(one) == index(other)) {
        let segment = same.first().and_then(index);
        let segment = segment.and_then(|it| segments(plan).get(it as usize));
        for missing in segment.map(Segment::unmapped).unwrap_or_default() {
            narrow(same, Block::wall(missing), step);
        }
    }
    ranges.order_by_key(|range| (Reverse(range.height()), range.low));
    ranges
}

/// Every free range at `step`, by address, as long as its room is there.
pub(super) fn everywhere(lifetimes: &Lifetimes, plan: &Plan, step: Step) -> Vec<FreeRange> {
    if step >= lifetimes.horizon {
        return Vec::new();
    }
    let now = blocks(lifetimes, plan).filter(|block| block.span.contains(step));
    let mut held: Vec<(u64, u64)> = now.map(|block| (block.low, block.high)).collect();
    held.order();
    let mut ranges = Vec::new();
    for room in rooms(lifetimes, plan, step) {
        let first = held.partition_point(|block| block.0 < room.low.0);
        let here = held[first..].iter();
        let here = here.take_while(|block| block.0 < room.high.0);
        let here = here.map(|&(low, high)| (low, high, ()));
        let free = free_space::free_ranges(room.low.0, here).map(|range| FreeRange {
            low: Offset(range.start),
            high: Offset(range.end.unwrap_or(u64::MAX).min(room.high.0)),
            ..room
        });
        let free = free.filter(|range| range.low < range.high);
        ranges.extend(free.map(|range| {
            let all = (range.low, range.high) == (room.low, room.high);
            let segment = range.segment.map(|(index, _)| (index, all));
            FreeRange { segment, ..range }
        }));
    }
    ranges
}

/// The segment that a free range lies in.
fn index(range: &FreeRange) -> Option<u32> {
    range.segment.map(|it| it.0)
}

/// Where free ranges can reach at most at `step`: the arena or each of its pools, or every run of
/// bytes of a segment.
fn rooms(lifetimes: &Lifetimes, plan: &Plan, step: Step) -> Vec<FreeRange> {
    let Some(segments) = &plan.segments else {
        let room = |low: Offset, size: Bytes| FreeRange {
            low,
            high: Offset(low.0.saturating_add(size.0)),
            span: Span {
                start: Step::default(),
                end: lifetimes.horizon,
            },
            segment: None,
        };
        let Some(pools) = plan.memories() else {
            return vec![room(Offset(0), plan.arena)];
        };
        let pools = pools.bases.iter().zip(&pools.sizes);
        let mut rooms: Vec<FreeRange> = pools.map(|(&base, &size)| room(base, size)).collect();
        rooms.order_by_key(|room| room.low);
        return rooms;
    };
    let segments = (0..).zip(&segments.list);
    let segments = segments.filter(|(_, segment)| segment.span.contains(step));
    let rooms = segments.flat_map(|(index, segment)| {
        let runs = segment.mapped_at(step);
        runs.into_iter().map(move |(low, high)| FreeRange {
            low,
            high,
            span: segment.span,
            segment: Some((index, false)),
        })
    });
    rooms.collect()
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
