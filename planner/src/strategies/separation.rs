//! How far apart two buffers must be: the whole size, or less where gaps leave room.

use crate::liveness::Buffer;

/// The least distance from the start of `below` to the start of `above` when `above` lies
/// higher, in bytes; `None` when both are never needed at the same step, so that nothing
/// keeps them apart.
///
/// Without gaps this is the size of `below`. With gaps it is the largest difference, over the
/// steps that both share, between the first byte behind what is needed of `below` and the
/// first byte needed of `above`, and at least 0. (MiniMalloc calls it the effective size.)
pub(crate) fn separation(below: &Buffer, above: &Buffer) -> Option<u64> {
    let start = below.span.start.max(above.span.start).0;
    let end = below.span.end.min(above.span.end).0;
    if start >= end || below.size.0 == 0 || above.size.0 == 0 {
        return None;
    }
    if below.gaps.is_empty() && above.gaps.is_empty() {
        return Some(below.size.0);
    }
    let (mut lower, mut upper) = (below.needs().peekable(), above.needs().peekable());
    let mut most = None;
    while let (Some(a), Some(b)) = (lower.peek(), upper.peek()) {
        if a.span.overlaps(b.span) {
            most = most.max(Some(a.window.1.0.saturating_sub(b.window.0.0)));
        }
        if a.span.end <= b.span.end {
            lower.next();
        } else {
            upper.next();
        }
    }
    most
}

/// The bytes of `buffer` that are needed at `step`, from its own start: first, and first
/// behind; `None` when none are.
pub(crate) fn window(buffer: &Buffer, step: u64) -> Option<(u64, u64)> {
    let inside = |gap: &&crate::liveness::Gap| gap.span.start.0 <= step && step < gap.span.end.0;
    match buffer.gaps.iter().find(inside) {
        None => Some((0, buffer.size.0)),
        Some(gap) => gap.window.map(|(first, behind)| (first.0, behind.0)),
    }
}
