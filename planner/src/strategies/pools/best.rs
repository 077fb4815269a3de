//! Best over several pools: no strategy that takes part in it leaves less in slower pools.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use super::plan_with;
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::sorting::Sorting as _;
use crate::strategies::{
    Ended, Event, FixedFrom, Observer, PlanError, Pooling, Strategy, Trial, capabilities, emit,
};
use crate::units::{Bytes, narrow};

/// What is tried. What is best for one pool need not be when each sends its overflow on.
const TRIED: [Strategy; 9] = [
    Strategy::Best,
    Strategy::Skyline,
    Strategy::OffsetsBySize,
    Strategy::OffsetsByBreadth,
    Strategy::OffsetsInOrder,
    Strategy::StripBestFit,
    Strategy::TflmGreedy,
    Strategy::UsmpBySize,
    Strategy::UsmpByConflicts,
];

/// Passes on how far the work is, and a break.
struct Hushed<'a>(&'a mut dyn Observer);

impl Observer for Hushed<'_> {
    fn observe(&mut self, event: Event) -> ControlFlow<()> {
        match event {
            Event::Progress { .. } => self.0.observe(event),
            _ => ControlFlow::Continue(()),
        }
    }
}

/// The plan that moves the fewest bytes, of those the one with the smallest arena, of those
/// the first. A strategy that cannot keep something takes no part.
pub(super) fn plan(
    from: FixedFrom,
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let mut best: Option<(u64, Plan)> = None;
    let mut failed = None;
    for (attempt, strategy) in (0..).zip(TRIED) {
        // A break between two attempts returns the best plan so far too.
        let trial = Trial::Strategy(strategy);
        let emitted = emit(observer, Event::Attempt { attempt, trial });
        let made = emitted.and_then(|()| {
            capabilities::refuse(strategy, lifetimes, options)?;
            let mut hushed = Hushed(&mut *observer);
            plan_with(strategy, from, lifetimes, options, &mut hushed)
        });
        match made {
            Ok(plan) => {
                let (moved, arena) = (moved(lifetimes, &plan), plan.arena);
                let known = best.as_ref().map(|(moved, known)| (*moved, known.arena));
                let better = known.is_none_or(|known| (moved, arena) < known);
                let how = Ended::Pooled {
                    moved: Bytes(moved),
                    arena,
                    better,
                };
                let emitted = emit(observer, Event::Ended { how });
                if better {
                    observer.incumbent(&plan.offsets, arena);
                    best = Some((moved, plan));
                }
                if emitted.is_err() {
                    break;
                }
            }
            Err(PlanError::Cancelled) if best.is_none() => return Err(PlanError::Cancelled),
            Err(PlanError::Cancelled) => break,
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    let Some((_, plan)) = best else {
        return Err(failed.unwrap_or(PlanError::Cancelled));
    };
    let attempt = narrow(TRIED.len());
    // After a break no event is emitted any more; the plan stands.
    let trial = Trial::Again;
    let emitted = emit(observer, Event::Attempt { attempt, trial });
    let _ = emitted.and_then(|()| replay(&plan, observer));
    Ok(Plan {
        origin: Strategy::Best.name().into(),
        ..plan
    })
}

/// Reports a plan pool by pool, from the bottom up.
fn replay(plan: &Plan, observer: &mut dyn Observer) -> Result<(), PlanError> {
    let Some(pools) = &plan.pools else {
        return Ok(());
    };
    for (pool, &base) in pools.bases.iter().enumerate() {
        let of_buffer = pools.of_buffer.iter().enumerate();
        let within = of_buffer.filter(|(_, of)| **of as usize == pool);
        let mut within: Vec<usize> = within.map(|(buffer, _)| buffer).collect();
        within.order_by_key(|&buffer| (plan.offsets[buffer], buffer));
        let (buffers, again) = (within.len(), 0);
        let planned = Pooling::Planned {
            pool,
            base,
            buffers,
            again,
        };
        emit(observer, Event::Pooling(planned))?;
        for buffer in within {
            let offset = plan.offsets[buffer];
            emit(observer, Event::Placed { buffer, offset })?;
        }
    }
    Ok(())
}

/// Bytes of the buffers that are not in the pool that they prefer.
fn moved(lifetimes: &Lifetimes, plan: &Plan) -> u64 {
    let pools = plan.pools.iter().flat_map(|pools| &pools.of_buffer);
    let elsewhere = lifetimes
        .buffers
        .iter()
        .zip(pools)
        .filter(|(buffer, pool)| buffer.pools.first().copied().unwrap_or(0) != **pool);
    elsewhere.map(|(buffer, _)| buffer.size.0).sum()
}
