//! Objects as colours, in order of first use. Source: graph colouring, in order of first use.

use super::super::{Observer, PlanError, Strategy, stub};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};

/// Not written yet.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    stub(Strategy::ColoringFirstUse, lifetimes, options, observer)
}
