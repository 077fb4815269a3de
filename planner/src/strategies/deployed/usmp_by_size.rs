//! Offsets as TVM's USMP gives them, by size. Source: TVM USMP, `greedy_by_size`.

use super::usmp_stack::{Conflicts, stack};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::strategies::description::{
    AboveNaive, Capabilities, Description, Family, Growth, Model,
};
use crate::strategies::{Observer, PlanError, Strategy};

pub(in crate::strategies) const STRATEGY: Description = Description {
    name: "usmp_by_size",
    source: "TVM USMP, greedy_by_size",
    family: Family::Deployed,
    model: Model::Offsets,
    cost: "O(n log n)",
    growth: Growth::Square,
    capabilities: Capabilities::UNFIXED,
    above_naive: Some(AboveNaive::Padding),
    limit: None,
};

/// Buffers by size, then number of conflicts, then name, all descending, each above all
/// placed buffers that it conflicts with.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let conflicts = Conflicts::of(lifetimes);
    let turns = conflicts.by_size();
    let strategy = Strategy::UsmpBySize;
    stack(strategy, &conflicts, &turns, (options, observer))
}
