//! Objects as colours, the largest buffer first. Source: greedy colouring of the
//! interference graph, by size descending, as register allocators colour by weight.

use alloc::vec::Vec;
use core::cmp::Reverse;

use super::lowest_free::{PAIRS, admit, color_in_order, degrees};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::sorting::Sorting as _;
use crate::strategies::description::{
    AboveNaive, Capabilities, Description, Family, Growth, Model,
};
use crate::strategies::records::records;
use crate::strategies::{Observer, PlanError, Strategy};

pub(in crate::strategies) const STRATEGY: Description = Description {
    name: "coloring_by_size",
    source: "graph colouring, largest first",
    family: Family::Coloring,
    model: Model::Objects,
    cost: "O(n log n + conflicts)",
    growth: Growth::Square,
    capabilities: Capabilities::OBJECTS,
    above_naive: Some(AboveNaive::Padding),
    limit: None,
};

/// Each buffer gets the lowest object that no buffer live at the same time has; the largest
/// first, ties by lower index. So an object is as large as the first buffer in it.
///
/// Refuses problems of more than [`PAIRS`] conflicts.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let records = records(lifetimes);
    admit(&degrees(&records), PAIRS)?;
    let mut order: Vec<usize> = (0..records.len()).collect();
    order.order_by_key(|&index| Reverse(records[index].size));
    let strategy = Strategy::ColoringBySize;
    color_in_order(strategy, lifetimes, (&records, &order), options, observer)
}
