//! How long searches may search.

use planner::{Growth, Strategy};

/// The most nodes or moves that can be chosen: the page counts in whole floats.
pub const MOST_EFFORT: u64 = (1 << 53) - 1;

/// Whether a strategy searches for as long as its effort lasts.
#[must_use]
pub fn uses_effort(strategy: Strategy) -> bool {
    strategy.description().growth == Growth::Effort
}
