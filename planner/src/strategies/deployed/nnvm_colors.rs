//! Storage tokens shared only within a colour, for parallel runs. Source: MXNet/nnvm, tokens shared within a colour (Chen et al. 2015).

use super::super::{Observer, PlanError, Strategy, stub};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};

/// Not written yet.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    stub(Strategy::NnvmColors, lifetimes, options, observer)
}
