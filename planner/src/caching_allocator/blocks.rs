//! The free blocks of an allocator and what is unmapped, by address and by size.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use super::{REGION, rules};

/// Wide enough for an address space of 64 bits for every expandable segment.
pub(crate) type Address = u128;

/// Blocks are looked for within one home.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Home {
    pub(crate) stream: i64,
    /// The private pool, (0, 0) for none.
    pub(crate) pool: (i64, i64),
    pub(crate) small: bool,
}

/// A block that is handed out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(super) address: Address,
    pub(super) size: u64,
    pub(super) segment: usize,
    /// The number of the stitched range that it is the beginning of.
    pub(super) stitched: Option<usize>,
}

impl Block {
    /// Where it begins.
    pub(crate) fn address(&self) -> Address {
        self.address
    }

    /// How large it is.
    pub(crate) fn bytes(&self) -> u64 {
        self.size
    }
}

/// A free block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Free {
    pub(super) size: u64,
    pub(super) segment: usize,
    /// How often its pool had been asked when it became free.
    since: u64,
}

/// A whole free segment for large blocks that may be collected.
#[derive(Clone, Copy, Debug)]
pub(super) struct Collectable {
    pub(super) address: Address,
    pub(super) size: u64,
    /// How often its pool was asked since it became free.
    pub(super) age: u64,
}

/// The free blocks. No two of one segment touch.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    free: BTreeMap<Address, Free>,
    /// Home, size and address of each.
    sizes: BTreeSet<(Home, u64, Address)>,
    /// Addresses of expandable segments that are not there, with how many bytes.
    unmapped: BTreeMap<Address, u128>,
    /// All segments there ever were: home, first address, bytes.
    segments: Vec<(Home, Address, u128)>,
    /// How often each pool was asked for a block, on whatever stream.
    asked: BTreeMap<((i64, i64), bool), u64>,
    /// Free bytes that emptying the cache gives back.
    idle: u64,
}

impl Blocks {
    /// The pool of `home` is asked for a block.
    pub(super) fn look(&mut self, home: Home) {
        *self.asked.entry((home.pool, home.small)).or_insert(0) += 1;
    }

    fn asked(&self, home: Home) -> u64 {
        let asked = self.asked.get(&(home.pool, home.small));
        asked.copied().unwrap_or(0)
    }

    /// A segment, of which nothing is free yet.
    pub(super) fn segment(&mut self, home: Home, low: Address, size: u64) -> usize {
        self.segments.push((home, low, size.into()));
        self.segments.len() - 1
    }

    /// An expandable segment, of which nothing is there yet.
    pub(super) fn region(&mut self, home: Home, low: Address, size: u128) -> usize {
        self.segments.push((home, low, size));
        self.unmapped.insert(low, size);
        self.segments.len() - 1
    }

    pub(super) fn home(&self, segment: usize) -> Option<Home> {
        self.segments.get(segment).map(|it| it.0)
    }

    /// Every free block.
    pub(super) fn addresses(&self) -> Vec<Address> {
        self.free.keys().copied().collect()
    }

    pub(super) fn at(&self, address: Address) -> Option<Free> {
        self.free.get(&address).copied()
    }

    /// Size and address of the free blocks of `home` with at least `size` bytes, the smallest
    /// first.
    pub(super) fn by_size(&self, home: Home, size: u64) -> impl Iterator<Item = (u64, Address)> {
        let range = (home, size, 0)..=(home, u64::MAX, Address::MAX);
        self.sizes.range(range).map(|it| (it.1, it.2))
    }

    /// Takes a free block out.
    pub(super) fn take(&mut self, address: Address) -> Option<Free> {
        let free = self.free.remove(&address)?;
        self.idle -= self.given_back(address, free.size, free.segment);
        if let Some(home) = self.home(free.segment) {
            self.sizes.remove(&(home, free.size, address));
        }
        Some(free)
    }

    /// Adds a free block that touches no other.
    pub(super) fn insert(&mut self, address: Address, size: u64, segment: usize) {
        let Some(home) = self.home(segment) else {
            return;
        };
        let since = self.asked(home);
        let free = Free {
            size,
            segment,
            since,
        };
        self.free.insert(address, free);
        self.sizes.insert((home, size, address));
        self.idle += self.given_back(address, size, segment);
    }

    /// Adds a free block and merges it with those that it touches.
    pub(super) fn give(&mut self, block: Block) {
        let Block {
            mut address,
            mut size,
            segment,
            ..
        } = block;
        let below = self.free.range(..address).next_back();
        let below = below.map(|(&at, &free)| (at, free));
        if let Some((at, free)) = below
            && free.segment == segment
            && at + Address::from(free.size) == address
        {
            self.take(at);
            address = at;
            size += free.size;
        }
        let behind = address + Address::from(size);
        if let Some(free) = self.at(behind)
            && free.segment == segment
        {
            self.take(behind);
            size += free.size;
        }
        self.insert(address, size, segment);
    }

    /// Whether the free block at `address` is all of its segment.
    pub(super) fn is_whole(&self, address: Address) -> bool {
        let free = self.at(address);
        let whole = free.and_then(|free| Some((free.size, self.segments.get(free.segment)?.2)));
        whole.is_some_and(|(size, all)| u128::from(size) == all)
    }

    /// Free bytes that emptying the cache gives back.
    pub(super) fn idle(&self) -> u64 {
        self.idle
    }

    /// Bytes of a free block that emptying the cache gives back: of an expandable segment whole
    /// pages, of others only all of it, and nothing of a private pool.
    fn given_back(&self, address: Address, size: u64, segment: usize) -> u64 {
        match self.segments.get(segment) {
            Some(&(home, low, REGION)) if home.pool == (0, 0) => {
                let page = Address::from(rules::page(home.small));
                let first = (address - low).next_multiple_of(page);
                let end = (address - low + Address::from(size)) / page * page;
                u64::try_from(end.saturating_sub(first)).unwrap_or(0)
            }
            Some(&(home, _, all)) if home.pool == (0, 0) && all == size.into() => size,
            _ => 0,
        }
    }

    /// Takes exactly these bytes out of the free block that holds all of them.
    pub(super) fn carve(&mut self, address: Address, size: u64) -> Option<Block> {
        let (&low, &free) = self.free.range(..=address).next_back()?;
        let below = u64::try_from(address - low).ok()?;
        let above = free.size.checked_sub(below.checked_add(size)?)?;
        self.take(low);
        let segment = free.segment;
        for (at, bytes) in [(low, below), (address + Address::from(size), above)] {
            if bytes > 0 {
                self.insert(at, bytes, segment);
            }
        }
        Some(Block {
            address,
            size,
            segment,
            stitched: None,
        })
    }

    /// `bytes` at `address` of an expandable segment, none of which are there, are there and free;
    /// false, and nothing is done, where some are there.
    pub(super) fn map_at(&mut self, address: Address, bytes: u64, segment: usize) -> bool {
        let below = self.unmapped.range(..=address).next_back();
        let Some((low, room)) = below.map(|(&low, &room)| (low, room)) else {
            return false;
        };
        let end = low + room;
        if end < address + Address::from(bytes) {
            return false;
        }
        if low < address {
            self.unmapped.insert(low, address - low);
        }
        self.unmapped.insert(address, end - address);
        self.map(address, bytes, segment);
        true
    }

    /// What may be collected: whole segments for large blocks outside of private pools.
    pub(super) fn collectable(&self) -> Vec<Collectable> {
        let blocks = self.free.iter().filter_map(|(&address, free)| {
            let home = self.home(free.segment)?;
            let wanted = home.pool == (0, 0) && !home.small && self.is_whole(address);
            wanted.then(|| Collectable {
                address,
                size: free.size,
                age: self.asked(home) - free.since,
            })
        });
        blocks.collect()
    }

    /// Bytes from `address` on that are not there.
    pub(super) fn unmapped_at(&self, address: Address) -> u128 {
        self.unmapped.get(&address).copied().unwrap_or(0)
    }

    /// The lowest address of an expandable segment from which on `size` bytes are free or not
    /// there, some of them not there.
    pub(super) fn room(&self, segment: usize, size: u64) -> Option<Address> {
        let &(_, low, bytes) = self.segments.get(segment)?;
        let high = low + bytes;
        let starts = self.unmapped.range(low..high).map(|(&at, _)| {
            let below = self.free.range(low..at).next_back();
            let below = below.filter(|(below, free)| **below + Address::from(free.size) == at);
            below.map_or(at, |(&below, _)| below)
        });
        let mut starts = starts.filter(|&start| {
            let mut end = start;
            while end < high && end - start < size.into() {
                let free = self.at(end).map_or(0, |free| free.size.into());
                match free.max(self.unmapped_at(end)) {
                    0 => return false,
                    more => end += more,
                }
            }
            end - start >= size.into()
        });
        starts.next()
    }

    /// `bytes` at `address`, which begin what is not there, are there and free.
    pub(super) fn map(&mut self, address: Address, bytes: u64, segment: usize) {
        let Some(room) = self.unmapped.remove(&address) else {
            return;
        };
        if room > bytes.into() {
            let rest = room - Address::from(bytes);
            self.unmapped.insert(address + Address::from(bytes), rest);
        }
        self.give(Block {
            address,
            size: bytes,
            segment,
            stitched: None,
        });
    }

    /// What lies from `from` to `to` in the free block at `address` is there no longer: how many
    /// bytes that is.
    pub(super) fn unmap(&mut self, address: Address, (from, to): (Address, Address)) -> u64 {
        let Some(free) = self.take(address) else {
            return 0;
        };
        let end = address + Address::from(free.size);
        let mut left = 0;
        for (low, high) in [(address, from), (to, end)] {
            if let Ok(bytes @ 1..) = u64::try_from(high.saturating_sub(low)) {
                self.insert(low, bytes, free.segment);
                left += bytes;
            }
        }
        let (mut low, mut high) = (from, to);
        let region = self.segments.get(free.segment).map_or(from, |it| it.1);
        let below = self.unmapped.range(region..from).next_back();
        let below = below.map(|(&at, &bytes)| (at, bytes));
        if let Some((at, _)) = below.filter(|(at, bytes)| at + bytes == from) {
            self.unmapped.remove(&at);
            low = at;
        }
        if let Some(bytes) = self.unmapped.remove(&to) {
            high += bytes;
        }
        self.unmapped.insert(low, high - low);
        free.size - left
    }
}
