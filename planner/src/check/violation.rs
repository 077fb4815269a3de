//! The rules, each with the sentence that says what is wrong.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::units::{Bytes, Offset};

/// A rule that a plan breaks, and where. Buffers and objects are given by index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// A buffer ends behind the arena.
    BehindArena {
        /// Index of the buffer.
        buffer: usize,
        /// First byte behind the buffer.
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
    /// The arena is larger than what lies in it, rounded up to the alignment.
    UnusedTail {
        /// Size of the arena.
        arena: Bytes,
        /// First byte behind everything in it.
        end: Offset,
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
    /// An object ends behind the arena, or beyond 64 bits.
    ObjectBehindArena {
        /// Index of the object.
        object: usize,
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
            | Self::OutsideObject { buffer, .. } => vec![buffer],
            Self::Overlap { first, second } | Self::SharedObject { first, second, .. } => {
                vec![first, second]
            }
            Self::OffsetCount { .. }
            | Self::UnusedTail { .. }
            | Self::ObjectCount { .. }
            | Self::ObjectsOverlap { .. }
            | Self::ObjectBehindArena { .. } => Vec::new(),
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OffsetCount { offsets, buffers } => {
                write!(f, "the plan has {offsets} offsets for {buffers} buffers")
            }
            Self::AddressOverflow { buffer } => {
                write!(f, "buffer {buffer} ends beyond 64 bits")
            }
            Self::Overlap { first, second } => write!(
                f,
                "buffers {first} and {second} are live at the same step and share bytes"
            ),
            Self::BehindArena { buffer, end, arena } => {
                let (end, arena) = (end.0, arena.0);
                write!(
                    f,
                    "buffer {buffer} ends at {end}, behind the arena of {arena} bytes"
                )
            }
            Self::Misaligned {
                buffer,
                offset,
                alignment,
            } => {
                let (offset, alignment) = (offset.0, alignment.0);
                write!(
                    f,
                    "buffer {buffer} starts at {offset}, not a multiple of {alignment}"
                )
            }
            Self::NotFixed {
                buffer,
                offset,
                fixed,
            } => {
                let (offset, fixed) = (offset.0, fixed.0);
                write!(
                    f,
                    "buffer {buffer} starts at {offset} but is fixed at {fixed}"
                )
            }
            Self::UnusedTail { arena, end } => {
                let (arena, end) = (arena.0, end.0);
                write!(
                    f,
                    "the arena has {arena} bytes but nothing lies behind {end}"
                )
            }
            object_rule => object_rule.fmt_object_rule(f),
        }
    }
}

impl Violation {
    fn fmt_object_rule(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ObjectCount {
                sizes,
                offsets,
                assigned,
            } => write!(
                f,
                "the object list has {sizes} sizes, {offsets} offsets and {assigned} buffers"
            ),
            Self::NoSuchObject { buffer, object } => {
                write!(
                    f,
                    "buffer {buffer} is given to object {object}, which does not exist"
                )
            }
            Self::LargerThanObject { buffer, object } => {
                write!(f, "buffer {buffer} is larger than its object {object}")
            }
            Self::OutsideObject { buffer, object } => {
                write!(
                    f,
                    "buffer {buffer} does not start where its object {object} starts"
                )
            }
            Self::SharedObject {
                first,
                second,
                object,
            } => write!(
                f,
                "buffers {first} and {second} are live at the same step in object {object}"
            ),
            Self::ObjectsOverlap { first, second } => {
                write!(f, "objects {first} and {second} share bytes")
            }
            Self::ObjectBehindArena { object, arena } => {
                let arena = arena.0;
                write!(f, "object {object} ends behind the arena of {arena} bytes")
            }
            // The others are written by `fmt`, which calls this for object rules only.
            _ => Ok(()),
        }
    }
}
