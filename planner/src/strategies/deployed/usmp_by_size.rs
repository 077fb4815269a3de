//! Offsets as TVM's USMP gives them, by size. Source: TVM USMP, greedy_by_size.

use super::super::{Observer, PlanError, Strategy, stub};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};

/// Not written yet.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    stub(Strategy::UsmpBySize, lifetimes, options, observer)
}
