//! The skyline greedy for one order after the other: fast for some hundreds of blocks, and
//! given up as soon as an attempt cannot stay below a limit.
//!
//! Every waiting block has a key, the lowest address that it can start at with its rank in
//! the low bits. A block that is placed raises the keys of those that conflict with it, and
//! the smallest key is next: O(n² + conflicts) steps that touch flat arrays only.

use crate::liveness::Lifetimes;

use super::blocks::Blocks;
use super::cliques::cliques;
use super::constraints::Constraints;
use super::pairs::Pairs;

/// Key of a block that is placed.
const PLACED: u64 = u64::MAX;

/// The conflicts of some blocks, and room for one attempt.
pub(in crate::strategies) struct Decoder<'a> {
    pub(super) blocks: &'a Blocks,
    pub(super) pairs: Pairs,
    pub(super) constraints: Option<Constraints>,
    /// The cliques that no other contains, as sums of sizes; each block lies in a row of them.
    cliques: Vec<u64>,
    rows: Vec<(u32, u32)>,
    /// Bits of a key that hold the rank.
    bits: u32,
    keys: Vec<u64>,
    /// What is still to be placed of each clique.
    left: Vec<u64>,
    /// Where each block starts after an attempt.
    pub(in crate::strategies) offsets: Vec<u64>,
    /// The blocks as they were placed.
    pub(in crate::strategies) placed: Vec<u32>,
    /// Steps of work so far.
    pub(in crate::strategies) work: u64,
}

impl<'a> Decoder<'a> {
    /// The decoder of `blocks`, unless more than `most` pairs of them conflict, or a key needs
    /// more than 63 bits.
    pub(in crate::strategies) fn new(
        lifetimes: &Lifetimes,
        blocks: &'a Blocks,
        most: u64,
    ) -> Option<Self> {
        let count = blocks.len();
        let bits = usize::BITS - count.leading_zeros();
        if blocks.highest.leading_zeros() <= bits {
            return None;
        }
        let pairs = Pairs::new(blocks, most)?;
        let constraints = Constraints::new(lifetimes, blocks, &pairs);
        let (cliques, rows) = cliques(blocks);
        Some(Self {
            blocks,
            pairs,
            constraints,
            left: cliques.clone(),
            cliques,
            rows,
            bits,
            keys: vec![0; count],
            offsets: vec![0; count],
            placed: Vec::with_capacity(count),
            work: 0,
        })
    }

    /// Places all blocks that are not fixed. `order` has them all by rank, `ranks` has the
    /// rank of each. Returns where the last ends, or `None` once that is sure to be `limit`
    /// or more.
    pub(in crate::strategies) fn place(
        &mut self,
        order: &[u32],
        ranks: &[u32],
        limit: u64,
    ) -> Option<u64> {
        let mask = (1_u64 << self.bits) - 1;
        for (key, &rank) in self.keys.iter_mut().zip(ranks) {
            *key = u64::from(rank);
        }
        self.placed.clear();
        let mut arena = match &mut self.constraints {
            None => {
                self.left.copy_from_slice(&self.cliques);
                0
            }
            Some(constraints) => constraints.start(self.blocks, &mut self.offsets, |block, key| {
                let rank = u64::from(ranks[block]);
                self.keys[block] = key.map_or(PLACED, |key| key << self.bits | rank);
            }),
        };
        loop {
            let least = smallest(&self.keys);
            if least == PLACED {
                return (arena < limit).then_some(arena);
            }
            let rank = usize::try_from(least & mask).unwrap_or(usize::MAX);
            let block = order[rank];
            let offset = self.blocks.align(block as usize, least >> self.bits);
            let end = offset + self.blocks.records[block as usize].size;
            if end >= limit {
                return None;
            }
            arena = arena.max(end);
            self.offsets[block as usize] = offset;
            self.keys[block as usize] = PLACED;
            self.placed.push(block);
            self.work += (order.len() + self.pairs.of(block).len()) as u64;
            if self.constraints.is_some() {
                self.raise_constrained(block, offset, ranks);
            } else if !self.raise(block, self.blocks.top(end), ranks, limit) {
                return None;
            }
        }
    }

    /// The blocks whose end keeps `above` from starting below `height`; without one, all that
    /// end there.
    pub(in crate::strategies) fn ending_at(&self, height: u64, above: Option<u32>) -> Vec<u32> {
        let end = |block: u32| {
            let block = block as usize;
            self.offsets[block] + self.blocks.records[block].size
        };
        match above {
            None => (0..)
                .take(self.offsets.len())
                .filter(|&block| end(block) == height)
                .collect(),
            Some(above) => {
                let rests =
                    |end: u64| self.blocks.align(above as usize, self.blocks.top(end)) == height;
                let under = self.pairs.of(above).iter().copied();
                let under = under.filter(|&block| rests(end(block)) && height > 0);
                under.collect()
            }
        }
    }

    /// Raises what conflicts with `block`, which has its `top` now; whether the rest can
    /// still be placed below `limit`.
    fn raise(&mut self, block: u32, top: u64, ranks: &[u32], limit: u64) -> bool {
        for &other in self.pairs.of(block) {
            let key = &mut self.keys[other as usize];
            *key = (*key).max(top << self.bits | u64::from(ranks[other as usize]));
        }
        let size = self.blocks.records[block as usize].size;
        let (from, to) = self.rows[block as usize];
        let mut fits = true;
        for left in &mut self.left[from as usize..to as usize] {
            *left -= size;
            fits &= *left == 0 || top + *left < limit;
        }
        fits
    }

    /// Raises what conflicts with `block`, which starts at `offset` now.
    fn raise_constrained(&mut self, block: u32, offset: u64, ranks: &[u32]) {
        let Some(constraints) = &mut self.constraints else {
            return;
        };
        for (index, &other) in (self.pairs.row(block)).zip(self.pairs.of(block)) {
            let other = other as usize;
            if self.keys[other] != PLACED {
                let key = constraints.raise((block, offset), other, index, self.blocks);
                self.keys[other] = key << self.bits | u64::from(ranks[other]);
            }
        }
    }
}

/// The smallest of some keys.
fn smallest(keys: &[u64]) -> u64 {
    // Four at a time, which need not wait for each other.
    let mut least = [u64::MAX; 4];
    let (fours, rest) = keys.as_chunks::<4>();
    for four in fours {
        for (least, &key) in least.iter_mut().zip(four) {
            *least = (*least).min(key);
        }
    }
    let fours = least[0].min(least[1]).min(least[2].min(least[3]));
    rest.iter().fold(fours, |least, &key| least.min(key))
}
