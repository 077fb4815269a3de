//! Best over several pools: no strategy that takes part in it leaves less in slower pools.

use std::ops::ControlFlow;

use super::plan_with;
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::strategies::{Event, FixedFrom, Observer, PlanError, Strategy, honours, tell};

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
/// the first. A strategy that cannot honour something takes no part.
pub(super) fn plan(
    from: FixedFrom,
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let mut best: Option<(u64, Plan)> = None;
    let mut failed = None;
    for (attempt, strategy) in (0..).zip(TRIED) {
        // Whoever says stop between two attempts gets the best plan so far too.
        let told = tell(observer, Event::Attempt { attempt });
        let made = told.and_then(|()| {
            honours::refuse(strategy, lifetimes, options)?;
            let mut hushed = Hushed(&mut *observer);
            plan_with(strategy, from, lifetimes, options, &mut hushed)
        });
        match made {
            Ok(plan) => {
                let cost = (moved(lifetimes, &plan), plan.arena);
                if best
                    .as_ref()
                    .is_none_or(|(moved, known)| cost < (*moved, known.arena))
                {
                    best = Some((cost.0, plan));
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
    let attempt = u32::try_from(TRIED.len()).unwrap_or(u32::MAX);
    // Somebody who said stop before hears no more; the plan stands.
    let mut told = tell(observer, Event::Attempt { attempt });
    for (buffer, &offset) in plan.offsets.iter().enumerate() {
        told = told.and_then(|()| tell(observer, Event::Placed { buffer, offset }));
    }
    Ok(Plan {
        origin: Strategy::Best.name().into(),
        ..plan
    })
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
