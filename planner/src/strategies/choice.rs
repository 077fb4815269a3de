//! What a strategy says of a place that it chose: where it looked, by which policy, and what it
//! took. What it did not take, and why, is derived from that by the recorder of the trace.

use serde::{Deserialize, Serialize};

pub use crate::free_space::Fit;
use crate::free_space::Usable;
use crate::units::{Bytes, Offset, Step};

/// A choice for the buffer that is placed or assigned next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// Where it looked, and by which policy.
    pub search: Search,
    /// The bytes that it sought: those of the buffer, or rounded, or without its padding.
    pub bytes: Bytes,
    /// The end of the steps for which it sought them, exclusive: those of the buffer, or of all
    /// that share its place.
    pub until: Step,
    /// Of what an address must be a multiple.
    pub alignment: Bytes,
    /// What it took.
    pub taken: Taken,
}

/// Where a strategy looks for a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Search {
    /// Into the free ranges between the placed buffers that are live at the same time.
    Free(Fit),
    /// The same, but what no buffer needs during its pause is free, and it may take over the
    /// bytes of a buffer, or hand on its own, in place.
    FreeInPauses(Fit),
    /// Into the free ranges below the highest address that was ever used.
    FreeBelow(Fit, Offset),
    /// Into the free blocks of an allocator, the smallest that is large enough of those for
    /// requests of this class.
    Blocks {
        /// The class.
        class: u32,
    },
    /// Into the free blocks of each chunk but its last one, then into the last ones: the smallest
    /// that is large enough, the highest on ties.
    Chunks,
    /// Into the ranges of fixed size that were opened before: the first in which nothing is
    /// live, else the first with enough bytes above all that is.
    OpenedRanges,
    /// Into free blocks that have no address yet.
    Unaddressed,
    /// Among shared objects.
    Objects(Match),
}

/// Which shared object a strategy takes among those that no buffer holds at the same time. Where
/// there is none it opens one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Match {
    /// The most recently freed of exactly its size.
    SameSize,
    /// The one whose size is closest.
    ClosestSize,
    /// The smallest that holds it, else the largest.
    SmallestThatHolds,
    /// The one whose holders are nearest in time.
    NearestInTime,
    /// The lowest.
    Lowest,
    /// The one that is being filled, until nothing else fits: the ones before are full.
    BeingFilled,
    /// Of those with at most `high` bytes the smallest that holds it, else the largest with at
    /// least `low`.
    Range {
        /// Bytes of the smallest that it accepts.
        low: Bytes,
        /// Bytes of the largest that it accepts.
        high: Bytes,
        /// Whether the steps of release and request must have one colour.
        colored: bool,
    },
}

/// What a strategy took.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Taken {
    /// A free range or block, from the first address that the alignment allows.
    Range {
        /// That address.
        from: Offset,
        /// Bytes from there on.
        size: Bytes,
    },
    /// The open range above everything, or a new range.
    Open,
    /// The bytes of a buffer that it takes over, or that takes over its own.
    InPlace,
    /// The object, or the range that was opened before, of this index.
    Object(usize),
}

impl From<Usable> for Taken {
    fn from(range: Usable) -> Self {
        let from = Offset(range.start);
        range.size.map_or(Self::Open, |size| Self::Range {
            from,
            size: Bytes(size),
        })
    }
}

impl Search {
    /// Whether it looks into the free ranges that the placed buffers leave, and nowhere else.
    #[must_use]
    pub fn is_free_ranges(self) -> bool {
        matches!(
            self,
            Self::Free(_) | Self::FreeInPauses(_) | Self::FreeBelow(..)
        )
    }
}
