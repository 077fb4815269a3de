//! Offsets in execution order: what an allocator that sees one buffer at a time can do.

use super::best_fit::place_all;
use super::description::{AboveNaive, Capabilities, Description, Family, Growth, Model};
use super::records::in_order;
use super::{Observer, PlanError, Strategy};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use alloc::vec::Vec;

pub(super) const STRATEGY: Description = Description {
    name: "offsets_in_order",
    source: "best fit in execution order",
    family: Family::Packing,
    model: Model::Offsets,
    cost: "O(n · k log k)",
    growth: Growth::Linear,
    capabilities: Capabilities::ALL,
    above_naive: Some(AboveNaive::Padding),
    limit: None,
};

/// Buffers by first use, ties by lower index, each by best fit.
pub(super) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let records = in_order(lifetimes);
    let order: Vec<usize> = (0..records.len()).collect();
    let turns = (records.as_slice(), order.as_slice());
    place_all(
        Strategy::OffsetsInOrder,
        lifetimes,
        turns,
        options,
        observer,
    )
}
