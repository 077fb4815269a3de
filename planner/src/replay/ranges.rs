//! The addresses that an allocator has from its device at one moment.

use std::collections::BTreeMap;

use super::{Home, Segment};

/// Ranges of addresses that do not overlap, each with what it is used for.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranges {
    /// By start: end, and the use.
    ranges: BTreeMap<u64, (u64, Home)>,
    total: u64,
}

impl Ranges {
    /// Bytes of all.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Segment> + '_ {
        let ranges = self.ranges.iter();
        ranges.map(|(&address, &(end, home))| Segment {
            address,
            size: end - address,
            home,
        })
    }

    /// The range that `address` lies in: its end and its use.
    pub(super) fn around(&self, address: u64) -> Option<(u64, Home)> {
        let (_, &(end, home)) = self.ranges.range(..=address).next_back()?;
        (address < end).then_some((end, home))
    }

    /// Adds a range; a part of an expandable segment joins its neighbours. False, and nothing
    /// is done, when some of it is there already.
    pub(super) fn add(&mut self, segment: Segment) -> bool {
        let Segment {
            address,
            size,
            home,
        } = segment;
        let Some(end) = address.checked_add(size).filter(|_| size > 0) else {
            return false;
        };
        let below = self.ranges.range(..end).next_back();
        let below = below.map(|(&start, &(end, home))| (start, end, home));
        if below.is_some_and(|(_, its_end, _)| its_end > address) {
            return false;
        }
        self.total = self.total.saturating_add(size);
        let (mut from, mut to, mut joined) = (address, end, home);
        let same = |its: Home| home.expandable && its.expandable && its.stream == home.stream;
        // What is there already may be known better than what an event says of itself.
        if let Some(&(its_end, its)) = self.ranges.get(&end)
            && same(its)
        {
            self.ranges.remove(&end);
            (to, joined) = (its_end, its);
        }
        if let Some((start, its_end, its)) = below
            && its_end == address
            && same(its)
        {
            (from, joined) = (start, its);
        }
        self.ranges.insert(from, (to, joined));
        true
    }

    /// Takes `size` bytes at `address` away and returns their use; `None`, and nothing is
    /// done, when they do not lie in one range.
    pub(super) fn remove(&mut self, address: u64, size: u64) -> Option<Home> {
        let end = address.checked_add(size).filter(|_| size > 0)?;
        let (&start, &(its_end, home)) = self.ranges.range(..=address).next_back()?;
        if its_end < end {
            return None;
        }
        self.ranges.remove(&start);
        if start < address {
            self.ranges.insert(start, (address, home));
        }
        if end < its_end {
            self.ranges.insert(end, (its_end, home));
        }
        self.total = self.total.saturating_sub(size);
        Some(home)
    }
}
