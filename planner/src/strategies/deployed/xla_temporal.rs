//! Offsets as XLA's heap gives them, by duration. Source: XLA, `GlobalDecreasingSizeBestFitHeap`
//! with `kTemporal`.

use super::xla_heap::{Order, pack};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::strategies::{Observer, PlanError, Strategy};

/// Best fit in which the longest buffer chooses first, ties to the larger, then to the lower index.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let heap = (Strategy::XlaTemporal, Order::Temporal);
    pack(heap, lifetimes, options, observer)
}
