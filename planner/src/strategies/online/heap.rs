//! A heap of blocks: split, freed, merged with their neighbours, found by size.

use alloc::collections::{BTreeMap, BTreeSet};

/// What a block belongs to: blocks merge within a segment, and are looked for within a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Home {
    pub(super) pool: u32,
    pub(super) segment: usize,
}

/// A free block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) start: u64,
    pub(super) size: u64,
    pub(super) home: Home,
}

impl Block {
    /// End, exclusive.
    pub(super) fn end(self) -> u64 {
        self.start + self.size
    }
}

/// The free blocks of an allocator. No two of one segment touch.
#[derive(Debug, Default)]
pub(super) struct Heap {
    by_start: BTreeMap<u64, Block>,
    /// Pool, size and start of each.
    by_size: BTreeSet<(u32, u64, u64)>,
}

impl Heap {
    /// The smallest free block of `pool` with at least `size` bytes, the lowest on ties.
    pub(super) fn best_fit(&self, pool: u32, size: u64) -> Option<Block> {
        let large = (pool, size, 0)..=(pool, u64::MAX, u64::MAX);
        let &(_, _, start) = self.by_size.range(large).next()?;
        self.by_start.get(&start).copied()
    }

    /// Takes a free block out.
    pub(super) fn take(&mut self, block: Block) {
        self.by_start.remove(&block.start);
        let key = (block.home.pool, block.size, block.start);
        self.by_size.remove(&key);
    }

    /// Frees `block`, merges it with the free blocks of its segment that touch it, and
    /// returns what became of it.
    pub(super) fn free(&mut self, mut block: Block) -> Block {
        let below = self.by_start.range(..block.start).next_back();
        let below = below.map(|(_, &below)| below);
        if let Some(below) = below.filter(|b| b.end() == block.start && b.home == block.home) {
            self.take(below);
            block.start = below.start;
            block.size += below.size;
        }
        let above = self.by_start.get(&block.end()).copied();
        if let Some(above) = above.filter(|above| above.home == block.home) {
            self.take(above);
            block.size += above.size;
        }
        self.by_start.insert(block.start, block);
        let key = (block.home.pool, block.size, block.start);
        self.by_size.insert(key);
        block
    }
}
