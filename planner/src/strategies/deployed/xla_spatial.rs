//! Offsets as XLA's heap gives them, by size. Source: XLA, `GlobalDecreasingSizeBestFitHeap`
//! with `kSpatial`.

use super::xla_heap::{Order, pack};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::strategies::description::{
    AboveNaive, Capabilities, Capability, Description, Family, Growth, Model,
};
use crate::strategies::{Observer, PlanError, Strategy};

pub(in crate::strategies) const STRATEGY: Description = Description {
    name: "xla_spatial",
    source: "XLA, GlobalDecreasingSizeBestFitHeap, kSpatial",
    family: Family::Deployed,
    model: Model::Offsets,
    cost: "O(n · k log k)",
    growth: Growth::Linear,
    // Handovers without a shift only.
    capabilities: Capabilities {
        handovers: Capability::Yes,
        ..Capabilities::UNFIXED
    },
    above_naive: Some(AboveNaive::Padding),
    limit: None,
};

/// Best fit in which the largest buffer chooses first, ties to the longer, then to the lower index.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let heap = (Strategy::XlaSpatial, Order::Spatial);
    pack(heap, lifetimes, options, observer)
}
