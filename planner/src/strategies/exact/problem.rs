//! What is searched: the buffers that need memory, made ready once.

use crate::liveness::{Buffer, Lifetimes, profile};
use crate::plan::{Options, Unsearched};
use crate::sorting::Sorting as _;
use crate::strategies::records::records;
use crate::strategies::separation::may_interleave;
use crate::strategies::{PlanError, alignment, overflow};
use crate::units::{Bytes, common_divisor};
use alloc::vec;
use alloc::vec::Vec;

/// Sizes and paddings of all buffers stay below this, so that no sum here overflows.
const LIMIT: u64 = 1 << 62;

/// More buffers than this are not searched.
pub const BUFFERS: usize = 20_000;

/// More pairs of buffers that share a step than this are not searched: their lists take 8
/// bytes a pair in each preorder.
pub const PAIRS: u64 = 2_000_000;

/// A buffer that needs memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    /// Its index in the lifetimes.
    pub(super) buffer: usize,
    /// Bytes.
    pub(super) size: u64,
    /// Bytes up to the next address at which any buffer may start.
    pub(super) padded: u64,
    /// What its address is a multiple of, unless it is fixed.
    pub(super) alignment: u64,
    /// Its address, if the problem fixes it.
    pub(super) fixed: Option<u64>,
    /// First step.
    pub(super) start: u64,
    /// End of its steps, exclusive.
    pub(super) end: u64,
}

/// The blocks of some lifetimes, and what is the same for all of them.
pub(super) struct Problem<'a> {
    /// Where they come from.
    pub(super) lifetimes: &'a Lifetimes,
    /// In the buffers' order.
    pub(super) blocks: Vec<Block>,
    /// Whether any buffer has pauses.
    pub(super) pauses: bool,
    /// Why there are valid plans that the search never looks at, if there are any, so that it
    /// proves nothing: a handover lets two buffers overlap, and windows that lie beside each
    /// other in their buffers let these interleave. The search does neither, and what is too
    /// large it does not look at.
    pub(super) unsearched: Option<Unsearched>,
}

impl<'a> Problem<'a> {
    /// Takes the blocks out of `lifetimes`.
    pub(super) fn new(lifetimes: &'a Lifetimes, options: &Options) -> Result<Self, PlanError> {
        let mut sum = 0_u64;
        let mut grain = 0;
        let mut blocks = Vec::new();
        for buffer in &lifetimes.buffers {
            sum = sum
                .checked_add(buffer.size.0)
                .and_then(|sum| sum.checked_add(alignment(buffer, options).0))
                .filter(|sum| sum.saturating_add(buffer.fixed.unwrap_or_default().0) < LIMIT)
                .ok_or_else(|| overflow(buffer))?;
        }
        for record in records(lifetimes) {
            let buffer = &lifetimes.buffers[record.buffer];
            let Bytes(alignment) = alignment(buffer, options);
            let fixed = buffer.fixed.map(|offset| offset.0);
            grain = common_divisor(grain, fixed.unwrap_or(alignment));
            blocks.push(Block {
                buffer: record.buffer,
                size: record.size,
                padded: record.size,
                alignment,
                fixed,
                start: record.start,
                end: record.end,
            });
        }
        for block in &mut blocks {
            block.padded = block.size.next_multiple_of(grain.max(1));
        }
        let mut problem = Self {
            lifetimes,
            pauses: lifetimes.buffers.iter().any(|b| !b.pauses.is_empty()),
            unsearched: None,
            blocks,
        };
        problem.unsearched = if problem.too_large() {
            Some(Unsearched::Large)
        } else if !lifetimes.handovers.is_empty() {
            Some(Unsearched::Handovers)
        } else {
            interleave(lifetimes, &problem.blocks).then_some(Unsearched::Windows)
        };
        Ok(problem)
    }

    /// The blocks by index, in groups that share no step; each group by ascending start.
    /// One group of all where `apart` is false.
    pub(super) fn partitions(&self, apart: bool) -> Vec<Vec<usize>> {
        let mut order: Vec<usize> = (0..self.blocks.len()).collect();
        order.order_by_key(|&block| (self.blocks[block].start, block));
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut end = 0;
        for block in order {
            match groups.last_mut() {
                Some(group) if !apart || self.blocks[block].start < end => group.push(block),
                _ => groups.push(vec![block]),
            }
            end = end.max(self.blocks[block].end);
        }
        groups
    }

    /// Whether there is too much to search.
    fn too_large(&self) -> bool {
        self.blocks.len() > BUFFERS || self.pairs() > PAIRS
    }

    /// The end of the last buffer that needs no memory: it must lie in the arena all the same.
    pub(super) fn beside(&self) -> u64 {
        let beside = |b: &&Buffer| b.size == Bytes::ZERO || b.span.is_empty();
        let beside = self.lifetimes.buffers.iter().filter(beside);
        let ends = beside.map(|b| b.fixed.unwrap_or_default().0 + b.size.0);
        ends.max().unwrap_or(0)
    }

    /// What no plan is smaller than, even when blocks interleave or overlap: the largest
    /// buffer alone, or what is needed at one step.
    pub(super) fn certain(&self) -> u64 {
        let alone = self.blocks.iter().map(|b| b.fixed.unwrap_or(0) + b.size);
        let live = profile::profile(self.lifetimes).points;
        let live = live.into_iter().map(|(_, live)| live.0);
        live.chain(alone).fold(self.beside(), u64::max)
    }

    /// The number of pairs of blocks that share a step.
    fn pairs(&self) -> u64 {
        let mut starts: Vec<u64> = self.blocks.iter().map(|block| block.start).collect();
        let mut ends: Vec<u64> = self.blocks.iter().map(|block| block.end).collect();
        starts.order();
        ends.order();
        let mut ended = 0;
        let mut pairs = 0_u64;
        for (begun, start) in starts.into_iter().enumerate() {
            while ends[ended] <= start {
                ended += 1;
            }
            pairs = pairs.saturating_add((begun - ended) as u64);
        }
        pairs
    }

    /// Whether two fixed blocks are in each other's way, so that there is no plan.
    pub(super) fn collides(&self) -> bool {
        let fixed = |block: &&Block| block.fixed.is_some();
        let mut fixed: Vec<&Block> = self.blocks.iter().filter(fixed).collect();
        fixed.order_by_key(|block| (block.fixed, block.buffer));
        fixed.iter().enumerate().any(|(index, below)| {
            fixed[index + 1..].iter().any(|above| {
                let buffers = &self.lifetimes.buffers;
                let apart = crate::strategies::separation::separation(
                    &buffers[below.buffer],
                    &buffers[above.buffer],
                );
                let distance = above.fixed.unwrap_or(0) - below.fixed.unwrap_or(0);
                apart.is_some_and(|apart| apart > distance)
            })
        })
    }
}

/// Whether two blocks that are live together may interleave.
fn interleave(lifetimes: &Lifetimes, blocks: &[Block]) -> bool {
    let buffer = |block: usize| &lifetimes.buffers[blocks[block].buffer];
    let windowed = |buffer: &Buffer| buffer.pauses.iter().any(|pause| pause.window.is_some());
    if !(0..blocks.len()).any(|block| windowed(buffer(block))) {
        return false;
    }
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    order.order_by_key(|&block| blocks[block].start);
    let mut live: Vec<usize> = Vec::new();
    order.into_iter().any(|block| {
        live.retain(|&other| blocks[other].end > blocks[block].start);
        let mut others = live.iter();
        let found = others.any(|&other| may_interleave(buffer(block), buffer(other)));
        live.push(block);
        found
    })
}
