//! Where one buffer may go while all others stay.

use super::changed::holder;
use crate::free_space::free_ranges;
use crate::liveness::{Buffer, Lifetimes};
use crate::plan::{Options, Plan};
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Offset};

/// Addresses at which a buffer may start: from `first` on, up to and including `last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StartRange {
    /// The lowest.
    pub first: Offset,
    /// The highest; `None` for the open space above everything.
    pub last: Option<Offset>,
}

/// The addresses at which a buffer must not start because of another one: those between the
/// two, both exclusive. The lower one may lie below 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Barred {
    pub(super) from: i128,
    pub(super) to: i128,
    pub(super) by: usize,
}

/// First and last address at which a buffer may start as far as it alone is concerned.
type Window = (i128, Option<i128>);

/// The buffers that `buffer` would collide with if it started at `at` while all others stay where
/// `offsets` puts them, by ascending index. A buffer that hands over its bytes to it there, or
/// takes them over, does not collide.
#[must_use]
pub fn in_the_way(
    lifetimes: &Lifetimes,
    offsets: &[Offset],
    buffer: usize,
    at: Offset,
) -> Vec<usize> {
    let address = i128::from(at.0);
    let barred = barred(lifetimes, offsets, buffer);
    let hit = barred.filter(|barred| barred.from < address && address < barred.to);
    let mut hit: Vec<usize> = hit.map(|barred| barred.by).collect();
    hit.dedup();
    if !hit.is_empty() {
        let handed = meetings(lifetimes, offsets, buffer).filter(|(_, place)| *place == at);
        let handed: Vec<usize> = handed.map(|(other, _)| other).collect();
        hit.retain(|by| !handed.contains(by));
    }
    hit
}

/// Every address at which `buffer` may start while all others stay where `plan` puts them,
/// from the lowest up; each end is a multiple of its alignment. Places at which it takes over
/// another buffer's bytes, or hands its own over, are ranges of one address. A fixed buffer has
/// at most the range that the problem fixes; with pools, a range lies inside one of them.
#[must_use]
pub fn start_ranges(
    lifetimes: &Lifetimes,
    plan: &Plan,
    options: &Options,
    buffer: usize,
) -> Vec<StartRange> {
    let Some(known) = lifetimes.buffers.get(buffer) else {
        return Vec::new();
    };
    let (alignment, windows) = match known.fixed {
        Some(Offset(at)) => (1, vec![(i128::from(at), Some(i128::from(at)))]),
        None => (alignment(known, options), windows(known, plan, buffer)),
    };
    let mut barred: Vec<Barred> = barred(lifetimes, &plan.offsets, buffer).collect();
    barred.order();
    let mut ranges = Vec::new();
    for &window in &windows {
        sweep(&barred, window, alignment, &mut ranges);
    }
    for (_, at) in meetings(lifetimes, &plan.offsets, buffer) {
        let address = i128::from(at.0);
        let inside = windows.iter().any(|&(first, last)| {
            first <= address && last.is_none_or(|last| address <= last) && address % alignment == 0
        });
        let known =
            |range: &StartRange| range.first <= at && range.last.is_none_or(|last| at <= last);
        let free = || in_the_way(lifetimes, &plan.offsets, buffer, at).is_empty();
        if inside && !ranges.iter().any(known) && free() {
            ranges.push(StartRange {
                first: at,
                last: Some(at),
            });
        }
    }
    ranges.order();
    ranges
}

/// Where `buffer` comes to lie when it is dragged to `wanted`: on the end of a range that
/// is at most `reach` bytes away, the nearest, the lower of two; otherwise on the multiple of
/// its alignment next to `wanted`, legal or not.
#[must_use]
pub fn snapped(
    lifetimes: &Lifetimes,
    plan: &Plan,
    options: &Options,
    (buffer, wanted): (usize, Offset),
    reach: Bytes,
) -> Offset {
    let Some(known) = lifetimes.buffers.get(buffer) else {
        return wanted;
    };
    let ranges = start_ranges(lifetimes, plan, options, buffer);
    let distance = |end: &Offset| end.0.abs_diff(wanted.0);
    let near = ends(&ranges).filter(|end| distance(end) <= reach.0);
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

/// The end of a range that is next above or below where `buffer` lies in `plan`, if there is
/// one.
#[must_use]
pub fn next(
    lifetimes: &Lifetimes,
    plan: &Plan,
    options: &Options,
    buffer: usize,
    above: bool,
) -> Option<Offset> {
    let from = *plan.offsets.get(buffer)?;
    let ranges = start_ranges(lifetimes, plan, options, buffer);
    if above {
        ends(&ranges).filter(|end| *end > from).min()
    } else {
        ends(&ranges).filter(|end| *end < from).max()
    }
}

fn ends(ranges: &[StartRange]) -> impl Iterator<Item = Offset> {
    ranges
        .iter()
        .flat_map(|range| [Some(range.first), range.last])
        .flatten()
}

/// Whether `held` lies inside a pool that it may live in when it starts at `at`, or the plan
/// has no pools.
pub(super) fn lies_in_pool(held: &Buffer, plan: &Plan, (buffer, at): (usize, Offset)) -> bool {
    let at = i128::from(at.0);
    let windows = windows(held, plan, buffer);
    windows
        .iter()
        .any(|&(first, last)| first <= at && last.is_none_or(|last| at <= last))
}

/// Where `held` may start for the pools' sake: each pool ends at its capacity, or where the
/// next one begins.
pub(super) fn windows(held: &Buffer, plan: &Plan, buffer: usize) -> Vec<Window> {
    let Some(pools) = &plan.pools else {
        return vec![(0, None)];
    };
    let mut bases = pools.bases.clone();
    bases.order();
    bases.dedup();
    let windows = bases.iter().enumerate().filter_map(|(place, &base)| {
        let pool = holder(held, pools, buffer, base);
        let allowed = held.pools.is_empty() || held.pools.contains(&pool);
        let declared = pools.declared.get(pool as usize).filter(|_| allowed)?;
        let full = declared
            .capacity
            .map(|capacity| i128::from(base.0) + i128::from(capacity.0));
        let next = bases.get(place + 1).map(|next| i128::from(next.0));
        let end = [full, next].into_iter().flatten().min();
        let last = end.map(|end| end - i128::from(held.size.0));
        Some((i128::from(base.0), last))
    });
    windows.collect()
}

/// The ranges of one window between what is barred, which is sorted.
fn sweep(barred: &[Barred], (first, last): Window, alignment: i128, ranges: &mut Vec<StartRange>) {
    // A start at either end of what is barred is free.
    let barred = barred.iter().map(|one| (one.from + 1, one.to, ()));
    for range in free_ranges(first, barred) {
        let end = range.end.map(|end| end - 1);
        let to = end.into_iter().chain(last).min();
        push(ranges, range.start, to, alignment);
    }
}

/// The range from `first` on, rounded up, to `last`, rounded down, if there is any.
fn push(ranges: &mut Vec<StartRange>, first: i128, last: Option<i128>, alignment: i128) {
    let first = (first + alignment - 1).div_euclid(alignment) * alignment;
    let last = last.map(|last| last.div_euclid(alignment) * alignment);
    if last.is_some_and(|last| last < first) {
        return;
    }
    let address = |at: i128| u64::try_from(at).ok().map(Offset);
    if let Some(first) = address(first) {
        ranges.push(StartRange {
            first,
            last: last.and_then(address),
        });
    }
}

/// What each other buffer bars, by ascending index; in several parts where pauses leave room.
pub(super) fn barred<'a>(
    lifetimes: &'a Lifetimes,
    offsets: &'a [Offset],
    buffer: usize,
) -> impl Iterator<Item = Barred> + 'a {
    let held = lifetimes.buffers.get(buffer);
    let others = lifetimes.buffers.iter().zip(offsets).enumerate();
    let others = others.filter(move |(by, _)| *by != buffer);
    others.flat_map(move |(by, (other, offset))| {
        let held = held
            .filter(|held| held.span.overlaps(other.span))
            .into_iter();
        held.flat_map(move |held| apart(held, other, *offset))
            .map(move |(from, to)| Barred { from, to, by })
    })
}

/// The addresses between which `held` needs a byte that `other`, at `offset`, needs at the
/// same step.
fn apart<'a>(
    held: &'a Buffer,
    other: &'a Buffer,
    Offset(offset): Offset,
) -> impl Iterator<Item = (i128, i128)> + 'a {
    other.needs().flat_map(move |theirs| {
        let own = held
            .needs()
            .filter(move |own| own.span.overlaps(theirs.span));
        own.map(move |own| {
            let at = |theirs: Bytes, own: Bytes| {
                i128::from(offset) + i128::from(theirs.0) - i128::from(own.0)
            };
            let from = at(theirs.window.0, own.window.1);
            (from, at(theirs.window.1, own.window.0))
        })
    })
}

/// Where `buffer` takes over another's bytes or hands its own over, and whose.
pub(super) fn meetings<'a>(
    lifetimes: &'a Lifetimes,
    offsets: &'a [Offset],
    buffer: usize,
) -> impl Iterator<Item = (usize, Offset)> + 'a {
    lifetimes.handovers.iter().filter_map(move |handover| {
        let (before, after) = (handover.before, handover.after);
        let (one, other) = (
            lifetimes.buffers.get(before)?,
            lifetimes.buffers.get(after)?,
        );
        let meets = other.span.start.0.checked_add(1) == Some(one.span.end.0);
        if before == after || !meets || !one.is_needed() || !other.is_needed() {
            return None;
        }
        if buffer == after {
            let start = offsets.get(before)?.0.checked_add(handover.shift.0)?;
            Some((before, Offset(start)))
        } else if buffer == before {
            let start = offsets.get(after)?.0.checked_sub(handover.shift.0)?;
            Some((after, Offset(start)))
        } else {
            None
        }
    })
}

pub(super) fn alignment(buffer: &Buffer, options: &Options) -> i128 {
    i128::from(buffer.alignment.max(options.alignment).0.max(1))
}
