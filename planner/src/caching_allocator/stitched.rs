//! What GMLake adds to the caching allocator: ranges of virtual addresses over free chunks that lie
//! apart. Source: GMLake (Guo et al. 2024, ASPLOS), `GMLake/src/CUDACachingAllocator.cpp`.
//!
//! Requests above 1 MiB are rounded up to chunks of 2 MiB. A request for which no free block is
//! large enough takes the smallest stitched range of which every chunk is free, of up to ten times
//! its size: the first of its chunks, as many as it needs. Else, from 512 MiB on (`fragLimit`),
//! free blocks of its stream are stitched, the largest first, as few as are enough and from at
//! least two, the last of them as far as needed. Only then is memory taken from the device.
//!
//! A range stays when its request is over, and may be used again while all its chunks are free;
//! they are free for others, too. When all ranges together have more than 1000 GiB (`autoGC`)
//! those not in use are forgotten, and so they are with the cache. A range over a segment that goes
//! back to the device is forgotten, too, or never used again.
//!
//! Here each private pool stitches its own free blocks: the source takes those of no pool.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;
use alloc::vec::Vec;

use super::blocks::{Address, Block, Home};
use super::{Allocator, end};

/// Requests from so many bytes on are stitched, unless GMLake is told otherwise.
pub(crate) const STITCHED_FROM: u64 = 512 << 20;

/// A range is used again for requests of at least one part in so many of its size.
const REUSED_UP_TO: u64 = 10;

/// Ranges are forgotten when all have more bytes than this.
const MOST_BYTES: u64 = 1000 << 30;

/// All ranges of an allocator.
#[derive(Clone, Debug)]
pub(super) struct Stitched {
    /// Requests below so many bytes are not stitched.
    least: u64,
    ranges: BTreeMap<usize, Range>,
    /// How many there ever were.
    made: usize,
    /// Those of which every chunk is free: home, bytes, address and number of each.
    idle: BTreeSet<(Home, u64, Address, usize)>,
    /// Stretches of segments with ranges over them, by first byte: the end, exclusive, and the
    /// numbers of the ranges.
    below: BTreeMap<Address, (Address, Vec<usize>)>,
    /// Bytes of all ranges.
    bytes: u64,
}

/// A range of virtual addresses.
#[derive(Clone, Debug)]
struct Range {
    home: Home,
    address: Address,
    size: u64,
    /// The stretches of segments that it consists of, in order.
    parts: Vec<Block>,
    /// How many of its bytes are in use, by whatever request.
    used: u64,
    /// Whether its own request is there.
    active: bool,
    /// Whether one of its chunks is there no longer.
    broken: bool,
}

impl Range {
    fn key(&self, number: usize) -> (Home, u64, Address, usize) {
        (self.home, self.size, self.address, number)
    }

    /// The stretches of its first `bytes`.
    fn first(&self, bytes: u64) -> Vec<Block> {
        let mut left = bytes;
        let parts = self.parts.iter().map_while(|&part| {
            let size = part.size.min(left);
            left -= size;
            (size > 0).then_some(Block { size, ..part })
        });
        parts.collect()
    }
}

impl Stitched {
    /// None yet; from `least` bytes on.
    pub(super) fn from(least: u64) -> Self {
        Self {
            least,
            ranges: BTreeMap::new(),
            made: 0,
            idle: BTreeSet::new(),
            below: BTreeMap::new(),
            bytes: 0,
        }
    }

    /// No stretch goes on over `address` any more.
    fn cut(&mut self, address: Address) {
        let stretch = self.below.range_mut(..address).next_back();
        if let Some((_, (until, numbers))) = stretch
            && *until > address
        {
            let above = (*until, numbers.clone());
            *until = address;
            self.below.insert(address, above);
        }
    }

    /// A request uses these bytes, or `more` is false and it no longer does.
    fn count(&mut self, address: Address, size: u64, more: bool) {
        let until = end(address, size);
        self.cut(address);
        self.cut(until);
        for (from, (to, numbers)) in self.below.range(address..until) {
            let bytes = u64::try_from(to - from).unwrap_or(u64::MAX);
            for &number in numbers {
                let Some(range) = self.ranges.get_mut(&number) else {
                    continue;
                };
                let was = range.used;
                range.used = match more {
                    true => was.saturating_add(bytes),
                    false => was.saturating_sub(bytes),
                };
                match (was, range.used) {
                    (0, _) => {
                        self.idle.remove(&range.key(number));
                    }
                    (_, 0) if !range.broken => {
                        self.idle.insert(range.key(number));
                    }
                    _ => {}
                }
            }
        }
    }

    /// The smallest range of which every chunk is free and that may serve `size` bytes.
    fn idle(&self, home: Home, size: u64) -> Option<usize> {
        let large = (home, size, 0, 0)..=(home, u64::MAX, Address::MAX, usize::MAX);
        let &(_, whole, _, number) = self.idle.range(large).next()?;
        (whole <= size.saturating_mul(REUSED_UP_TO)).then_some(number)
    }

    fn add(&mut self, range: Range) -> usize {
        let number = self.made;
        self.made += 1;
        self.bytes = self.bytes.saturating_add(range.size);
        for part in &range.parts {
            self.lay_over(number, (part.address, end(part.address, part.size)));
        }
        self.ranges.insert(number, range);
        if self.bytes > MOST_BYTES {
            self.forget_idle();
        }
        number
    }

    /// The range of this number goes over these bytes.
    fn lay_over(&mut self, number: usize, (mut from, until): (Address, Address)) {
        self.cut(from);
        self.cut(until);
        let mut bare = Vec::new();
        for (&at, (to, numbers)) in self.below.range_mut(from..until) {
            bare.push((from, at));
            numbers.push(number);
            from = *to;
        }
        bare.push((from, until));
        for (from, to) in bare.into_iter().filter(|(from, to)| from < to) {
            self.below.insert(from, (to, vec![number]));
        }
    }

    fn forget(&mut self, number: usize) {
        let Some(range) = self.ranges.remove(&number) else {
            return;
        };
        self.idle.remove(&range.key(number));
        self.bytes = self.bytes.saturating_sub(range.size);
        for part in &range.parts {
            let bytes = part.address..end(part.address, part.size);
            for (_, numbers) in self.below.range_mut(bytes.clone()).map(|it| it.1) {
                numbers.retain(|&it| it != number);
            }
            let empty = self.below.range(bytes).filter(|(_, it)| it.1.is_empty());
            let empty: Vec<Address> = empty.map(|(&at, _)| at).collect();
            for at in empty {
                self.below.remove(&at);
            }
        }
    }

    /// Forgets every range whose own request is not there.
    pub(super) fn forget_idle(&mut self) {
        let ranges = self.ranges.iter().filter(|(_, range)| !range.active);
        let numbers: Vec<usize> = ranges.map(|(&number, _)| number).collect();
        for number in numbers {
            self.forget(number);
        }
    }

    /// These bytes go back to the device.
    pub(super) fn unmap(&mut self, address: Address, size: u64) {
        let until = end(address, size);
        self.cut(address);
        self.cut(until);
        while let Some((&at, (_, numbers))) = self.below.range(address..until).next() {
            let numbers = numbers.clone();
            self.below.remove(&at);
            for number in numbers {
                match self.ranges.get_mut(&number) {
                    Some(range) if range.active => range.broken = true,
                    _ => self.forget(number),
                }
            }
        }
    }
}

impl Allocator {
    /// A stitched block of `size` bytes: a range that is there, or a new one.
    pub(super) fn stitch(&mut self, home: Home, size: u64) -> Option<Block> {
        let stitched = self.stitched.as_mut().filter(|_| !home.small)?;
        let number = match stitched.idle(home, size) {
            Some(number) => {
                let range = stitched.ranges.get_mut(&number)?;
                range.active = true;
                for part in range.first(size) {
                    self.blocks.carve(part.address, part.size)?;
                    stitched.count(part.address, part.size, true);
                }
                number
            }
            None => self.fuse(home, size)?,
        };
        let address = self.stitched.as_ref()?.ranges.get(&number)?.address;
        Some(Block {
            address,
            size,
            segment: usize::MAX,
            stitched: Some(number),
        })
    }

    /// A new range over the largest free blocks.
    fn fuse(&mut self, home: Home, size: u64) -> Option<usize> {
        let stitched = self.stitched.as_mut()?;
        let free: Vec<(u64, Address)> = self.blocks.by_size(home, 0).collect();
        let all = free.iter().fold(0_u64, |sum, it| sum.saturating_add(it.0));
        if size < stitched.least || free.len() < 2 || all < size {
            return None;
        }
        let mut parts = Vec::new();
        let mut left = size;
        for (bytes, address) in free.into_iter().rev() {
            if left == 0 {
                break;
            }
            let part = self.blocks.carve(address, bytes.min(left))?;
            stitched.count(address, part.size, true);
            left -= part.size;
            parts.push(part);
        }
        let address = self.fresh;
        self.fresh = end(address, size);
        Some(stitched.add(Range {
            home,
            address,
            size,
            parts,
            used: size,
            active: true,
            broken: false,
        }))
    }

    /// The bytes of `block` are in use.
    pub(super) fn note_use(&mut self, block: Block) {
        if let Some(stitched) = &mut self.stitched {
            stitched.count(block.address, block.size, true);
        }
    }

    /// The stretches of segments that `block` consists of, which are in use no longer.
    pub(super) fn parts(&mut self, block: Block) -> Vec<Block> {
        let Some(stitched) = &mut self.stitched else {
            return vec![block];
        };
        let range = block.stitched.and_then(|it| stitched.ranges.get_mut(&it));
        let parts = match range {
            None => vec![block],
            Some(range) => {
                range.active = false;
                range.first(block.size)
            }
        };
        for part in &parts {
            stitched.count(part.address, part.size, false);
        }
        if let Some(number) = block.stitched
            && stitched.ranges.get(&number).is_some_and(|it| it.broken)
        {
            stitched.forget(number);
        }
        parts
    }
}

/// For tests: what lies where after each request and release.
#[cfg(feature = "internals")]
pub mod probe {
    use alloc::vec::Vec;

    use crate::caching_allocator::{Address, Allocator, AllocatorSettings, Block};

    /// What an allocator is told.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Deed {
        /// So many bytes are asked for.
        Ask(u64),
        /// The request of this number, from 0 on, is over.
        GiveBack(usize),
        /// The cache is emptied.
        Empty,
    }

    /// First byte and bytes.
    pub type Stretch = (Address, u64);

    /// What there is after a deed.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct Held {
        /// Bytes taken from the device.
        pub reserved: u64,
        /// Stretches of segments, by live request: its number, its address, its stretches.
        pub live: Vec<(usize, Address, Vec<Stretch>)>,
        /// Free stretches of segments.
        pub free: Vec<Stretch>,
    }

    /// What there is after each of `deeds`; `least` is that of stitching, `None` for none.
    #[must_use]
    pub fn held(least: Option<u64>, deeds: &[Deed]) -> Vec<Held> {
        let settings = AllocatorSettings::DEFAULT;
        let mut allocator = match least {
            Some(least) => Allocator::stitching(settings, least),
            None => Allocator::new(settings, None),
        };
        let mut blocks: Vec<Option<Block>> = Vec::new();
        let mut after = Vec::new();
        for &deed in deeds {
            match deed {
                Deed::Ask(bytes) => blocks.push(allocator.alloc(bytes, (0, (0, 0)))),
                Deed::Empty => allocator.empty_cache(),
                Deed::GiveBack(number) => {
                    if let Some(block) = blocks.get_mut(number).and_then(Option::take) {
                        allocator.free(block);
                    }
                }
            }
            let live = blocks.iter().enumerate();
            let live = live.filter_map(|(number, block)| {
                let block = (*block)?;
                let ranges = allocator.stitched.as_ref().map(|it| &it.ranges);
                let range = block.stitched.and_then(|it| ranges?.get(&it));
                let parts = range.map_or_else(|| [block].into(), |it| it.first(block.size));
                let parts = parts.iter().map(|it| (it.address, it.size)).collect();
                Some((number, block.address, parts))
            });
            let free = allocator.blocks.addresses().into_iter();
            let free = free.filter_map(|at| Some((at, allocator.blocks.at(at)?.size)));
            after.push(Held {
                reserved: allocator.reserved,
                live: live.collect(),
                free: free.collect(),
            });
        }
        after
    }
}
