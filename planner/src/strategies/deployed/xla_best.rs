//! Offsets, the smaller of XLA's two heaps. Source: XLA, `ChooseBestHeapAlgorithm`.

use super::xla_heap::{Order, pack};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::strategies::{Ended, Event, Observer, PlanError, Strategy, Trial, tell};

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
        let told = tell(observer, Event::Attempt { attempt, trial });
        let heap = (Strategy::XlaBest, order);
        let packed = told.and_then(|()| pack(heap, lifetimes, options, observer));
        let packed = match (packed, &best) {
            (Ok(packed), _) => packed,
            (Err(PlanError::Cancelled), Some(_)) => break,
            (Err(error), _) => return Err(error),
        };
        let arena = packed.arena;
        if let Some(best) = best.as_ref().filter(|best| best.arena <= arena) {
            let best = best.arena;
            let how = Ended::Larger { arena, best };
            // Nothing follows: whoever stops here has the plan all the same.
            let _ = observer.observe(Event::Ended { how });
            continue;
        }
        let told = tell(observer, Event::Incumbent { arena });
        observer.incumbent(&packed.offsets, arena);
        best = Some(packed);
        if told.is_err() {
            break;
        }
    }
    best.ok_or(PlanError::Cancelled)
}
