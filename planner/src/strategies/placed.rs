//! What is placed already, and the free ranges that it leaves for what comes next.

use super::by_address::{Block, ByAddress};
use super::conflicts::TimeIndex;
use super::records::Record;
use crate::free_space::{Fit, Usable, choose, free_ranges};
use crate::units::Bytes;
use alloc::vec;
use alloc::vec::Vec;

/// Where more than one in so many placed blocks conflicts, all are walked in order of
/// address; elsewhere the conflicting ones are looked up and sorted.
const DENSE: usize = 32;

/// The placed blocks, searchable by steps and by address.
pub(super) struct Placed<'a> {
    records: &'a [Record],
    by_time: TimeIndex,
    by_address: ByAddress,
    /// Start and exclusive end of each placed record's block.
    places: Vec<(u64, u64)>,
    /// Kept between searches for their memory.
    found: Vec<usize>,
    blocks: Vec<(u64, u64)>,
}

impl<'a> Placed<'a> {
    /// None of `records` placed.
    pub(super) fn new(records: &'a [Record]) -> Self {
        Self {
            records,
            by_time: TimeIndex::new(records),
            by_address: ByAddress::new(),
            places: vec![(0, 0); records.len()],
            found: Vec::new(),
            blocks: Vec::new(),
        }
    }

    /// Record `index` takes the bytes from `offset` to `end`, exclusive.
    pub(super) fn insert(&mut self, index: usize, (offset, end): (u64, u64)) {
        let record = &self.records[index];
        self.by_time.insert(index);
        self.places[index] = (offset, end);
        self.by_address.insert(Block {
            offset,
            end,
            live: (record.start, record.end),
        });
    }

    /// Where `record` goes by this fit policy; `None` when an address goes beyond 64 bits.
    pub(super) fn choose(&mut self, record: &Record, alignment: Bytes, fit: Fit) -> Option<Usable> {
        let wanted = (record.size, alignment);
        let few = self.by_address.len() / DENSE;
        self.find(record, few);
        if self.found.len() > few {
            let blocks = self.by_address.iter();
            let live = blocks.filter(|b| b.live.0 < record.end && record.start < b.live.1);
            return choose(
                free_ranges(0, live.map(|b| (b.offset, b.end, ()))),
                wanted,
                fit,
            );
        }
        let blocks = self.sorted().iter().map(|&(start, end)| (start, end, ()));
        choose(free_ranges(0, blocks), wanted, fit)
    }

    /// Looks up what is live together with `record`, or more than `few` of it.
    fn find(&mut self, record: &Record, few: usize) {
        self.found.clear();
        let steps = (record.start, record.end);
        self.by_time.overlapping(steps, few, &mut self.found);
    }

    /// What was looked up, by address.
    fn sorted(&mut self) -> &[(u64, u64)] {
        let places = self.found.iter().map(|&other| self.places[other]);
        self.blocks.clear();
        self.blocks.extend(places);
        self.blocks.sort_unstable();
        &self.blocks
    }
}
