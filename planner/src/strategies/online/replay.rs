//! Lifetimes as the requests and releases of a run.
//!
//! At each step first everything is requested that starts there, in the buffers' order, then
//! everything is released whose last step it is, again in the buffers' order: an operator
//! allocates its outputs before it runs, and its inputs are released when it has run. Memory
//! is never handed over within a step.

use crate::liveness::{Buffer, Lifetimes};
use crate::plan::{Options, Plan};
use crate::strategies::objects::least_common_multiple;
use crate::strategies::records::{InUse, Record, in_order};
use crate::strategies::{
    Choice, Event, Note, Observer, PlanError, Search, Strategy, Taken, alignment, emit, overflow,
};
use crate::units::{Bytes, Offset, Step};
use crate::{Message, message};
use alloc::vec;
use alloc::vec::Vec;

use super::heap::Block;

/// An allocator that is replayed.
pub(super) trait Allocator {
    /// An address for `record`.
    fn allocate(&mut self, run: &mut Run<'_>, record: &Record) -> Result<u64, PlanError>;

    /// Takes back what `record` got.
    fn release(&mut self, record: &Record);

    /// Bytes taken from the device, for allocators that take them in pieces.
    fn reserved(&self) -> Option<Bytes>;
}

/// What an allocator is given, and may report, during a replay.
pub(super) struct Run<'a> {
    lifetimes: &'a Lifetimes,
    observer: &'a mut dyn Observer,
    /// Every block starts at a multiple of this and is a multiple of it.
    granule: u64,
    offsets: Vec<Offset>,
    arena: Offset,
}

impl Run<'_> {
    /// Emits an event to the observer.
    pub(super) fn emit(&mut self, event: Event) -> Result<(), PlanError> {
        emit(self.observer, event)
    }

    /// `size` bytes, asked for because of `record`, rounded up to whole granules.
    pub(super) fn rounded(&self, record: &Record, size: u64) -> Result<u64, PlanError> {
        let rounded = Bytes(size).align_up(Bytes(self.granule));
        let rounded = rounded.map(|bytes| bytes.0);
        rounded.ok_or_else(|| overflow(self.buffer(record)))
    }

    /// The sum, which must fit 64 bits when `record` needs it.
    pub(super) fn sum(&self, record: &Record, a: u64, b: u64) -> Result<u64, PlanError> {
        a.checked_add(b)
            .ok_or_else(|| overflow(self.buffer(record)))
    }

    /// Reports the free block of this class that was taken for `record`, which asks for `size`
    /// bytes; `None` where a new one is made.
    pub(super) fn chosen(
        &mut self,
        record: &Record,
        (class, size): (u32, u64),
        block: Option<Block>,
    ) -> Result<(), PlanError> {
        let buffer = record.buffer;
        let choice = Choice {
            search: Search::Blocks { class },
            bytes: Bytes(size),
            until: Step(record.end),
            alignment: Bytes(self.granule),
            taken: block.map_or(Taken::Open, |block| Taken::Range {
                from: Offset(block.start),
                size: Bytes(block.size),
            }),
        };
        self.emit(Event::Chosen { buffer, choice })
    }

    /// Reports how many bytes of its block `record` keeps.
    pub(super) fn held(&mut self, record: &Record, bytes: u64) -> Result<(), PlanError> {
        let (buffer, bytes, until) = (record.buffer, Bytes(bytes), Step(record.end));
        if bytes == self.buffer(record).size {
            return Ok(());
        }
        self.emit(Event::Held {
            buffer,
            bytes,
            until,
        })
    }

    /// Says that a range was opened for `record`.
    pub(super) fn emit_opened(
        &mut self,
        record: &Record,
        (range, from, size): (usize, u64, u64),
    ) -> Result<(), PlanError> {
        let (buffer, from, size) = (record.buffer, Offset(from), Bytes(size));
        let note = Note::Opened { range, from, size };
        self.emit(Event::Noted { buffer, note })
    }

    /// An address for `record` goes beyond 64 bits.
    pub(super) fn overflow(&self, record: &Record) -> PlanError {
        overflow(self.buffer(record))
    }

    fn buffer(&self, record: &Record) -> &Buffer {
        &self.lifetimes.buffers[record.buffer]
    }

    fn put(&mut self, buffer: usize, offset: Offset) -> Result<(), PlanError> {
        let known = &self.lifetimes.buffers[buffer];
        let end = offset.end(known.size).ok_or_else(|| overflow(known))?;
        self.offsets[buffer] = offset;
        self.arena = self.arena.max(end);
        self.emit(Event::Placed { buffer, offset })
    }
}

/// Replays `lifetimes` with an allocator whose blocks are multiples of `granule` bytes, or
/// of the least multiple of it that is a multiple of every alignment.
pub(super) fn replay(
    (strategy, granule): (Strategy, u64),
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
    mut allocator: impl Allocator,
) -> Result<Plan, PlanError> {
    if let Some(buffer) = lifetimes.buffers.iter().find(|b| b.fixed.is_some()) {
        let asked: Message = message!("by an allocator that decides at each request");
        return Err(PlanError::Unsupported {
            what: message!(
                "the fixed address of {} {}",
                format_args!("{:?}", buffer.name),
                asked
            ),
        });
    }
    let records = in_order(lifetimes);
    let mut run = Run {
        lifetimes,
        observer,
        granule: joint_granule(granule, lifetimes, &records, options)?,
        offsets: vec![Offset(0); lifetimes.buffers.len()],
        arena: Offset(0),
    };
    for (index, buffer) in lifetimes.buffers.iter().enumerate() {
        if buffer.size == Bytes::ZERO || buffer.span.is_empty() {
            run.put(index, Offset(0))?;
        }
    }
    let mut in_use = InUse::default();
    for (index, record) in records.iter().enumerate() {
        while let Some(ended) = in_use.release(record.start) {
            allocator.release(&records[ended]);
        }
        let offset = allocator.allocate(&mut run, record)?;
        run.put(record.buffer, Offset(offset))?;
        in_use.add(record.end, index);
    }
    Ok(Plan {
        origin: strategy.name().into(),
        offsets: run.offsets,
        arena: Bytes(run.arena.0),
        reserved: allocator.reserved(),
        ..Plan::default()
    })
}

/// The least multiple of `granule` that is a multiple of what every record asks for.
pub(super) fn joint_granule(
    granule: u64,
    lifetimes: &Lifetimes,
    records: &[Record],
    options: &Options,
) -> Result<u64, PlanError> {
    records.iter().try_fold(granule, |joint, record| {
        let buffer = &lifetimes.buffers[record.buffer];
        let joint = least_common_multiple(joint, alignment(buffer, options).0);
        joint.ok_or_else(|| overflow(buffer))
    })
}
