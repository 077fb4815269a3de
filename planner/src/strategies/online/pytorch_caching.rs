//! Offsets as PyTorch's caching allocator would give them at run time. Source: PyTorch,
//! `CUDACachingAllocator`, with its default settings.
//!
//! Requests are rounded up to 512 bytes. Those of at most 1 MiB and larger ones have a pool
//! each; a request takes the smallest free block of its pool that is large enough, the
//! lowest on ties. If there is none, a segment is taken from the device: 2 MiB for the small
//! pool, 20 MiB for a request below 10 MiB, otherwise the request rounded up to 2 MiB. A
//! small block is split when at least 512 bytes are left, a large one when more than 1 MiB
//! is left. A freed block merges with free neighbours of its segment, and stays in its pool.
//!
//! The segments are laid end to end in the arena in the order in which they are taken, and
//! each is reported as opened. The arena ends with the highest buffer; [`Plan::reserved`] is
//! what the segments add up to, `memory_reserved` in PyTorch's terms. The device has no end,
//! so nothing is ever given back to it; requests come from one stream.

use super::heap::{Block, Heap, Home};
use super::replay::{Allocator, Run, replay};
use crate::caching_allocator::{
    AllocatorSettings, GRANULE, LARGE_SEGMENT, MOST_SMALL, OWN_SEGMENT, SEGMENT_GRANULE,
    SMALL_SEGMENT,
};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::strategies::description::{
    AboveNaive, Capabilities, Description, Family, Growth, Model,
};
use crate::strategies::records::Record;
use crate::strategies::{Observer, PlanError, Strategy};
use crate::units::Bytes;
use alloc::vec;
use alloc::vec::Vec;

pub(in crate::strategies) const STRATEGY: Description = Description {
    name: "pytorch_caching",
    source: "PyTorch, CUDACachingAllocator",
    family: Family::Online,
    model: Model::Offsets,
    cost: "O(n log n)",
    growth: Growth::Square,
    capabilities: Capabilities::UNFIXED,
    above_naive: Some(AboveNaive::Segments(Bytes(GRANULE))),
    limit: None,
};

const SMALL: u32 = 0;
const LARGE: u32 = 1;

/// Replays requests and releases; see the module.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let allocator = Caching {
        blocks: Heap::default(),
        segments: 0,
        reserved: 0,
        taken: vec![None; lifetimes.buffers.len()],
    };
    let what = (Strategy::PytorchCaching, GRANULE);
    replay(what, lifetimes, options, observer, allocator)
}

struct Caching {
    blocks: Heap,
    /// Number of segments.
    segments: usize,
    /// Bytes of all segments.
    reserved: u64,
    /// Block of each buffer.
    taken: Vec<Option<Block>>,
}

impl Caching {
    /// A segment for a request of `size` bytes.
    fn reserve(
        &mut self,
        run: &mut Run<'_>,
        record: &Record,
        (pool, size): (u32, u64),
    ) -> Result<Block, PlanError> {
        let wanted = match size {
            _ if pool == SMALL => SMALL_SEGMENT,
            0..OWN_SEGMENT => LARGE_SEGMENT,
            _ => run.sum(record, size, SEGMENT_GRANULE - 1)? / SEGMENT_GRANULE * SEGMENT_GRANULE,
        };
        let (start, size) = (self.reserved, run.rounded(record, wanted)?);
        self.reserved = run.sum(record, start, size)?;
        let segment = self.segments;
        self.segments += 1;
        run.emit_opened(record, (segment, start, size))?;
        Ok(Block {
            start,
            size,
            home: Home { pool, segment },
        })
    }
}

impl Allocator for Caching {
    fn allocate(&mut self, run: &mut Run<'_>, record: &Record) -> Result<u64, PlanError> {
        let size = run.rounded(record, record.size)?;
        let pool = if size <= MOST_SMALL { SMALL } else { LARGE };
        let found = self.blocks.best_fit(pool, size);
        run.chosen(record, (pool, size), found)?;
        let mut block = match found {
            Some(block) => {
                self.blocks.take(block);
                block
            }
            None => self.reserve(run, record, (pool, size))?,
        };
        let rest = block.size - size;
        if AllocatorSettings::DEFAULT.splits(pool == SMALL, size, rest) {
            block.size = size;
            self.blocks.free(Block {
                start: block.end(),
                size: rest,
                home: block.home,
            });
        }
        run.held(record, block.size)?;
        self.taken[record.buffer] = Some(block);
        Ok(block.start)
    }

    fn release(&mut self, record: &Record) {
        if let Some(block) = self.taken[record.buffer].take() {
            self.blocks.free(block);
        }
    }

    fn reserved(&self) -> Option<Bytes> {
        Some(Bytes(self.reserved))
    }
}
