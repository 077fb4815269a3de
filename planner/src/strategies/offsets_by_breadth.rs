//! GREEDY_BY_BREADTH over offsets: the step with the most live bytes chooses first.

use super::best_fit::place_all;
use super::breadth::by_breadth;
use super::description::{AboveNaive, Capabilities, Description, Family, Growth, Model};
use super::records::records;
use super::{Observer, PlanError, Strategy};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};

pub(super) const STRATEGY: Description = Description {
    name: "offsets_by_breadth",
    source: "Pisarchyk and Lee 2020 (arXiv 2001.03288)",
    family: Family::TfliteGpu,
    model: Model::Offsets,
    cost: "O(n · k log k)",
    growth: Growth::Linear,
    capabilities: Capabilities::ALL,
    above_naive: Some(AboveNaive::Padding),
    limit: None,
};

/// Steps by breadth, at each the buffers by size, each by best fit.
pub(super) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let records = records(lifetimes);
    let order = by_breadth(&records);
    let turns = (records.as_slice(), order.as_slice());
    place_all(
        Strategy::OffsetsByBreadth,
        lifetimes,
        turns,
        options,
        observer,
    )
}
