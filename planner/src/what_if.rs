//! A plan changed by hand: where a buffer may go, who is in the way, what the change costs.
//!
//! All of it looks at one buffer against the others, O(n log n), so that a page can answer
//! within a frame while a rectangle is dragged. Whether the whole plan is valid is for the
//! judge to say.

use crate::liveness::{Buffer, Lifetimes};
use crate::plan::Options;
use crate::strategies::separation::separation;
use crate::units::{Bytes, Offset};

/// Addresses at which a buffer may start: from `first` on, up to and including `last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// The lowest.
    pub first: Offset,
    /// The highest; `None` for the open space above everything.
    pub last: Option<Offset>,
}

/// The addresses at which `buffer` must not start because of one other buffer: those between
/// the two, both exclusive. The lower one may lie below 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Barred {
    from: i128,
    to: i128,
    by: usize,
}

/// The buffers that `buffer` would collide with if it started at `at` while all others stay
/// where `offsets` puts them, by index.
#[must_use]
pub fn in_the_way(
    lifetimes: &Lifetimes,
    offsets: &[Offset],
    buffer: usize,
    at: Offset,
) -> Vec<usize> {
    let at = i128::from(at.0);
    let barred = barred(lifetimes, offsets, buffer);
    let hit = barred.filter(|barred| barred.from < at && at < barred.to);
    hit.map(|barred| barred.by).collect()
}

/// Every address at which `buffer` may start while all others stay, from the lowest up; each
/// end is a multiple of its alignment.
#[must_use]
pub fn rooms(
    lifetimes: &Lifetimes,
    offsets: &[Offset],
    options: &Options,
    buffer: usize,
) -> Vec<Room> {
    let Some(known) = lifetimes.buffers.get(buffer) else {
        return Vec::new();
    };
    let alignment = alignment(known, options);
    let mut barred: Vec<Barred> = barred(lifetimes, offsets, buffer).collect();
    barred.sort_unstable();
    let mut rooms = Vec::new();
    let mut free = 0;
    for one in barred {
        if one.from >= free {
            let last = one.from / alignment * alignment;
            push(&mut rooms, free, Some(last), alignment);
        }
        free = free.max(one.to);
    }
    push(&mut rooms, free, None, alignment);
    rooms
}

/// Where `buffer` comes to lie when somebody holds it at `wanted`: on the end of a room that
/// is at most `reach` bytes away, the nearest, the lower of two; otherwise on the multiple of
/// its alignment next to `wanted`, legal or not.
#[must_use]
pub fn snapped(
    lifetimes: &Lifetimes,
    offsets: &[Offset],
    options: &Options,
    (buffer, wanted): (usize, Offset),
    reach: Bytes,
) -> Offset {
    let Some(known) = lifetimes.buffers.get(buffer) else {
        return wanted;
    };
    let rooms = rooms(lifetimes, offsets, options, buffer);
    let ends = rooms.iter().flat_map(|room| [Some(room.first), room.last]);
    let distance = |end: &Offset| end.0.abs_diff(wanted.0);
    let near = ends.flatten().filter(|end| distance(end) <= reach.0);
    if let Some(end) = near.min_by_key(|end| (distance(end), *end)) {
        return end;
    }
    let alignment = u64::try_from(alignment(known, options)).unwrap_or(1);
    let below = wanted.0 / alignment * alignment;
    let above = below.saturating_add(alignment);
    match wanted.0 - below <= above - wanted.0 {
        true => Offset(below),
        false => Offset(above),
    }
}

/// The offsets with `one` where `other` was and the other way round.
#[must_use]
pub fn swapped(offsets: &[Offset], one: usize, other: usize) -> Vec<Offset> {
    let mut offsets = offsets.to_vec();
    if one < offsets.len() && other < offsets.len() {
        offsets.swap(one, other);
    }
    offsets
}

/// The arena that `offsets` need: the end of the highest buffer, rounded up to the alignment
/// where that is below 2^64.
#[must_use]
pub fn arena(lifetimes: &Lifetimes, offsets: &[Offset], options: &Options) -> Bytes {
    let ends = lifetimes.buffers.iter().zip(offsets);
    let ends = ends.map(|(buffer, offset)| offset.0.saturating_add(buffer.size.0));
    let top = Bytes(ends.max().unwrap_or(0));
    top.align_up(options.alignment).unwrap_or(top)
}

/// `lifetimes` with the buffers of `pinned` fixed where they are told, so that a strategy can
/// plan the rest around them.
#[must_use]
pub fn pinned(lifetimes: &Lifetimes, pinned: &[(usize, Offset)]) -> Lifetimes {
    let mut lifetimes = lifetimes.clone();
    for &(buffer, offset) in pinned {
        if let Some(buffer) = lifetimes.buffers.get_mut(buffer) {
            buffer.fixed = Some(offset);
        }
    }
    lifetimes
}

fn barred<'a>(
    lifetimes: &'a Lifetimes,
    offsets: &'a [Offset],
    buffer: usize,
) -> impl Iterator<Item = Barred> + 'a {
    let held = lifetimes.buffers.get(buffer);
    let others = lifetimes.buffers.iter().zip(offsets).enumerate();
    others.filter_map(move |(by, (other, offset))| {
        let held = held.filter(|_| by != buffer)?;
        // Both are there or neither.
        let (below, above) = (separation(held, other)?, separation(other, held)?);
        let offset = i128::from(offset.0);
        Some(Barred {
            from: offset - i128::from(below),
            to: offset + i128::from(above),
            by,
        })
    })
}

/// The room from `first` on, rounded up, to `last`, if there is any.
fn push(rooms: &mut Vec<Room>, first: i128, last: Option<i128>, alignment: i128) {
    let first = (first + alignment - 1) / alignment * alignment;
    if last.is_some_and(|last| last < first) {
        return;
    }
    let address = |at: i128| u64::try_from(at).ok().map(Offset);
    if let Some(first) = address(first) {
        rooms.push(Room {
            first,
            last: last.and_then(address),
        });
    }
}

fn alignment(buffer: &Buffer, options: &Options) -> i128 {
    i128::from(buffer.alignment.max(options.alignment).0.max(1))
}
