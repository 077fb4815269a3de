//! The skyline greedy for one order after the other: fast for some hundreds of blocks, and
//! given up as soon as an attempt cannot stay below a limit.
//!
//! Every waiting block has a key, the lowest address that it can start at with its rank in
//! the low bits. A block that is placed raises the keys of those that conflict with it, and
//! the smallest key is next: O(n² / 64 + conflicts) steps that touch flat arrays only.

use crate::liveness::Lifetimes;
use crate::strategies::PlanError;
use alloc::vec;
use alloc::vec::Vec;

use super::blocks::Blocks;
use super::cliques::cliques;
use super::constraints::Constraints;
use super::least::Least;
use super::pairs::Pairs;

/// Key of a block that is placed.
const PLACED: u64 = u64::MAX;

/// After so many steps of work the caller is asked whether to go on: some milliseconds.
const BREATH: u64 = 1 << 21;

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
    keys: Least,
    /// What is still to be placed of each clique.
    left: Vec<u64>,
    /// Where each block starts after an attempt.
    pub(in crate::strategies) offsets: Vec<u64>,
    /// The blocks as they were placed.
    pub(in crate::strategies) placed: Vec<u32>,
    /// Steps of work when the caller was asked last.
    asked: u64,
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
            keys: Least::new(count),
            offsets: vec![0; count],
            placed: Vec::with_capacity(count),
            asked: 0,
        })
    }

    /// How many steps of work it takes to place so many blocks, of which so many pairs
    /// conflict.
    pub(in crate::strategies) fn cost(blocks: usize, conflicts: u64) -> u64 {
        let looks = Least::looks(blocks).saturating_mul(blocks as u64);
        looks.saturating_add(conflicts.saturating_mul(2))
    }

    /// Steps of work so far.
    pub(in crate::strategies) fn work(&self) -> u64 {
        self.keys.work
    }

    /// Places all blocks that are not fixed. `order` has them all by rank, `ranks` has the
    /// rank of each. Returns where the last ends, or `None` once that is sure to be `limit`
    /// or more.
    ///
    /// # Errors
    /// Those of `tick`, which receives from time to time how many blocks were placed, and how
    /// much was worked.
    pub(in crate::strategies) fn place(
        &mut self,
        order: &[u32],
        ranks: &[u32],
        limit: u64,
        tick: &mut dyn FnMut(usize, u64) -> Result<(), PlanError>,
    ) -> Result<Option<u64>, PlanError> {
        let mask = (1_u64 << self.bits) - 1;
        let mut arena = self.start(ranks);
        loop {
            let least = self.keys.smallest();
            if least == PLACED {
                return Ok((arena < limit).then_some(arena));
            }
            let rank = usize::try_from(least & mask).unwrap_or(usize::MAX);
            let block = order[rank];
            let offset = self.blocks.align(block as usize, least >> self.bits);
            let end = offset + self.blocks.records[block as usize].size;
            if end >= limit {
                return Ok(None);
            }
            arena = arena.max(end);
            self.offsets[block as usize] = offset;
            self.keys.set(block as usize, PLACED);
            self.placed.push(block);
            if self.constraints.is_some() {
                self.raise_constrained(block, offset, ranks);
            } else if !self.raise(block, self.blocks.top(end), ranks, limit) {
                return Ok(None);
            }
            if self.work() - self.asked >= BREATH {
                self.asked = self.work();
                tick(self.placed.len(), self.asked)?;
            }
        }
    }

    /// Takes every block up; where the last fixed one ends.
    fn start(&mut self, ranks: &[u32]) -> u64 {
        self.placed.clear();
        let bits = self.bits;
        let keys = self.keys.all();
        for (key, &rank) in keys.iter_mut().zip(ranks) {
            *key = u64::from(rank);
        }
        let arena = match &mut self.constraints {
            None => {
                self.left.copy_from_slice(&self.cliques);
                0
            }
            Some(constraints) => constraints.start(self.blocks, &mut self.offsets, |block, key| {
                let rank = u64::from(ranks[block]);
                keys[block] = key.map_or(PLACED, |key| key << bits | rank);
            }),
        };
        self.keys.refresh_all();
        arena
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
        let top_key = top << self.bits;
        let key = |other: u32| top_key | u64::from(ranks[other as usize]);
        self.keys.raise(self.pairs.of(block), key);
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
            if self.keys.key(other) != PLACED {
                let key = constraints.raise((block, offset), other, index, self.blocks);
                self.keys
                    .set(other, key << self.bits | u64::from(ranks[other]));
            }
        }
        self.keys.work += self.pairs.of(block).len() as u64;
    }
}
