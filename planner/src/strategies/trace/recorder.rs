//! Records what a strategy reports, within bounds, with the reasons that follow from it.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::ops::ControlFlow;

use super::changes::Changes;
use super::considered::{Considered, InPool};
use super::finish::finish;
use super::ranges::Ranges;
use super::{Change, Frame, Limits, Outcome, REASONS, Reason, Trace};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::strategies::{Choice, Event, Note, Observer, Pooling, Search};
use crate::units::{Bytes, Offset, Step, narrow};

/// An observer that makes a [`Trace`] of what it receives, and never stops a strategy.
#[derive(Debug)]
pub struct Recorder<'a> {
    lifetimes: &'a Lifetimes,
    limits: Limits,
    trace: Trace,
    /// Every how many decisions one is kept, less one.
    skipped: u64,
    /// What has changed since the last kept decision.
    pending: Changes,
    /// What was reported about the decision that comes next.
    reasons: Vec<(usize, Reason)>,
    unlisted: u32,
    /// The choice for the buffer that is decided next.
    choice: Option<(usize, Choice)>,
    /// What that buffer keeps, if not its own bytes for its own steps.
    held: Option<(usize, Bytes, Step)>,
    /// The object that was opened or has grown for the buffer that comes next: its size
    /// before, if it was there, and now.
    object: Option<(usize, Option<Bytes>, Bytes)>,
    /// A decision that what comes next carries out.
    headline: Option<Outcome>,
    /// Where each buffer lies that was reported, as far as it lies at an address, and in which
    /// pool.
    places: Vec<(Option<Offset>, u32)>,
    /// The same, as the strategy counts it.
    considered: Considered<'a>,
    /// The pool that is planned, and the first byte of each.
    pool: u32,
    bases: BTreeMap<u32, u64>,
    ranges: Ranges,
}

impl Observer for Recorder<'_> {
    fn observe(&mut self, event: Event) -> ControlFlow<()> {
        self.record(event);
        ControlFlow::Continue(())
    }

    fn wants_every_step(&self) -> bool {
        true
    }

    /// The picture of a whole plan is that plan.
    fn incumbent(&mut self, offsets: &[Offset], _arena: Bytes) {
        match self.headline {
            Some(Outcome::Incumbent { .. }) => {}
            Some(Outcome::Ended { how }) if how.is_better() => {}
            _ => return,
        }
        for (buffer, &offset) in offsets.iter().enumerate() {
            if self.place(buffer).0 != Some(offset) {
                self.put(buffer, offset);
                self.considered.put(buffer, None);
            }
        }
        self.close_headline();
    }
}

impl<'a> Recorder<'a> {
    /// Nothing recorded yet of a plan for `lifetimes`.
    #[must_use]
    pub fn new(lifetimes: &'a Lifetimes) -> Self {
        Self::within(lifetimes, Limits::default())
    }

    /// Nothing recorded yet, and never more kept than this.
    #[must_use]
    pub fn within(lifetimes: &'a Lifetimes, limits: Limits) -> Self {
        Self {
            lifetimes,
            limits,
            trace: Trace::default(),
            skipped: 0,
            pending: Changes::default(),
            reasons: Vec::new(),
            unlisted: 0,
            choice: None,
            held: None,
            object: None,
            headline: None,
            places: Vec::new(),
            considered: Considered::new(lifetimes),
            pool: 0,
            bases: BTreeMap::new(),
            ranges: Ranges::default(),
        }
    }

    /// How many decisions were recorded.
    #[must_use]
    pub fn decisions(&self) -> u64 {
        self.trace.decisions
    }

    /// The trace, with `plan` as its last picture.
    #[must_use]
    pub fn finish(mut self, options: &Options, plan: &Plan) -> Trace {
        self.close_headline();
        self.close_object();
        self.reasons.clear();
        self.trace.pools.clone_from(&options.pools);
        self.trace.reserved = plan.reserved;
        self.trace.proved = plan.proved;
        finish(
            (&self.trace, &mut self.pending),
            self.lifetimes,
            options,
            plan,
        );
        let outcome = Outcome::Finished { arena: plan.arena };
        self.trace.decisions += 1;
        self.keep(outcome);
        self.trace.sampled = (self.skipped > 0).then_some(self.skipped + 1);
        self.trace
    }

    fn record(&mut self, event: Event) {
        if self.carries_out(event) {
            return;
        }
        self.close_headline();
        match event {
            Event::Chosen { buffer, choice } => self.chosen(buffer, choice),
            Event::Held {
                buffer,
                bytes,
                until,
            } => self.held = Some((buffer, bytes, until)),
            Event::Noted { buffer, note } => self.note(buffer, note),
            Event::Opened { object, size } => self.size_object(object, None, size),
            Event::Grown { object, from, to } => self.size_object(object, Some(from), to),
            Event::SearchStage { .. } | Event::Progress { .. } => {}
            Event::Assigned { buffer, object } => self.assigned(buffer, object),
            Event::Placed { buffer, offset } => {
                self.put(buffer, offset);
                self.keep_held(buffer);
                self.decided(Outcome::Placed { buffer, offset });
            }
            Event::Moved { buffer, from, to } => {
                self.put(buffer, to);
                self.decided(Outcome::Moved { buffer, from, to });
            }
            Event::Unplaced { buffer } => {
                let from = self.place(buffer).0;
                self.take_up(buffer);
                self.decided(Outcome::Unplaced { buffer, from });
            }
            Event::Attempt { attempt, trial } => {
                self.close_object();
                self.reasons.clear();
                if !trial.is_silent() {
                    self.pending.add(Change::Clear);
                    for (buffer, place) in self.places.iter_mut().enumerate() {
                        if place.0.take().is_some() {
                            self.considered.take_up(buffer);
                        }
                    }
                    self.considered.forget_objects();
                    self.ranges.clear();
                }
                self.decided(Outcome::Attempt { attempt, trial });
            }
            Event::Ended { how } if how.is_better() => {
                self.headline = Some(Outcome::Ended { how });
            }
            Event::Ended { how } => self.decided(Outcome::Ended { how }),
            Event::Pruned { rule, depth, stop } => {
                self.decided(Outcome::Pruned { rule, depth, stop });
            }
            Event::Incumbent { arena } => self.headline = Some(Outcome::Incumbent { arena }),
            Event::Proved { bound } => self.decided(Outcome::Proved { bound }),
            Event::Pooling(step) => self.pooling(step),
        }
    }

    /// Whether `event` is how the decision before is carried out; then it is shown with it.
    fn carries_out(&mut self, event: Event) -> bool {
        let Some(Outcome::Pooling(step)) = self.headline else {
            return false;
        };
        match (step, event) {
            (Pooling::Planned { .. }, Event::Unplaced { buffer }) => self.take_up(buffer),
            (Pooling::Sent { buffer: sent, .. }, Event::Unplaced { buffer }) if sent == buffer => {
                self.take_up(buffer);
            }
            (
                Pooling::Kept { .. } | Pooling::Based { .. },
                Event::Moved { buffer, to, .. } | Event::Placed { buffer, offset: to },
            ) => {
                self.put(buffer, to);
                self.considered.put(buffer, None);
            }
            _ => return false,
        }
        true
    }

    fn pooling(&mut self, step: Pooling) {
        let mut base = |pool: usize, at| {
            self.pending.add(Change::Base(narrow(pool), at));
            self.bases.insert(narrow(pool), at.0);
            self.pool = narrow(pool);
        };
        match step {
            Pooling::Planned { pool, base: at, .. } => {
                base(pool, at);
                let closed = self.ranges.planned(narrow(pool), at);
                self.change(closed);
            }
            Pooling::Based { pool, to, .. } => {
                base(pool, to);
                let moved = self.ranges.moved(narrow(pool), to);
                self.change(moved);
            }
            Pooling::Kept { pool, .. } => self.pool = narrow(pool),
            Pooling::Sent { buffer, to, .. } => {
                self.belongs(buffer, narrow(to));
            }
        }
        self.headline = Some(Outcome::Pooling(step));
    }

    fn change(&mut self, changes: Vec<Change>) {
        for change in changes {
            self.pending.add(change);
        }
    }

    fn close_headline(&mut self) {
        if let Some(outcome) = self.headline.take() {
            if let Outcome::Pooling(Pooling::Kept { pool, arena, .. }) = outcome {
                let pool = narrow(pool);
                let all = self.places.iter().enumerate();
                let within = all.filter(|(_, place)| place.1 == pool);
                let placed: Vec<(usize, Offset)> = within
                    .filter_map(|(buffer, place)| Some((buffer, place.0?)))
                    .collect();
                let kept = self.ranges.kept(pool, &placed, arena);
                self.change(kept);
            }
            self.decided(outcome);
        }
    }

    /// Takes note of a choice, and of what was not taken.
    fn chosen(&mut self, buffer: usize, choice: Choice) {
        let size = self.lifetimes.buffers.get(buffer).map(|known| known.size);
        if size != Some(choice.bytes) {
            let bytes = choice.bytes;
            self.note(buffer, Note::Counted { bytes });
        }
        let within = InPool {
            places: &self.places,
            ranges: &self.ranges,
            pool: self.pool,
            base: self.bases.get(&self.pool).copied().unwrap_or(0),
        };
        for reason in self.considered.reasons(buffer, &choice, within) {
            match reason {
                Reason::Note(note) => self.note(buffer, note),
                other => self.reason(buffer, other),
            }
        }
        self.choice = Some((buffer, choice));
    }

    /// `buffer` was placed: from now on it keeps what was reported before.
    fn keep_held(&mut self, buffer: usize) {
        let held = self.held.take().filter(|held| held.0 == buffer);
        let held = held.map(|(_, bytes, until)| (bytes, until));
        self.considered.put(buffer, held);
    }

    fn note(&mut self, buffer: usize, note: Note) {
        if let Note::Opened { range, from, size } = note {
            let search = self.choice.map(|(_, choice)| choice.search);
            let class = match search {
                Some(Search::Blocks { class }) => class,
                _ => 0,
            };
            let opened = (buffer, narrow(range), class);
            let opened = self.ranges.open(self.pool, opened, (from, size));
            self.pending.add(opened);
        }
        let reason = Reason::Note(note);
        match note {
            Note::Full { .. } | Note::InUse { .. } => self.reason(buffer, reason),
            // There are few of these for each decision.
            _ => self.reasons.push((buffer, reason)),
        }
    }

    /// Takes note of something that was not taken. Of too many, those that are merely too
    /// small make room.
    fn reason(&mut self, buffer: usize, reason: Reason) {
        let listed = self
            .reasons
            .iter()
            .filter(|(_, known)| !known.is_of_the_decision());
        if listed.count() < REASONS {
            self.reasons.push((buffer, reason));
            return;
        }
        // The open range is one that there is always.
        if matches!(reason, Reason::FreeRange { size: None, .. }) {
            return;
        }
        self.unlisted = self.unlisted.saturating_add(1);
        if !reason.is_dull()
            && let Some(place) = self.reasons.iter().rposition(|(_, old)| old.is_dull())
        {
            self.reasons.remove(place);
            self.reasons.push((buffer, reason));
        }
    }

    fn size_object(&mut self, object: usize, from: Option<Bytes>, to: Bytes) {
        self.close_object();
        self.pending.add(Change::Object(narrow(object), to));
        self.considered.size_object(object, to);
        self.object = Some((object, from, to));
    }

    fn assigned(&mut self, buffer: usize, object: usize) {
        self.place(buffer);
        let sized = self.object.filter(|(sized, ..)| *sized == object);
        if sized.is_some() {
            self.object = None;
        }
        let buffer_of = Some(buffer);
        let outcome = match sized {
            Some((object, None, size)) => Outcome::Opened {
                buffer: buffer_of,
                object,
                size,
            },
            Some((object, Some(from), to)) => Outcome::Grown {
                buffer: buffer_of,
                object,
                from,
                to,
            },
            None => Outcome::Assigned { buffer, object },
        };
        self.close_object();
        self.pending.add(Change::In(narrow(buffer), narrow(object)));
        self.considered.assign(buffer, object);
        self.decided(outcome);
    }

    fn put(&mut self, buffer: usize, offset: Offset) {
        self.belongs(buffer, self.pool);
        self.place(buffer).0 = Some(offset);
        self.pending.add(Change::At(narrow(buffer), offset));
    }

    fn take_up(&mut self, buffer: usize) {
        self.place(buffer).0 = None;
        self.considered.take_up(buffer);
        self.pending.add(Change::Out(narrow(buffer)));
    }

    /// Takes note of the pool of a buffer.
    fn belongs(&mut self, buffer: usize, pool: u32) {
        let known = self.place(buffer);
        if known.1 != pool {
            known.1 = pool;
            self.pending.add(Change::Pool(narrow(buffer), pool));
        }
    }

    /// Address and pool of a buffer.
    fn place(&mut self, buffer: usize) -> &mut (Option<Offset>, u32) {
        if buffer >= self.places.len() {
            self.places.resize(buffer + 1, (None, 0));
        }
        &mut self.places[buffer]
    }

    /// An object that nothing was put into at once is a decision of its own.
    fn close_object(&mut self) {
        let Some((object, from, size)) = self.object.take() else {
            return;
        };
        let buffer = None;
        let outcome = match from {
            None => Outcome::Opened {
                buffer,
                object,
                size,
            },
            Some(from) => Outcome::Grown {
                buffer,
                object,
                from,
                to: size,
            },
        };
        self.count(outcome);
    }

    fn decided(&mut self, outcome: Outcome) {
        self.close_object();
        self.count(outcome);
    }

    fn count(&mut self, outcome: Outcome) {
        self.trace.decisions += 1;
        if self.trace.decisions.is_multiple_of(self.skipped + 1) {
            self.keep(outcome);
        } else {
            self.forget_reasons(outcome.buffer());
        }
    }

    /// Keeps the decision, and makes room when there are too many.
    fn keep(&mut self, outcome: Outcome) {
        let about = outcome.buffer();
        let reasons = self.reasons.iter();
        let reasons = reasons.filter(|(buffer, _)| about.is_none_or(|about| about == *buffer));
        let reasons: Vec<Reason> = reasons.map(|&(_, reason)| reason).collect();
        let frame = Frame {
            decision: self.trace.decisions,
            outcome,
            choice: self.choice.filter(|it| about == Some(it.0)).map(|it| it.1),
            unlisted: self.unlisted,
            ends: (0, 0),
        };
        let changes = self.pending.take();
        self.trace.push(frame, reasons, changes);
        self.forget_reasons(about);
        while self.is_full() {
            self.thin();
        }
    }

    fn is_full(&self) -> bool {
        let changes = self.limits.changes.max(self.places.len().saturating_mul(4));
        let trace = &self.trace;
        let full = trace.frames.len() > self.limits.frames
            || trace.changes.len() > changes
            || trace.reasons.len() > self.limits.reasons;
        full && trace.frames.len() > 1
    }

    /// What was reported about other buffers may still belong to their decisions.
    fn forget_reasons(&mut self, about: Option<usize>) {
        self.choice = self
            .choice
            .filter(|it| about.is_some_and(|about| about != it.0));
        self.reasons
            .retain(|(buffer, _)| about.is_some_and(|about| about != *buffer));
        if self.reasons.is_empty() {
            self.unlisted = 0;
        }
    }

    /// Keeps every second of the kept decisions.
    fn thin(&mut self) {
        self.skipped = 2 * self.skipped + 1;
        let every = self.skipped + 1;
        let decisions = self.trace.decisions;
        let old = core::mem::take(&mut self.trace);
        self.trace.decisions = decisions;
        let mut gathered = Changes::default();
        for (index, frame) in old.frames.iter().enumerate() {
            for &change in old.changes(index) {
                gathered.add(change);
            }
            if frame.decision.is_multiple_of(every) || frame.decision == decisions {
                let reasons = old.reasons(index).iter().copied();
                self.trace.push(*frame, reasons, gathered.take());
            }
        }
        for change in self.pending.take() {
            gathered.add(change);
        }
        self.pending = gathered;
    }
}
