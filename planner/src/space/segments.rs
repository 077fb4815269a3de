//! What an allocator holds at one step, segment by segment: the blocks in each, and what is free.

use std::collections::BTreeMap;

use super::free_ranges::everywhere;
use crate::liveness::Lifetimes;
use crate::plan::{Plan, Segment};
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Offset, Step};

/// A segment as it is at one step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SegmentAt {
    /// Which of the plan's.
    pub segment: u32,
    /// The bytes of it that are there, each run of them once, by address: more than one only
    /// where it can grow.
    pub runs: Vec<(Offset, Offset)>,
    /// The blocks in it, by address.
    pub blocks: Vec<usize>,
    /// Bytes that are there.
    pub bytes: Bytes,
    /// Those that no block needs.
    pub free: Bytes,
    /// The largest range of them.
    pub largest: Bytes,
    /// Those of runs in which no block is.
    pub unused: Bytes,
}

impl SegmentAt {
    /// Bytes that blocks need.
    #[must_use]
    pub fn used(&self) -> Bytes {
        Bytes(self.bytes.0.saturating_sub(self.free.0))
    }

    /// From its first byte that is there to behind its last one.
    #[must_use]
    pub fn reach(&self) -> (Offset, Offset) {
        let (first, last) = (self.runs.first(), self.runs.last());
        (
            first.map_or_else(Offset::default, |run| run.0),
            last.map_or_else(Offset::default, |run| run.1),
        )
    }

    /// Its first byte on the device that is there; `segment` is the one that it is.
    #[must_use]
    pub fn address(&self, segment: &Segment) -> u64 {
        let into = self.reach().0.0.saturating_sub(segment.low.0);
        segment.address.saturating_add(into)
    }
}

/// The segments of `plan` that are there at `step`, in its order; none where it has no segments.
/// O(n log n).
#[must_use]
pub fn segments_at(lifetimes: &Lifetimes, plan: &Plan, step: Step) -> Vec<SegmentAt> {
    let Some(segments) = &plan.segments else {
        return Vec::new();
    };
    let here = (0..).zip(&segments.list);
    let here = here.filter(|(_, it)| it.span.contains(step));
    let here = here.map(|(segment, it)| {
        let runs = it.mapped_at(step);
        let bytes = runs.iter().map(|run| run.1.0.saturating_sub(run.0.0));
        let row = SegmentAt {
            segment,
            bytes: Bytes(bytes.sum()),
            runs,
            ..SegmentAt::default()
        };
        (segment, row)
    });
    let mut rows: BTreeMap<u32, SegmentAt> = here.filter(|(_, row)| row.bytes.0 > 0).collect();
    for range in everywhere(lifetimes, plan, step) {
        let Some((segment, whole)) = range.segment else {
            continue;
        };
        if let Some(row) = rows.get_mut(&segment) {
            let bytes = range.height();
            row.free.0 = row.free.0.saturating_add(bytes.0);
            row.largest = row.largest.max(bytes);
            row.unused.0 += if whole { bytes.0 } else { 0 };
        }
    }
    let blocks = lifetimes.buffers.iter().zip(&segments.of_buffer);
    for (index, (buffer, segment)) in blocks.enumerate() {
        if buffer.span.contains(step)
            && let Some(row) = rows.get_mut(segment)
        {
            row.blocks.push(index);
        }
    }
    let offset = |index: usize| plan.offsets.get(index).copied();
    let mut rows: Vec<SegmentAt> = rows.into_values().collect();
    for row in &mut rows {
        row.blocks.order_by_key(|&index| offset(index));
    }
    rows
}
