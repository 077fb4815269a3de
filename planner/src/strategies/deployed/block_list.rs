//! Best fit over a list of blocks without addresses. Source: MegEngine,
//! `StaticMemAllocPushdown::BestfitPrealloc`.
//!
//! Of free blocks of one size the one whose last owner ends latest comes first, then the one
//! that was made first; the smallest that is large enough is the first in this order, the
//! largest that grows is the last. (Older versions of MegEngine order blocks of one size by
//! where the list happens to keep them, which nothing can replay.)

use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

use crate::strategies::records::Record;

/// A place in the list: a record, or free bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Block {
    below: Option<usize>,
    above: Option<usize>,
    /// The record that holds it; `None` for a free one.
    record: Option<usize>,
    /// Bytes of a free block.
    size: u64,
    /// End of the last record in a free block.
    end: u64,
}

/// All blocks, from the bottom up. None of the free ones are neighbours.
pub(super) struct BlockList<'a> {
    records: &'a [Record],
    /// In order of making; those taken out of the list stay.
    blocks: Vec<Block>,
    bottom: Option<usize>,
    top: Option<usize>,
    free: BTreeSet<(u64, Reverse<u64>, usize)>,
    /// Block of each record, once it has one.
    of_record: Vec<usize>,
}

impl<'a> BlockList<'a> {
    /// No block.
    pub(super) fn new(records: &'a [Record]) -> Self {
        Self {
            records,
            blocks: Vec::new(),
            bottom: None,
            top: None,
            free: BTreeSet::new(),
            of_record: vec![0; records.len()],
        }
    }

    /// Finds a block for `record`; its size if it was there, perhaps too small.
    pub(super) fn alloc(&mut self, record: usize) -> Option<u64> {
        let size = self.records[record].size;
        let mut large_enough = self.free.range((size, Reverse(u64::MAX), 0)..);
        let best = large_enough.next().or_else(|| self.free.last()).copied();
        let block = if let Some(key) = best {
            self.free.remove(&key);
            let (known, Reverse(end), block) = key;
            self.blocks[block].record = Some(record);
            // One that is too small grows to what is needed.
            self.insert_free(Some(block), known.saturating_sub(size), end);
            block
        } else {
            let block = self.insert(self.top);
            self.blocks[block].record = Some(record);
            block
        };
        self.of_record[record] = block;
        best.map(|(known, ..)| known)
    }

    /// `record` takes the bytes of `dest` from `shift` on, the rest of which is free.
    pub(super) fn overwrite(&mut self, dest: usize, shift: u64, record: usize) {
        let block = self.of_record[dest];
        let Record { size, end, .. } = self.records[dest];
        let left = size.saturating_sub(shift + self.records[record].size);
        self.insert_free(self.blocks[block].below, shift, end);
        self.insert_free(Some(block), left, end);
        self.blocks[block].record = Some(record);
        self.of_record[record] = block;
    }

    /// The block of `record` is free.
    pub(super) fn free(&mut self, record: usize) {
        let Record { size, end, .. } = self.records[record];
        let block = self.of_record[record];
        let below = self.blocks[block].below;
        self.unlink(block);
        self.insert_free(below, size, end);
    }

    /// The record next below that of `record`, which has just been given its block.
    pub(super) fn below(&self, record: usize) -> Option<usize> {
        let next = self.blocks[self.of_record[record]].below?;
        let beyond = || self.blocks[self.blocks[next].below?].record;
        self.blocks[next].record.or_else(beyond)
    }

    /// The record next above it.
    pub(super) fn above(&self, record: usize) -> Option<usize> {
        let next = self.blocks[self.of_record[record]].above?;
        let beyond = || self.blocks[self.blocks[next].above?].record;
        self.blocks[next].record.or_else(beyond)
    }

    /// Free bytes directly above `below`; they join what is free on both sides.
    fn insert_free(&mut self, mut below: Option<usize>, mut size: u64, mut end: u64) {
        let above = match below {
            Some(block) => self.blocks[block].above,
            None => self.bottom,
        };
        if size == 0 {
            end = 0;
        }
        for neighbour in [above, below].into_iter().flatten() {
            let known = self.blocks[neighbour];
            if known.record.is_none() {
                size = size.saturating_add(known.size);
                end = end.max(known.end);
                if below == Some(neighbour) {
                    below = known.below;
                }
                self.free
                    .remove(&(known.size, Reverse(known.end), neighbour));
                self.unlink(neighbour);
            }
        }
        if size > 0 {
            let block = self.insert(below);
            self.blocks[block].size = size;
            self.blocks[block].end = end;
            self.free.insert((size, Reverse(end), block));
        }
    }

    /// A free block of no bytes directly above `below`, or at the bottom.
    fn insert(&mut self, below: Option<usize>) -> usize {
        let block = self.blocks.len();
        let above = match below {
            Some(known) => self.blocks[known].above,
            None => self.bottom,
        };
        self.blocks.push(Block {
            below,
            above,
            ..Block::default()
        });
        self.join(below, Some(block));
        self.join(Some(block), above);
        block
    }

    fn unlink(&mut self, block: usize) {
        let Block { below, above, .. } = self.blocks[block];
        self.join(below, above);
    }

    /// Makes `above` the next above `below`; `None` is the end of the list.
    fn join(&mut self, below: Option<usize>, above: Option<usize>) {
        match below {
            Some(block) => self.blocks[block].above = above,
            None => self.bottom = above,
        }
        match above {
            Some(block) => self.blocks[block].below = below,
            None => self.top = below,
        }
    }
}
