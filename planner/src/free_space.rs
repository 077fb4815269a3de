//! Free ranges: the addresses that blocks leave free below, between and above them, and the
//! fit policies by which one of these ranges is chosen.
//!
//! ```text
//!  0           ┌─────────┐            ┌─────────┬─────────┐                      address ▶
//!  │free range │  block  │ free range │  block  │  block  │ the open range, without end
//! ```
//! Free addresses are walked here: the planners, the decision trace, the
//! runtime that completes a plan, the placement preview.

use serde::{Deserialize, Serialize};

use crate::units::{Bytes, Offset};

/// Addresses that no block takes, with the blocks (by a key of the caller) on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FreeRange<A, K> {
    /// The lowest.
    pub(crate) start: A,
    /// The end, exclusive; `None` for the open range above all blocks.
    pub(crate) end: Option<A>,
    /// The block that it lies on; `None` for the floor.
    pub(crate) below: Option<K>,
    /// The block that it lies under; `None` for the open range.
    pub(crate) above: Option<K>,
}

/// The free ranges from `floor` up that `blocks` leave (start, exclusive end and key, by
/// ascending start), by address; the open range is the last. Blocks may overlap.
pub(crate) fn free_ranges<A: Copy + PartialOrd, K: Copy>(
    floor: A,
    blocks: impl Iterator<Item = (A, A, K)>,
) -> impl Iterator<Item = FreeRange<A, K>> {
    insertion_points(floor, blocks).filter(|range| range.end.is_none_or(|end| range.start < end))
}

/// As [`free_ranges`], with the empty ranges between blocks that touch: everywhere that
/// something could be put if what lies above made room.
pub(crate) fn insertion_points<A: Copy + PartialOrd, K: Copy>(
    floor: A,
    mut blocks: impl Iterator<Item = (A, A, K)>,
) -> impl Iterator<Item = FreeRange<A, K>> {
    let mut next = Some((floor, None));
    core::iter::from_fn(move || {
        let (mut from, mut below) = next?;
        for (start, end, key) in blocks.by_ref() {
            let range = (start >= from).then_some(FreeRange {
                start: from,
                end: Some(start),
                below,
                above: Some(key),
            });
            if end > from {
                (from, below) = (end, Some(key));
            }
            if range.is_some() {
                next = Some((from, below));
                return range;
            }
        }
        next = None;
        Some(FreeRange {
            start: from,
            end: None,
            below,
            above: None,
        })
    })
}

/// Which free range a planner takes for a buffer. Where none is large enough it goes into the
/// open range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fit {
    /// The smallest that is large enough from its first aligned address on, the lowest on
    /// ties.
    Best,
    /// The lowest that is large enough.
    First,
    /// The smallest that is large enough, the lowest on ties, but never the one below the
    /// lowest block (XNNPACK). Measured with the bytes before its first aligned address.
    BestAboveLowest,
    /// The closest fit by LiteRT's measure: a range is compared by what it offers from its
    /// first aligned address on, but remembered with the bytes before that address. So a
    /// later range can win against one that is just as large, or slightly smaller.
    BestRemembered,
    /// None: on top of all that is in the way, whatever is free below (TVM, strip packing).
    OnTop,
}

/// The part of a free range in which a buffer may start and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Usable {
    /// The first aligned address.
    pub(crate) start: u64,
    /// Bytes from there on; `None` for the open range.
    pub(crate) size: Option<u64>,
}

/// Which of `ranges`, by address, takes `size` bytes, at least 1, at a multiple of
/// `alignment`; `None` when an address goes beyond 64 bits.
pub(crate) fn choose<K>(
    ranges: impl Iterator<Item = FreeRange<u64, K>>,
    (size, alignment): (u64, Bytes),
    fit: Fit,
) -> Option<Usable> {
    let mut best: Option<Usable> = None;
    let mut least = u64::MAX;
    for range in ranges {
        let Some(end) = range.end else {
            let open = || usable(range.start, alignment);
            return best.or_else(open);
        };
        let start = Offset(range.start).align_up(alignment)?.0;
        let left = end.saturating_sub(start);
        if left < size {
            continue;
        }
        let (compared, remembered) = match fit {
            Fit::First => (0, 0),
            Fit::Best => (left, left),
            Fit::BestRemembered => (left, end - range.start),
            Fit::OnTop => continue,
            Fit::BestAboveLowest if range.below.is_none() => continue,
            Fit::BestAboveLowest => (end - range.start, end - range.start),
        };
        if compared < least {
            let size = Some(left);
            best = Some(Usable { start, size });
            least = remembered;
        }
        // None is smaller, and the lowest of equal ones wins.
        if fit == Fit::First || fit == Fit::Best && left == size {
            break;
        }
    }
    best
}

/// The open range from `start` on.
fn usable(start: u64, alignment: Bytes) -> Option<Usable> {
    let start = Offset(start).align_up(alignment)?.0;
    Some(Usable { start, size: None })
}
