//! Offsets as TVM's USMP gives them, by conflicts. Source: TVM USMP, `greedy_by_conflicts`.

use super::usmp_stack::{Conflicts, stack};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::strategies::description::{
    AboveNaive, Capabilities, Description, Family, Growth, Model,
};
use crate::strategies::{Observer, PlanError, Strategy};

pub(in crate::strategies) const STRATEGY: Description = Description {
    name: "usmp_by_conflicts",
    source: "TVM USMP, greedy_by_conflicts",
    family: Family::Deployed,
    model: Model::Offsets,
    cost: "O(n log n)",
    growth: Growth::Square,
    capabilities: Capabilities::UNFIXED,
    above_naive: Some(AboveNaive::Padding),
    limit: None,
};

/// Buffers by number of conflicts, then size, then name, all descending, each above all
/// placed buffers that it conflicts with.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let conflicts = Conflicts::of(lifetimes);
    let turns = conflicts.by_conflicts();
    let strategy = Strategy::UsmpByConflicts;
    stack(strategy, &conflicts, &turns, (options, observer))
}
