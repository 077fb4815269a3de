//! Records what a strategy tells, within bounds.

use std::ops::ControlFlow;

use super::changes::Changes;
use super::ranges::Ranges;
use super::{Change, Film, Frame, Limits, Outcome, Picture, Place, REASONS, Reason};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::strategies::{Event, Note, Observer, Pooling, Refusal};
use crate::units::{Bytes, Offset};

/// An observer that makes a [`Film`] of what it hears, and never stops a strategy.
#[derive(Debug, Default)]
pub struct Recorder {
    limits: Limits,
    film: Film,
    /// Every how many decisions one is kept, less one.
    skipped: u64,
    /// What has changed since the last kept decision.
    pending: Changes,
    /// What was told about the decision that comes next.
    reasons: Vec<(usize, Reason)>,
    unlisted: u32,
    /// The object that was opened or has grown for the buffer that comes next: its size
    /// before, if it was there, and now.
    object: Option<(usize, Option<Bytes>, Bytes)>,
    /// A decision that what comes next carries out.
    headline: Option<Outcome>,
    /// Where each buffer lies that was told of, as far as it lies at an address, and in which
    /// pool.
    places: Vec<(Option<Offset>, u32)>,
    /// The pool that is planned.
    pool: u32,
    ranges: Ranges,
}

impl Observer for Recorder {
    fn observe(&mut self, event: Event) -> ControlFlow<()> {
        self.hear(event);
        ControlFlow::Continue(())
    }

    fn wants_reasons(&self) -> bool {
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
            }
        }
        self.close_headline();
    }
}

impl Recorder {
    /// Nothing recorded yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Nothing recorded yet, and never more kept than this.
    #[must_use]
    pub fn within(limits: Limits) -> Self {
        Self {
            limits,
            ..Self::default()
        }
    }

    /// How many decisions were heard.
    #[must_use]
    pub fn decisions(&self) -> u64 {
        self.film.decisions
    }

    /// The film, with `plan` as its last picture.
    #[must_use]
    pub fn finish(mut self, lifetimes: &Lifetimes, options: &Options, plan: &Plan) -> Film {
        self.close_headline();
        self.close_object();
        self.reasons.clear();
        self.film.pools.clone_from(&options.pools);
        self.film.reserved = plan.reserved;
        self.film.proved = plan.proved;
        self.arrive(lifetimes, options, plan);
        let outcome = Outcome::Finished { arena: plan.arena };
        self.film.decisions += 1;
        self.keep(outcome);
        self.film.sampled = (self.skipped > 0).then_some(self.skipped + 1);
        self.film
    }

    fn hear(&mut self, event: Event) {
        if self.carries_out(event) {
            return;
        }
        self.close_headline();
        match event {
            Event::Refused {
                buffer,
                from,
                size,
                why,
            } => self.reason(buffer, Reason::Gap { from, size, why }),
            Event::Passed {
                buffer,
                object,
                why,
            } => self.reason(buffer, Reason::Object { object, why }),
            Event::Noted { buffer, note } => self.note(buffer, note),
            Event::Opened { object, size } => self.size_object(object, None, size),
            Event::Grown { object, from, to } => self.size_object(object, Some(from), to),
            Event::Stage { .. } | Event::Progress { .. } => {}
            Event::Assigned { buffer, object } => self.assigned(buffer, object),
            Event::Placed { buffer, offset } => {
                self.put(buffer, offset);
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
                    self.places.iter_mut().for_each(|place| place.0 = None);
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
            ) => self.put(buffer, to),
            _ => return false,
        }
        true
    }

    fn pooling(&mut self, step: Pooling) {
        let mut base = |pool: usize, at| {
            self.pending.add(Change::Base(number(pool), at));
            self.pool = number(pool);
        };
        match step {
            Pooling::Planned { pool, base: at, .. } => {
                base(pool, at);
                let closed = self.ranges.planned(number(pool), at);
                self.change(closed);
            }
            Pooling::Based { pool, to, .. } => {
                base(pool, to);
                let moved = self.ranges.moved(number(pool), to);
                self.change(moved);
            }
            Pooling::Kept { pool, .. } => self.pool = number(pool),
            Pooling::Sent { buffer, to, .. } => {
                self.belongs(buffer, number(to));
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
                let pool = number(pool);
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

    fn note(&mut self, buffer: usize, note: Note) {
        if let Note::Opened { range, from, size } = note {
            let opened = self
                .ranges
                .open(self.pool, (buffer, number(range)), (from, size));
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
        let listed = self.reasons.iter().filter(|(_, known)| !telling(known));
        if listed.count() < REASONS {
            self.reasons.push((buffer, reason));
            return;
        }
        self.unlisted = self.unlisted.saturating_add(1);
        if !dull(&reason)
            && let Some(place) = self.reasons.iter().rposition(|(_, old)| dull(old))
        {
            self.reasons.remove(place);
            self.reasons.push((buffer, reason));
        }
    }

    fn size_object(&mut self, object: usize, from: Option<Bytes>, to: Bytes) {
        self.close_object();
        self.pending.add(Change::Object(number(object), to));
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
        self.pending.add(Change::In(number(buffer), number(object)));
        self.decided(outcome);
    }

    fn put(&mut self, buffer: usize, offset: Offset) {
        self.belongs(buffer, self.pool);
        self.place(buffer).0 = Some(offset);
        self.pending.add(Change::At(number(buffer), offset));
    }

    fn take_up(&mut self, buffer: usize) {
        self.place(buffer).0 = None;
        self.pending.add(Change::Out(number(buffer)));
    }

    /// Takes note of the pool of a buffer.
    fn belongs(&mut self, buffer: usize, pool: u32) {
        let known = self.place(buffer);
        if known.1 != pool {
            known.1 = pool;
            self.pending.add(Change::Pool(number(buffer), pool));
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
        self.film.decisions += 1;
        if self.film.decisions.is_multiple_of(self.skipped + 1) {
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
            decision: self.film.decisions,
            outcome,
            unlisted: self.unlisted,
            ends: (0, 0),
        };
        let changes = self.pending.take();
        self.film.push(frame, reasons, changes);
        self.forget_reasons(about);
        while self.is_full() {
            self.thin();
        }
    }

    fn is_full(&self) -> bool {
        let changes = self.limits.changes.max(self.places.len().saturating_mul(4));
        let film = &self.film;
        let full = film.frames.len() > self.limits.frames
            || film.changes.len() > changes
            || film.reasons.len() > self.limits.reasons;
        full && film.frames.len() > 1
    }

    /// What was told about other buffers may still belong to their decisions.
    fn forget_reasons(&mut self, about: Option<usize>) {
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
        let decisions = self.film.decisions;
        let old = std::mem::take(&mut self.film);
        self.film.decisions = decisions;
        let mut gathered = Changes::default();
        for (index, frame) in old.frames.iter().enumerate() {
            for &change in old.changes(index) {
                gathered.add(change);
            }
            if frame.decision.is_multiple_of(every) || frame.decision == decisions {
                let reasons = old.reasons(index).iter().copied();
                self.film.push(*frame, reasons, gathered.take());
            }
        }
        for change in self.pending.take() {
            gathered.add(change);
        }
        self.pending = gathered;
    }

    /// Changes whatever keeps the picture from being that of `plan`: nothing, for a strategy
    /// that told all of its last attempt.
    fn arrive(&mut self, lifetimes: &Lifetimes, options: &Options, plan: &Plan) {
        let mut now = Picture::new(lifetimes.buffers.len());
        now.show(&self.film, self.film.frames.len());
        let pending: Vec<Change> = self.pending.take().collect();
        for change in pending {
            now.change(change);
            self.pending.add(change);
        }
        let mut change = |now: &mut Picture, change: Change| {
            now.change(change);
            self.pending.add(change);
        };
        if let Some(objects) = &plan.objects {
            if now.objects().len() > objects.sizes.len() {
                change(&mut now, Change::Clear);
            }
            for (object, &size) in objects.sizes.iter().enumerate() {
                if now.objects().get(object) != Some(&size) {
                    change(&mut now, Change::Object(number(object), size));
                }
            }
            for (buffer, &object) in objects.of_buffer.iter().enumerate() {
                if now.places().get(buffer) != Some(&Some(Place::In(object as usize))) {
                    change(&mut now, Change::In(number(buffer), object));
                }
            }
        }
        if let Some(pools) = &plan.pools {
            for (pool, &base) in pools.bases.iter().enumerate() {
                change(&mut now, Change::Base(number(pool), base));
            }
            let known = now.layout(lifetimes, options.alignment);
            for (buffer, &pool) in pools.of_buffer.iter().enumerate() {
                if known.pool(buffer) != pool as usize {
                    change(&mut now, Change::Pool(number(buffer), pool));
                }
            }
        }
        let shown = now.layout(lifetimes, options.alignment);
        for (buffer, &offset) in plan.offsets.iter().enumerate() {
            if shown.offsets.get(buffer) != Some(&Some(offset)) {
                change(&mut now, Change::At(number(buffer), offset));
            }
        }
    }
}

/// Whether a reason says no more than that something is too small or taken.
fn dull(reason: &Reason) -> bool {
    match reason {
        Reason::Gap { why, .. } | Reason::Object { why, .. } => {
            matches!(why, Refusal::TooSmall | Refusal::Busy { .. })
        }
        Reason::Note(note) => matches!(note, Note::Full { .. } | Note::InUse { .. }),
    }
}

/// Whether it says something of the decision itself: there are few of these.
fn telling(reason: &Reason) -> bool {
    matches!(reason, Reason::Note(_)) && !dull(reason)
}

/// An index as it is kept. No document has 2^32 buffers.
fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
