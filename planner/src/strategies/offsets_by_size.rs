//! GREEDY_BY_SIZE over offsets: the largest buffer chooses first.

use alloc::vec::Vec;
use core::cmp::Reverse;

use super::best_fit::place_all;
use super::description::{AboveNaive, Capabilities, Description, Family, Growth, Model};
use super::records::records;
use super::{Observer, PlanError, Strategy};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::sorting::Sorting as _;

pub(super) const STRATEGY: Description = Description {
    name: "offsets_by_size",
    source: "Pisarchyk and Lee 2020 (arXiv 2001.03288), as in TFLite",
    family: Family::TfliteGpu,
    model: Model::Offsets,
    cost: "O(n · k log k)",
    growth: Growth::Linear,
    capabilities: Capabilities::ALL,
    above_naive: Some(AboveNaive::Padding),
    limit: None,
};

/// Buffers by size descending, ties by lower index, each by best fit.
pub(super) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let records = records(lifetimes);
    let mut order: Vec<usize> = (0..records.len()).collect();
    order.order_by_key(|&record| Reverse(records[record].size));
    let turns = (records.as_slice(), order.as_slice());
    place_all(Strategy::OffsetsBySize, lifetimes, turns, options, observer)
}
