//! Observes a strategy at work and reports to the page: how far it is, and every plan that is
//! smaller than all before.

use std::ops::ControlFlow;

use planner::bounds::Bounds;
use planner::trace::{Event, SearchStage};
use planner::{Bytes, Lifetimes, Observer, Offset, Options, Plan, Sorting as _, Strategy};

use crate::{Planned, Reply, Surroundings};

/// How often it is reported how far a strategy is, in milliseconds.
pub(crate) const REPORT_EVERY_MS: f64 = 100.0;

/// How often the page gets a plan on the way, in milliseconds.
const SHOW_EVERY_MS: f64 = 200.0;

/// What a page draws of a plan, at least, on a machine that does something else besides.
const BUFFERS_PER_MS: f64 = 25.0;

/// A strategy that is done sooner, in milliseconds, shows no plan on the way.
const SHOW_FIRST_MS: f64 = 30.0;

/// Called by a search very often; the clock is read once in so many.
const CLOCK_EVERY: u32 = 256;

/// A buffer that was not decided.
const UNDECIDED: u32 = u32::MAX;

/// What is planned, and for which request.
pub(crate) struct Listener<'a> {
    id: u32,
    around: &'a dyn Surroundings,
    strategy: Strategy,
    lifetimes: &'a Lifetimes,
    bounds: &'a Bounds,
    options: &'a Options,
    start: f64,
    /// Number of the last decision about each buffer.
    order: Vec<u32>,
    decisions: u32,
    /// Buffers that have a place.
    decided: u64,
    /// The order of the smallest plan so far.
    best: Option<Vec<u32>>,
    /// The smallest plan that the page does not know yet.
    pending: Option<Plan>,
    reported: f64,
    /// When the page got a plan last.
    shown: Option<f64>,
    quiet: u32,
    /// The stage of a strategy that says so.
    stage: Option<SearchStage>,
    /// Whether the strategy says itself how far it is: its decisions do not say it then.
    counts: bool,
    /// Whether plans on the way are of use to the page.
    shows: bool,
}

impl<'a> Listener<'a> {
    pub(crate) fn new(
        id: u32,
        strategy: Strategy,
        around: &'a dyn Surroundings,
        (lifetimes, bounds, options): (&'a Lifetimes, &'a Bounds, &'a Options),
    ) -> Self {
        let start = around.now();
        Self {
            id,
            around,
            strategy,
            lifetimes,
            bounds,
            options,
            start,
            order: vec![UNDECIDED; lifetimes.buffers.len()],
            decisions: 0,
            decided: 0,
            best: None,
            pending: None,
            reported: start,
            shown: None,
            quiet: 0,
            stage: None,
            counts: false,
            shows: options.pools.is_empty(),
        }
    }

    /// This listener without reports of plans on the way.
    pub(crate) fn for_figures(self) -> Self {
        Self {
            shows: false,
            ..self
        }
    }

    /// Milliseconds since it began to listen.
    pub(crate) fn elapsed(&self) -> f64 {
        self.around.now() - self.start
    }

    /// The buffers in the order in which they were decided: in the last attempt that was reported
    /// whole, else in that of the smallest plan, as far as it was reported. A buffer that was
    /// decided again counts where it was last.
    pub(crate) fn order(&self) -> Vec<u32> {
        let best = self.best.as_ref().filter(|_| !self.is_whole());
        let numbers = best.unwrap_or(&self.order);
        let decided = numbers.iter().zip(0_u32..);
        let decided = decided.filter(|(number, _)| **number != UNDECIDED);
        let mut decided: Vec<(u32, u32)> =
            decided.map(|(&number, index)| (number, index)).collect();
        decided.order();
        decided.into_iter().map(|(_, index)| index).collect()
    }

    /// Whether every buffer has a place in the attempt that is reported.
    fn is_whole(&self) -> bool {
        self.decided == self.order.len() as u64
    }

    fn decide(&mut self, buffer: usize) {
        if let Some(number) = self.order.get_mut(buffer) {
            self.decided += u64::from(*number == UNDECIDED);
            *number = self.decisions;
            self.decisions = self.decisions.saturating_add(1).min(UNDECIDED - 1);
        }
    }

    fn begin_anew(&mut self) {
        self.order.fill(UNDECIDED);
        self.decisions = 0;
        self.decided = 0;
    }

    /// Reports to the page what is due by now.
    fn report(&mut self, done: u64, total: u64) {
        let now = self.around.now();
        if now - self.reported > self.report_every() {
            self.reported = now;
            self.around.reply(&Reply::Progress {
                id: self.id,
                stage: self.stage,
                // A total is only about right.
                done: done.min(total),
                total,
            });
        }
        self.show(now);
    }

    /// Milliseconds between two plans on the way: a page that draws many buffers needs time for
    /// it, and what comes sooner than it can be drawn only waits.
    fn show_every(&self) -> f64 {
        SHOW_EVERY_MS.max(self.order.len() as f64 / BUFFERS_PER_MS)
    }

    /// Milliseconds between two words about how far it is, for the same reason.
    fn report_every(&self) -> f64 {
        REPORT_EVERY_MS.max(self.order.len() as f64 / (4.0 * BUFFERS_PER_MS))
    }

    /// Shows the page the plan that it does not know yet, if it is time.
    fn show(&mut self, now: f64) {
        let is_time = match self.shown {
            None => now - self.start > SHOW_FIRST_MS,
            Some(shown) => now - shown > self.show_every(),
        };
        if is_time && let Some(plan) = self.pending.take() {
            self.shown = Some(now);
            let judged = planner::judge(self.lifetimes, self.bounds, self.options, plan);
            let planned = Box::new(Planned {
                number: self.id,
                judged,
                order: self.order(),
                ms: now - self.start,
                explained: None,
            });
            self.around.reply(&Reply::Incumbent {
                id: self.id,
                planned,
            });
        }
    }
}

impl Observer for Listener<'_> {
    fn observe(&mut self, event: Event) -> ControlFlow<()> {
        let total = self.order.len() as u64;
        match event {
            Event::Attempt { .. } => self.begin_anew(),
            Event::Placed { buffer, .. } | Event::Assigned { buffer, .. } => {
                self.decide(buffer);
                if !self.counts {
                    self.report(self.decided, total);
                }
            }
            Event::SearchStage { stage } => self.stage = Some(stage),
            Event::Progress { done, total } => {
                self.counts = true;
                self.report(done, total);
            }
            _ => {
                self.quiet = self.quiet.wrapping_add(1);
                if self.quiet.is_multiple_of(CLOCK_EVERY) && !self.counts {
                    self.report(self.decided, total);
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// A plan for pools is not reported on the way: which pool holds what is known in the end.
    fn incumbent(&mut self, offsets: &[Offset], arena: Bytes) {
        // A strategy that reports its decisions only in the end has reported none of this plan yet.
        self.best = self.is_whole().then(|| self.order.clone());
        if self.shows {
            self.pending = Some(Plan {
                origin: self.strategy.name().into(),
                offsets: offsets.to_vec(),
                arena,
                ..Plan::default()
            });
            self.show(self.around.now());
        }
    }
}

/// Tells the page how many parts out of all are done of what it asked, and goes on.
pub(crate) fn telling(id: u32, around: &dyn Surroundings) -> impl FnMut(u64, u64) -> bool + '_ {
    move |done, total| {
        around.reply(&Reply::Progress {
            id,
            stage: None,
            done,
            total,
        });
        true
    }
}
