//! Offsets, the smaller of XLA's two heaps. Source: XLA, `ChooseBestHeapAlgorithm`.

use super::xla_heap::{Order, pack};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::strategies::description::{
    AboveNaive, Capabilities, Capability, Description, Family, Growth, Model,
};
use crate::strategies::{Ended, Event, Observer, PlanError, Strategy, Trial, emit};

pub(in crate::strategies) const STRATEGY: Description = Description {
    name: "xla_best",
    source: "XLA, ChooseBestHeapAlgorithm",
    family: Family::Deployed,
    model: Model::Offsets,
    cost: "xla_spatial + xla_temporal",
    growth: Growth::Linear,
    // Handovers without a shift only.
    capabilities: Capabilities {
        handovers: Capability::Yes,
        ..Capabilities::UNFIXED
    },
    above_naive: Some(AboveNaive::Padding),
    limit: None,
};

/// Both heaps, by size first; the second is kept only when it is smaller.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let mut best: Option<Plan> = None;
    let orders = [
        (Order::Spatial, Trial::Spatial),
        (Order::Temporal, Trial::Temporal),
    ];
    for (attempt, (order, trial)) in (0..).zip(orders) {
        let emitted = emit(observer, Event::Attempt { attempt, trial });
        let heap = (Strategy::XlaBest, order);
        let packed = emitted.and_then(|()| pack(heap, lifetimes, options, observer));
        let packed = match (packed, &best) {
            (Ok(packed), _) => packed,
            (Err(PlanError::Cancelled), Some(_)) => break,
            (Err(error), _) => return Err(error),
        };
        let arena = packed.arena;
        if let Some(best) = best.as_ref().filter(|best| best.arena <= arena) {
            let best = best.arena;
            let how = Ended::Larger { arena, best };
            // Nothing follows: a break here returns the plan all the same.
            let _ = observer.observe(Event::Ended { how });
            continue;
        }
        let emitted = emit(observer, Event::Incumbent { arena });
        observer.incumbent(&packed.offsets, arena);
        best = Some(packed);
        if emitted.is_err() {
            break;
        }
    }
    best.ok_or(PlanError::Cancelled)
}
