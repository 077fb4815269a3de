//! Offsets, the smaller of XLA's two heaps. Source: XLA, `ChooseBestHeapAlgorithm`.

use super::xla_heap::{Order, pack};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::strategies::{Event, Observer, PlanError, Strategy, tell};

/// Both heaps, by size first; the second is kept only when it is smaller.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let mut best: Option<Plan> = None;
    for (attempt, order) in (0..).zip([Order::Spatial, Order::Temporal]) {
        let told = tell(observer, Event::Attempt { attempt });
        let heap = (Strategy::XlaBest, order);
        let packed = told.and_then(|()| pack(heap, lifetimes, options, observer));
        let packed = match (packed, &best) {
            (Ok(packed), _) => packed,
            (Err(PlanError::Cancelled), Some(_)) => break,
            (Err(error), _) => return Err(error),
        };
        if best.as_ref().is_some_and(|best| best.arena <= packed.arena) {
            continue;
        }
        let arena = packed.arena;
        let told = tell(observer, Event::Incumbent { arena });
        observer.incumbent(&packed.offsets, arena);
        best = Some(packed);
        if told.is_err() {
            break;
        }
    }
    best.ok_or(PlanError::Cancelled)
}
