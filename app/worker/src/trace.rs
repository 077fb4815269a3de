//! Records a strategy's decisions, and reports to the page meanwhile how far it is.

use std::ops::ControlFlow;

use planner::trace::{Event, Recorder, Trace};
use planner::{Bytes, Lifetimes, Observer, Offset, Options, PlanError, Strategy, plan};

use super::Listener;

/// Plans with `strategy` once more, with every decision recorded.
pub(super) fn record(
    strategy: Strategy,
    lifetimes: &Lifetimes,
    options: &Options,
    listener: Listener<'_>,
) -> Result<Box<Trace>, PlanError> {
    let mut both = Both {
        recorder: Recorder::new(lifetimes),
        listener,
    };
    let plan = plan(strategy, lifetimes, options, &mut both)?;
    Ok(Box::new(both.recorder.finish(options, &plan)))
}

/// Records everything for both.
struct Both<'a> {
    recorder: Recorder<'a>,
    listener: Listener<'a>,
}

impl Observer for Both<'_> {
    fn observe(&mut self, event: Event) -> ControlFlow<()> {
        self.recorder.observe(event)?;
        self.listener.observe(event)
    }

    fn wants_every_step(&self) -> bool {
        self.recorder.wants_every_step()
    }

    fn incumbent(&mut self, offsets: &[Offset], arena: Bytes) {
        self.recorder.incumbent(offsets, arena);
    }
}
