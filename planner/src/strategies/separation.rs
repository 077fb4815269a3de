//! How far apart two buffers must be: the whole size, or less where pauses leave room.

use crate::liveness::{Buffer, Need};

/// The least distance from the start of `below` to the start of `above` when `above` lies
/// higher, in bytes; `None` when both are never needed at the same step, so that nothing
/// keeps them apart.
///
/// Without pauses this is the size of `below`. With pauses it is the largest difference, over the
/// steps that both share, between the end of what is needed of `below` and the start of what is
/// needed of `above`, and at least 0. This is the effective size of `below` under `above`.
pub(crate) fn separation(below: &Buffer, above: &Buffer) -> Option<u64> {
    let start = below.span.start.max(above.span.start).0;
    let end = below.span.end.min(above.span.end).0;
    if start >= end || below.size.0 == 0 || above.size.0 == 0 {
        return None;
    }
    if below.pauses.is_empty() && above.pauses.is_empty() {
        return Some(below.size.0);
    }
    let distance = |(below, above): (Need, Need)| {
        let (top, bottom) = (below.window.1.0, above.window.0.0);
        top.saturating_sub(bottom)
    };
    meetings(below, above).map(distance).max()
}

/// Whether two buffers may interleave: at some step what is needed of one lies wholly before
/// what is needed of the other, as both lie in their buffers, so that they could even begin at
/// the same address. Otherwise the one that begins higher is above the other by at least its
/// [`separation`], as without pauses.
pub(crate) fn may_interleave(one: &Buffer, other: &Buffer) -> bool {
    let apart = |(a, b): (Need, Need)| a.window.1 <= b.window.0 || b.window.1 <= a.window.0;
    meetings(one, other).any(apart)
}

/// What is needed of both at the same time, by ascending step.
pub(crate) fn meetings(one: &Buffer, other: &Buffer) -> impl Iterator<Item = (Need, Need)> {
    let (mut ones, mut others) = (one.needs().peekable(), other.needs().peekable());
    core::iter::from_fn(move || {
        while let (Some(&a), Some(&b)) = (ones.peek(), others.peek()) {
            if a.span.end <= b.span.end {
                ones.next();
            } else {
                others.next();
            }
            if a.span.overlaps(b.span) {
                return Some((a, b));
            }
        }
        None
    })
}

/// The bytes of `buffer` that are needed at `step`, from its own start: start, end;
/// `None` when none are.
pub(crate) fn window(buffer: &Buffer, step: u64) -> Option<(u64, u64)> {
    let inside =
        |pause: &&crate::liveness::Pause| pause.span.start.0 <= step && step < pause.span.end.0;
    match buffer.pauses.iter().find(inside) {
        None => Some((0, buffer.size.0)),
        Some(pause) => pause.window.map(|(start, end)| (start.0, end.0)),
    }
}
