//! Reports how far a confirmation is, at intervals.

use std::future::Future;
use std::pin::Pin;

use super::report::{Phase, Progress};

/// Milliseconds between two reports of progress.
const INTERVAL: f64 = 50.0;

/// Yields to other tasks of this thread: a page paints meanwhile.
pub type Pause = dyn Fn() -> Pin<Box<dyn Future<Output = ()>>>;

pub(super) struct Reporter<'a> {
    on_progress: &'a mut dyn FnMut(Progress),
    clock: &'a dyn Fn() -> f64,
    pause: Option<&'a Pause>,
    reported: f64,
    now: Progress,
}

impl<'a> Reporter<'a> {
    pub(super) fn new(
        on_progress: &'a mut dyn FnMut(Progress),
        clock: &'a dyn Fn() -> f64,
        pause: Option<&'a Pause>,
    ) -> Self {
        let now = Progress {
            phase: Phase::Load,
            done: 0,
            total: 0,
        };
        Self {
            on_progress,
            clock,
            pause,
            reported: clock(),
            now,
        }
    }

    pub(super) fn clock(&self) -> &'a dyn Fn() -> f64 {
        self.clock
    }

    pub(super) fn now(&self) -> f64 {
        (self.clock)()
    }

    /// A phase of `total` steps begins.
    pub(super) async fn begin(&mut self, phase: Phase, total: usize) {
        let total = planner::narrow(total);
        self.now = Progress {
            phase,
            done: 0,
            total,
        };
        self.report().await;
    }

    /// `steps` more are done.
    pub(super) async fn add(&mut self, steps: usize) {
        let steps = u32::try_from(steps).unwrap_or(u32::MAX);
        self.now.done = self.now.done.saturating_add(steps);
        if self.now.done >= self.now.total || self.now() - self.reported >= INTERVAL {
            self.report().await;
        }
    }

    async fn report(&mut self) {
        (self.on_progress)(self.now);
        if let Some(pause) = self.pause {
            pause().await;
        }
        self.reported = self.now();
    }
}
