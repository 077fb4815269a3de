//! Objects as colours, in order of first use. Source: greedy colouring of an interval graph
//! by left ends, which needs as few colours as there are (F. Gavril 1972).

use alloc::collections::BinaryHeap;
use core::cmp::Reverse;

use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::strategies::description::{
    AboveNaive, Capabilities, Description, Family, Growth, Model,
};
use crate::strategies::objects::Assignment;
use crate::strategies::records::{InUse, in_order};
use crate::strategies::{Match, Observer, PlanError, Strategy};

pub(in crate::strategies) const STRATEGY: Description = Description {
    name: "coloring_first_use",
    source: "graph colouring, in order of first use",
    family: Family::Coloring,
    model: Model::Objects,
    cost: "O(n log n)",
    growth: Growth::Square,
    capabilities: Capabilities::OBJECTS,
    above_naive: Some(AboveNaive::Padding),
    limit: None,
};

/// Each buffer, in order of first use, gets the lowest object that is free.
///
/// A new object is opened only when all others are taken at that very step, so their number
/// is the largest number of buffers live at once. No conflict is ever looked up.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let mut objects = Assignment::new(lifetimes, observer)?;
    let mut free = BinaryHeap::new();
    let mut in_use = InUse::default();
    for record in in_order(lifetimes) {
        while let Some(object) = in_use.release(record.start) {
            free.push(Reverse(object));
        }
        let lowest = free.pop().map(|Reverse(object)| object);
        objects.chosen(&record, Match::Lowest, lowest)?;
        let object = objects.give(&record, lowest)?;
        in_use.add(record.end, object);
    }
    objects.into_plan(Strategy::ColoringFirstUse, options)
}
