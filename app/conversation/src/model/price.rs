//! What is known of the price of running operators at the same time.

use planner::{Bytes, Parallel};
use worker::CaseId;

/// What is known of the price of running in parallel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pricing {
    /// It was not measured.
    #[default]
    Unmeasured,
    /// It is being measured.
    Measuring,
    /// It was measured.
    Measured(Price),
    /// There is none, for one of both plans failed, or operators cannot run in another order.
    Failed,
}

impl Pricing {
    pub(crate) fn is_measured(self) -> bool {
        self != Self::Unmeasured
    }
}

/// What both ways of running need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    /// Which operators may run at the same time.
    pub parallel: Parallel,
    /// One operator after the other.
    pub serial: Priced,
    /// At the same time.
    pub safe: Priced,
}

/// What one way of running needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Priced {
    /// The case that shows it.
    pub case: CaseId,
    /// No plan of offsets needs less.
    pub bound: Bytes,
    /// No plan that adds no wait needs less, by pairs of buffers; `None` for serial runs, and
    /// where it was not found.
    pub unwaiting: Option<Bytes>,
    /// The arena of the best plan that was found.
    pub arena: Bytes,
}
