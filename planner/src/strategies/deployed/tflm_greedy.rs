//! Offsets as TFLite Micro gives them. Source: TFLite Micro, GreedyMemoryPlanner.
//!
//! Buffers planned offline (with a fixed address) first, then the largest first; of equal
//! ones the one that was added last. Each goes into the first free range that is large enough
//! between the placed buffers that are live with it, not the closest fit.

use alloc::vec::Vec;
use core::cmp::Reverse;

use super::rounded::rounded;
use super::walk::place_all;
use crate::free_space::Fit;
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::sorting::Sorting as _;
use crate::strategies::description::{
    AboveNaive, Capabilities, Description, Family, Growth, Model,
};
use crate::strategies::{Observer, PlanError, Strategy};

pub(in crate::strategies) const STRATEGY: Description = Description {
    name: "tflm_greedy",
    source: "TFLite Micro, GreedyMemoryPlanner",
    family: Family::Deployed,
    model: Model::Offsets,
    cost: "O(n · k log k)",
    growth: Growth::Square,
    capabilities: Capabilities::WHOLE,
    above_naive: Some(AboveNaive::Padding),
    limit: None,
};

/// Places the largest first, each into the first free range that takes it. Sizes are rounded up to
/// the alignment, as TFLite Micro's allocator does before it plans.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let records = rounded(lifetimes, options)?;
    let mut order: Vec<usize> = (0..records.len()).rev().collect();
    order.order_by_key(|&index| Reverse(records[index].size));
    place_all(
        Strategy::TflmGreedy,
        lifetimes,
        (&records, &order),
        Fit::First,
        options,
        observer,
    )
}
