//! NAIVE: one object per buffer, no reuse. What every other strategy is measured against.

use super::description::{Capabilities, Description, Family, Growth, Model};
use super::objects::Assignment;
use super::records::Record;
use super::{Observer, PlanError, Strategy};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};

pub(super) const STRATEGY: Description = Description {
    name: "naive",
    source: "no reuse: what reuse is measured against",
    family: Family::Baseline,
    model: Model::Objects,
    cost: "O(n)",
    growth: Growth::Linear,
    capabilities: Capabilities::OBJECTS,
    above_naive: None,
    limit: None,
};

/// Gives every buffer, even one that needs no memory, the object of its own index.
pub(super) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let mut objects = Assignment::new(lifetimes, observer)?;
    for (buffer, known) in lifetimes.buffers.iter().enumerate() {
        let record = Record {
            buffer,
            size: known.size.0,
            start: known.span.start.0,
            end: known.span.end.0,
        };
        objects.give(&record, None)?;
    }
    objects.into_plan(Strategy::Naive, options)
}
