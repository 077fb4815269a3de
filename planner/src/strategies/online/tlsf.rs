//! Offsets as tinygrad's memory planner gives them: two-level segregated fit. Sources: Masmano,
//! Ripoll, Crespo and Real 2004, "TLSF: a new dynamic memory allocator for real-time systems"
//! (ECRTS), sections 3 and 4; tinygrad, `TLSFAllocator` and `memory_plan_rewrite`.
//!
//! Free blocks lie in lists: one for each power of two and each of 32 equal parts of what is
//! between it and the next. A request is rounded up to where a list begins, so that every block
//! in that list and in all after it is large enough, and takes the first of them that has any:
//! there the block that has been in it longest. What is more than the request goes back to its
//! list. A freed block merges with free neighbours, and is the youngest of its list.
//!
//! The time of a request depends on the number of lists alone, which is what the method is for; a
//! block that would do is overlooked where it lies in the list of the request before it is
//! rounded. Sizes are rounded up to 256 bytes; the space has twice the bytes of all requests. A
//! wish for an alignment of which 256 is no multiple is met as tinygrad does: a block is sought
//! that has room for it wherever it starts, and the bytes before go back.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;
use alloc::vec::Vec;

use super::replay::{Allocator, Run, replay};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::strategies::description::{
    AboveNaive, Capabilities, Description, Family, Growth, Model,
};
use crate::strategies::objects::least_common_multiple;
use crate::strategies::records::{Record, records};
use crate::strategies::{Observer, PlanError, Strategy, alignment, overflow};
use crate::units::Bytes;

pub(in crate::strategies) const STRATEGY: Description = Description {
    name: "tlsf",
    source: "tinygrad, TLSFAllocator; Masmano et al. 2004",
    family: Family::Online,
    model: Model::Offsets,
    cost: "O(n log n)",
    growth: Growth::Linear,
    capabilities: Capabilities::UNFIXED,
    above_naive: Some(AboveNaive::Blocks(Bytes(GRANULE))),
    limit: None,
};

/// Sizes are rounded up to a multiple of this.
const GRANULE: u64 = 256;

/// Bits of the number of lists between two powers of two, and one.
const SECOND_LEVEL: u32 = 6;

/// Replays requests and releases; see the module.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let mut aligned = vec![1; lifetimes.buffers.len()];
    let mut space = 0_u64;
    for record in records(lifetimes) {
        let buffer = &lifetimes.buffers[record.buffer];
        let wanted = alignment(buffer, options).0;
        if !GRANULE.is_multiple_of(wanted) {
            let joint = least_common_multiple(GRANULE, wanted);
            aligned[record.buffer] = joint.ok_or_else(|| overflow(buffer))?;
        }
        let size = Bytes(record.size).align_up(Bytes(GRANULE));
        let size = size.and_then(|it| it.0.checked_add(aligned[record.buffer] - 1));
        let twice = size.and_then(|size| size.checked_mul(2));
        let sum = twice.and_then(|twice| space.checked_add(twice));
        space = sum.ok_or_else(|| overflow(buffer))?;
    }
    let mut allocator = Tlsf {
        blocks: BTreeMap::new(),
        lists: BTreeSet::new(),
        born: 0,
        aligned,
        taken: vec![None; lifetimes.buffers.len()],
    };
    allocator.free(0, space);
    let what = (Strategy::Tlsf, GRANULE);
    replay(what, lifetimes, options, observer, allocator)
}

/// A stretch of the space.
#[derive(Clone, Copy)]
struct Block {
    size: u64,
    /// Number of the list's entry, for a free one.
    born: Option<u64>,
}

struct Tlsf {
    /// Everything, by address.
    blocks: BTreeMap<u64, Block>,
    /// The free blocks: list, age and address of each, the oldest first.
    lists: BTreeSet<(List, u64, u64)>,
    /// How many entries there were.
    born: u64,
    /// What each buffer is aligned to beyond the granule; 1 for nothing.
    aligned: Vec<u64>,
    /// Address of each buffer.
    taken: Vec<Option<u64>>,
}

/// A list: length of the size in bits, and part of what has this length.
type List = (u32, u64);

/// The list of blocks of `size` bytes.
fn list(size: u64) -> List {
    let bits = u64::BITS - size.leading_zeros();
    let first = 1 << bits.saturating_sub(1);
    (
        bits,
        size.saturating_sub(first) >> bits.saturating_sub(SECOND_LEVEL),
    )
}

impl Tlsf {
    /// A free stretch, which merges with no other.
    fn free(&mut self, start: u64, size: u64) {
        self.born += 1;
        let born = Some(self.born);
        self.blocks.insert(start, Block { size, born });
        self.lists.insert((list(size), self.born, start));
    }

    /// Takes the block at `start` out of its list, if it is free: its size.
    fn unlist(&mut self, start: u64) -> Option<u64> {
        let Block { size, born } = *self.blocks.get(&start)?;
        self.lists.remove(&(list(size), born?, start));
        Some(size)
    }

    /// Takes `size` bytes at a multiple of `aligned` from the oldest block of the first list in
    /// which all are large enough.
    fn take(&mut self, size: u64, aligned: u64) -> Option<u64> {
        let sought = size.checked_add(aligned - 1)?;
        let bits = u64::BITS - sought.leading_zeros();
        let part = 1 << bits.saturating_sub(SECOND_LEVEL);
        let sought = sought.checked_next_multiple_of(part)?;
        let &(_, _, mut start) = self.lists.range((list(sought), 0, 0)..).next()?;
        let mut whole = self.unlist(start)?;
        let at = start.checked_next_multiple_of(aligned)?;
        if at > start {
            self.free(start, at - start);
            whole -= at - start;
            start = at;
        }
        self.blocks.insert(start, Block { size, born: None });
        if whole > size {
            self.free(start + size, whole - size);
        }
        Some(start)
    }

    /// Gives the block at `start` back.
    fn give(&mut self, mut start: u64) {
        let Some(block) = self.blocks.get(&start) else {
            return;
        };
        let mut size = block.size;
        if let Some((&below, _)) = self.blocks.range(..start).next_back()
            && let Some(more) = self.unlist(below)
        {
            self.blocks.remove(&start);
            start = below;
            size += more;
        }
        if let Some(more) = self.unlist(start + size) {
            self.blocks.remove(&(start + size));
            size += more;
        }
        self.free(start, size);
    }
}

impl Allocator for Tlsf {
    fn allocate(&mut self, run: &mut Run<'_>, record: &Record) -> Result<u64, PlanError> {
        let size = Bytes(record.size).align_up(Bytes(GRANULE));
        let size = size.ok_or_else(|| run.overflow(record))?.0;
        let start = self.take(size, self.aligned[record.buffer]);
        // The space has room for twice as much.
        let start = start.ok_or_else(|| run.overflow(record))?;
        run.held(record, size)?;
        self.taken[record.buffer] = Some(start);
        Ok(start)
    }

    fn release(&mut self, record: &Record) {
        if let Some(start) = self.taken[record.buffer].take() {
            self.give(start);
        }
    }

    fn reserved(&self) -> Option<Bytes> {
        None
    }
}
