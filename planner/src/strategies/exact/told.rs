//! What the observer hears of the walks, and when it is asked whether to go on.

use super::tree::{End, Listener};
use crate::liveness::Lifetimes;
use crate::sorting::Sorting as _;
use crate::strategies::{Ended, Event, Observer, Rule, Stop, Trial};
use crate::units::{Bytes, Offset};

/// So many steps of a walk pass between two questions to an observer that does not want every step.
const PATIENCE: u32 = 4096;

/// Tells the observer.
pub(super) struct Told<'a> {
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

impl<'a> Told<'a> {
    /// Tells `observer`.
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

    /// Tells `event`; false for stop.
    pub(super) fn tell(&mut self, event: Event) -> bool {
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
        let going = !self.fine || self.tell(Event::Attempt { attempt, trial });
        let (done, total) = (self.nodes, self.budget);
        going && self.tell(Event::Progress { done, total })
    }

    /// A walk has placed all of its buffers, the highest of which ends at `arena`.
    pub(super) fn found(&mut self, arena: u64) {
        if self.fine && !self.stopped {
            let arena = Bytes(arena);
            let how = Ended::Found { arena };
            // Whoever stops here is asked again with the next event, when the plan is told.
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
            self.tell(Event::Ended { how });
        }
    }

    /// A whole plan.
    pub(super) fn incumbent(&mut self, offsets: &[Offset], arena: Bytes) -> bool {
        let going = self.tell(Event::Incumbent { arena });
        self.observer.incumbent(offsets, arena);
        going
    }

    /// The plan that is returned, buffer by buffer, even to one who said stop before.
    pub(super) fn plan(&mut self, lifetimes: &Lifetimes, offsets: &[Offset]) {
        let mut order: Vec<usize> = (0..offsets.len()).collect();
        order.order_by_key(|&buffer| (offsets[buffer], lifetimes.buffers[buffer].span.start));
        let (attempt, trial) = (self.attempts, Trial::Again);
        if self.fine && !self.tell(Event::Attempt { attempt, trial }) {
            return;
        }
        for buffer in order {
            let offset = offsets[buffer];
            if !self.tell(Event::Placed { buffer, offset }) {
                return;
            }
        }
    }

    fn fine(&mut self, event: Event) -> bool {
        match self.fine {
            true => self.tell(event),
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
        self.tell(Event::Progress { done, total })
    }
}

impl Listener for Told<'_> {
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
        !self.fine || self.tell(Event::Unplaced { buffer })
    }

    fn pruned(&mut self, rule: Rule, depth: usize, stop: &dyn Fn() -> Stop) -> bool {
        match self.fine {
            true => self.tell(Event::Pruned {
                rule,
                depth,
                stop: stop(),
            }),
            false => self.breathe(),
        }
    }
}
