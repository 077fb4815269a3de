//! Offsets as XNNPACK gave them, blind to the leading gap. Source: XNNPACK, memory planner before its issue 10800.

use super::super::{Observer, PlanError, Strategy, stub};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};

/// Not written yet.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    stub(Strategy::Xnnpack, lifetimes, options, observer)
}
