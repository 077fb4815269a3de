//! The best gap: where the offset strategies put a buffer, whatever their order.
//!
//! Walks the placed buffers that are live at the same time in order of address and takes the
//! smallest gap between them that fits, the lowest on ties; else the end of the last. The
//! space before the first of them is a gap too.

use super::by_address::{Block, ByAddress};
use super::conflicts::TimeIndex;
use super::constrained;
use super::layout::Layout;
use super::records::Record;
use super::{Observer, PlanError, Refusal, Strategy};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};

/// Where more than one in so many placed blocks conflicts, all are walked in order of
/// address; elsewhere the conflicting ones are looked up and sorted.
const DENSE: usize = 32;

/// Places `records` in `order`, each into its best gap; those with a fixed address first.
pub(super) fn place_all(
    strategy: Strategy,
    lifetimes: &Lifetimes,
    (records, order): (&[Record], &[usize]),
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    if constrained::concerns(lifetimes) {
        return constrained::place_all(strategy, lifetimes, (records, order), options, observer);
    }
    let mut layout = Layout::new(lifetimes, options, observer)?;
    let mut placed = Placed::new(records);
    for (index, record) in records.iter().enumerate() {
        if let Some(fixed) = layout.fixed(record) {
            placed.insert(index, fixed, layout.put(record, fixed)?);
        }
    }
    for &index in order {
        let record = &records[index];
        if layout.fixed(record).is_none() {
            let offset = placed.best_gap(&layout, record)?;
            if layout.wants_reasons() {
                placed.explain(&mut layout, record, offset, not_best)?;
            }
            placed.insert(index, offset, layout.put(record, offset)?);
        }
    }
    Ok(layout.into_plan(strategy))
}

/// Why the best gap is not this one of `size` bytes, when that of `taken` bytes is (`None`
/// for the open space).
fn not_best(size: Option<u64>, taken: Option<u64>, needed: u64) -> Option<Refusal> {
    Some(match size {
        Some(size) if size < needed => Refusal::TooSmall,
        size if size == taken => Refusal::NotFirst,
        _ => Refusal::LooserFit,
    })
}

/// The placed blocks, searchable by steps and by address.
pub(super) struct Placed<'a> {
    records: &'a [Record],
    by_time: TimeIndex,
    by_address: ByAddress,
    /// Block of each placed record: first byte and first byte behind it.
    places: Vec<(u64, u64)>,
    /// Kept between searches for its memory.
    found: Vec<usize>,
}

impl<'a> Placed<'a> {
    /// None of `records` placed.
    pub(super) fn new(records: &'a [Record]) -> Self {
        Self {
            records,
            by_time: TimeIndex::new(records),
            by_address: ByAddress::new(),
            places: vec![(0, 0); records.len()],
            found: Vec::new(),
        }
    }

    /// Takes note that record `index` lies from `offset` to before `behind`.
    pub(super) fn insert(&mut self, index: usize, offset: u64, behind: u64) {
        let Record { start, end, .. } = self.records[index];
        self.by_time.insert(index);
        self.places[index] = (offset, behind);
        self.by_address.insert(Block {
            offset,
            behind,
            start,
            end,
        });
    }

    fn best_gap(&mut self, layout: &Layout<'_>, record: &Record) -> Result<u64, PlanError> {
        self.found.clear();
        let few = self.by_address.len() / DENSE;
        let steps = (record.start, record.end);
        self.by_time.overlapping(steps, few, &mut self.found);
        if self.found.len() > few {
            let conflicting = self.by_address.iter();
            let conflicting = conflicting.filter(|b| b.start < record.end && record.start < b.end);
            return best_gap(layout, record, conflicting.map(|b| (b.offset, b.behind)));
        }
        let places = self.found.iter().map(|&other| self.places[other]);
        let mut blocks: Vec<(u64, u64)> = places.collect();
        blocks.sort_unstable();
        best_gap(layout, record, blocks.into_iter())
    }

    /// Tells of the gaps that `record` is not put into when it is put at `taken`: `why` gets
    /// the gap's size, the size of the gap taken and the size needed.
    pub(super) fn explain(
        &mut self,
        layout: &mut Layout<'_>,
        record: &Record,
        taken: u64,
        why: fn(Option<u64>, Option<u64>, u64) -> Option<Refusal>,
    ) -> Result<(), PlanError> {
        self.found.clear();
        let steps = (record.start, record.end);
        self.by_time.overlapping(steps, usize::MAX, &mut self.found);
        let places = self.found.iter().map(|&other| self.places[other]);
        let mut blocks: Vec<(u64, u64)> = places.collect();
        blocks.sort_unstable();
        // First usable byte of each gap, its size and whether it is the one that is taken.
        let mut gaps: Vec<(u64, Option<u64>, bool)> = Vec::new();
        let mut behind = 0;
        for (start, end) in blocks {
            if behind < start {
                let from = layout.align(record, behind)?;
                let own = (behind..start).contains(&taken);
                if from < start {
                    gaps.push((from, Some(start - from), own));
                }
            }
            behind = behind.max(end);
        }
        gaps.push((layout.align(record, behind)?, None, behind <= taken));
        let taken = gaps.iter().find(|gap| gap.2).and_then(|gap| gap.1);
        for (from, size, own) in gaps {
            if let Some(why) = why(size, taken, record.size).filter(|_| !own) {
                layout.refuse(record, (from, size), why)?;
            }
        }
        Ok(())
    }
}

/// The start of the smallest gap between `blocks` (first byte and first byte behind, by
/// address) that holds `record`, or the first address behind them all.
fn best_gap(
    layout: &Layout<'_>,
    record: &Record,
    blocks: impl Iterator<Item = (u64, u64)>,
) -> Result<u64, PlanError> {
    let mut best: Option<(u64, u64)> = None;
    let mut behind = 0;
    for (start, end) in blocks {
        if behind < start {
            let from = layout.align(record, behind)?;
            let gap = start.saturating_sub(from);
            if gap == record.size {
                // None is smaller, and the first of equals wins.
                return Ok(from);
            }
            if gap > record.size && best.is_none_or(|(smallest, _)| gap < smallest) {
                best = Some((gap, from));
            }
        }
        behind = behind.max(end);
    }
    match best {
        Some((_, from)) => Ok(from),
        None => layout.align(record, behind),
    }
}
