//! Offsets as TensorFlow's allocator would give them at run time. Source: TensorFlow, BFCAllocator.

use super::super::{Observer, PlanError, Strategy, stub};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};

/// Not written yet.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    stub(Strategy::TensorflowBfc, lifetimes, options, observer)
}
