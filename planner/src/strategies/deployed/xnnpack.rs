//! Offsets as XNNPACK gave them, blind to the leading free range. Source: XNNPACK, memory planner
//! before its issue 10800.
//!
//! The largest first, of equal ones the first; each into the closest fit between the placed
//! values that are live with it. The free range below the lowest of them is never looked at, so
//! that a value can end on top of an arena whose bottom is free.

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
    name: "xnnpack",
    source: "XNNPACK, memory planner before its issue 10800",
    family: Family::Deployed,
    model: Model::Offsets,
    cost: "O(n · k log k)",
    growth: Growth::Square,
    capabilities: Capabilities::WHOLE,
    above_naive: Some(AboveNaive::Padding),
    limit: None,
};

/// Places the largest first, each into its closest fit above the lowest block. Sizes are
/// rounded up to the alignment, as XNNPACK's runtime does before it plans.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let records = rounded(lifetimes, options)?;
    let mut order: Vec<usize> = (0..records.len()).collect();
    order.order_by_key(|&index| Reverse(records[index].size));
    place_all(
        Strategy::Xnnpack,
        lifetimes,
        (&records, &order),
        Fit::BestAboveLowest,
        options,
        observer,
    )
}
