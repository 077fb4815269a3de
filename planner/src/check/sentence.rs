//! The sentence that says what is wrong, for each rule.

use alloc::string::String;
use alloc::string::ToString;
use core::fmt::{self, Formatter};

use super::Violation;
use crate::liveness::Lifetimes;
use crate::plan::Pool;

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
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let buffer = self.0.buffers.and_then(|it| it.buffers.get(self.1));
        match buffer {
            Some(buffer) => write!(f, "{:?}", buffer.name),
            None => write!(f, "buffer {}", self.1),
        }
    }
}

impl fmt::Display for InPool<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0.pools.get(self.1) {
            Some(pool) => write!(f, "pool {:?}", pool.name),
            None => write!(f, "pool {}", self.1),
        }
    }
}

/// A violation, and what things in it are called.
struct Sentence<'a>(&'a Violation, Names<'a>);

impl fmt::Display for Sentence<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.fmt_buffer_rule(self.1, f)
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Sentence(self, Names::default()).fmt(f)
    }
}

impl Violation {
    /// The sentence with the buffers of `lifetimes` and `pools` by name, as people know them;
    /// without names, by index, it is what [`Display`](fmt::Display) gives.
    #[must_use]
    pub fn named(&self, lifetimes: &Lifetimes, pools: &[Pool]) -> String {
        let buffers = Some(lifetimes);
        Sentence(self, Names { buffers, pools }).to_string()
    }

    fn fmt_buffer_rule(&self, names: Names<'_>, f: &mut Formatter<'_>) -> fmt::Result {
        let name = |buffer: &usize| Buffer(names, *buffer);
        match self {
            Self::OffsetCount { offsets, buffers } => {
                write!(f, "the plan has offsets for {offsets} of {buffers} buffers")
            }
            Self::AddressOverflow { buffer } => {
                write!(f, "{} ends beyond 64 bits", name(buffer))
            }
            Self::BehindArena { buffer, end, arena } => {
                let (end, arena) = (end.0, arena.0);
                write!(
                    f,
                    "{} ends at {end}, behind the arena of {arena} bytes",
                    name(buffer)
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
                    "{} starts at {offset}, not a multiple of {alignment}",
                    name(buffer)
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
                    "{} starts at {offset} but is fixed at {fixed}",
                    name(buffer)
                )
            }
            other => other.fmt_sharing_rule(names, f),
        }
    }
}

impl Violation {
    fn fmt_sharing_rule(&self, names: Names<'_>, f: &mut Formatter<'_>) -> fmt::Result {
        let name = |buffer: &usize| Buffer(names, *buffer);
        match self {
            Self::Overlap { first, second } => write!(
                f,
                "{} and {} are live at the same step and share bytes",
                name(first),
                name(second)
            ),
            Self::NeededTwice {
                first,
                second,
                step,
            } => write!(
                f,
                "{} and {} both need the same bytes at step {step}",
                name(first),
                name(second)
            ),
            Self::HandoverMissed {
                before,
                after,
                shift,
            } => write!(
                f,
                "{before} and {after} share bytes at their common step, which they may only if \
                 {after} starts exactly {shift} bytes behind the start of {before}",
                before = name(before),
                after = name(after)
            ),
            other => other.fmt_object_rule(names, f),
        }
    }

    fn fmt_object_rule(&self, names: Names<'_>, f: &mut Formatter<'_>) -> fmt::Result {
        let name = |buffer: &usize| Buffer(names, *buffer);
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
                    "{} is given to object {object}, which does not exist",
                    name(buffer)
                )
            }
            Self::LargerThanObject { buffer, object } => {
                write!(f, "{} is larger than its object {object}", name(buffer))
            }
            Self::OutsideObject { buffer, object } => {
                write!(
                    f,
                    "{} does not start where its object {object} starts",
                    name(buffer)
                )
            }
            Self::SharedObject {
                first,
                second,
                object,
            } => write!(
                f,
                "{} and {} are live at the same step in object {object}",
                name(first),
                name(second)
            ),
            Self::ObjectsOverlap { first, second } => {
                write!(f, "objects {first} and {second} share bytes")
            }
            Self::ObjectBehindArena { object, arena } => {
                let arena = arena.0;
                write!(f, "object {object} ends behind the arena of {arena} bytes")
            }
            other => other.fmt_pool_rule(names, f),
        }
    }

    fn fmt_pool_rule(&self, names: Names<'_>, f: &mut Formatter<'_>) -> fmt::Result {
        let name = |buffer: &usize| Buffer(names, *buffer);
        let holder = |pool: usize| InPool(names, pool);
        match self {
            Self::NoPools { asked } => {
                write!(
                    f,
                    "the plan does not say who lives in which pool, of {asked} asked for"
                )
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
                "{} is given to pool {pool}, which does not exist",
                name(buffer)
            ),
            Self::WrongPool { buffer, pool } => {
                write!(
                    f,
                    "{} may not live in {}",
                    name(buffer),
                    holder(*pool as usize)
                )
            }
            Self::OutsidePool { buffer, pool } => {
                write!(
                    f,
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
                write!(
                    f,
                    "{} has {capacity} bytes but {size} are used",
                    holder(*pool)
                )
            }
            Self::PoolsOverlap { first, second } => {
                write!(f, "{} and {} share bytes", holder(*first), holder(*second))
            }
            Self::PoolBehindArena { pool, arena } => {
                let arena = arena.0;
                write!(
                    f,
                    "{} ends behind the arena of {arena} bytes",
                    holder(*pool)
                )
            }
            // The others are written by `fmt`, which comes here for rules of pools only.
            _ => Ok(()),
        }
    }
}
