//! Records what a strategy tells, within bounds.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::{Change, Film, Frame, Limits, Outcome, Picture, Place, REASONS, Reason};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::strategies::{Event, Observer, Refusal};
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
    /// One more than the largest index of a buffer that was told.
    buffers: usize,
}

/// Changes of which later ones replace earlier ones of the same thing.
#[derive(Debug, Default)]
struct Changes {
    cleared: bool,
    /// By kind (objects before buffers) and index.
    of: BTreeMap<(bool, u32), Change>,
}

impl Changes {
    fn add(&mut self, change: Change) {
        let key = match change {
            Change::Clear => {
                self.cleared = true;
                self.of.clear();
                return;
            }
            Change::Object(object, _) => (false, object),
            Change::At(buffer, _) | Change::In(buffer, _) | Change::Out(buffer) => (true, buffer),
        };
        self.of.insert(key, change);
    }

    fn take(&mut self) -> impl Iterator<Item = Change> + use<> {
        let clear = std::mem::take(&mut self.cleared).then_some(Change::Clear);
        clear
            .into_iter()
            .chain(std::mem::take(&mut self.of).into_values())
    }
}

impl Observer for Recorder {
    fn observe(&mut self, event: Event) -> ControlFlow<()> {
        self.hear(event);
        ControlFlow::Continue(())
    }

    fn wants_reasons(&self) -> bool {
        true
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
        self.close_object();
        self.reasons.clear();
        self.arrive(lifetimes, options, plan);
        let outcome = Outcome::Finished { arena: plan.arena };
        self.film.decisions += 1;
        self.keep(outcome);
        self.film.sampled = (self.skipped > 0).then_some(self.skipped + 1);
        self.film
    }

    fn hear(&mut self, event: Event) {
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
                self.pending.add(Change::Out(number(buffer)));
                self.decided(Outcome::Unplaced { buffer });
            }
            Event::Attempt { attempt } => {
                self.close_object();
                self.reasons.clear();
                self.pending.add(Change::Clear);
                self.decided(Outcome::Attempt { attempt });
            }
            Event::Pruned { rule, depth } => self.decided(Outcome::Pruned { rule, depth }),
            Event::Incumbent { arena } => self.decided(Outcome::Incumbent { arena }),
            Event::Proved { bound } => self.decided(Outcome::Proved { bound }),
        }
    }

    /// Takes note of something that was not taken. Of too many, those that are merely too
    /// small make room.
    fn reason(&mut self, buffer: usize, reason: Reason) {
        if self.reasons.len() < REASONS {
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
        self.buffers = self.buffers.max(buffer + 1);
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
        self.buffers = self.buffers.max(buffer + 1);
        self.pending.add(Change::At(number(buffer), offset));
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
        let changes = self.limits.changes.max(self.buffers.saturating_mul(4));
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
    let (Reason::Gap { why, .. } | Reason::Object { why, .. }) = reason;
    matches!(why, Refusal::TooSmall | Refusal::Busy { .. })
}

/// An index as it is kept. No document has 2^32 buffers.
fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
