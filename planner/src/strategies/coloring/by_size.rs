//! Objects as colours, the largest buffer first. Source: graph colouring, largest first.

use super::super::{Observer, PlanError, Strategy, stub};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};

/// Not written yet.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    stub(Strategy::ColoringBySize, lifetimes, options, observer)
}
