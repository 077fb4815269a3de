//! Offsets by length, moving what is in the way. Source: MegEngine,
//! `StaticMemAllocIntervalMove`.
//!
//! The longest buffer chooses first. Each goes into a gap that holds it, the tightest; where
//! there is none it goes where the arena grows least when everything above makes room, then
//! where least room must be made, and what is above moves up. A buffer that is overwritten is
//! taken to live as long as the last of its chain.

use std::cmp::Reverse;

use super::megengine::{Intervals, joint_alignment};
use super::placed::{Gap, tell_refused};
use super::stacked::Stacked;
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::sorting::Sorting as _;
use crate::strategies::description::{
    AboveNaive, Capabilities, Capability, Description, Family, Growth, Model,
};
use crate::strategies::layout::Layout;
use crate::strategies::records::Record;
use crate::strategies::{Note, Observer, PlanError, Refusal, Strategy, overflow};
use crate::units::{Bytes, Offset};

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
    plan,
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
            what: format!("more than {LIMIT} buffers by moving intervals"),
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
        let gaps = gaps(&stacked, &conflicts);
        let offset = choose(&mut stacked, &conflicts, (&gaps, record.size));
        if layout.observer().wants_reasons() {
            // The last one lies above everything that is in the way.
            let below = gaps.split_last().map_or(&[][..], |(_, below)| below);
            let known: Vec<Gap> = below.iter().map(|&(gap, _)| gap).collect();
            note(&mut layout, (record, &known, offset), &intervals, index)?;
            let some: Vec<Gap> = known.into_iter().filter(|gap| gap.size > 0).collect();
            tell_refused(&mut layout, record, &some, (offset, Refusal::LooserFit))?;
        }
        let behind = offset.checked_add(record.size);
        let behind = behind.ok_or_else(|| too_large(record))?;
        let moved = stacked.make_room(&conflicts, (offset, behind));
        for (other, to) in moved.ok_or_else(|| too_large(record))? {
            let by = record.buffer;
            layout.note(&chains[other], Note::MakesRoom { by })?;
            layout.raise(&chains[other], to)?;
        }
        layout.put(record, offset)?;
        stacked.insert(index, (offset, behind), &conflicts);
    }
    for (index, record) in intervals.records.iter().enumerate() {
        if !intervals.is_root(index) {
            let (root, shift) = intervals.roots[index];
            layout.put(record, stacked.place(root).0 + shift)?;
        }
    }
    Ok(layout.into_plan(Strategy::MegengineIntervalMove))
}

/// Tells of the chain and of the gap that is taken, or widened.
fn note(
    layout: &mut Layout<'_>,
    (record, gaps, offset): (&Record, &[Gap], u64),
    intervals: &Intervals,
    index: usize,
) -> Result<(), PlanError> {
    layout.note_size(record)?;
    if let Some(last) = intervals.chain(index).skip(1).last() {
        let last = intervals.records[last].buffer;
        layout.note(record, Note::Chain { last })?;
    }
    let Some(gap) = gaps.iter().find(|gap| gap.from == offset) else {
        return Ok(());
    };
    let note = match gap.size < record.size {
        true => Note::Widened {
            from: Offset(gap.from),
            size: Bytes(gap.size),
        },
        false => gap.chosen(),
    };
    layout.note(record, note)
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

/// The gaps below, between and above `conflicts`, which stand by address, those of no bytes
/// among them; and for each the first of `conflicts` above it.
fn gaps(stacked: &Stacked<'_>, conflicts: &[usize]) -> Vec<(Gap, usize)> {
    let mut gaps = Vec::new();
    let mut behind = 0;
    for (position, &index) in conflicts.iter().enumerate() {
        let (start, end) = stacked.place(index);
        if position == 0 || start >= behind {
            let size = start - behind;
            gaps.push((Gap { from: behind, size }, position));
        }
        behind = behind.max(end);
    }
    let size = stacked.peak.saturating_sub(behind);
    gaps.push((Gap { from: behind, size }, conflicts.len()));
    gaps
}

/// The start of the best of `gaps` for `size` bytes, the lowest on ties.
fn choose(
    stacked: &mut Stacked<'_>,
    conflicts: &[usize],
    (gaps, size): (&[(Gap, usize)], u64),
) -> u64 {
    let fitting = gaps.iter().filter(|(gap, _)| gap.size >= size);
    if let Some((gap, _)) = fitting.min_by_key(|(gap, _)| gap.size) {
        return gap.from;
    }
    // How high what lies above a gap could start without raising the peak, from the top down.
    let mut ceiling = stacked.peak;
    let mut known = conflicts.len();
    let mut cheapest: Option<((u64, u64), u64)> = None;
    for &(gap, first) in gaps.iter().rev() {
        for &index in &conflicts[first..known] {
            ceiling = ceiling.min(stacked.ceiling(index));
        }
        known = first;
        let grown = gap.from.saturating_add(size).saturating_sub(ceiling);
        let cost = (grown, size - gap.size);
        if cheapest.is_none_or(|(least, _)| cost <= least) {
            cheapest = Some((cost, gap.from));
        }
    }
    cheapest.map_or(0, |(_, from)| from)
}
