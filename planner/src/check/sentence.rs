//! The sentence that says what is wrong, for each rule.

use std::fmt;

use super::Violation;

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
            Self::NeededTwice {
                first,
                second,
                step,
            } => write!(
                f,
                "buffers {first} and {second} both need the same bytes at step {step}"
            ),
            Self::HandoverMissed {
                before,
                after,
                shift,
            } => write!(
                f,
                "buffers {before} and {after} share bytes at their common step, which they may \
                 only if {after} starts exactly {shift} bytes behind the start of {before}"
            ),
            other => other.fmt_object_rule(f),
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
            other => other.fmt_pool_rule(f),
        }
    }

    fn fmt_pool_rule(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPools { asked } => {
                write!(f, "the plan has no pools where {asked} are asked for")
            }
            Self::PoolCount {
                asked,
                bases,
                sizes,
                assigned,
            } => write!(
                f,
                "the pool list has {bases} bases, {sizes} sizes and {assigned} buffers where \
                 {asked} pools are asked for"
            ),
            Self::NoSuchPool { buffer, pool } => write!(
                f,
                "buffer {buffer} is given to pool {pool}, which does not exist"
            ),
            Self::WrongPool { buffer, pool } => {
                write!(f, "buffer {buffer} may not live in pool {pool}")
            }
            Self::OutsidePool { buffer, pool } => {
                write!(f, "buffer {buffer} does not lie inside its pool {pool}")
            }
            Self::PoolTooLarge {
                pool,
                size,
                capacity,
            } => {
                let (size, capacity) = (size.0, capacity.0);
                write!(f, "pool {pool} has {capacity} bytes but {size} are used")
            }
            Self::PoolsOverlap { first, second } => {
                write!(f, "pools {first} and {second} share bytes")
            }
            Self::PoolBehindArena { pool, arena } => {
                let arena = arena.0;
                write!(f, "pool {pool} ends behind the arena of {arena} bytes")
            }
            // The others are written by `fmt`, which comes here for rules of pools only.
            _ => Ok(()),
        }
    }
}
