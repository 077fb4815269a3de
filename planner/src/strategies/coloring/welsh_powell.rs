//! Objects as colours, the buffer with the most conflicts first. Source: D. Welsh and
//! M. Powell, "An upper bound for the chromatic number of a graph", 1967.

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
    name: "coloring_welsh_powell",
    source: "Welsh and Powell 1967",
    family: Family::Coloring,
    model: Model::Objects,
    cost: "O(n log n + conflicts)",
    growth: Growth::Square,
    capabilities: Capabilities::OBJECTS,
    above_naive: Some(AboveNaive::Padding),
    limit: None,
};

/// Each buffer gets the lowest object that no buffer live at the same time has; those with
/// the most conflicts first, ties by lower index.
///
/// Welsh and Powell fill one colour after the other with all buffers, in this order, that it
/// can take; that gives the same colours.
///
/// Refuses problems of more than [`PAIRS`] conflicts.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let records = records(lifetimes);
    let degrees = degrees(&records);
    admit(&degrees, PAIRS)?;
    let mut order: Vec<usize> = (0..records.len()).collect();
    order.order_by_key(|&index| Reverse(degrees[index]));
    let strategy = Strategy::ColoringWelshPowell;
    color_in_order(strategy, lifetimes, (&records, &order), options, observer)
}
