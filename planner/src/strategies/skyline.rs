//! Offsets, always the buffer that can lie lowest. Source: greedy of MiniMalloc (Moffitt 2023), first descent, best of 13 orders.

use super::{Observer, PlanError, Strategy, stub};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};

/// Not written yet.
pub(super) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    stub(Strategy::Skyline, lifetimes, options, observer)
}
