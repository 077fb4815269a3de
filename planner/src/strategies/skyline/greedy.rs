//! One attempt of the skyline greedy, by the index or by pairs.

use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;

use super::blocks::Blocks;
use super::decoder::Decoder;
use super::lines::Lines;
use crate::liveness::Lifetimes;
use crate::sorting::Sorting as _;
use crate::strategies::PlanError;

/// Most conflicting pairs that are looked at one by one: about 100 MB of them.
const PAIRS: u64 = 1 << 21;

/// Room for attempts at some blocks.
pub(in crate::strategies) struct Greedy<'a> {
    way: Way<'a>,
    /// Fixed addresses, and the skyline of their ends; only the index looks at these.
    fixed: Vec<(u32, u64)>,
    floor: Vec<(u32, u32, u64)>,
}

enum Way<'a> {
    Index(Lines<'a>),
    Pairs(Decoder<'a>),
}

impl<'a> Greedy<'a> {
    /// Pairs for blocks with pauses, fixed addresses or allowed overlaps, unless there are too
    /// many; the index elsewhere. The index gives up the space below fixed blocks, and takes
    /// blocks with pauses and overlaps for whole.
    pub(in crate::strategies) fn new(lifetimes: &Lifetimes, blocks: &'a Blocks) -> Self {
        if constrained(lifetimes, blocks)
            && let Some(decoder) = Decoder::new(lifetimes, blocks, PAIRS)
        {
            let (fixed, floor) = (Vec::new(), Vec::new());
            let way = Way::Pairs(decoder);
            return Self { way, fixed, floor };
        }
        let mut lines = Lines::new(blocks);
        let known = |index: u32| &lifetimes.buffers[blocks.records[index as usize].buffer];
        let all = (0..).take(blocks.len());
        let fixed: Vec<(u32, u64)> = all
            .filter_map(|block| Some((block, known(block).fixed?.0)))
            .collect();
        for &(block, offset) in &fixed {
            lines.offsets[block as usize] = offset;
        }
        Self {
            way: Way::Index(lines),
            floor: floor(blocks, &fixed),
            fixed,
        }
    }

    /// Tries `order`, all blocks with the best-ranked first. Returns where the last ends, or
    /// `None` once that is sure to be `limit` or more.
    ///
    /// # Errors
    /// Those of `tick`, which receives from time to time how many blocks were placed.
    pub(in crate::strategies) fn place(
        &mut self,
        order: &[u32],
        limit: u64,
        tick: &mut dyn FnMut(usize) -> Result<(), PlanError>,
    ) -> Result<Option<u64>, PlanError> {
        let lines = match &mut self.way {
            Way::Index(lines) => lines,
            Way::Pairs(decoder) => {
                let mut tick = |placed, _| tick(placed);
                return decoder.place(order, &ranks(order), limit, &mut tick);
            }
        };
        let is_fixed = |block: u32| self.fixed.binary_search_by_key(&block, |f| f.0).is_ok();
        if self.fixed.is_empty() {
            return lines.place(order, (&self.floor, limit), tick);
        }
        let order: Vec<u32> = order.iter().copied().filter(|&it| !is_fixed(it)).collect();
        lines.place(&order, (&self.floor, limit), tick)
    }

    /// Where each block starts after an attempt that went well.
    pub(in crate::strategies) fn offsets(&self) -> &[u64] {
        match &self.way {
            Way::Index(lines) => &lines.offsets,
            Way::Pairs(decoder) => &decoder.offsets,
        }
    }

    /// The blocks as they were placed in the last attempt, without fixed ones.
    pub(in crate::strategies) fn placed(&self) -> &[u32] {
        match &self.way {
            Way::Index(lines) => &lines.placed,
            Way::Pairs(decoder) => &decoder.placed,
        }
    }
}

/// The rank of each block of an order.
pub(in crate::strategies) fn ranks(order: &[u32]) -> Vec<u32> {
    let mut ranks = vec![0; order.len()];
    for (rank, &block) in (0..).zip(order) {
        ranks[block as usize] = rank;
    }
    ranks
}

/// Whether anything is asked for beside a whole block above another.
pub(super) fn constrained(lifetimes: &Lifetimes, blocks: &Blocks) -> bool {
    let known = |index: usize| &lifetimes.buffers[blocks.records[index].buffer];
    let asks = |index: usize| known(index).fixed.is_some() || !known(index).pauses.is_empty();
    !lifetimes.handovers.is_empty() || (0..blocks.len()).any(asks)
}

/// The highest ends of the fixed blocks, by stretches of moments.
fn floor(blocks: &Blocks, fixed: &[(u32, u64)]) -> Vec<(u32, u32, u64)> {
    let mut changes: Vec<(u32, bool, u64, u32)> = Vec::new();
    for &(block, offset) in fixed {
        let (start, end) = blocks.spans[block as usize];
        let top = blocks.top(offset + blocks.records[block as usize].size);
        changes.push((start, true, top, block));
        changes.push((end, false, top, block));
    }
    changes.order();
    let mut floor = Vec::new();
    let mut tops: BTreeSet<(u64, u32)> = BTreeSet::new();
    let mut from = 0;
    for (moment, starts, top, block) in changes {
        if let Some(&(height, _)) = tops.last()
            && from < moment
        {
            floor.push((from, moment, height));
        }
        from = moment;
        if starts {
            tops.insert((top, block));
        } else {
            tops.remove(&(top, block));
        }
    }
    floor
}
