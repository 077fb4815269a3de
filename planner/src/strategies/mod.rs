//! The closed list of strategies: name, source, model and cost of each, and the one door
//! [`plan`].

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::units::Offset;

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

/// Plans `lifetimes` with `strategy`.
///
/// # Errors
/// See [`PlanError`].
pub fn plan(
    strategy: Strategy,
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let _ = (strategy, lifetimes, options, observer);
    Err(PlanError::Cancelled)
}
