//! What strategies report beside a decision: what an attempt tries and how it ended, what is
//! known of the buffer that is decided next, how pools are filled, and the numbers by which
//! the exact search gives a branch up.

use serde::{Deserialize, Serialize};

use super::{Key, Strategy};
use crate::units::{Bytes, Offset};

/// Something to know about a buffer whose decision comes next, beside what was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Note {
    /// The effective size that the strategy counts: rounded up, or without its padding.
    Counted {
        /// Bytes.
        bytes: Bytes,
    },
    /// Its bytes will be taken over in place, and it is put where all that do so find room.
    Chain {
        /// Index of the last buffer that takes them over.
        last: usize,
    },
    /// It reuses a free block that has no address yet, and that grows where it is too small;
    /// `None` when no block is free.
    Reused {
        /// Bytes of the block.
        block: Option<Bytes>,
    },
    /// It goes into a free range that is too small: what lies above makes room.
    Widened {
        /// First byte of the range.
        from: Offset,
        /// Its bytes before.
        size: Bytes,
    },
    /// It moves to make room for another.
    MakesRoom {
        /// Index of that buffer.
        by: usize,
    },
    /// A range of addresses is set apart for it: a shared object of fixed size, or a segment
    /// that an allocator takes from the device.
    Opened {
        /// Index of the range.
        range: usize,
        /// Its first byte.
        from: Offset,
        /// Its bytes.
        size: Bytes,
    },
    /// It goes into a range that was opened before.
    Joined {
        /// Index of the range.
        range: usize,
        /// Bytes of the range, from its start, up to the highest that is in use during its
        /// life; 0 where nothing is.
        below: Bytes,
        /// Bytes that stay free from there up to its own aligned address.
        padding: Bytes,
    },
    /// It does not go into a range that was opened before: too few bytes are left in it
    /// after what is live at the same time.
    Full {
        /// Index of the range.
        range: usize,
        /// Bytes left from the first aligned address on.
        left: Bytes,
        /// Whether anything in it is live at the same time.
        live: bool,
    },
    /// It does not go into a range that was opened before: another is in use there at the
    /// same time, and a range was found in which none is.
    InUse {
        /// Index of the range.
        range: usize,
        /// Index of the other buffer.
        by: usize,
    },
}

/// What an attempt tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Trial {
    /// All that a strategy does.
    Strategy(Strategy),
    /// The skyline with ties in this order.
    Skyline([Key; 3]),
    /// Best fit, the largest product of bytes and steps first.
    ByArea,
    /// Best fit, the longest-lived first.
    ByLength,
    /// The exact search, for so many places.
    Proof {
        /// Places tried at most.
        most: u64,
    },
    /// Changes to the order of the best skyline.
    Moves {
        /// Changes at most.
        most: u64,
    },
    /// One walk of the exact search.
    Walk {
        /// No buffer may end above this.
        capacity: Bytes,
        /// No plan of these buffers is smaller than this.
        bound: Bytes,
        /// In which order they are tried.
        order: [Key; 3],
        /// How many buffers share steps with each other, directly or by way of others.
        buffers: usize,
        /// Places tried at most; `None` for no limit.
        most: Option<u64>,
    },
    /// First fit by size.
    FirstFit,
    /// First fit in the order before, in which two buffers have changed places; `None` when
    /// the order is the same.
    Swapped {
        /// Indices of the two.
        pair: Option<(usize, usize)>,
    },
    /// The largest first.
    Spatial,
    /// The longest-lived first.
    Temporal,
    /// The plan of an attempt before, buffer by buffer.
    Again,
}

impl Trial {
    /// Whether its decisions are not reported: only what comes of it.
    #[must_use]
    pub fn is_silent(self) -> bool {
        matches!(
            self,
            Self::Skyline(_)
                | Self::Strategy(_)
                | Self::ByArea
                | Self::ByLength
                | Self::Proof { .. }
                | Self::Moves { .. }
        )
    }
}

/// How an attempt ended that led to no smaller plan of one pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ended {
    /// Its arena is no smaller than the best so far.
    Larger {
        /// Its arena.
        arena: Bytes,
        /// The best so far.
        best: Bytes,
    },
    /// It was given up as soon as it was sure to need as much as the best so far.
    GivenUp {
        /// The best so far.
        best: Bytes,
    },
    /// A plan for several pools.
    Pooled {
        /// Bytes that are not in the pool that they prefer.
        moved: Bytes,
        /// Its arena.
        arena: Bytes,
        /// Whether it is the best so far.
        better: bool,
    },
    /// There is no plan of its kind.
    Unable,
    /// A walk found a plan, for its buffers alone.
    Found {
        /// Where the highest of them ends.
        arena: Bytes,
    },
    /// A walk was over: no plan stays within the capacity.
    Never {
        /// The capacity.
        capacity: Bytes,
        /// No plan of its buffers is smaller than this; `None` when no capacity is enough.
        bound: Option<Bytes>,
    },
    /// A walk had tried all the places that it might, without a plan.
    Spent {
        /// The capacity.
        capacity: Bytes,
    },
}

impl Ended {
    /// Whether it led to the best plan for several pools so far.
    #[must_use]
    pub fn is_better(self) -> bool {
        matches!(self, Self::Pooled { better: true, .. })
    }
}

/// Where the exact search gave up, and the numbers that made it do so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stop {
    /// Index of the buffer that was tried.
    pub buffer: usize,
    /// Where it would lie.
    pub offset: Offset,
    /// Index of another buffer that the rule looked at.
    pub other: Option<usize>,
    /// A step of the section that the rule looked at.
    pub step: Option<u64>,
    /// What is still to be placed lies at or above this.
    pub floor: Bytes,
    /// Where the other, or what is left in the section, would end at the lowest.
    pub needed: Bytes,
    /// No buffer may end above this.
    pub capacity: Bytes,
}

/// How pools are filled. Each is followed by the events that carry it out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Pooling {
    /// The pool is planned; what lies in it is taken up first.
    Planned {
        /// Index of the pool.
        pool: usize,
        /// Its first byte, as far as is known.
        base: Offset,
        /// How many buffers are to go into it.
        buffers: usize,
        /// How many of them lay in it before.
        again: usize,
    },
    /// A buffer goes from one pool to the next that it may live in.
    Sent {
        /// Index of the buffer.
        buffer: usize,
        /// Index of the pool that it leaves.
        from: usize,
        /// Index of the pool that it goes to.
        to: usize,
        /// Why.
        why: Sent,
    },
    /// The pool was planned again, which needs as much or more: the plan before is kept,
    /// less what has left.
    Kept {
        /// Index of the pool.
        pool: usize,
        /// Bytes of the plan that is kept.
        arena: Bytes,
        /// Bytes of the other.
        other: Bytes,
    },
    /// The pools below have changed: this one begins elsewhere, with all that lies in it.
    Based {
        /// Index of the pool.
        pool: usize,
        /// Where it began.
        from: Offset,
        /// Where it begins.
        to: Offset,
    },
}

/// Why a buffer leaves a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sent {
    /// It is larger than the pool.
    TooLarge,
    /// It would end above the capacity.
    Above {
        /// Where it would end, from the start of the pool.
        end: Bytes,
    },
    /// It makes room for another, which would end above the capacity and may live in no
    /// other pool.
    InPlaceOf {
        /// Index of that buffer.
        by: usize,
        /// Where that one would end, from the start of the pool.
        end: Bytes,
    },
}
