//! EQUALITY: an object is used again only by a buffer of exactly its size.

use super::description::{AboveNaive, Capabilities, Description, Family, Growth, Model};
use super::objects::Assignment;
use super::records::{FreeLists, InUse, in_order};
use super::{Match, Observer, PlanError, Strategy};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};

pub(super) const STRATEGY: Description = Description {
    name: "equality",
    source: "TFLite GPU delegate, EQUALITY",
    family: Family::TfliteGpu,
    model: Model::Objects,
    cost: "O(n log n)",
    growth: Growth::Linear,
    capabilities: Capabilities::OBJECTS,
    above_naive: Some(AboveNaive::Padding),
    limit: None,
};

/// Buffers in order of first use; each takes the most recently freed object of its size, or
/// a new one.
pub(super) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let mut objects = Assignment::new(lifetimes, observer)?;
    let mut free = FreeLists::new();
    let mut in_use = InUse::default();
    for record in in_order(lifetimes) {
        while let Some(object) = in_use.release(record.start) {
            free.give(objects.size(object), object);
        }
        let chosen = free.take(&record.size);
        objects.chosen(&record, Match::SameSize, chosen)?;
        let object = objects.give(&record, chosen)?;
        in_use.add(record.end, object);
    }
    objects.into_plan(Strategy::Equality, options)
}
