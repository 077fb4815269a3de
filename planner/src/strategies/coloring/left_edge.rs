//! Objects as colours, by start, with the fewest objects. Source: Hashimoto and Stevens 1971, left edge.

use super::super::{Observer, PlanError, Strategy, stub};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};

/// Not written yet.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    stub(Strategy::ColoringLeftEdge, lifetimes, options, observer)
}
