//! Offsets by length, moving what is in the way. Source: MegEngine, StaticMemAllocIntervalMove.

use super::super::{Observer, PlanError, Strategy, stub};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};

/// Not written yet.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    stub(
        Strategy::MegengineIntervalMove,
        lifetimes,
        options,
        observer,
    )
}
