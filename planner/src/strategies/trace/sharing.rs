//! Which buffers share bytes in a picture, and what is not needed.

use super::Layout;
use crate::free_space::free_ranges;
use crate::liveness::{Buffer, Handover, Lifetimes};
use crate::sorting::Sorting as _;
use crate::strategies::separation::meetings;
use crate::units::{Bytes, Offset, Span};
use alloc::vec::Vec;

/// A placed buffer that shares bytes with another while both are live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shared {
    /// Index of the other.
    pub other: usize,
    /// By which right.
    pub how: Sharing,
}

/// Why two buffers that are live at the same time may share bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// The buffer takes over the bytes of the other, which is read for the last time in the
    /// step in which it is written.
    TakesOver,
    /// The other takes over its bytes.
    HandsOn,
    /// The other does not need these bytes during this part of its life.
    InPauseOf(Span),
    /// It does not need these bytes itself during this part of its life.
    InOwnPause(Span),
    /// Both need some of these bytes, but never at the same time.
    InTurns,
    /// By none: both need the same byte at the same time. One of them moves later.
    NotYetApart,
}

/// The handovers of `buffer`.
pub(super) fn pairs(lifetimes: &Lifetimes, buffer: usize) -> Vec<Handover> {
    let all = lifetimes.handovers.iter().copied();
    all.filter(|pair| pair.before == buffer || pair.after == buffer)
        .collect()
}

/// How `buffer` and `other` are handed over to each other where they lie, if one of `pairs`
/// says so.
pub(super) fn handed_over(
    pairs: &[Handover],
    layout: &Layout,
    buffer: usize,
    other: usize,
) -> Option<Sharing> {
    let at = |index: usize| layout.offsets.get(index).copied().flatten();
    let (own, theirs) = (at(buffer)?, at(other)?);
    pairs.iter().find_map(|pair| {
        let shift = pair.shift.0;
        if (pair.before, pair.after) == (other, buffer) {
            return (theirs.0.checked_add(shift)? == own.0).then_some(Sharing::TakesOver);
        }
        if (pair.before, pair.after) == (buffer, other) {
            return (own.0.checked_add(shift)? == theirs.0).then_some(Sharing::HandsOn);
        }
        None
    })
}

/// The buffers with which `buffer` shares bytes while both are live, by index. Where neither has
/// pauses, only handovers count.
#[must_use]
pub fn shared(lifetimes: &Lifetimes, layout: &Layout, buffer: usize) -> Vec<Shared> {
    let known = lifetimes.buffers.get(buffer);
    let place = layout.offsets.get(buffer).copied().flatten();
    let (Some(known), Some(place)) = (known, place) else {
        return Vec::new();
    };
    let (pool, pairs) = (layout.pool(buffer), pairs(lifetimes, buffer));
    let placed = lifetimes.buffers.iter().zip(&layout.offsets).enumerate();
    let found = placed.filter_map(|(index, (other, at))| {
        let at = (*at)?;
        let beside = index != buffer
            && layout.pool(index) == pool
            && other.span.overlaps(known.span)
            && meet(
                bytes(place, (Bytes::ZERO, known.size)),
                bytes(at, (Bytes::ZERO, other.size)),
            );
        if !beside {
            return None;
        }
        let how = handed_over(&pairs, layout, buffer, index)
            .or_else(|| by_pauses((known, place), (other, at)))?;
        Some(Shared { other: index, how })
    });
    found.collect()
}

/// How two that lie over each other share bytes by the pauses in their lives; `None` where
/// neither has one during the other's life.
fn by_pauses(own: (&Buffer, Offset), other: (&Buffer, Offset)) -> Option<Sharing> {
    let pauses =
        |one: &Buffer, two: &Buffer| one.pauses.iter().any(|pause| pause.span.overlaps(two.span));
    if !pauses(own.0, other.0) && !pauses(other.0, own.0) {
        return None;
    }
    let mut needs = meetings(own.0, other.0);
    if needs.any(|(a, b)| meet(bytes(own.1, a.window), bytes(other.1, b.window))) {
        return Some(Sharing::NotYetApart);
    }
    let free = free_in_pause(other, own).map(Sharing::InPauseOf);
    let free = free.or_else(|| free_in_pause(own, other).map(Sharing::InOwnPause));
    Some(free.unwrap_or(Sharing::InTurns))
}

/// The first pause of `one` during the life of `two` in which it needs none of the bytes over
/// which both lie.
fn free_in_pause(one: (&Buffer, Offset), two: (&Buffer, Offset)) -> Option<Span> {
    let over = bytes(two.1, (Bytes::ZERO, two.0.size));
    let mut pauses = one
        .0
        .pauses
        .iter()
        .filter(|pause| pause.span.overlaps(two.0.span));
    let free = pauses.find(|pause| {
        pause
            .window
            .is_none_or(|window| !meet(bytes(one.1, window), over))
    });
    free.map(|pause| pause.span)
}

/// A part of a buffer that lies at `at`: first byte, and exclusive end.
fn bytes(at: Offset, (first, end): (Bytes, Bytes)) -> (u64, u64) {
    (at.0.saturating_add(first.0), at.0.saturating_add(end.0))
}

fn meet(one: (u64, u64), two: (u64, u64)) -> bool {
    one.0.max(two.0) < one.1.min(two.1)
}

/// The bytes below `buffer` that no other buffer in its pool needs at any step of its life: first
/// byte and number, by address.
#[must_use]
pub fn unused_below(lifetimes: &Lifetimes, layout: &Layout, buffer: usize) -> Vec<(Offset, Bytes)> {
    let place = layout.offsets.get(buffer).copied().flatten();
    let (Some(known), Some(place)) = (lifetimes.buffers.get(buffer), place) else {
        return Vec::new();
    };
    let from = layout.base(layout.pool(buffer)).0;
    unused(lifetimes, layout, (buffer, known.span), (from, place.0))
}

/// Whether no other buffer in the pool of `buffer` needs any of the `size` bytes from `from` on
/// at any step of its life.
#[must_use]
pub fn is_unused(
    lifetimes: &Lifetimes,
    layout: &Layout,
    buffer: usize,
    (from, size): (Offset, Bytes),
) -> bool {
    let Some(known) = lifetimes.buffers.get(buffer) else {
        return false;
    };
    let within = (from.0, from.0.saturating_add(size.0));
    unused(lifetimes, layout, (buffer, known.span), within) == [(from, size)]
}

/// The bytes of a range that only `buffer` needs during `span`.
fn unused(
    lifetimes: &Lifetimes,
    layout: &Layout,
    (buffer, span): (usize, Span),
    (from, end): (u64, u64),
) -> Vec<(Offset, Bytes)> {
    let pool = layout.pool(buffer);
    let mut needed: Vec<(u64, u64)> = Vec::new();
    for (index, (other, at)) in lifetimes.buffers.iter().zip(&layout.offsets).enumerate() {
        if let Some(at) = *at
            && index != buffer
            && layout.pool(index) == pool
        {
            let needs = other.needs().filter(|need| need.span.overlaps(span));
            needed.extend(needs.map(|need| bytes(at, need.window)));
        }
    }
    needed.order();
    let blocks = needed.into_iter().map(|(start, end)| (start, end, ()));
    let unused = free_ranges(from, blocks).filter_map(|range| {
        let last = range.end.map_or(end, |last| last.min(end));
        let size = last.checked_sub(range.start).filter(|size| *size > 0)?;
        Some((Offset(range.start), Bytes(size)))
    });
    unused.collect()
}
