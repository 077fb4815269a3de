//! Where blocks of the cache lie: the lowest free one of equal blocks, or buddies.

use std::collections::BTreeSet;

/// Free blocks, in pages.
pub(super) enum Blocks {
    Equal(Equal),
    Buddies(Buddies),
}

/// Blocks of one size.
pub(super) struct Equal {
    /// Pages of each.
    pages: u64,
    /// Indices of free ones below the highest that was ever used.
    free: BTreeSet<u64>,
    /// How many were ever used.
    used: u64,
    /// How many there are.
    most: u64,
}

/// Blocks of powers of two pages. Source: Knowlton, "A Fast Storage Allocator" (CACM 1965).
pub(super) struct Buddies {
    /// First pages of free blocks, by the power.
    free: Vec<BTreeSet<u64>>,
    /// End of all that was ever used or split.
    top: u64,
    /// How many pages there are.
    most: u64,
    /// The power of the largest block that is ever asked for.
    largest: usize,
}

impl Blocks {
    /// Blocks of `pages` each within `most` pages.
    pub(super) fn equal(pages: u64, most: u64) -> Self {
        let pages = pages.max(1);
        Self::Equal(Equal {
            pages,
            free: BTreeSet::new(),
            used: 0,
            most: most / pages,
        })
    }

    /// Buddies within `most` pages, of which no request takes more than `largest` pages.
    pub(super) fn buddies(largest: u64, most: u64) -> Self {
        Self::Buddies(Buddies {
            free: vec![BTreeSet::new(); 64],
            top: 0,
            most,
            largest: power(largest),
        })
    }

    /// Pages that a block for `pages` takes.
    pub(super) fn taken_for(&self, pages: u64) -> u64 {
        match self {
            Self::Equal(blocks) => blocks.pages,
            Self::Buddies(_) => 1 << power(pages),
        }
    }

    /// The first page of a block for `pages`; `None` where none is free.
    pub(super) fn take(&mut self, pages: u64) -> Option<u64> {
        match self {
            Self::Equal(blocks) => blocks.take(),
            Self::Buddies(blocks) => blocks.take(power(pages)),
        }
    }

    /// Gives back the block for `pages` at `first`.
    pub(super) fn give(&mut self, first: u64, pages: u64) {
        match self {
            Self::Equal(blocks) => {
                blocks.free.insert(first / blocks.pages);
            }
            Self::Buddies(blocks) => blocks.give(first, power(pages)),
        }
    }

    /// How many blocks for `pages` could be taken now; for equal ones alone.
    pub(super) fn left(&self) -> u64 {
        match self {
            Self::Equal(blocks) => blocks.free.len() as u64 + (blocks.most - blocks.used),
            Self::Buddies(_) => 0,
        }
    }

    /// Free pages in blocks that are smaller than the largest that is ever asked for: external
    /// waste. Equal blocks have none.
    pub(super) fn too_small(&self) -> u64 {
        match self {
            Self::Equal(_) => 0,
            Self::Buddies(blocks) => {
                let small = blocks.free.iter().take(blocks.largest).enumerate();
                small
                    .map(|(power, free)| (free.len() as u64) << power)
                    .sum()
            }
        }
    }
}

/// The smallest power of two that is at least `pages`.
fn power(pages: u64) -> usize {
    pages.max(1).next_power_of_two().trailing_zeros() as usize
}

impl Equal {
    fn take(&mut self) -> Option<u64> {
        let index = match self.free.pop_first() {
            Some(index) => index,
            None if self.used < self.most => {
                self.used += 1;
                self.used - 1
            }
            None => return None,
        };
        Some(index * self.pages)
    }
}

impl Buddies {
    /// The lowest block of the smallest power that holds it is split down to `wanted`. Where there
    /// is none, blocks above all others become free, until one is large enough, by itself or
    /// merged.
    fn take(&mut self, wanted: usize) -> Option<u64> {
        let found = loop {
            let mut powers = wanted..self.free.len();
            if let Some(power) = powers.find(|&power| !self.free[power].is_empty()) {
                break power;
            }
            let power = wanted.min(self.top.trailing_zeros() as usize);
            let (first, end) = (self.top, self.top.checked_add(1 << power)?);
            if end > self.most {
                return None;
            }
            self.top = end;
            self.give(first, power);
        };
        let first = self.free[found].pop_first()?;
        for power in (wanted..found).rev() {
            self.free[power].insert(first + (1 << power));
        }
        Some(first)
    }

    fn give(&mut self, mut first: u64, mut power: usize) {
        while power + 1 < self.free.len() {
            let buddy = first ^ (1 << power);
            if buddy + (1 << power) > self.top || !self.free[power].remove(&buddy) {
                break;
            }
            first = first.min(buddy);
            power += 1;
        }
        self.free[power].insert(first);
    }
}
