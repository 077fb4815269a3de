//! Which ranges of addresses are open, pool by pool: those of the plan that stands.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::Change;
use crate::units::{Bytes, Offset};

/// A range of addresses.
#[derive(Clone, Copy, Debug)]
struct Opened {
    /// Index of the buffer that it was opened for.
    opener: usize,
    /// First byte, from the start of the pool.
    from: u64,
    size: Bytes,
    /// The class of requests that it serves.
    class: u32,
}

/// A range that is open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    pub(super) index: u32,
    /// First byte, from the start of the pool.
    pub(super) from: u64,
    pub(super) size: u64,
    pub(super) class: u32,
}

/// The ranges of all pools.
#[derive(Debug, Default)]
pub(super) struct Ranges(BTreeMap<u16, OfPool>);

/// Those of one pool.
#[derive(Debug, Default)]
struct OfPool {
    base: u64,
    /// By index.
    open: BTreeMap<u32, Opened>,
    /// Those that were open before the pool was planned again.
    before: BTreeMap<u32, Opened>,
}

impl Ranges {
    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// A range of `pool` is opened for the buffer `opener`.
    pub(super) fn open(
        &mut self,
        pool: u32,
        (opener, range, class): (usize, u32, u32),
        (from, size): (Offset, Bytes),
    ) -> Change {
        let pool = short(pool);
        let known = self.0.entry(pool).or_default();
        let opened = Opened {
            opener,
            from: from.0.saturating_sub(known.base),
            size,
            class,
        };
        known.open.insert(range, opened);
        Change::Range(pool, range, from, size)
    }

    /// The ranges that are open in `pool`, by index.
    pub(super) fn open_in(&self, pool: u32) -> impl Iterator<Item = Open> {
        let known = self.0.get(&short(pool)).into_iter();
        known
            .flat_map(|known| &known.open)
            .map(|(&index, opened)| Open {
                index,
                from: opened.from,
                size: opened.size.0,
                class: opened.class,
            })
    }

    /// `pool` is planned, from `base` on: what was open there is so no more.
    pub(super) fn planned(&mut self, pool: u32, base: Offset) -> Vec<Change> {
        let pool = short(pool);
        let known = self.0.entry(pool).or_default();
        known.base = base.0;
        known.before = core::mem::take(&mut known.open);
        let closed = known.before.keys();
        closed.map(|&range| Change::Closed(pool, range)).collect()
    }

    /// `pool` begins elsewhere, with all that lies in it.
    pub(super) fn moved(&mut self, pool: u32, base: Offset) -> Vec<Change> {
        let pool = short(pool);
        let known = self.0.entry(pool).or_default();
        known.base = base.0;
        known.show(pool)
    }

    /// The plan that `pool` had before stands after all, now of `arena` bytes: `placed` is what
    /// is left of it, and where. Ranges in which no buffer lies any more go; one whose opener has
    /// left ends with the plan at the latest, as the next pool may begin there.
    pub(super) fn kept(
        &mut self,
        pool: u32,
        placed: &[(usize, Offset)],
        arena: Bytes,
    ) -> Vec<Change> {
        let pool = short(pool);
        let known = self.0.entry(pool).or_default();
        let closed = core::mem::take(&mut known.open).into_keys();
        let mut changes: Vec<Change> = closed.map(|range| Change::Closed(pool, range)).collect();
        known.open = core::mem::take(&mut known.before);
        let base = known.base;
        known.open.retain(|_, range| {
            if !placed.iter().any(|&(buffer, _)| buffer == range.opener) {
                let left = arena.0.saturating_sub(range.from);
                range.size = range.size.min(Bytes(left));
            }
            let inside = |at: Offset| {
                let within = at.0.checked_sub(base)?.checked_sub(range.from)?;
                Some(within < range.size.0)
            };
            placed.iter().any(|&(_, at)| inside(at) == Some(true))
        });
        changes.extend(known.show(pool));
        changes
    }
}

impl OfPool {
    fn show(&self, pool: u16) -> Vec<Change> {
        let shown = self.open.iter().map(|(&range, opened)| {
            let from = Offset(self.base.saturating_add(opened.from));
            Change::Range(pool, range, from, opened.size)
        });
        shown.collect()
    }
}

/// The index of a pool as it is kept. No document has 2^16 pools.
fn short(pool: u32) -> u16 {
    u16::try_from(pool).expect("what is read has at most 64 pools")
}
