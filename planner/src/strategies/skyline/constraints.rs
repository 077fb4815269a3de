//! What some problems ask for beside a whole block above another: fixed addresses, pauses in a
//! lifetime, and a block that may be written over another.

use crate::liveness::{Buffer, Handover, Lifetimes};
use crate::sorting::Sorting as _;
use crate::strategies::separation::separation;
use alloc::vec;
use alloc::vec::Vec;

use super::blocks::Blocks;
use super::pairs::Pairs;

/// The constraints of some blocks, and the state of one attempt.
pub(super) struct Constraints {
    /// For each entry of the pairs how far the other must start above the block, if at all.
    apart: Vec<Option<u64>>,
    /// Blocks with a fixed address, and that address.
    fixed: Vec<(usize, u64)>,
    /// The fixed blocks in each block's way, by the address from which on they are passed.
    walls: Vec<Vec<Wall>>,
    /// The allowed overlaps of each block.
    partners: Vec<Vec<Partner>>,
    /// Where the placed blocks that are not partners let each block start.
    free: Vec<u64>,
}

/// A fixed block in another's way: that one may start up to `below`, or from `above` on.
struct Wall {
    below: Option<u64>,
    above: u64,
}

/// A block that another may be written over, or that may be written over it.
struct Partner {
    block: u32,
    /// Bytes from this one to that other, and whether the other lies below.
    shift: u64,
    downward: bool,
    /// Where the other may start in the attempt: exactly there, or from there on.
    places: Option<(Option<u64>, u64)>,
}

impl Constraints {
    /// The constraints of `blocks`; `None` where there are none.
    pub(super) fn new(lifetimes: &Lifetimes, blocks: &Blocks, pairs: &Pairs) -> Option<Self> {
        let known = |block: usize| &lifetimes.buffers[blocks.records[block].buffer];
        let pauses = (0..blocks.len()).any(|block| !known(block).pauses.is_empty());
        let fixed: Vec<(usize, u64)> = (0..blocks.len())
            .filter_map(|block| Some((block, known(block).fixed?.0)))
            .collect();
        let partners = partners(lifetimes, blocks);
        if !pauses && fixed.is_empty() && partners.iter().all(Vec::is_empty) {
            return None;
        }
        let mut apart = vec![None; pairs.len()];
        for block in (0_u32..).take(blocks.len()) {
            for (index, &other) in pairs.row(block).zip(pairs.of(block)) {
                apart[index] = separation(known(block as usize), known(other as usize));
            }
        }
        let walls = |block: usize| walls(known(block), &fixed, known);
        Some(Self {
            walls: (0..blocks.len()).map(walls).collect(),
            apart,
            fixed,
            partners,
            free: vec![0; blocks.len()],
        })
    }

    /// Starts an attempt: writes the fixed addresses, sets the key of each block (none for
    /// fixed ones), and returns where the last fixed block ends.
    pub(super) fn start(
        &mut self,
        blocks: &Blocks,
        offsets: &mut [u64],
        mut set_key: impl FnMut(usize, Option<u64>),
    ) -> u64 {
        self.free.fill(0);
        for partner in self.partners.iter_mut().flatten() {
            partner.places = None;
        }
        for block in 0..blocks.len() {
            set_key(block, Some(self.key(block, blocks)));
        }
        let mut arena = 0;
        for &(block, offset) in &self.fixed {
            set_key(block, None);
            offsets[block] = offset;
            arena = arena.max(offset + blocks.records[block].size);
        }
        arena
    }

    /// `block` was placed at `offset`: the key that `other`, in entry `index` of its row, has
    /// now.
    pub(super) fn raise(
        &mut self,
        (block, offset): (u32, u64),
        other: usize,
        index: usize,
        blocks: &Blocks,
    ) -> u64 {
        let Some(apart) = self.apart[index] else {
            return self.key(other, blocks);
        };
        let above = blocks.top(offset + apart);
        let mut partners = self.partners[other].iter_mut();
        match partners.find(|partner| partner.block == block) {
            None => self.free[other] = self.free[other].max(above),
            Some(partner) => {
                let exact = match partner.downward {
                    true => offset.checked_sub(partner.shift),
                    false => Some(offset + partner.shift),
                };
                let exact = exact.filter(|&exact| blocks.align(other, exact) == exact);
                partner.places = Some((exact, above));
            }
        }
        self.key(other, blocks)
    }

    /// The lowest address that `block` may start at.
    fn key(&self, block: usize, blocks: &Blocks) -> u64 {
        let free = self.free[block];
        let placed = || {
            self.partners[block]
                .iter()
                .filter_map(|partner| partner.places)
        };
        let exact = placed().filter_map(|(exact, _)| exact).filter(|&at| {
            let passes = |(exact, above): (Option<u64>, u64)| exact == Some(at) || above <= at;
            at >= free && placed().all(passes) && self.pass(block, at, blocks) == at
        });
        let above = placed().fold(free, |free, (_, above)| free.max(above));
        let above = self.pass(block, above, blocks);
        exact.min().map_or(above, |exact| exact.min(above))
    }

    /// The lowest address from `from` on at which no fixed block is in the way.
    fn pass(&self, block: usize, from: u64, blocks: &Blocks) -> u64 {
        let mut at = from;
        for wall in &self.walls[block] {
            let start = blocks.align(block, at);
            if start < wall.above && wall.below.is_none_or(|below| start > below) {
                at = blocks.top(wall.above);
            }
        }
        at
    }
}

/// What is fixed in the way of `buffer`, passed the sooner the earlier.
fn walls<'a>(
    buffer: &Buffer,
    fixed: &[(usize, u64)],
    known: impl Fn(usize) -> &'a Buffer,
) -> Vec<Wall> {
    let wall = |&(block, offset): &(usize, u64)| {
        let above = separation(known(block), buffer)?;
        let below = separation(buffer, known(block))?;
        Some(Wall {
            below: offset.checked_sub(below),
            above: offset + above,
        })
    };
    let mut walls: Vec<Wall> = fixed.iter().filter_map(wall).collect();
    walls.order_by_key(|wall| wall.above);
    walls
}

/// The allowed overlaps of each block, of those that are not fixed.
fn partners(lifetimes: &Lifetimes, blocks: &Blocks) -> Vec<Vec<Partner>> {
    let mut partners: Vec<Vec<Partner>> = Vec::new();
    partners.resize_with(blocks.len(), Vec::new);
    let mut block = vec![None; lifetimes.buffers.len()];
    for (index, record) in (0_u32..).zip(&blocks.records) {
        if lifetimes.buffers[record.buffer].fixed.is_none() {
            block[record.buffer] = Some(index);
        }
    }
    for &Handover {
        before,
        after,
        shift,
    } in &lifetimes.handovers
    {
        let find = |buffer: usize| block.get(buffer).copied().flatten();
        let (Some(first), Some(second)) = (find(before), find(after)) else {
            continue;
        };
        let (before, after) = (
            lifetimes.buffers[before].span,
            lifetimes.buffers[after].span,
        );
        // They share one step: the last of the one and the first of the other.
        if before.start > after.start || before.end.0 != after.start.0 + 1 {
            continue;
        }
        let partner = |block: u32, downward: bool| Partner {
            block,
            shift: shift.0,
            downward,
            places: None,
        };
        partners[second as usize].push(partner(first, false));
        partners[first as usize].push(partner(second, true));
    }
    partners
}
