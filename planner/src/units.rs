//! Bytes, Offset, Step, Span: the newtypes for every size, address and moment.
//!
//! All are 64-bit on every target, because `usize` has 32 bits in WebAssembly.
//! Spans are half-open everywhere: a buffer with span `[2, 5)` is live during
//! steps 2, 3 and 4. Formats with closed intervals are converted by their loader.

use serde::{Deserialize, Serialize};

/// A number of bytes.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Bytes(pub u64);

/// An address inside an arena, in bytes from its start.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Offset(pub u64);

/// A moment: the index of an operator in execution order, or a problem's own time unit.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Step(pub u64);

/// The half-open range of steps `[start, end)` during which something is live.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Span {
    /// First step at which it is live.
    pub start: Step,
    /// First step at which it no longer is.
    pub end: Step,
}

/// The place of one of many things in 32 bits, which is how references to them are kept.
///
/// # Panics
/// From 2^32 things on. Limits of what is read, or memory itself, keep lists far shorter, so that
/// a longer one is a fault of this program, and no place in it may pass for another.
#[must_use]
#[track_caller]
pub fn narrow(place: usize) -> u32 {
    u32::try_from(place).expect("lists have fewer than 2^32 items")
}

/// The greatest number that divides both; of 0 and another one that.
#[must_use]
pub(crate) const fn common_divisor(mut one: u64, mut other: u64) -> u64 {
    while other > 0 {
        (one, other) = (other, one % other);
    }
    one
}

impl Bytes {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// The sum, or `None` beyond 64 bits.
    #[must_use]
    pub fn checked_add(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }

    /// The smallest multiple of `alignment` that is not below `self`; `None` beyond
    /// 64 bits. An alignment of 0 or 1 changes nothing.
    #[must_use]
    pub fn align_up(self, alignment: Self) -> Option<Self> {
        align_up(self.0, alignment.0).map(Self)
    }
}

impl Offset {
    /// The end, exclusive, of a block of `size` bytes that starts here; `None` beyond 64 bits.
    #[must_use]
    pub fn end(self, size: Bytes) -> Option<Self> {
        self.0.checked_add(size.0).map(Self)
    }

    /// The next multiple of `alignment`, or `None` beyond 64 bits.
    #[must_use]
    pub fn align_up(self, alignment: Bytes) -> Option<Self> {
        align_up(self.0, alignment.0).map(Self)
    }
}

impl Span {
    /// The half-open span `[start, end)`.
    #[must_use]
    pub fn new(start: u64, end: u64) -> Self {
        Self {
            start: Step(start),
            end: Step(end),
        }
    }

    /// Number of steps; 0 for a span that ends before it starts.
    #[must_use]
    pub fn len(self) -> u64 {
        self.end.0.saturating_sub(self.start.0)
    }

    /// Whether no step lies inside.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Whether `step` lies inside.
    #[must_use]
    pub fn contains(self, step: Step) -> bool {
        self.start <= step && step < self.end
    }

    /// Whether the two spans share a step. Empty spans share none.
    #[must_use]
    pub fn overlaps(self, other: Self) -> bool {
        !self.is_empty() && !other.is_empty() && self.start < other.end && other.start < self.end
    }
}

fn align_up(value: u64, alignment: u64) -> Option<u64> {
    if alignment <= 1 {
        return Some(value);
    }
    match value % alignment {
        0 => Some(value),
        rest => value.checked_add(alignment - rest),
    }
}
