//! What an allocator held from its device at the peak, split at that one step.
//!
//! | part | is |
//! |---|---|
//! | needed | bytes that the program asked for and has not given back |
//! | padding | what blocks have beyond that: rounding, and rests that are not split off |
//! | free segments | segments in which no block is: giving the cache back returns those of no private pool |
//! | free inside | all other free bytes of segments |
//!
//! Of a segment that can grow every run of bytes that are there counts as one.

use std::cmp::Reverse;

use super::{Kind, Part, Waste, live_at, signed};
use crate::liveness::Lifetimes;
use crate::liveness::profile::profile;
use crate::plan::{Plan, Segments};
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Offset, Step};

/// The split at the step at which most is reserved; of several the one at which most is in use,
/// the first of equals.
pub(super) fn split(lifetimes: &Lifetimes, plan: &Plan, segments: &Segments) -> Waste {
    let (step, reserved) = peak(lifetimes, segments);
    let live = live_at(lifetimes, step);
    let buffers = live.iter().filter_map(|&it| lifetimes.buffers.get(it));
    let (size, payload) = buffers.fold((0_u64, 0_u64), |(size, payload), it| {
        let asked = it.payload.min(it.size);
        (
            size.saturating_add(it.size.0),
            payload.saturating_add(asked.0),
        )
    });
    let unused = unused(plan, &live, segments, step);
    let padding = |index: usize| {
        let buffer = lifetimes.buffers.get(index);
        buffer.map_or(0, |it| it.size.0.saturating_sub(it.payload.0))
    };
    let padded = live.iter().copied().filter(|&index| padding(index) > 0);
    let mut padded: Vec<usize> = padded.collect();
    padded.order_by_key(|&index| Reverse(padding(index)));
    let part = |kind, bytes, buffers| Part {
        kind,
        bytes,
        step,
        buffers,
    };
    let of = |bytes: u64| signed(Bytes(bytes));
    let inside = of(reserved.0)
        .saturating_sub(of(size))
        .saturating_sub(of(unused));
    Waste {
        arena: reserved,
        reserved: true,
        parts: vec![
            part(Kind::Needed, of(payload), live),
            part(Kind::Padding, of(size.saturating_sub(payload)), padded),
            part(Kind::FreeSegments, of(unused), Vec::new()),
            part(Kind::FreeInside, inside, Vec::new()),
        ],
    }
}

/// Bytes of segments, or of parts of expandable ones, in which no block is at `step`.
fn unused(plan: &Plan, live: &[usize], segments: &Segments, step: Step) -> u64 {
    let offsets = live.iter().filter_map(|&it| plan.offsets.get(it));
    let mut offsets: Vec<Offset> = offsets.copied().collect();
    offsets.order();
    let here = segments.list.iter().filter(|it| it.span.contains(step));
    let runs = here.flat_map(|segment| segment.mapped_at(step));
    let unused = runs.filter(|&(low, high)| {
        let next = offsets.partition_point(|&offset| offset < low);
        offsets.get(next).is_none_or(|&offset| offset >= high)
    });
    unused.map(|(low, high)| high.0.saturating_sub(low.0)).sum()
}

/// Where most is reserved, and of these steps where most is in use.
fn peak(lifetimes: &Lifetimes, segments: &Segments) -> (Step, Bytes) {
    let reserved = segments.reserved();
    let live = profile(lifetimes);
    let at = |step: Step| {
        let after = reserved.partition_point(|point| point.0 <= step);
        let point = after.checked_sub(1).and_then(|last| reserved.get(last));
        point.map_or(Bytes::ZERO, |point| point.1)
    };
    let steps = reserved.iter().chain(&live.points).map(|point| point.0);
    let peak = steps.max_by_key(|&step| (at(step), live.at(step), Reverse(step)));
    let step = peak.unwrap_or_default();
    (step, at(step))
}
