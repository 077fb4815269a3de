//! Best fit where buffers have pauses or may be handed over.
//!
//! Against a placed buffer b at `at`, a buffer x may start anywhere but strictly between
//! `at - separation(x, b)` and `at + separation(b, x)`. Seen by x, b so takes the bytes from
//! `at + size(x) - separation(x, b)` to `at + separation(b, x)`: all of b where neither has
//! pauses, otherwise less, perhaps nothing. Between what is taken so, the smallest free range
//! that fits is the best one, the lowest on ties, as everywhere.
//!
//! Where x may be written over b, or b over x, it may also start at exactly one address in the
//! middle of b. That address is taken when nothing else is in the way there, unless x would
//! end above everything placed and above its best free range: the lowest of several.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use super::conflicts::TimeIndex;
use super::records::Record;
use super::separation::separation;
use super::{
    Choice, Event, Observer, PlanError, Search, Strategy, Taken, alignment, emit, overflow,
};
use crate::free_space::{Fit, FreeRange, choose, free_ranges};
use crate::liveness::{Buffer, Lifetimes};
use crate::plan::{Options, Plan};
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Offset, Step};

/// Whether some buffer of `lifetimes` has a pause or can be handed over.
pub(super) fn concerns(lifetimes: &Lifetimes) -> bool {
    let has_pause = |buffer: &Buffer| !buffer.pauses.is_empty();
    !lifetimes.handovers.is_empty() || lifetimes.buffers.iter().any(has_pause)
}

/// Places `records` in `order`, each at its best start; those with a fixed address first.
pub(super) fn place_all(
    strategy: Strategy,
    lifetimes: &Lifetimes,
    (records, order): (&[Record], &[usize]),
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let mut placing = Placing::new(lifetimes, records, observer);
    for (index, buffer) in lifetimes.buffers.iter().enumerate() {
        if !buffer.is_needed() {
            placing.put(index, buffer.fixed.unwrap_or_default().0)?;
        }
    }
    for (index, record) in records.iter().enumerate() {
        if let Some(fixed) = lifetimes.buffers[record.buffer].fixed {
            placing.put(record.buffer, fixed.0)?;
            placing.by_time.insert(index);
        }
    }
    for &index in order {
        let record = &records[index];
        let buffer = &lifetimes.buffers[record.buffer];
        if buffer.fixed.is_none() {
            let start = placing.choose(record, alignment(buffer, options))?;
            placing.put(record.buffer, start)?;
            placing.by_time.insert(index);
        }
    }
    Ok(Plan {
        origin: strategy.name().into(),
        offsets: placing.offsets,
        arena: Bytes(placing.arena),
        ..Plan::default()
    })
}

struct Placing<'a> {
    lifetimes: &'a Lifetimes,
    records: &'a [Record],
    observer: &'a mut dyn Observer,
    /// The placed records that need memory.
    by_time: TimeIndex,
    /// For each buffer those that it may be written over, and those that may be written over
    /// it, by index, with the shift.
    partners: BTreeMap<usize, Vec<(usize, Written, u64)>>,
    offsets: Vec<Offset>,
    arena: u64,
}

#[derive(Clone, Copy)]
enum Written {
    /// The partner lies below: it is written over.
    Over,
    /// The partner is written over this one.
    Under,
}

/// A placed buffer as another sees it.
struct Seen {
    /// First byte taken, and the exclusive end, which may be lower.
    taken: (u64, u64),
    /// The one address in its middle that is allowed, each for one handover.
    exact: Vec<u64>,
}

impl<'a> Placing<'a> {
    fn new(
        lifetimes: &'a Lifetimes,
        records: &'a [Record],
        observer: &'a mut dyn Observer,
    ) -> Self {
        let mut partners: BTreeMap<usize, Vec<_>> = BTreeMap::new();
        for it in &lifetimes.handovers {
            let pair = (
                lifetimes.buffers.get(it.before),
                lifetimes.buffers.get(it.after),
            );
            let (Some(before), Some(after)) = pair else {
                continue;
            };
            if before.span.end.0.checked_sub(1) == Some(after.span.start.0) {
                let over = (it.before, Written::Over, it.shift.0);
                let under = (it.after, Written::Under, it.shift.0);
                partners.entry(it.after).or_default().push(over);
                partners.entry(it.before).or_default().push(under);
            }
        }
        Self {
            lifetimes,
            records,
            observer,
            by_time: TimeIndex::new(records),
            partners,
            offsets: vec![Offset(0); lifetimes.buffers.len()],
            arena: 0,
        }
    }

    fn put(&mut self, buffer: usize, start: u64) -> Result<(), PlanError> {
        let known = &self.lifetimes.buffers[buffer];
        let offset = Offset(start);
        let end = offset.end(known.size).ok_or_else(|| overflow(known))?;
        self.offsets[buffer] = offset;
        self.arena = self.arena.max(end.0);
        emit(self.observer, Event::Placed { buffer, offset })
    }

    /// Where `record` starts.
    fn choose(&mut self, record: &Record, alignment: Bytes) -> Result<u64, PlanError> {
        let mut seen = self.seen(record)?;
        let exact = handed_over(record, alignment, &seen);
        seen.order_by_key(|seen| seen.taken);
        let own = &self.lifetimes.buffers[record.buffer];
        let range = choose(ranges(&seen), (record.size, alignment), Fit::Best);
        let range = range.ok_or_else(|| overflow(own))?;
        let best = range.start;
        let end = |start: u64| start.saturating_add(record.size);
        let exact = exact.filter(|&start| end(start) <= self.arena.max(end(best)));
        let choice = Choice {
            search: Search::FreeInPauses(Fit::Best),
            bytes: Bytes(record.size),
            until: Step(record.end),
            alignment,
            taken: exact.map_or(range.into(), |_| Taken::InPlace),
        };
        let buffer = record.buffer;
        emit(self.observer, Event::Chosen { buffer, choice })?;
        Ok(exact.unwrap_or(best))
    }

    /// All placed buffers that are live with `record`, as it sees them.
    fn seen(&self, record: &Record) -> Result<Vec<Seen>, PlanError> {
        let mut found = Vec::new();
        let steps = (record.start, record.end);
        self.by_time.overlapping(steps, usize::MAX, &mut found);
        let own = &self.lifetimes.buffers[record.buffer];
        let partners = self.partners.get(&record.buffer);
        let partners = partners.map(Vec::as_slice).unwrap_or_default();
        let mut seen = Vec::with_capacity(found.len());
        for index in found {
            let buffer = self.records[index].buffer;
            let other = &self.lifetimes.buffers[buffer];
            let (Some(below), Some(above)) = (separation(own, other), separation(other, own))
            else {
                continue;
            };
            let at = self.offsets[buffer].0;
            let start = at.checked_add(record.size).ok_or_else(|| overflow(own))?;
            let end = at.checked_add(above).ok_or_else(|| overflow(own))?;
            let with_it = partners.iter().filter(|partner| partner.0 == buffer);
            let exact = with_it.filter_map(|&(_, written, shift)| match written {
                Written::Over => at.checked_add(shift),
                Written::Under => at.checked_sub(shift),
            });
            seen.push(Seen {
                taken: (start - below, end),
                exact: exact.collect(),
            });
        }
        Ok(seen)
    }
}

/// The free ranges between what is `seen`, which is sorted.
fn ranges(seen: &[Seen]) -> impl Iterator<Item = FreeRange<u64, ()>> {
    free_ranges(0, seen.iter().map(|seen| (seen.taken.0, seen.taken.1, ())))
}

/// The lowest address at which `record` is handed over and nothing else is in the way.
fn handed_over(record: &Record, alignment: Bytes, seen: &[Seen]) -> Option<u64> {
    let exact = seen.iter().flat_map(|seen| seen.exact.iter().copied());
    let aligned = exact.filter(|start| start.is_multiple_of(alignment.0));
    let free = aligned.filter(|&start| {
        let leaves = |one: &Seen| {
            let fits_below = start.saturating_add(record.size) <= one.taken.0;
            fits_below || start >= one.taken.1 || one.exact.contains(&start)
        };
        seen.iter().all(leaves)
    });
    free.min()
}
