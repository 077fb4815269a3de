//! Offsets by length, moving what is in the way. Source: MegEngine,
//! `StaticMemAllocIntervalMove`.
//!
//! The longest buffer chooses first. Each goes into a free range that holds it, the tightest; where
//! there is none it goes where the arena grows least when everything above makes room, then
//! where least room must be made, and what is above moves up. A buffer that is overwritten is
//! taken to live as long as the last of its chain.

use alloc::vec::Vec;
use core::cmp::Reverse;

use super::megengine::{Intervals, joint_alignment};
use super::stacked::Stacked;
use crate::free_space::{Fit, FreeRange, Usable, choose, insertion_points};
use crate::liveness::Lifetimes;
use crate::message;
use crate::plan::{Options, Plan};
use crate::sorting::Sorting as _;
use crate::strategies::description::{
    AboveNaive, Capabilities, Capability, Description, Family, Growth, Model,
};
use crate::strategies::layout::Layout;
use crate::strategies::records::Record;
use crate::strategies::{Choice, Note, Observer, PlanError, Search, Strategy, Taken, overflow};
use crate::units::{Bytes, Offset, Step};

pub(in crate::strategies) const STRATEGY: Description = Description {
    name: "megengine_interval_move",
    source: "MegEngine, StaticMemAllocIntervalMove",
    family: Family::Deployed,
    model: Model::Offsets,
    cost: "O(n²)",
    growth: Growth::Square,
    capabilities: Capabilities {
        handovers: Capability::Yes,
        ..Capabilities::UNFIXED
    },
    above_naive: Some(AboveNaive::Padding),
    limit: Some(LIMIT),
};

/// More buffers than this are refused: the time grows with their square.
pub(in crate::strategies) const LIMIT: usize = 1 << 13;

/// Buffers by length descending, then by start, then by size descending, then by index.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let intervals = Intervals::of(lifetimes, options);
    if intervals.records.len() > LIMIT {
        return Err(PlanError::Unsupported {
            what: message!("more than {} buffers by moving intervals", LIMIT),
        });
    }
    let too_large = |record: &Record| overflow(&lifetimes.buffers[record.buffer]);
    let chains = chains(&intervals, lifetimes, options)?;
    let mut order: Vec<usize> = (0..chains.len()).collect();
    order.retain(|&index| intervals.is_root(index));
    order.order_by_key(|&index| {
        let record = &chains[index];
        (Reverse(record.len()), record.start, Reverse(record.size))
    });
    let mut layout = Layout::new(lifetimes, options, observer)?;
    let mut stacked = Stacked::new(&chains);
    for index in order {
        let record = &chains[index];
        let conflicts = stacked.in_the_way(index);
        let ranges = ranges(&stacked, &conflicts);
        let offset = place(&mut stacked, &conflicts, (&ranges, record.size));
        // The last one lies above everything that is in the way.
        let below = ranges.split_last().map_or(&[][..], |(_, below)| below);
        report(&mut layout, (record, below, offset), &intervals, index)?;
        let end = offset.checked_add(record.size);
        let end = end.ok_or_else(|| too_large(record))?;
        let moved = stacked.make_room(&conflicts, (offset, end));
        for (other, to) in moved.ok_or_else(|| too_large(record))? {
            let by = record.buffer;
            layout.note(&chains[other], Note::MakesRoom { by })?;
            layout.raise(&chains[other], to)?;
        }
        layout.put(record, offset)?;
        stacked.insert(index, (offset, end), &conflicts);
    }
    for (index, record) in intervals.records.iter().enumerate() {
        if !intervals.is_root(index) {
            let (root, shift) = intervals.roots[index];
            layout.put(record, stacked.place(root).0 + shift)?;
        }
    }
    Ok(layout.into_plan(Strategy::MegengineIntervalMove))
}

/// Reports the chain, and the free range that is taken, or widened.
fn report(
    layout: &mut Layout<'_>,
    (record, below, offset): (&Record, &[Range], u64),
    intervals: &Intervals,
    index: usize,
) -> Result<(), PlanError> {
    if let Some(last) = intervals.chain(index).skip(1).last() {
        let last = intervals.records[last].buffer;
        layout.note(record, Note::Chain { last })?;
    }
    let range = below.iter().find(|range| range.start == offset);
    let range = range.map(|range| (Offset(offset), Bytes(size(range))));
    let choice = Choice {
        search: Search::Free(Fit::Best),
        bytes: Bytes(record.size),
        until: Step(record.end),
        // Places and sizes are whole numbers of the alignment already.
        alignment: Bytes(1),
        taken: range.map_or(Taken::Open, |(from, size)| Taken::Range { from, size }),
    };
    layout.report(record, choice)?;
    match range {
        Some((from, size)) if size.0 < record.size => {
            layout.note(record, Note::Widened { from, size })
        }
        _ => Ok(()),
    }
}

/// The records, of which roots live as long as their chain and have a whole number of
/// alignments as their size.
fn chains(
    intervals: &Intervals,
    lifetimes: &Lifetimes,
    options: &Options,
) -> Result<Vec<Record>, PlanError> {
    let mut chains = intervals.records.clone();
    let joint = Bytes(joint_alignment(lifetimes, options, &chains)?);
    for (index, record) in intervals.records.iter().enumerate() {
        if intervals.is_root(index) {
            let size = Bytes(record.size).align_up(joint);
            let size = size.ok_or_else(|| overflow(&lifetimes.buffers[record.buffer]))?;
            chains[index].size = size.0;
        } else {
            let root = &mut chains[intervals.roots[index].0];
            root.end = root.end.max(record.end);
        }
    }
    Ok(chains)
}

/// A place between those in the way, which are named by their position.
type Range = FreeRange<u64, usize>;

/// The free ranges below, between and above `conflicts`, which stand by address, those of no
/// bytes among them. The last one ends at the peak.
fn ranges(stacked: &Stacked<'_>, conflicts: &[usize]) -> Vec<Range> {
    let blocks = conflicts.iter().enumerate();
    let blocks = blocks.map(|(position, &index)| {
        let (start, end) = stacked.place(index);
        (start, end, position)
    });
    let mut ranges: Vec<Range> = insertion_points(0, blocks).collect();
    if let Some(open) = ranges.last_mut() {
        open.end = Some(stacked.peak.max(open.start));
    }
    ranges
}

/// Bytes of a range, all of which have an end.
fn size(range: &Range) -> u64 {
    range.end.map_or(0, |end| end - range.start)
}

/// The start of the best of `ranges` for `wanted` bytes, the lowest on ties.
fn place(stacked: &mut Stacked<'_>, conflicts: &[usize], (ranges, wanted): (&[Range], u64)) -> u64 {
    let best = choose(ranges.iter().copied(), (wanted, Bytes(1)), Fit::Best);
    if let Some(Usable { start, .. }) = best {
        return start;
    }
    // How high what lies above a range could start without raising the peak, from the top
    // down.
    let mut ceiling = stacked.peak;
    let mut known = conflicts.len();
    let mut cheapest: Option<((u64, u64), u64)> = None;
    for range in ranges.iter().rev() {
        let first = range.above.unwrap_or(conflicts.len());
        for &index in &conflicts[first..known] {
            ceiling = ceiling.min(stacked.ceiling(index));
        }
        known = first;
        let grown = range.start.saturating_add(wanted).saturating_sub(ceiling);
        let cost = (grown, wanted - size(range));
        if cheapest.is_none_or(|(least, _)| cost <= least) {
            cheapest = Some((cost, range.start));
        }
    }
    cheapest.map_or(0, |(_, from)| from)
}
