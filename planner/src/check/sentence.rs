//! The sentence that says what is wrong, for each rule.

use alloc::string::ToString;
use core::fmt;

use super::Violation;
use crate::liveness::Lifetimes;
use crate::message::{Argument, AsArgument, Message};
use crate::plan::Pool;
use crate::{impl_message, message};

/// What buffers and pools are called in a sentence.
#[derive(Clone, Copy, Default)]
struct Names<'a> {
    /// `None` calls buffers by their index.
    buffers: Option<&'a Lifetimes>,
    /// Pools that are not there are called by their index.
    pools: &'a [Pool],
}

/// A buffer in a sentence: its name in quotes, or its index.
struct Buffer<'a>(Names<'a>, usize);

/// A pool in a sentence.
struct InPool<'a>(Names<'a>, usize);

impl fmt::Display for Buffer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "{name:?}"),
            None => self.index().fmt(f),
        }
    }
}

impl Buffer<'_> {
    fn name(&self) -> Option<&str> {
        let buffer = self.0.buffers?.buffers.get(self.1)?;
        Some(&buffer.name)
    }

    fn index(&self) -> Message {
        message!("buffer {}", self.1)
    }
}

impl AsArgument for Buffer<'_> {
    fn argument(&self) -> Argument {
        match self.name() {
            Some(_) => Argument::Verbatim(self.to_string()),
            None => Argument::Message(self.index()),
        }
    }
}

impl InPool<'_> {
    fn message(&self) -> Message {
        match self.0.pools.get(self.1) {
            Some(pool) => message!("pool {}", format_args!("{:?}", pool.name)),
            None => message!("pool {}", self.1),
        }
    }
}

impl_message!(InPool<'_>, Violation);

impl Violation {
    /// The sentence, which calls buffers and pools by their index.
    #[must_use]
    pub fn message(&self) -> Message {
        self.buffer_rule(Names::default())
    }

    /// The sentence with the buffers of `lifetimes` and `pools` by name, as people know them.
    #[must_use]
    pub fn named(&self, lifetimes: &Lifetimes, pools: &[Pool]) -> Message {
        let buffers = Some(lifetimes);
        self.buffer_rule(Names { buffers, pools })
    }

    fn buffer_rule(&self, names: Names<'_>) -> Message {
        let name = |buffer: &usize| Buffer(names, *buffer);
        match self {
            Self::OffsetCount { offsets, buffers } => {
                message!(
                    "the plan has offsets for {} of {} buffers",
                    offsets,
                    buffers
                )
            }
            Self::AddressOverflow { buffer } => {
                message!("{} ends beyond 64 bits", name(buffer))
            }
            Self::BehindArena { buffer, end, arena } => {
                let (end, arena) = (end.0, arena.0);
                message!(
                    "{} ends at {}, behind the arena of {} bytes",
                    name(buffer),
                    end,
                    arena
                )
            }
            Self::Misaligned {
                buffer,
                offset,
                alignment,
            } => {
                let (offset, alignment) = (offset.0, alignment.0);
                message!(
                    "{} starts at {}, not a multiple of {}",
                    name(buffer),
                    offset,
                    alignment
                )
            }
            Self::NotFixed {
                buffer,
                offset,
                fixed,
            } => {
                let (offset, fixed) = (offset.0, fixed.0);
                message!(
                    "{} starts at {} but is fixed at {}",
                    name(buffer),
                    offset,
                    fixed
                )
            }
            other => other.sharing_rule(names),
        }
    }
}

impl Violation {
    fn sharing_rule(&self, names: Names<'_>) -> Message {
        let name = |buffer: &usize| Buffer(names, *buffer);
        match self {
            Self::Overlap { first, second } => message!(
                "{} and {} are live at the same step and share bytes",
                name(first),
                name(second)
            ),
            Self::NeededTwice {
                first,
                second,
                step,
            } => message!(
                "{} and {} both need the same bytes at step {}",
                name(first),
                name(second),
                step
            ),
            Self::HandoverMissed {
                before,
                after,
                shift,
            } => message!(
                "{} and {} share bytes at their common step, which they may only if \
                 {} starts exactly {} bytes behind the start of {}",
                name(before),
                name(after),
                name(after),
                shift,
                name(before)
            ),
            other => other.object_rule(names),
        }
    }

    fn object_rule(&self, names: Names<'_>) -> Message {
        let name = |buffer: &usize| Buffer(names, *buffer);
        match self {
            Self::ObjectCount {
                sizes,
                offsets,
                assigned,
            } => message!(
                "the object list has {} sizes, {} offsets and {} buffers",
                sizes,
                offsets,
                assigned
            ),
            Self::NoSuchObject { buffer, object } => {
                message!(
                    "{} is given to object {}, which does not exist",
                    name(buffer),
                    object
                )
            }
            Self::LargerThanObject { buffer, object } => {
                message!("{} is larger than its object {}", name(buffer), object)
            }
            Self::OutsideObject { buffer, object } => {
                message!(
                    "{} does not start where its object {} starts",
                    name(buffer),
                    object
                )
            }
            Self::SharedObject {
                first,
                second,
                object,
            } => message!(
                "{} and {} are live at the same step in object {}",
                name(first),
                name(second),
                object
            ),
            Self::ObjectsOverlap { first, second } => {
                message!("objects {} and {} share bytes", first, second)
            }
            Self::ObjectBehindArena { object, arena } => {
                let arena = arena.0;
                message!("object {} ends behind the arena of {} bytes", object, arena)
            }
            other => other.pool_rule(names),
        }
    }

    fn pool_rule(&self, names: Names<'_>) -> Message {
        let name = |buffer: &usize| Buffer(names, *buffer);
        let holder = |pool: usize| InPool(names, pool);
        match self {
            Self::NoPools { asked } => {
                message!(
                    "the plan does not say who lives in which pool, of {} asked for",
                    asked
                )
            }
            Self::PoolCount {
                asked,
                bases,
                sizes,
                assigned,
            } => message!(
                "the pool list has {} bases, {} sizes and {} buffers where \
                 {} pools are asked for",
                bases,
                sizes,
                assigned,
                asked
            ),
            Self::NoSuchPool { buffer, pool } => message!(
                "{} is given to pool {}, which does not exist",
                name(buffer),
                pool
            ),
            Self::WrongPool { buffer, pool } => {
                message!(
                    "{} may not live in {}",
                    name(buffer),
                    holder(*pool as usize)
                )
            }
            Self::OutsidePool { buffer, pool } => {
                message!(
                    "{} does not lie inside its {}",
                    name(buffer),
                    holder(*pool as usize)
                )
            }
            Self::PoolTooLarge {
                pool,
                size,
                capacity,
            } => {
                let (size, capacity) = (size.0, capacity.0);
                message!(
                    "{} has {} bytes but {} are used",
                    holder(*pool),
                    capacity,
                    size
                )
            }
            Self::PoolsOverlap { first, second } => {
                message!("{} and {} share bytes", holder(*first), holder(*second))
            }
            Self::PoolBehindArena { pool, arena } => {
                let arena = arena.0;
                message!("{} ends behind the arena of {} bytes", holder(*pool), arena)
            }
            // The others are said before.
            _ => Message::default(),
        }
    }
}
