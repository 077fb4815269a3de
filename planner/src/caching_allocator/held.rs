//! An allocator that begins as a running one stood: with segments, and with blocks in them.

use super::blocks::{Address, Block, Home};
use super::{Allocator, end};

impl Allocator {
    /// A segment of `bytes` at `address` of the device is there, all of it free.
    pub(crate) fn hold(&mut self, home: Home, address: u64, bytes: u64) -> Option<Address> {
        self.hold_bytes(bytes)?;
        let low = Address::from(address);
        let segment = self.blocks.segment(home, low, bytes);
        self.blocks.insert(low, bytes, segment);
        self.fresh = self.fresh.max(end(low, bytes));
        self.begin_segment();
        Some(low)
    }

    /// `bytes` of the expandable segment of `home` are there and free, `distance` bytes behind its
    /// start.
    pub(crate) fn hold_pages(&mut self, home: Home, distance: u64, bytes: u64) -> Option<Address> {
        let (segment, low) = self.region(home);
        let address = end(low, distance);
        if !self.blocks.map_at(address, bytes, segment) {
            return None;
        }
        self.hold_bytes(bytes)?;
        self.begin_region(segment);
        Some(address)
    }

    fn hold_bytes(&mut self, bytes: u64) -> Option<()> {
        self.reserved = self.reserved.checked_add(bytes)?;
        self.peak = self.peak.max(self.reserved);
        Some(())
    }

    /// `bytes` more are cached for `home`, as far as they make whole segments or pages.
    pub(crate) fn cache(&mut self, home: Home, bytes: u64) {
        let least = super::rules::page(home.small);
        if bytes >= least {
            self.grow(home, bytes);
        }
    }

    /// Hands exactly these bytes out, if all of them are free.
    pub(crate) fn hand_out(&mut self, address: Address, size: u64) -> Option<Block> {
        self.blocks.carve(address, size)
    }

    /// What follows counts: the device has `capacity` bytes, and peaks are those from here on.
    pub(crate) fn begin(&mut self, capacity: Option<u64>) {
        self.capacity = capacity;
        (self.peak, self.most_segments) = (self.reserved, self.segments);
    }

    /// Free bytes that emptying the cache would give back.
    pub(crate) fn idle(&self) -> u64 {
        self.blocks.idle()
    }
}
