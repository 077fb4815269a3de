//! PyTorch's caching allocator as a pure model: requests in, bytes reserved out. Source:
//! PyTorch, `c10/cuda/CUDACachingAllocator.cpp`.
//!
//! A request takes the smallest free block of its stream, private pool and size class that is
//! large enough, the lowest on ties. If there is none, cached blocks may be collected by age,
//! and a segment is taken from the device, or an expandable one grows. When the device has
//! no room, first oversize blocks are given back, then all that is wholly free, and each
//! time it is tried again. Private pools are never emptied: the graph that they were
//! captured for still counts on them. Nor does a request of theirs empty the others: while
//! it is made a graph is captured, or a pool is in use, and then nothing wholly free goes back.
//!
//! Which addresses the device gives is its own affair and matters only for ties. Here what was
//! given back to it is given out again, the smallest that is large enough, cut from its
//! start; otherwise what lies above everything.

mod blocks;
mod conf;
mod held;
mod rules;
mod settings;
mod stitched;

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

pub(crate) use blocks::{Address, Block, Home};
use blocks::{Blocks, Free};
pub use conf::ConfFault;
pub(crate) use rules::{
    GRANULE, LARGE_SEGMENT, MOST_SMALL, OWN_SEGMENT, SEGMENT_GRANULE, SMALL_SEGMENT,
};
pub use settings::AllocatorSettings;
pub(crate) use settings::PARTS;
pub(crate) use stitched::STITCHED_FROM;
use stitched::Stitched;
#[cfg(feature = "internals")]
pub use stitched::probe;

/// Expandable segments have so many addresses each, beyond all other addresses.
const REGION: u128 = 1 << 64;

/// The allocator of one device.
#[derive(Clone, Debug)]
pub(crate) struct Allocator {
    settings: AllocatorSettings,
    /// Bytes that the device has.
    capacity: Option<u64>,
    blocks: Blocks,
    /// The expandable segment of each home, and its first address.
    regions: BTreeMap<Home, (usize, Address)>,
    /// Those of them that ever had pages.
    begun: BTreeSet<usize>,
    /// Addresses that were given back to the device: how many bytes, and where.
    vacant: BTreeSet<(u64, Address)>,
    /// The next address that the device gives out for the first time.
    fresh: Address,
    /// Bytes taken from the device.
    pub(crate) reserved: u64,
    /// The most of them at a time.
    pub(crate) peak: u64,
    /// Segments that are there; expandable ones stay when they are empty.
    segments: u64,
    /// The most of them at a time.
    pub(crate) most_segments: u64,
    /// Ranges over free bytes of several segments, for an allocator that makes them.
    stitched: Option<Stitched>,
}

impl Allocator {
    /// One that holds nothing.
    pub(crate) fn new(settings: AllocatorSettings, capacity: Option<u64>) -> Self {
        Self {
            settings,
            capacity,
            blocks: Blocks::default(),
            regions: BTreeMap::new(),
            begun: BTreeSet::new(),
            vacant: BTreeSet::new(),
            fresh: 0,
            reserved: 0,
            peak: 0,
            segments: 0,
            most_segments: 0,
            stitched: None,
        }
    }

    /// One as GMLake has it, which stitches from `least` bytes on; see [`stitched`].
    pub(crate) fn stitching(settings: AllocatorSettings, least: u64) -> Self {
        Self {
            stitched: Some(Stitched::from(least)),
            ..Self::new(settings, None)
        }
    }

    /// A block for `requested` bytes on a stream and from a private pool, (0, 0) for none;
    /// `None` when the device has no room.
    pub(crate) fn alloc(
        &mut self,
        requested: u64,
        (stream, pool): (i64, (i64, i64)),
    ) -> Option<Block> {
        let size = self.rounded(requested);
        let small = size <= MOST_SMALL;
        let home = Home {
            stream,
            pool,
            small,
        };
        self.blocks.look(home);
        let found = self.best_fit(home, size);
        if found.is_none()
            && let Some(block) = self.stitch(home, size)
        {
            return Some(block);
        }
        let address = found.or_else(|| self.take(home, size))?;
        let free = self.blocks.take(address)?;
        let rest = free.size - size;
        let fine = small || self.settings.expandable;
        let size = match self.settings.splits(fine, size, rest) {
            true => {
                let behind = address + Address::from(size);
                self.blocks.insert(behind, rest, free.segment);
                size
            }
            false => free.size,
        };
        let block = Block {
            address,
            size,
            segment: free.segment,
            stitched: None,
        };
        self.note_use(block);
        Some(block)
    }

    /// How many bytes a request for so many takes.
    pub(crate) fn rounded(&self, requested: u64) -> u64 {
        let size = self.settings.rounded(requested);
        match self.stitched {
            Some(_) if size > MOST_SMALL => {
                let whole = size.checked_next_multiple_of(SEGMENT_GRANULE);
                whole.unwrap_or(size)
            }
            _ => size,
        }
    }

    /// The block may be used again.
    pub(crate) fn free(&mut self, block: Block) {
        for part in self.parts(block) {
            self.blocks.give(part);
        }
    }

    /// Gives what is wholly free back to the device.
    pub(crate) fn empty_cache(&mut self) {
        self.release_all();
        if let Some(stitched) = &mut self.stitched {
            stitched.forget_idle();
        }
    }

    fn release_all(&mut self) {
        for address in self.blocks.addresses() {
            let Some(free) = self.blocks.at(address) else {
                continue;
            };
            let home = self.blocks.home(free.segment);
            match home {
                Some(home) if home.pool != (0, 0) => {}
                Some(home) if address >= REGION => self.unmap(address, free, home),
                Some(_) => self.release(address),
                None => {}
            }
        }
    }

    /// The smallest free block that is large enough, unless it is too large to be used for it.
    fn best_fit(&self, home: Home, size: u64) -> Option<Address> {
        let mut candidates = self.blocks.by_size(home, size);
        let mut best = candidates.next()?;
        if self.settings.expandable {
            // A block that can grow counts with all that it can grow to.
            let room = |(size, at): (u64, Address)| {
                self.blocks
                    .unmapped_at(end(at, size))
                    .saturating_add(size.into())
            };
            for next in candidates {
                if room(next) >= room(best) {
                    break;
                }
                best = next;
            }
        }
        let most = self.settings.max_split;
        let fits = match size < most {
            true => best.0 < most,
            false => best.0 < size.saturating_add(LARGE_SEGMENT),
        };
        fits.then_some(best.1)
    }

    /// Memory from the device for a block of `size` bytes; cached blocks are given back for it.
    fn take(&mut self, home: Home, size: u64) -> Option<Address> {
        self.collect();
        if let Some(address) = self.grow(home, size) {
            return Some(address);
        }
        if self.release_oversize(home, size)
            && let Some(address) = self.grow(home, size)
        {
            return Some(address);
        }
        // A private pool is served only between the begin and the end of its use, when PyTorch's
        // `captures_underway` is not empty.
        if home.pool != (0, 0) {
            return None;
        }
        self.release_all();
        self.grow(home, size)
    }

    /// Takes `bytes` from the device; false, and nothing is done, when it has too little.
    fn reserve(&mut self, bytes: u64) -> bool {
        let Some(reserved) = self.reserved.checked_add(bytes) else {
            return false;
        };
        if self.capacity.is_some_and(|capacity| reserved > capacity) {
            return false;
        }
        self.reserved = reserved;
        self.peak = self.peak.max(reserved);
        true
    }

    fn begin_segment(&mut self) {
        self.segments += 1;
        self.most_segments = self.most_segments.max(self.segments);
    }

    fn grow(&mut self, home: Home, size: u64) -> Option<Address> {
        if self.settings.expandable {
            return self.map(home, size);
        }
        let bytes = rules::segment(size);
        if !self.reserve(bytes) {
            return None;
        }
        let vacant = self.vacant.range((bytes, 0)..).next().copied();
        let address = match vacant {
            Some((size, address)) => {
                self.vacant.remove(&(size, address));
                if size > bytes {
                    self.vacant.insert((size - bytes, end(address, bytes)));
                }
                address
            }
            None => {
                let address = self.fresh;
                self.fresh = end(address, bytes);
                address
            }
        };
        let segment = self.blocks.segment(home, address, bytes);
        self.blocks.insert(address, bytes, segment);
        self.begin_segment();
        Some(address)
    }

    /// Gives the free block at `address` back to the device if it is a whole segment.
    fn release(&mut self, address: Address) {
        if self.blocks.is_whole(address)
            && let Some(free) = self.blocks.take(address)
        {
            self.reserved -= free.size;
            self.segments -= 1;
            self.vacant.insert((free.size, address));
            if let Some(stitched) = &mut self.stitched {
                stitched.unmap(address, free.size);
            }
        }
    }

    /// Gives enough oversize blocks back for a block of `size` bytes: one that is large enough,
    /// otherwise several, the largest first. Whether that is enough.
    fn release_oversize(&mut self, home: Home, size: u64) -> bool {
        let most = self.settings.max_split;
        if most == u64::MAX || self.settings.expandable {
            return false;
        }
        let wanted = size.max(most);
        let enough = self.blocks.by_size(home, wanted).next();
        if let Some((_, address)) = enough {
            self.release(address);
            return true;
        }
        let oversize: Vec<(u64, Address)> = self.blocks.by_size(home, most).collect();
        let mut released = 0;
        for (size, address) in oversize.into_iter().rev() {
            if released >= wanted {
                break;
            }
            released = size.saturating_add(released);
            self.release(address);
        }
        released >= wanted
    }

    /// Gives cached blocks back, the older ones first, when too much is reserved.
    fn collect(&mut self) {
        let Some(capacity) = self.capacity.filter(|_| self.settings.collect_above > 0) else {
            return;
        };
        let share = u128::from(self.settings.collect_above);
        let limit = u128::from(capacity) * share / u128::from(PARTS);
        let reserved = u128::from(self.reserved);
        let target = reserved.saturating_sub(limit);
        if target == 0 || self.settings.expandable {
            return;
        }
        let mut blocks = self.blocks.collectable();
        let mut collected = 0;
        while collected < target && !blocks.is_empty() {
            let ages: u128 = blocks.iter().map(|it| u128::from(it.age)).sum();
            let count = blocks.len() as u128;
            // As old as their mean.
            blocks.retain(|it| {
                let old = u128::from(it.age) * count >= ages;
                if old {
                    collected += u128::from(it.size);
                    self.release(it.address);
                }
                !old
            });
        }
    }

    /// The expandable segment of `home`, and its first address.
    fn region(&mut self, home: Home) -> (usize, Address) {
        if let Some(&(segment, low)) = self.regions.get(&home) {
            return (segment, low);
        }
        let low = REGION * (self.regions.len() as u128 + 1);
        let segment = self.blocks.region(home, low, REGION);
        self.regions.insert(home, (segment, low));
        (segment, low)
    }

    /// Pages of the expandable `segment` are there: with its first ones it counts.
    fn begin_region(&mut self, segment: usize) {
        if self.begun.insert(segment) {
            self.begin_segment();
        }
    }

    /// Grows the expandable segment of `home` where its first free or unmapped bytes reach.
    fn map(&mut self, home: Home, size: u64) -> Option<Address> {
        let (segment, _) = self.region(home);
        let start = self.blocks.room(segment, size)?;
        loop {
            let have = self.blocks.at(start).map_or(0, |free| free.size);
            if have >= size {
                return Some(start);
            }
            let at = end(start, have);
            let pages = (size - have).checked_next_multiple_of(rules::page(home.small))?;
            let room = u64::try_from(self.blocks.unmapped_at(at)).unwrap_or(u64::MAX);
            let bytes = pages.min(room);
            if bytes == 0 || !self.reserve(bytes) {
                return None;
            }
            self.blocks.map(at, bytes, segment);
            self.begin_region(segment);
        }
    }

    /// Gives the whole pages of a free block of an expandable segment back.
    fn unmap(&mut self, address: Address, free: Free, home: Home) {
        let page = Address::from(rules::page(home.small));
        // Expandable segments begin at multiples of REGION.
        let low = address / REGION * REGION;
        let from = low + (address - low).next_multiple_of(page);
        let to = low + (end(address, free.size) - low) / page * page;
        if from < to {
            self.reserved -= self.blocks.unmap(address, (from, to));
        }
    }
}

fn end(address: Address, size: u64) -> Address {
    address + Address::from(size)
}
