//! Offsets in the making: one address per buffer.

use super::placed::Placed;
use super::records::Record;
use super::refusals::{Taken, refusals};
use super::{Event, Note, Observer, PlanError, Refusal, Strategy, overflow, tell};
use crate::free_space::{Fit, FreeRange, Usable};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::units::{Bytes, Offset};

/// One address per buffer, set one after the other.
pub(super) struct Layout<'a> {
    lifetimes: &'a Lifetimes,
    options: &'a Options,
    observer: &'a mut dyn Observer,
    offsets: Vec<Offset>,
    arena: Offset,
}

impl<'a> Layout<'a> {
    /// Places the buffers that need no memory at their fixed address or at 0, where they
    /// conflict with nothing.
    pub(super) fn new(
        lifetimes: &'a Lifetimes,
        options: &'a Options,
        observer: &'a mut dyn Observer,
    ) -> Result<Self, PlanError> {
        let mut layout = Self {
            lifetimes,
            options,
            observer,
            offsets: vec![Offset(0); lifetimes.buffers.len()],
            arena: Offset(0),
        };
        for (index, buffer) in lifetimes.buffers.iter().enumerate() {
            if buffer.size == Bytes::ZERO || buffer.span.is_empty() {
                layout.set(index, buffer.fixed.unwrap_or_default())?;
            }
        }
        Ok(layout)
    }

    /// Puts `record` at `offset` and returns the end of its bytes, exclusive.
    pub(super) fn put(&mut self, record: &Record, offset: u64) -> Result<u64, PlanError> {
        self.set(record.buffer, Offset(offset)).map(|end| end.0)
    }

    /// Puts `record`, placed before, higher up at `offset`.
    pub(super) fn raise(&mut self, record: &Record, offset: u64) -> Result<(), PlanError> {
        let buffer = record.buffer;
        let known = &self.lifetimes.buffers[buffer];
        let (from, to) = (self.offsets[buffer], Offset(offset));
        let end = to.end(known.size).ok_or_else(|| overflow(known))?;
        self.offsets[buffer] = to;
        self.arena = self.arena.max(end);
        tell(self.observer, Event::Moved { buffer, from, to })
    }

    fn set(&mut self, buffer: usize, offset: Offset) -> Result<Offset, PlanError> {
        let known = &self.lifetimes.buffers[buffer];
        let end = offset.end(known.size).ok_or_else(|| overflow(known))?;
        self.offsets[buffer] = offset;
        self.arena = self.arena.max(end);
        tell(self.observer, Event::Placed { buffer, offset })?;
        Ok(end)
    }

    /// Where `record` goes among what is `placed` by this fit policy, in which free range if
    /// not the open one.
    pub(super) fn choose(
        &mut self,
        placed: &mut Placed<'_>,
        record: &Record,
        fit: Fit,
    ) -> Result<Usable, PlanError> {
        let chosen = placed.choose(record, self.alignment(record), fit);
        chosen.ok_or_else(|| self.overflow(record))
    }

    /// Says why `record` was not put into the other free `ranges`, if somebody wants to know.
    pub(super) fn explain<K>(
        &mut self,
        record: &Record,
        ranges: impl Iterator<Item = FreeRange<u64, K>>,
        (alignment, fit, taken): (Bytes, Fit, Taken),
    ) -> Result<(), PlanError> {
        if !self.wants_reasons() {
            return Ok(());
        }
        for (range, why) in refusals(ranges, (record.size, alignment), (fit, taken)) {
            self.refuse(record, (range.start, range.size), why)?;
        }
        Ok(())
    }

    /// The same of the free ranges that what is `placed` leaves, of which that at `taken` was
    /// taken.
    pub(super) fn explain_placed(
        &mut self,
        placed: &mut Placed<'_>,
        record: &Record,
        (fit, taken): (Fit, u64),
    ) -> Result<(), PlanError> {
        if !self.wants_reasons() {
            return Ok(());
        }
        let how = (self.alignment(record), fit, Taken::From(taken));
        self.explain(record, placed.ranges(record), how)
    }

    /// An address for `record` goes beyond 64 bits.
    pub(super) fn overflow(&self, record: &Record) -> PlanError {
        overflow(&self.lifetimes.buffers[record.buffer])
    }

    /// What `record` must be aligned to.
    pub(super) fn alignment(&self, record: &Record) -> Bytes {
        super::alignment(&self.lifetimes.buffers[record.buffer], self.options)
    }

    /// Whether somebody wants to hear what was not taken.
    pub(super) fn wants_reasons(&self) -> bool {
        self.observer.wants_reasons()
    }

    /// Says that `record` was not put into the `size` bytes from `from` on; `None` is the open
    /// space.
    pub(super) fn refuse(
        &mut self,
        record: &Record,
        (from, size): (u64, impl Into<Option<u64>>),
        why: Refusal,
    ) -> Result<(), PlanError> {
        let refused = Event::Refused {
            buffer: record.buffer,
            from: Offset(from),
            size: size.into().map(Bytes),
            why,
        };
        tell(self.observer, refused)
    }

    /// Says what is known of `record` before it is put somewhere, if somebody wants to know.
    pub(super) fn note(&mut self, record: &Record, note: Note) -> Result<(), PlanError> {
        if !self.observer.wants_reasons() {
            return Ok(());
        }
        let buffer = record.buffer;
        tell(self.observer, Event::Noted { buffer, note })
    }

    /// Says so where `record` is counted as more or fewer bytes than its buffer has.
    pub(super) fn note_size(&mut self, record: &Record) -> Result<(), PlanError> {
        let bytes = Bytes(record.size);
        if bytes == self.lifetimes.buffers[record.buffer].size {
            return Ok(());
        }
        self.note(record, Note::Counted { bytes })
    }

    /// The address that the problem fixes for `record`.
    pub(super) fn fixed(&self, record: &Record) -> Option<u64> {
        self.lifetimes.buffers[record.buffer]
            .fixed
            .map(|offset| offset.0)
    }

    /// The lowest address from `from` on that `record` may start at.
    pub(super) fn align(&self, record: &Record, from: u64) -> Result<u64, PlanError> {
        let aligned = Offset(from).align_up(self.alignment(record));
        aligned
            .map(|offset| offset.0)
            .ok_or_else(|| self.overflow(record))
    }

    /// The plan.
    pub(super) fn into_plan(self, strategy: Strategy) -> Plan {
        Plan {
            origin: strategy.name().into(),
            offsets: self.offsets,
            arena: Bytes(self.arena.0),
            ..Plan::default()
        }
    }
}
