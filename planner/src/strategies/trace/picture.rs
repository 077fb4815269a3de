//! Which buffer lies where at a step of a trace.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use super::{Change, Trace};
use crate::liveness::Lifetimes;
use crate::strategies::objects::least_common_multiple;
use crate::units::{Bytes, Offset};

/// More pools than this are not shown in a picture without buffers.
const MOST_POOLS: usize = 64;

/// Where a placed buffer lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferPlace {
    /// At this address.
    At(Offset),
    /// In the shared object of this index.
    In(usize),
}

/// Everything that is placed after some number of a trace's kept decisions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    places: Vec<Option<BufferPlace>>,
    objects: Vec<Bytes>,
    /// By pool and number within it.
    ranges: BTreeMap<(u16, u32), (Offset, Bytes)>,
    /// Pool of each buffer, and first byte of each pool; those that are missing are 0.
    pools: Vec<u32>,
    bases: Vec<Offset>,
    shown: usize,
}

/// A range of addresses that was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Index of its pool.
    pub pool: usize,
    /// Its index among those of its pool.
    pub index: usize,
    /// First byte.
    pub from: Offset,
    /// Bytes.
    pub size: Bytes,
}

/// A picture as addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// One address per buffer; `None` for those that are not placed.
    pub offsets: Vec<Option<Offset>>,
    /// Address and size of each shared object, laid end to end.
    pub objects: Vec<(Offset, Bytes)>,
    /// The ranges that were opened, such as the segments of an allocator.
    pub ranges: Vec<Range>,
    /// Index of the pool of each buffer; empty where there is only one.
    pub pools: Vec<u32>,
    /// First byte of each pool, as far as is known.
    pub bases: Vec<Offset>,
    /// The end of everything, exclusive.
    pub arena: Bytes,
}

impl Layout {
    /// A range of `pool`, if it is open.
    #[must_use]
    pub fn range(&self, pool: usize, index: usize) -> Option<&Range> {
        let mut ranges = self.ranges.iter();
        ranges.find(|range| (range.pool, range.index) == (pool, index))
    }

    /// The pool of `buffer`.
    #[must_use]
    pub fn pool(&self, buffer: usize) -> usize {
        self.pools.get(buffer).map_or(0, |&pool| pool as usize)
    }

    /// First byte of `pool`.
    #[must_use]
    pub fn base(&self, pool: usize) -> Offset {
        self.bases.get(pool).copied().unwrap_or_default()
    }
}

impl Picture {
    /// Nothing placed of `buffers` buffers.
    #[must_use]
    pub fn new(buffers: usize) -> Self {
        Self {
            places: vec![None; buffers],
            ..Self::default()
        }
    }

    /// Shows `trace` after its first `decisions` kept decisions. Going forward costs what
    /// changes; going back begins anew.
    pub fn show(&mut self, trace: &Trace, decisions: usize) {
        let decisions = decisions.min(trace.frames().len());
        if decisions < self.shown {
            *self = Self::new(self.places.len());
        }
        for frame in self.shown..decisions {
            for &change in trace.changes(frame) {
                self.change(change);
            }
        }
        self.shown = decisions;
    }

    /// Where each buffer lies, if it is placed.
    #[must_use]
    pub fn places(&self) -> &[Option<BufferPlace>] {
        &self.places
    }

    /// Size of each shared object.
    #[must_use]
    pub fn objects(&self) -> &[Bytes] {
        &self.objects
    }

    fn ranges(&self) -> impl Iterator<Item = Range> {
        let ranges = self.ranges.iter();
        ranges.map(|(&(pool, index), &(from, size))| Range {
            pool: usize::from(pool),
            index: index as usize,
            from,
            size,
        })
    }

    pub(super) fn change(&mut self, change: Change) {
        let (buffer, place) = match change {
            Change::Clear => {
                self.places.fill(None);
                self.objects.clear();
                self.ranges.clear();
                return;
            }
            Change::Range(pool, range, from, size) => {
                self.ranges.insert((pool, range), (from, size));
                return;
            }
            Change::Closed(pool, range) => {
                self.ranges.remove(&(pool, range));
                return;
            }
            Change::Pool(buffer, pool) => {
                self.set(buffer, pool, |picture| &mut picture.pools);
                return;
            }
            Change::Base(pool, from) => {
                self.set(pool, from, |picture| &mut picture.bases);
                return;
            }
            Change::Object(object, size) => {
                self.set(object, size, |picture| &mut picture.objects);
                return;
            }
            Change::At(buffer, offset) => (buffer, Some(BufferPlace::At(offset))),
            Change::In(buffer, object) => (buffer, Some(BufferPlace::In(object as usize))),
            Change::Out(buffer) => (buffer, None),
        };
        if let Some(known) = self.places.get_mut(buffer as usize) {
            *known = place;
        }
    }

    /// Sets an item of a list. Objects, ranges and pools are numbered as they are met; a trace
    /// that skips numbers far ahead was spoiled on its way.
    fn set<T: Clone + Default>(&mut self, index: u32, to: T, list: fn(&mut Self) -> &mut Vec<T>) {
        let most = self.places.len() + MOST_POOLS;
        let (index, list) = (index as usize, list(self));
        if index > list.len() + most {
            return;
        }
        if index >= list.len() {
            list.resize(index + 1, T::default());
        }
        list[index] = to;
    }

    /// The addresses, with blocks at multiples of `alignment` or of what they ask for
    /// themselves, and objects laid end to end as in a finished plan. Sums beyond 64 bits
    /// are shown as the largest number.
    #[must_use]
    pub fn layout(&self, lifetimes: &Lifetimes, alignment: Bytes) -> Layout {
        let mut alignments = vec![1_u64; self.objects.len()];
        for (buffer, place) in lifetimes.buffers.iter().zip(&self.places) {
            if let Some(BufferPlace::In(object)) = place
                && let Some(joint) = alignments.get_mut(*object)
            {
                let own = buffer.alignment.max(alignment).max(Bytes(1));
                *joint = least_common_multiple(*joint, own.0).unwrap_or(u64::MAX);
            }
        }
        let mut objects = Vec::with_capacity(self.objects.len());
        let mut end = Offset(0);
        for (&size, &alignment) in self.objects.iter().zip(&alignments) {
            let start = end.align_up(Bytes(alignment)).unwrap_or(Offset(u64::MAX));
            objects.push((start, size));
            end = start.end(size).unwrap_or(Offset(u64::MAX));
        }
        let mut arena = end;
        let offset = |place: &Option<BufferPlace>| match *place {
            Some(BufferPlace::At(offset)) => Some(offset),
            Some(BufferPlace::In(object)) => objects.get(object).map(|known| known.0),
            None => None,
        };
        let offsets: Vec<Option<Offset>> = self.places.iter().map(offset).collect();
        for (buffer, offset) in lifetimes.buffers.iter().zip(&offsets) {
            if let Some(end) = offset.and_then(|offset| offset.end(buffer.size)) {
                arena = arena.max(end);
            }
        }
        Layout {
            offsets,
            objects,
            ranges: self.ranges().collect(),
            pools: self.pools.clone(),
            bases: self.bases.clone(),
            arena: Bytes(arena.0),
        }
    }
}
