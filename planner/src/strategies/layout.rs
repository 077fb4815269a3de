//! Offsets in the making: one address per buffer.

use super::placed::Placed;
use super::records::Record;
use super::{
    Choice, Event, Fit, Note, Observer, PlanError, Search, Strategy, Taken, emit, overflow,
};
use crate::free_space::Usable;
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::units::{Bytes, Offset, Step};
use alloc::vec;
use alloc::vec::Vec;

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
        self.held(record, record.size)?;
        self.put_held(record, offset)
    }

    /// The same for one whose bytes [`held`](Self::held) has reported.
    pub(super) fn put_held(&mut self, record: &Record, offset: u64) -> Result<u64, PlanError> {
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
        emit(self.observer, Event::Moved { buffer, from, to })
    }

    fn set(&mut self, buffer: usize, offset: Offset) -> Result<Offset, PlanError> {
        let known = &self.lifetimes.buffers[buffer];
        let end = offset.end(known.size).ok_or_else(|| overflow(known))?;
        self.offsets[buffer] = offset;
        self.arena = self.arena.max(end);
        emit(self.observer, Event::Placed { buffer, offset })?;
        Ok(end)
    }

    /// Where `record` goes among what is `placed` by this fit policy; reports the choice.
    pub(super) fn choose(
        &mut self,
        placed: &mut Placed<'_>,
        record: &Record,
        fit: Fit,
    ) -> Result<Usable, PlanError> {
        let chosen = placed.choose(record, self.alignment(record), fit);
        let chosen = chosen.ok_or_else(|| self.overflow(record))?;
        self.chosen(record, Search::Free(fit), chosen.into())?;
        Ok(chosen)
    }

    /// Reports where a place for `record` was sought, and what was taken.
    pub(super) fn chosen(
        &mut self,
        record: &Record,
        search: Search,
        taken: Taken,
    ) -> Result<(), PlanError> {
        let choice = Choice {
            search,
            bytes: Bytes(record.size),
            until: Step(record.end),
            alignment: self.alignment(record),
            taken,
        };
        self.report(record, choice)
    }

    /// Reports a choice for `record`.
    pub(super) fn report(&mut self, record: &Record, choice: Choice) -> Result<(), PlanError> {
        let buffer = record.buffer;
        emit(self.observer, Event::Chosen { buffer, choice })
    }

    /// Reports that `record`, which is put next, keeps so many bytes.
    pub(super) fn held(&mut self, record: &Record, bytes: u64) -> Result<(), PlanError> {
        let (buffer, bytes, until) = (record.buffer, Bytes(bytes), Step(record.end));
        let known = &self.lifetimes.buffers[buffer];
        if (bytes, until) == (known.size, known.span.end) {
            return Ok(());
        }
        let held = Event::Held {
            buffer,
            bytes,
            until,
        };
        emit(self.observer, held)
    }

    /// An address for `record` goes beyond 64 bits.
    pub(super) fn overflow(&self, record: &Record) -> PlanError {
        overflow(&self.lifetimes.buffers[record.buffer])
    }

    /// What `record` must be aligned to.
    pub(super) fn alignment(&self, record: &Record) -> Bytes {
        super::alignment(&self.lifetimes.buffers[record.buffer], self.options)
    }

    /// Says what is known of `record` before it is put somewhere.
    pub(super) fn note(&mut self, record: &Record, note: Note) -> Result<(), PlanError> {
        let buffer = record.buffer;
        emit(self.observer, Event::Noted { buffer, note })
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
