//! Offsets, the best of several, then searched. Source: by size and skyline, then local search on the order.

use super::{Observer, PlanError, Strategy, stub};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};

/// Not written yet.
pub(super) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    stub(Strategy::Best, lifetimes, options, observer)
}
