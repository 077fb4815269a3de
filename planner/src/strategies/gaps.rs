//! The best gap: where the offset strategies put a buffer, whatever their order.
//!
//! Walks the placed buffers that are live at the same time in order of address and takes the
//! smallest gap between them that fits, the lowest on ties; else the end of the last. The
//! space before the first of them is a gap too.

use super::conflicts::TimeIndex;
use super::layout::Layout;
use super::records::Record;
use super::{Observer, PlanError, Strategy};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};

/// Places `records` in `order`, each into its best gap; those with a fixed address first.
pub(super) fn place_all(
    strategy: Strategy,
    lifetimes: &Lifetimes,
    (records, order): (&[Record], &[usize]),
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let mut layout = Layout::new(lifetimes, options, observer)?;
    let mut placed = TimeIndex::new(records);
    for (index, record) in records.iter().enumerate() {
        if let Some(fixed) = layout.fixed(record) {
            layout.put(record, fixed)?;
            placed.insert(index);
        }
    }
    let mut found = Vec::new();
    let mut blocks = Vec::new();
    for &index in order {
        let record = &records[index];
        if layout.fixed(record).is_some() {
            continue;
        }
        found.clear();
        placed.overlapping(record.start, record.end, &mut found);
        blocks.clear();
        blocks.extend(found.iter().map(|&other| {
            let offset = layout.offset(&records[other]);
            (offset, offset.saturating_add(records[other].size))
        }));
        blocks.sort_unstable();
        let offset = best_gap(&layout, record, &blocks)?;
        layout.put(record, offset)?;
        placed.insert(index);
    }
    Ok(layout.into_plan(strategy))
}

/// The start of the smallest gap between `blocks` (start and end, by start) that holds
/// `record`, or the first address behind them.
fn best_gap(layout: &Layout<'_>, record: &Record, blocks: &[(u64, u64)]) -> Result<u64, PlanError> {
    let mut best: Option<(u64, u64)> = None;
    let mut behind = 0;
    for &(start, end) in blocks {
        if behind < start {
            let from = layout.align(record, behind)?;
            let gap = start.saturating_sub(from);
            if gap >= record.size && best.is_none_or(|(smallest, _)| gap < smallest) {
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
