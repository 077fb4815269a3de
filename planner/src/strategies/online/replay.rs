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
    Event, Note, Observer, PlanError, Refusal, Strategy, alignment, overflow, tell,
};
use crate::units::{Bytes, Offset};

use super::heap::{Block, Heap};

/// An allocator that is replayed.
pub(super) trait Allocator {
    /// An address for `record`.
    fn allocate(&mut self, run: &mut Run<'_>, record: &Record) -> Result<u64, PlanError>;

    /// Takes back what `record` got.
    fn release(&mut self, record: &Record);

    /// Bytes taken from the device, for allocators that take them in pieces.
    fn reserved(&self) -> Option<Bytes>;
}

/// What an allocator is told, and may tell, during a replay.
pub(super) struct Run<'a> {
    lifetimes: &'a Lifetimes,
    observer: &'a mut dyn Observer,
    /// Every block starts at a multiple of this and is a multiple of it.
    granule: u64,
    offsets: Vec<Offset>,
    arena: Offset,
}

impl Run<'_> {
    /// Tells the observer.
    pub(super) fn tell(&mut self, event: Event) -> Result<(), PlanError> {
        tell(self.observer, event)
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

    /// Says of every free block but `taken` why `record`, `size` bytes large, is not put
    /// there, if the observer wants to know.
    pub(super) fn tell_refused(
        &mut self,
        heap: &Heap,
        record: &Record,
        (pool, size): (u32, u64),
        taken: Option<Block>,
    ) -> Result<(), PlanError> {
        if !self.observer.wants_reasons() {
            return Ok(());
        }
        let buffer = record.buffer;
        let bytes = Bytes(size);
        if bytes != self.buffer(record).size {
            let note = Note::Counted { bytes };
            self.tell(Event::Noted { buffer, note })?;
        }
        if let Some(taken) = taken {
            let (from, size) = (Offset(taken.start), Bytes(taken.size));
            let note = Note::Chosen { from, size };
            self.tell(Event::Noted { buffer, note })?;
        }
        for block in heap.blocks().filter(|&block| Some(block) != taken) {
            let why = if block.size < size {
                Refusal::TooSmall
            } else if block.home.pool != pool {
                Refusal::OtherPool
            } else if Some(block.size) == taken.map(|taken| taken.size) {
                Refusal::NotFirst
            } else {
                Refusal::LooserFit
            };
            self.tell(Event::Refused {
                buffer: record.buffer,
                from: Offset(block.start),
                size: Some(Bytes(block.size)),
                why,
            })?;
        }
        Ok(())
    }

    /// Says that a range was opened for `record`, if the observer wants to know.
    pub(super) fn tell_opened(
        &mut self,
        record: &Record,
        (range, from, size): (usize, u64, u64),
    ) -> Result<(), PlanError> {
        if !self.observer.wants_reasons() {
            return Ok(());
        }
        let (buffer, from, size) = (record.buffer, Offset(from), Bytes(size));
        let note = Note::Opened { range, from, size };
        self.tell(Event::Noted { buffer, note })
    }

    /// Says that `record` is not put behind everything, from `top` on, if the observer wants
    /// to know.
    pub(super) fn tell_end_refused(&mut self, record: &Record, top: u64) -> Result<(), PlanError> {
        if !self.observer.wants_reasons() {
            return Ok(());
        }
        self.tell(Event::Refused {
            buffer: record.buffer,
            from: Offset(top),
            size: None,
            why: Refusal::LooserFit,
        })
    }

    fn buffer(&self, record: &Record) -> &Buffer {
        &self.lifetimes.buffers[record.buffer]
    }

    fn put(&mut self, buffer: usize, offset: Offset) -> Result<(), PlanError> {
        let known = &self.lifetimes.buffers[buffer];
        let end = offset.end(known.size).ok_or_else(|| overflow(known))?;
        self.offsets[buffer] = offset;
        self.arena = self.arena.max(end);
        self.tell(Event::Placed { buffer, offset })
    }
}

/// Replays `lifetimes` with an allocator whose blocks are multiples of `granule` bytes, or
/// of the least multiple of it that honours every alignment.
pub(super) fn replay(
    (strategy, granule): (Strategy, u64),
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
    mut allocator: impl Allocator,
) -> Result<Plan, PlanError> {
    if let Some(buffer) = lifetimes.buffers.iter().find(|b| b.fixed.is_some()) {
        let asked = "by an allocator that decides at each request";
        return Err(PlanError::Unsupported {
            what: format!("the fixed address of {:?} {asked}", buffer.name),
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
fn joint_granule(
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
