//! Placed blocks in order of address, cheap to insert into and to walk.
//!
//! Chunks of bounded length: an insertion moves at most one chunk's worth of blocks, and a
//! walk reads memory in order. For a buffer that conflicts with a large part of what is
//! placed, walking all of it is faster than finding the conflicting blocks and sorting them.

use alloc::vec;
use alloc::vec::Vec;

/// Longest chunk; one that grows beyond it is cut in half.
const CHUNK: usize = 512;

/// A placed block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    /// First byte.
    pub(super) offset: u64,
    /// End of its bytes, exclusive.
    pub(super) end: u64,
    /// Its steps: the first, and the end, exclusive.
    pub(super) live: (u64, u64),
}

/// All placed blocks.
pub(super) struct ByAddress {
    /// Never empty chunks, in order; blocks of equal offset in order of insertion.
    chunks: Vec<Vec<Block>>,
    len: usize,
}

impl ByAddress {
    /// Nothing placed.
    pub(super) fn new() -> Self {
        Self {
            chunks: Vec::new(),
            len: 0,
        }
    }

    /// Number of blocks.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Adds `block` after those of the same or a lower offset.
    pub(super) fn insert(&mut self, block: Block) {
        self.len += 1;
        let next = self
            .chunks
            .partition_point(|chunk| chunk[0].offset <= block.offset);
        let at = next.saturating_sub(1);
        let Some(chunk) = self.chunks.get_mut(at) else {
            self.chunks.push(vec![block]);
            return;
        };
        let place = chunk.partition_point(|known| known.offset <= block.offset);
        chunk.insert(place, block);
        if chunk.len() > CHUNK {
            let upper = chunk.split_off(CHUNK / 2);
            self.chunks.insert(at + 1, upper);
        }
    }

    /// All blocks by ascending offset.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Block> {
        self.chunks.iter().flatten()
    }
}
