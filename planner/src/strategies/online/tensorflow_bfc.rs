//! Offsets as TensorFlow's allocator would give them at run time. Source: TensorFlow,
//! `BFCAllocator` (best fit with coalescing).
//!
//! Requests are rounded up to 256 bytes and take the smallest free chunk that is large
//! enough, the lowest on ties. A chunk at least twice as large as the request, or larger by
//! 128 MiB, is split; otherwise the request gets all of it. A freed chunk merges with free
//! neighbours. The 21 bins of the original (256 bytes and doubling) only speed the search
//! up: they are walked from small to large, each by size and address.
//!
//! As by default on a GPU, there is one region, as large as the device, here without an end:
//! what is free after the last chunk is the largest chunk of all. So the arena is the high
//! water mark. (With `allow_growth` there would be regions of 2 MiB and doubling.)

use super::heap::{Block, Heap, Home};
use super::replay::{Allocator, Run, replay};
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
    name: "tensorflow_bfc",
    source: "TensorFlow, BFCAllocator",
    family: Family::Online,
    model: Model::Offsets,
    cost: "O(n log n)",
    growth: Growth::Square,
    capabilities: Capabilities::UNFIXED,
    above_naive: Some(AboveNaive::Blocks(Bytes(GRANULE))),
    limit: None,
};

/// Sizes are rounded up to a multiple of this.
const GRANULE: u64 = 256;

/// A chunk that is larger than the request by this much is always split.
const MOST_WASTE: u64 = 128 << 20;

/// The only region.
const REGION: Home = Home {
    pool: 0,
    segment: 0,
};

/// Replays requests and releases; see the module.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let allocator = Bfc {
        chunks: Heap::default(),
        top: 0,
        taken: vec![None; lifetimes.buffers.len()],
    };
    let what = (Strategy::TensorflowBfc, GRANULE);
    replay(what, lifetimes, options, observer, allocator)
}

struct Bfc {
    chunks: Heap,
    /// End, exclusive, of all chunks in use.
    top: u64,
    /// Chunk of each buffer.
    taken: Vec<Option<Block>>,
}

impl Allocator for Bfc {
    fn allocate(&mut self, run: &mut Run<'_>, record: &Record) -> Result<u64, PlanError> {
        let size = run.rounded(record, record.size)?;
        let found = self.chunks.best_fit(REGION.pool, size);
        run.chosen(record, (REGION.pool, size), found)?;
        let mut chunk = match found {
            Some(chunk) => {
                self.chunks.take(chunk);
                chunk
            }
            None => {
                let start = self.top;
                self.top = run.sum(record, start, size)?;
                Block {
                    start,
                    size,
                    home: REGION,
                }
            }
        };
        let rest = chunk.size - size;
        if rest >= size || rest >= MOST_WASTE {
            chunk.size = size;
            self.chunks.free(Block {
                start: chunk.end(),
                size: rest,
                home: REGION,
            });
        }
        run.held(record, chunk.size)?;
        self.taken[record.buffer] = Some(chunk);
        Ok(chunk.start)
    }

    fn release(&mut self, record: &Record) {
        let Some(chunk) = self.taken[record.buffer].take() else {
            return;
        };
        let chunk = self.chunks.free(chunk);
        if chunk.end() == self.top {
            self.chunks.take(chunk);
            self.top = chunk.start;
        }
    }

    fn reserved(&self) -> Option<Bytes> {
        None
    }
}
