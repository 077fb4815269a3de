//! The closed list of strategies: name, source, model and cost of each, and the one door
//! [`plan`].
//!
//! The shared-object strategies and GREEDY_BY_SIZE over offsets follow TFLite's GPU delegate
//! down to its ties. "Index" in a tie rule is the buffer's place in [`Lifetimes::buffers`];
//! strategies that go in order of first use sort by it stably.

// In reading order: what they are, what they share, objects, offsets, other size types.
mod facts;
mod records;
mod objects;
mod naive;
mod equality;
mod greedy_in_order;
mod breadth;
mod conflicts;
mod greedy_by_breadth;
mod greedy_by_size;
mod greedy_best;
mod min_cost_flow;
mod layout;
mod by_address;
mod gaps;
mod offsets_by_size;
mod offsets_by_breadth;
mod offsets_in_order;
mod longest;
mod strip_best_fit;
pub mod texture;
pub mod parallel_safe;

use std::fmt;
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use crate::liveness::{Buffer, Lifetimes};
use crate::plan::{Options, Plan};
use crate::units::{Bytes, Offset};

pub use facts::{Facts, Model, UnknownStrategy};
pub use greedy_by_size::LIMIT as GREEDY_BY_SIZE_LIMIT;
pub use min_cost_flow::LIMIT as MIN_COST_FLOW_LIMIT;

/// Every strategy, in the order in which they are listed everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// One object per buffer.
    Naive,
    /// Objects, reused for equal sizes only.
    Equality,
    /// Objects, buffers in order of first use, closest size.
    GreedyInOrder,
    /// Objects, operators by breadth.
    GreedyByBreadth,
    /// Objects, buffers by size and distance.
    GreedyBySize,
    /// Objects, the better of by-size and by-breadth.
    GreedyBest,
    /// Objects, minimum-cost flow.
    MinCostFlow,
    /// Offsets, buffers by size, best gap.
    OffsetsBySize,
    /// Offsets, operators by breadth, best gap.
    OffsetsByBreadth,
    /// Offsets, buffers in order of first use, best gap.
    OffsetsInOrder,
    /// Offsets, strip packing, best fit on the lowest line.
    StripBestFit,
}

/// One decision of a strategy, told as it is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Buffer `buffer` was put at `offset`.
    Placed {
        /// Index of the buffer.
        buffer: usize,
        /// Where.
        offset: Offset,
    },
    /// Buffer `buffer` was given to the shared object `object`.
    Assigned {
        /// Index of the buffer.
        buffer: usize,
        /// Index of the object.
        object: usize,
    },
    /// Nothing was decided, but work went on: `done` of about `total` parts.
    Progress {
        /// Parts done.
        done: u64,
        /// Parts in all.
        total: u64,
    },
}

/// Hears every decision, and may stop the strategy by breaking.
pub trait Observer {
    /// Called at each decision, in order.
    fn observe(&mut self, event: Event) -> ControlFlow<()>;
}

/// An observer that hears nothing and never stops.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn observe(&mut self, _event: Event) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PlanError {
    /// The observer broke off.
    Cancelled,
    /// A sum or an address goes beyond 64 bits, at this buffer.
    Overflow {
        /// Name of the buffer.
        buffer: String,
    },
    /// The strategy cannot honour something that the lifetimes ask for.
    Unsupported {
        /// What, and at which buffer.
        what: String,
    },
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cancelled => f.write_str("planning was cancelled"),
            Self::Overflow { buffer } => {
                write!(f, "the arena goes beyond 64 bits at buffer {buffer:?}")
            }
            Self::Unsupported { what } => write!(f, "this strategy cannot plan {what}"),
        }
    }
}

impl std::error::Error for PlanError {}

/// Plans `lifetimes` with `strategy`.
///
/// Equal input gives an equal plan, and the observer hears equal events. Buffers of no bytes
/// or no steps conflict with nothing. A buffer with a fixed address is placed there before
/// all others; whether fixed buffers collide is for the judge to say.
///
/// # Errors
/// See [`PlanError`].
pub fn plan(
    strategy: Strategy,
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let plan = match strategy {
        Strategy::Naive => naive::plan,
        Strategy::Equality => equality::plan,
        Strategy::GreedyInOrder => greedy_in_order::plan,
        Strategy::GreedyByBreadth => greedy_by_breadth::plan,
        Strategy::GreedyBySize => greedy_by_size::plan,
        Strategy::GreedyBest => greedy_best::plan,
        Strategy::MinCostFlow => min_cost_flow::plan,
        Strategy::OffsetsBySize => offsets_by_size::plan,
        Strategy::OffsetsByBreadth => offsets_by_breadth::plan,
        Strategy::OffsetsInOrder => offsets_in_order::plan,
        Strategy::StripBestFit => strip_best_fit::plan,
    };
    plan(lifetimes, options, observer)
}

/// Tells the observer, and turns its break into an error.
fn tell(observer: &mut dyn Observer, event: Event) -> Result<(), PlanError> {
    match observer.observe(event) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(PlanError::Cancelled),
    }
}

/// What `buffer` must be aligned to: the larger of its own wish and the option, at least 1.
fn alignment(buffer: &Buffer, options: &Options) -> Bytes {
    buffer.alignment.max(options.alignment).max(Bytes(1))
}

fn overflow(buffer: &Buffer) -> PlanError {
    PlanError::Overflow {
        buffer: buffer.name.clone(),
    }
}
