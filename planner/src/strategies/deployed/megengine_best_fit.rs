//! Offsets by online best fit. Source: MegEngine, `StaticMemAllocBestFit`.
//!
//! Buffers come and go in the order of execution. Each takes the free block whose aligned
//! part is the smallest that holds it, the lowest on ties, or grows the arena from its top,
//! even where what lies right below the top is free.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;

use super::megengine::{Call, Intervals, joint_alignment};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::strategies::description::{
    AboveNaive, Capabilities, Capability, Description, Family, Growth, Model,
};
use crate::strategies::layout::Layout;
use crate::strategies::records::Record;
use crate::strategies::{Choice, Fit, Observer, PlanError, Search, Strategy, Taken, overflow};
use crate::units::{Bytes, Offset, Step};

pub(in crate::strategies) const STRATEGY: Description = Description {
    name: "megengine_best_fit",
    source: "MegEngine, StaticMemAllocBestFit",
    family: Family::Deployed,
    model: Model::Offsets,
    cost: "O(n log n)",
    growth: Growth::Square,
    capabilities: Capabilities {
        handovers: Capability::Yes,
        ..Capabilities::UNFIXED
    },
    above_naive: Some(AboveNaive::Padding),
    limit: None,
};

/// Frees and allocates as the steps go by; what overwrites another is placed inside it.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let intervals = Intervals::of(lifetimes, options);
    let records = &intervals.records;
    let mut free = Free::new(joint_alignment(lifetimes, options, records)?);
    let mut offsets = vec![0; records.len()];
    let mut layout = Layout::new(lifetimes, options, observer)?;
    for (call, index) in intervals.calls() {
        let record = &records[index];
        if call == Call::Free {
            free.give(offsets[index], record.size);
            continue;
        }
        let overwritten = intervals.below[index];
        offsets[index] = if let Some((dest, shift)) = overwritten {
            free.give(offsets[dest], records[dest].size);
            free.take(offsets[dest] + shift, record.size);
            offsets[dest] + shift
        } else {
            let taken = free.best(record.size);
            let choice = Choice {
                search: Search::FreeBelow(Fit::Best, Offset(free.top)),
                bytes: Bytes(record.size),
                until: Step(record.end),
                alignment: Bytes(free.alignment),
                taken: taken.map_or(Taken::Open, |(size, from)| Taken::Range {
                    from: Offset(from),
                    size: Bytes(size),
                }),
            };
            layout.report(record, choice)?;
            let taken = taken.map(|(_, from)| from);
            let too_large = || overflow(&lifetimes.buffers[record.buffer]);
            free.alloc(taken, record).ok_or_else(too_large)?
        };
        layout.put(record, offsets[index])?;
    }
    Ok(layout.into_plan(Strategy::MegengineBestFit))
}

/// The free blocks below the top.
struct Free {
    alignment: u64,
    /// Size by first byte.
    by_address: BTreeMap<u64, u64>,
    /// Size of the part after the first aligned byte, that byte, and the block's own first.
    by_size: BTreeSet<(u64, u64, u64)>,
    /// Nothing above it was ever used; aligned.
    top: u64,
}

impl Free {
    fn new(alignment: u64) -> Self {
        Self {
            alignment,
            by_address: BTreeMap::new(),
            by_size: BTreeSet::new(),
            top: 0,
        }
    }

    /// The aligned part of a block; `None` where it has none.
    fn aligned(&self, first: u64, size: u64) -> Option<(u64, u64, u64)> {
        let from = Offset(first).align_up(Bytes(self.alignment))?.0;
        let left = (first + size).checked_sub(from)?;
        (left > 0).then_some((left, from, first))
    }

    /// Adds a block as it is.
    fn insert(&mut self, first: u64, size: u64) {
        if size > 0 {
            self.by_address.insert(first, size);
            self.by_size.extend(self.aligned(first, size));
        }
    }

    fn remove(&mut self, first: u64) -> Option<u64> {
        let size = self.by_address.remove(&first)?;
        if let Some(aligned) = self.aligned(first, size) {
            self.by_size.remove(&aligned);
        }
        Some(size)
    }

    /// Gives bytes back; they join what is free on both sides.
    fn give(&mut self, mut first: u64, mut size: u64) {
        let before = self.by_address.range(..first).next_back();
        if let Some((&start, _)) = before.filter(|block| block.0 + block.1 == first) {
            size += self.remove(start).unwrap_or(0);
            first = start;
        }
        size += self.remove(first + size).unwrap_or(0);
        self.insert(first, size);
    }

    /// Takes bytes out of the free block around them.
    fn take(&mut self, from: u64, size: u64) {
        let around = self.by_address.range(..=from).next_back();
        if let Some((&first, &whole)) = around {
            self.remove(first);
            self.insert(first, from - first);
            self.insert(from + size, (first + whole).saturating_sub(from + size));
        }
    }

    /// The aligned part of the best block for `size` bytes: its size, and its first byte.
    fn best(&self, size: u64) -> Option<(u64, u64)> {
        let mut large_enough = self.by_size.range((size, 0, 0)..);
        large_enough.next().map(|&(left, from, _)| (left, from))
    }

    /// Takes the bytes of `record` at `place`, else at the top; `None` beyond 64 bits.
    fn alloc(&mut self, place: Option<u64>, record: &Record) -> Option<u64> {
        if let Some(from) = place {
            self.take(from, record.size);
            return Some(from);
        }
        let from = self.top;
        let end = Offset(from.checked_add(record.size)?);
        self.top = end.align_up(Bytes(self.alignment))?.0;
        self.insert(end.0, self.top - end.0);
        Some(from)
    }
}
