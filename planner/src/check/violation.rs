//! The rules that a plan can break.

use alloc::vec;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::units::{Bytes, Offset};

/// A rule that a plan breaks, and where. Buffers and objects are given by index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Violation {
    /// The plan does not have one offset per buffer. Nothing else is judged then.
    OffsetCount {
        /// Number of offsets.
        offsets: usize,
        /// Number of buffers.
        buffers: usize,
    },
    /// Offset and size add up to more than 64 bits.
    AddressOverflow {
        /// Index of the buffer.
        buffer: usize,
    },
    /// Two buffers that are live at the same step share bytes.
    Overlap {
        /// Index of the one buffer.
        first: usize,
        /// Index of the other.
        second: usize,
    },
    /// Two buffers, at least one of which has pauses, need the same bytes at the same step.
    NeededTwice {
        /// Index of the one buffer.
        first: usize,
        /// Index of the other.
        second: usize,
        /// The first such step.
        step: u64,
    },
    /// Two buffers share bytes that may be handed over, but do not lie as the handover says.
    HandoverMissed {
        /// Index of the buffer that is read for the last time.
        before: usize,
        /// Index of the buffer that is written over it.
        after: usize,
        /// Bytes from the start of `before` to where `after` would have to start.
        shift: u64,
    },
    /// A buffer ends beyond the arena.
    BehindArena {
        /// Index of the buffer.
        buffer: usize,
        /// End, exclusive, of the buffer.
        end: Offset,
        /// Size of the arena.
        arena: Bytes,
    },
    /// A buffer does not start at a multiple of its alignment.
    Misaligned {
        /// Index of the buffer.
        buffer: usize,
        /// Where it starts.
        offset: Offset,
        /// What that should be a multiple of.
        alignment: Bytes,
    },
    /// A buffer with a fixed address is somewhere else.
    NotFixed {
        /// Index of the buffer.
        buffer: usize,
        /// Where it is.
        offset: Offset,
        /// Where it must be.
        fixed: Offset,
    },
    /// The list of objects does not have one object per buffer and one size and offset per
    /// object. Nothing else is judged of the objects then.
    ObjectCount {
        /// Number of objects with a size.
        sizes: usize,
        /// Number of objects with an offset.
        offsets: usize,
        /// Number of buffers with an object.
        assigned: usize,
    },
    /// A buffer is given to an object that does not exist.
    NoSuchObject {
        /// Index of the buffer.
        buffer: usize,
        /// The object it is given to.
        object: u32,
    },
    /// A buffer is larger than its object.
    LargerThanObject {
        /// Index of the buffer.
        buffer: usize,
        /// Index of the object.
        object: u32,
    },
    /// A buffer does not start where its object starts.
    OutsideObject {
        /// Index of the buffer.
        buffer: usize,
        /// Index of the object.
        object: u32,
    },
    /// Two buffers in one object are live at the same step.
    SharedObject {
        /// Index of the one buffer.
        first: usize,
        /// Index of the other.
        second: usize,
        /// Index of the object.
        object: u32,
    },
    /// Two objects share bytes.
    ObjectsOverlap {
        /// Index of the one object.
        first: usize,
        /// Index of the other.
        second: usize,
    },
    /// An object ends beyond the arena, or beyond 64 bits.
    ObjectBehindArena {
        /// Index of the object.
        object: usize,
        /// Size of the arena.
        arena: Bytes,
    },
    /// The plan does not say which buffer lies in which pool. Nothing else is judged of the pools
    /// then.
    NoPools {
        /// Number of pools asked for.
        asked: usize,
    },
    /// The plan's pools are not those asked for, or not every buffer has one. Nothing else is
    /// judged of the pools then.
    PoolCount {
        /// Number of pools asked for.
        asked: usize,
        /// Number of pools with a base.
        bases: usize,
        /// Number of pools with a size.
        sizes: usize,
        /// Number of buffers with a pool.
        assigned: usize,
    },
    /// A buffer is given to a pool that does not exist.
    NoSuchPool {
        /// Index of the buffer.
        buffer: usize,
        /// The pool it is given to.
        pool: u32,
    },
    /// A buffer lives in a pool that is none of its candidates.
    WrongPool {
        /// Index of the buffer.
        buffer: usize,
        /// Index of the pool.
        pool: u32,
    },
    /// A buffer does not lie inside its pool.
    OutsidePool {
        /// Index of the buffer.
        buffer: usize,
        /// Index of the pool.
        pool: u32,
    },
    /// More of a pool is used than it has.
    PoolTooLarge {
        /// Index of the pool.
        pool: usize,
        /// Bytes used.
        size: Bytes,
        /// Bytes that it has.
        capacity: Bytes,
    },
    /// Two pools share bytes.
    PoolsOverlap {
        /// Index of the one pool.
        first: usize,
        /// Index of the other.
        second: usize,
    },
    /// A pool ends beyond the arena, or beyond 64 bits.
    PoolBehindArena {
        /// Index of the pool.
        pool: usize,
        /// Size of the arena.
        arena: Bytes,
    },
}

impl Violation {
    /// The buffers that it names, by index.
    #[must_use]
    pub fn buffers(&self) -> Vec<usize> {
        match *self {
            Self::AddressOverflow { buffer }
            | Self::BehindArena { buffer, .. }
            | Self::Misaligned { buffer, .. }
            | Self::NotFixed { buffer, .. }
            | Self::NoSuchObject { buffer, .. }
            | Self::LargerThanObject { buffer, .. }
            | Self::OutsideObject { buffer, .. }
            | Self::NoSuchPool { buffer, .. }
            | Self::WrongPool { buffer, .. }
            | Self::OutsidePool { buffer, .. } => vec![buffer],
            Self::Overlap { first, second }
            | Self::NeededTwice { first, second, .. }
            | Self::SharedObject { first, second, .. } => vec![first, second],
            Self::HandoverMissed { before, after, .. } => vec![before, after],
            Self::NoPools { .. }
            | Self::PoolCount { .. }
            | Self::PoolTooLarge { .. }
            | Self::PoolsOverlap { .. }
            | Self::PoolBehindArena { .. }
            | Self::OffsetCount { .. }
            | Self::ObjectCount { .. }
            | Self::ObjectsOverlap { .. }
            | Self::ObjectBehindArena { .. } => Vec::new(),
        }
    }
}
