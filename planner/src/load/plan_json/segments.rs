//! The segments of a plan JSON, as far as they can be believed.

use super::MAX_BUFFERS;
use crate::liveness::{Buffer, Lifetimes};
use crate::plan::{Segment, Segments};
use crate::units::{Bytes, Offset, Span, Step};

/// Whether every buffer lies in its segment for its whole life, and every part of a segment in
/// the segment.
pub(super) fn hold(segments: &Segments, lifetimes: &Lifetimes, offsets: &[Offset]) -> bool {
    let parts = segments
        .list
        .iter()
        .map(|it| it.mapped.len())
        .sum::<usize>();
    let buffers = lifetimes.buffers.iter().zip(offsets);
    let of_buffer = segments.of_buffer.iter();
    let lies = |(&index, (buffer, &offset)): (&u32, (&Buffer, &Offset))| {
        let segment = segments.list.get(index as usize);
        segment.is_some_and(|it| {
            let end = offset.end(buffer.size);
            it.low <= offset
                && end.is_some_and(|end| end <= it.high)
                && within(buffer.span, it.span)
        })
    };
    parts <= MAX_BUFFERS
        && segments.of_buffer.len() == lifetimes.buffers.len()
        && segments
            .list
            .iter()
            .all(|it| is_whole(it, lifetimes.horizon))
        && of_buffer.zip(buffers).all(lies)
}

fn is_whole(segment: &Segment, horizon: Step) -> bool {
    let inside = segment.mapped.iter().all(|it| {
        segment.low <= it.low
            && it.low < it.high
            && it.high <= segment.high
            && within(it.span, segment.span)
    });
    inside && segment.low < segment.high && segment.span.end <= horizon
}

fn within(inner: Span, outer: Span) -> bool {
    outer.start <= inner.start && inner.start <= inner.end && inner.end <= outer.end
}

/// The most bytes that are there at a time.
pub(super) fn reserved(segments: &Segments) -> Bytes {
    let most = segments.reserved().into_iter().map(|point| point.1).max();
    most.unwrap_or_default()
}
