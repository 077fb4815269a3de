//! Offsets, searched until no plan can be smaller. Source: MiniMalloc (Moffitt 2023), branch and bound.

use super::{Observer, PlanError, Strategy, stub};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};

/// Not written yet.
pub(super) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    stub(Strategy::Exact, lifetimes, options, observer)
}
