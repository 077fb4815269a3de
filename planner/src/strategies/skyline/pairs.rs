//! Which blocks conflict with which, pair by pair.

use std::ops::Range;

use super::blocks::Blocks;

/// The conflicts of each block, one row behind the other.
pub(super) struct Pairs {
    /// Where the row of each block begins.
    first: Vec<usize>,
    others: Vec<u32>,
}

impl Pairs {
    /// The conflicts of `blocks`, by a sweep over the starts; `None` for more than `most`
    /// pairs.
    pub(super) fn new(blocks: &Blocks, most: u64) -> Option<Self> {
        let mut by_start: Vec<u32> = (0..).take(blocks.len()).collect();
        by_start.sort_by_key(|&block| blocks.spans[block as usize].0);
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        let mut live: Vec<u32> = Vec::new();
        for &block in &by_start {
            let start = blocks.spans[block as usize].0;
            live.retain(|&other| blocks.spans[other as usize].1 > start);
            if pairs.len() as u64 > 2 * most {
                return None;
            }
            let both = |&other: &u32| [(block, other), (other, block)];
            pairs.extend(live.iter().flat_map(both));
            live.push(block);
        }
        pairs.sort_unstable();
        let mut first = vec![0; blocks.len() + 1];
        for &(block, _) in &pairs {
            first[block as usize + 1] += 1;
        }
        for block in 0..blocks.len() {
            first[block + 1] += first[block];
        }
        let others = pairs.into_iter().map(|pair| pair.1).collect();
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
