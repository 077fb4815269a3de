//! Reports the walks to the observer, and asks it from time to time whether to go on.

use super::tree::{End, Listener};
use crate::liveness::Lifetimes;
use crate::sorting::Sorting as _;
use crate::strategies::{Ended, Event, Observer, Rule, Stop, Trial};
use crate::units::{Bytes, Offset};
use alloc::vec::Vec;

/// Decisions of a walk between two questions to an observer that does not want every step.
const PATIENCE: u32 = 4096;

/// Reports to the observer, and counts the nodes.
pub(super) struct Reporter<'a> {
    observer: &'a mut dyn Observer,
    fine: bool,
    silent: u32,
    attempts: u32,
    /// Places tried so far.
    pub(super) nodes: u64,
    /// The most that may be tried.
    pub(super) budget: u64,
    /// Whether the observer said stop.
    pub(super) stopped: bool,
}

impl<'a> Reporter<'a> {
    /// Reports to `observer`, within `budget` nodes.
    pub(super) fn new(observer: &'a mut dyn Observer, budget: u64) -> Self {
        Self {
            fine: observer.wants_every_step(),
            observer,
            silent: 0,
            attempts: 0,
            nodes: 0,
            budget,
            stopped: false,
        }
    }

    /// Reports `event`; false for stop.
    pub(super) fn report(&mut self, event: Event) -> bool {
        if !self.stopped && self.observer.observe(event).is_break() {
            self.stopped = true;
        }
        !self.stopped
    }

    /// A walk begins, which is `trial`.
    pub(super) fn attempt(&mut self, trial: Trial) -> bool {
        let attempt = self.attempts;
        self.attempts = attempt.saturating_add(1);
        // A capacity that falls at once costs too, or there might be no end of them.
        self.nodes = self.nodes.saturating_add(1).min(self.budget);
        let going = !self.fine || self.report(Event::Attempt { attempt, trial });
        let (done, total) = (self.nodes, self.budget);
        going && self.report(Event::Progress { done, total })
    }

    /// A walk has placed all of its buffers, the highest of which ends at `arena`.
    pub(super) fn found(&mut self, arena: u64) {
        if self.fine && !self.stopped {
            let arena = Bytes(arena);
            let how = Ended::Found { arena };
            // Whoever stops here is asked again with the next event, when the plan is reported.
            let _ = self.observer.observe(Event::Ended { how });
        }
    }

    /// A walk within `capacity` is over.
    pub(super) fn ended(&mut self, end: End, capacity: u64) {
        let capacity = Bytes(capacity);
        let how = match end {
            End::Found => return,
            End::Never(bound) => Ended::Never {
                capacity,
                bound: (bound < u64::MAX).then_some(Bytes(bound)),
            },
            End::Stopped => Ended::Spent { capacity },
        };
        if self.fine && !self.stopped {
            self.report(Event::Ended { how });
        }
    }

    /// A whole plan.
    pub(super) fn incumbent(&mut self, offsets: &[Offset], arena: Bytes) -> bool {
        let going = self.report(Event::Incumbent { arena });
        self.observer.incumbent(offsets, arena);
        going
    }

    /// The plan that is returned, buffer by buffer, even to one who said stop before.
    pub(super) fn plan(&mut self, lifetimes: &Lifetimes, offsets: &[Offset]) {
        let mut order: Vec<usize> = (0..offsets.len()).collect();
        order.order_by_key(|&buffer| (offsets[buffer], lifetimes.buffers[buffer].span.start));
        let (attempt, trial) = (self.attempts, Trial::Again);
        if self.fine && !self.report(Event::Attempt { attempt, trial }) {
            return;
        }
        for buffer in order {
            let offset = offsets[buffer];
            if !self.report(Event::Placed { buffer, offset }) {
                return;
            }
        }
    }

    fn fine(&mut self, event: Event) -> bool {
        match self.fine {
            true => self.report(event),
            false => self.breathe(),
        }
    }

    /// Asks from time to time whether to go on.
    fn breathe(&mut self) -> bool {
        self.silent += 1;
        if self.silent < PATIENCE {
            return true;
        }
        self.silent = 0;
        let (done, total) = (self.nodes, self.budget);
        self.report(Event::Progress { done, total })
    }
}

impl Listener for Reporter<'_> {
    fn tried(&mut self) -> bool {
        let going = self.nodes < self.budget;
        self.nodes += u64::from(going);
        going
    }

    fn placed(&mut self, buffer: usize, offset: u64) -> bool {
        let offset = Offset(offset);
        self.fine(Event::Placed { buffer, offset })
    }

    fn unplaced(&mut self, buffer: usize) -> bool {
        !self.fine || self.report(Event::Unplaced { buffer })
    }

    fn pruned(&mut self, rule: Rule, depth: usize, stop: &dyn Fn() -> Stop) -> bool {
        match self.fine {
            true => self.report(Event::Pruned {
                rule,
                depth,
                stop: stop(),
            }),
            false => self.breathe(),
        }
    }
}
