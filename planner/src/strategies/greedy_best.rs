//! GREEDY_BEST: the better of GREEDY_BY_SIZE and GREEDY_BY_BREADTH.

use core::ops::ControlFlow;

use super::description::{AboveNaive, Capabilities, Description, Family, Growth, Model};
use super::{Event, Observer, PlanError, Strategy, emit, greedy_by_breadth, greedy_by_size};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};

pub(super) const STRATEGY: Description = Description {
    name: "greedy_best",
    source: "TFLite GPU delegate, GREEDY_BEST",
    family: Family::TfliteGpu,
    model: Model::Objects,
    cost: "greedy_by_size + greedy_by_breadth",
    growth: Growth::Square,
    capabilities: Capabilities::OBJECTS,
    above_naive: Some(AboveNaive::Padding),
    limit: Some(greedy_by_size::LIMIT),
};

/// Plans by size and by breadth; breadth wins only with a strictly smaller arena. The
/// observer receives progress during both, then the winner's decisions.
pub(super) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let total = 2 * lifetimes.buffers.len() as u64;
    let mut muted = Muted {
        observer,
        done: 0,
        total,
    };
    let by_size = greedy_by_size::plan(lifetimes, options, &mut muted)?;
    let by_breadth = greedy_by_breadth::plan(lifetimes, options, &mut muted)?;
    let breadth_wins = by_breadth.arena < by_size.arena;
    if observer.wants_every_step() {
        // Again, now that it is known whose decisions count.
        let winner = if breadth_wins {
            greedy_by_breadth::plan
        } else {
            greedy_by_size::plan
        };
        let mut best = winner(lifetimes, options, observer)?;
        best.origin = Strategy::GreedyBest.name().into();
        return Ok(best);
    }
    let mut best = if breadth_wins { by_breadth } else { by_size };
    let of_buffer = best.objects.iter().flat_map(|objects| &objects.of_buffer);
    for (buffer, &object) in of_buffer.enumerate() {
        let object = object as usize;
        emit(observer, Event::Assigned { buffer, object })?;
    }
    best.origin = Strategy::GreedyBest.name().into();
    Ok(best)
}

/// Passes decisions on as progress, since it is not yet known which of them will count.
struct Muted<'a> {
    observer: &'a mut dyn Observer,
    done: u64,
    total: u64,
}

impl Observer for Muted<'_> {
    fn observe(&mut self, event: Event) -> ControlFlow<()> {
        // Objects are opened and grow on top of that.
        match event {
            Event::Assigned { .. } => self.done += 1,
            Event::Chosen { .. } => return ControlFlow::Continue(()),
            _ => {}
        }
        self.observer.observe(Event::Progress {
            done: self.done,
            total: self.total,
        })
    }
}
