//! Offsets as LiteRT's CPU arena gives them. Source: LiteRT, ArenaPlanner and SimpleMemoryArena.

use super::super::{Observer, PlanError, Strategy, stub};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};

/// Not written yet.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    stub(Strategy::LitertArena, lifetimes, options, observer)
}
