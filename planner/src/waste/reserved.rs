//! What an allocator held from its device at one step, split.
//!
//! | part | is |
//! |---|---|
//! | needed | bytes that the program asked for and has not given back |
//! | pending | blocks that it has given back, but another stream still uses; left out where the file does not say so of any |
//! | padding | what blocks have beyond that: rounding, and rests that are not split off |
//! | free segments | segments in which no block is: giving the cache back returns those of no private pool |
//! | free inside | all other free bytes of segments |
//!
//! Of a segment that can grow every run of bytes that are there counts as one.

use std::cmp::Reverse;

use super::{Part, Waste, WasteKind, is_pending, live_at, signed};
use crate::deployed::Note;
use crate::liveness::profile::profile;
use crate::liveness::{Buffer, Lifetimes};
use crate::plan::{Plan, Segments};
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Offset, Step};

/// The split at `needed`, the step at which most is needed, with the one where most is reserved: see
/// [`fullest`].
pub(super) fn split(
    lifetimes: &Lifetimes,
    notes: &[Note],
    held: (&Plan, &Segments),
    needed: Step,
) -> Waste {
    let step = fullest(lifetimes, held.1);
    let at = |step| split_at(lifetimes, notes, held, step);
    Waste {
        fullest: (step != needed).then(|| Box::new(at(step))),
        ..at(needed)
    }
}

fn split_at(
    lifetimes: &Lifetimes,
    notes: &[Note],
    (plan, segments): (&Plan, &Segments),
    step: Step,
) -> Waste {
    let reserved = segments.reserved_at(step);
    let live = live_at(lifetimes, step);
    let unused = unused(plan, &live, segments, step);
    let given_back = |&index: &usize| {
        let note = notes.get(index).filter(|note| is_pending(note));
        let held = note.and_then(|note| note.held);
        held.is_some_and(|held| held.needed.end <= step)
    };
    let (pending, used): (Vec<usize>, Vec<usize>) = live.into_iter().partition(given_back);
    let sum = |buffers: &[usize], of: fn(&Buffer) -> Bytes| {
        let buffers = buffers.iter().filter_map(|&it| lifetimes.buffers.get(it));
        let bytes = buffers.fold(0_u64, |sum, it| sum.saturating_add(of(it).0));
        signed(Bytes(bytes))
    };
    let size = |it: &Buffer| it.size;
    let payload = sum(&used, |it| it.payload.min(it.size));
    let (taken, waiting) = (sum(&used, size), sum(&pending, size));
    let padding = |index: usize| {
        let buffer = lifetimes.buffers.get(index);
        buffer.map_or(0, |it| it.size.0.saturating_sub(it.payload.0))
    };
    let padded = used.iter().copied().filter(|&index| padding(index) > 0);
    let mut padded: Vec<usize> = padded.collect();
    padded.order_by_key(|&index| Reverse(padding(index)));
    let part = |kind, bytes, buffers| Part {
        kind,
        bytes,
        step,
        buffers,
        pools: Vec::new(),
    };
    let held = [taken, waiting, unused].into_iter();
    let inside = held.fold(signed(reserved), i64::saturating_sub);
    let mut parts = vec![part(WasteKind::Needed, payload, used)];
    if notes.iter().any(is_pending) {
        parts.push(part(WasteKind::Pending, waiting, pending));
    }
    parts.extend([
        part(WasteKind::Padding, taken.saturating_sub(payload), padded),
        part(WasteKind::FreeSegments, unused, Vec::new()),
        part(WasteKind::FreeInside, inside, Vec::new()),
    ]);
    Waste {
        arena: reserved,
        reserved: true,
        parts,
        fullest: None,
    }
}

/// Bytes of segments, or of parts of expandable ones, in which no block is at `step`.
fn unused(plan: &Plan, live: &[usize], segments: &Segments, step: Step) -> i64 {
    let offsets = live.iter().filter_map(|&it| plan.offsets.get(it));
    let mut offsets: Vec<Offset> = offsets.copied().collect();
    offsets.order();
    let here = segments.list.iter().filter(|it| it.span.contains(step));
    let runs = here.flat_map(|segment| segment.mapped_at(step));
    let unused = runs.filter(|&(low, high)| {
        let next = offsets.partition_point(|&offset| offset < low);
        offsets.get(next).is_none_or(|&offset| offset >= high)
    });
    let bytes = unused.map(|(low, high)| high.0.saturating_sub(low.0));
    signed(Bytes(bytes.sum()))
}

/// The step at which most is reserved; of several the one at which most is in use, the first of
/// equals.
#[must_use]
pub fn fullest(lifetimes: &Lifetimes, segments: &Segments) -> Step {
    let reserved = segments.reserved();
    let live = profile(lifetimes);
    let steps = reserved.iter().chain(&live.points).map(|point| point.0);
    let peak =
        steps.max_by_key(|&step| (reserved_at(&reserved, step), live.at(step), Reverse(step)));
    peak.unwrap_or_default()
}

fn reserved_at(reserved: &[(Step, Bytes)], step: Step) -> Bytes {
    let after = reserved.partition_point(|point| point.0 <= step);
    let point = after.checked_sub(1).and_then(|last| reserved.get(last));
    point.map_or(Bytes::ZERO, |point| point.1)
}
