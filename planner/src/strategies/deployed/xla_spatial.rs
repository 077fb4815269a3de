//! Offsets as XLA's heap gives them, by size. Source: XLA, `GlobalDecreasingSizeBestFitHeap`
//! with `kSpatial`.

use super::xla_heap::{Order, pack};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::strategies::{Observer, PlanError, Strategy};

/// Best fit in which the largest buffer chooses first, ties to the longer, then to the lower index.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let heap = (Strategy::XlaSpatial, Order::Spatial);
    pack(heap, lifetimes, options, observer)
}
