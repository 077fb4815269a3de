//! A film: every decision of a strategy.

use planner::Bytes;
use planner::trace::{Survey, Trace};

/// A film, and what it comes to.
#[derive(Debug, PartialEq)]
pub struct Recording {
    /// Every decision.
    pub trace: Trace,
    /// What they come to.
    pub survey: Survey,
    /// The bound of all plans, the same as beside any other figure of this plan, in bytes.
    pub bound: Bytes,
    /// The lower bound for shared objects, where it is a film of these.
    pub objects: Option<Bytes>,
}

impl Recording {
    /// How many steps it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.trace.frames().len()
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
