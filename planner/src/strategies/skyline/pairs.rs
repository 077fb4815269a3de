//! Which blocks conflict with which, pair by pair.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use crate::sorting::Sorting as _;

use super::blocks::Blocks;
use super::preorders::overlaps;

/// The conflicts of each block, one row after the other.
pub(super) struct Pairs {
    /// Where the row of each block begins.
    first: Vec<usize>,
    others: Vec<u32>,
}

impl Pairs {
    /// The conflicts of `blocks`, by a sweep over the starts; `None` for more than `most`
    /// pairs, which are counted before any is stored.
    pub(super) fn new(blocks: &Blocks, most: u64) -> Option<Self> {
        let overlaps = overlaps(blocks);
        let all: u64 = overlaps.iter().map(|&count| u64::from(count)).sum();
        if all > most.saturating_mul(2) {
            return None;
        }
        let all = usize::try_from(all).ok()?;
        let mut first = vec![0; blocks.len() + 1];
        for (block, count) in overlaps.into_iter().enumerate() {
            first[block + 1] = first[block] + count as usize;
        }
        let mut by_start: Vec<u32> = (0..).take(blocks.len()).collect();
        by_start.order_by_key(|&block| blocks.spans[block as usize].0);
        let mut met = Rows::new(&first, all);
        let mut live: Vec<u32> = Vec::new();
        for &block in &by_start {
            let start = blocks.spans[block as usize].0;
            live.retain(|&other| blocks.spans[other as usize].1 > start);
            for &other in &live {
                met.push(block, other);
                met.push(other, block);
            }
            live.push(block);
        }
        // The other way round: each row gets its entries by ascending index.
        let mut sorted = Rows::new(&first, all);
        for block in (0_u32..).take(blocks.len()) {
            for &other in &met.others[first[block as usize]..first[block as usize + 1]] {
                sorted.push(other, block);
            }
        }
        let others = sorted.others;
        Some(Self { first, others })
    }

    /// Where the row of `block` lies among all rows.
    pub(super) fn row(&self, block: u32) -> Range<usize> {
        self.first[block as usize]..self.first[block as usize + 1]
    }

    /// What conflicts with `block`, by ascending index.
    pub(super) fn of(&self, block: u32) -> &[u32] {
        &self.others[self.row(block)]
    }

    /// Number of entries in all rows.
    pub(super) fn len(&self) -> usize {
        self.others.len()
    }
}

/// Rows of known lengths that are being filled.
struct Rows {
    /// Where the next entry of each row goes.
    next: Vec<usize>,
    others: Vec<u32>,
}

impl Rows {
    /// Empty rows that begin at `first`, with room for so many entries in `all`.
    fn new(first: &[usize], all: usize) -> Self {
        Self {
            next: first.to_vec(),
            others: vec![0; all],
        }
    }

    fn push(&mut self, row: u32, other: u32) {
        let next = &mut self.next[row as usize];
        self.others[*next] = other;
        *next += 1;
    }
}
