//! A plan changed by hand: where a buffer may go, which buffers are in the way, what the change
//! costs, and what can plan the rest.
//!
//! What is asked while a rectangle is dragged looks at one buffer against the others,
//! O(n log n), so that a page can answer within a frame. Whether the whole plan is valid is
//! for the judge to say.

mod changed;
mod finish;
mod corrupt;
mod start_ranges;
mod targets;

use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::units::{Bytes, Offset};

pub use changed::{arena, highest, moved, swapped};
pub use corrupt::{Corrupted, corrupt, corrupt_by, victims};
pub use finish::{Kept, finish, finishers, kept};
pub use start_ranges::{StartRange, in_the_way, next, snapped, start_ranges};
pub use targets::{Target, movable, targets};

/// What putting a buffer somewhere would give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// The arena.
    pub arena: Bytes,
    /// Which buffers are in the way, by ascending index.
    pub in_the_way: Vec<usize>,
    /// What else forbids it.
    pub breaks: Option<Breaks>,
}

/// What can forbid a place beside other buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breaks {
    /// The problem fixes the buffer here.
    Fixed(Offset),
    /// It is no multiple of this.
    Misaligned(Bytes),
    /// There the buffer does not lie inside a pool that it may live in.
    Pools,
}

impl Look {
    /// Whether the buffer may lie there.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.in_the_way.is_empty() && self.breaks.is_none()
    }
}

/// What putting `buffer` at `at` would give while all others stay where `plan` puts them.
#[must_use]
pub fn look(
    lifetimes: &Lifetimes,
    plan: &Plan,
    options: &Options,
    (buffer, at): (usize, Offset),
) -> Look {
    let held = lifetimes.buffers.get(buffer);
    let breaks = held.and_then(|held| match held.fixed {
        Some(fixed) => (fixed != at).then_some(Breaks::Fixed(fixed)),
        None => {
            let alignment = held.alignment.max(options.alignment).max(Bytes(1));
            if !at.0.is_multiple_of(alignment.0) {
                return Some(Breaks::Misaligned(alignment));
            }
            (!start_ranges::lies_in_pool(held, plan, (buffer, at))).then_some(Breaks::Pools)
        }
    });
    Look {
        arena: changed::arena_with(lifetimes, &plan.offsets, options, Some((buffer, at))),
        in_the_way: in_the_way(lifetimes, &plan.offsets, buffer, at),
        breaks,
    }
}
