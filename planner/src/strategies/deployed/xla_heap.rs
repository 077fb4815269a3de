//! What XLA's two heaps share. Source: XLA, `GlobalDecreasingSizeBestFitHeap`.
//!
//! Each buffer goes into the smallest chunk that is free during all its steps and holds it,
//! the lowest on ties; the space above everything is the largest chunk of all.
//!
//! XLA does not count steps but calls: its clock ticks at every allocation and at every
//! release, and a buffer lasts from the one to the other. Its live ranges are closed: at each
//! step the buffers that begin there are allocated first, and then those released of which it
//! is the last step, in both cases by first step, last step and id. So of two buffers with
//! the same number of steps the one with more of these calls in between lasts longer.

use super::placed::{Placed, gaps, refuse_fixed, tell_refused};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::strategies::layout::Layout;
use crate::strategies::records::{Record, records};
use crate::strategies::{Observer, PlanError, Refusal, Strategy};

/// Which buffer chooses first; ties go to the lower index.
#[derive(Clone, Copy, Debug)]
pub(super) enum Order {
    /// By size descending, then by duration descending.
    Spatial,
    /// By duration descending, then by size descending.
    Temporal,
}

/// Places all buffers in `order` and calls the plan one of `strategy`.
pub(super) fn pack(
    (strategy, order): (Strategy, Order),
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let records = records(lifetimes);
    refuse_fixed(lifetimes, &records)?;
    let durations = durations(&records);
    let mut turns: Vec<usize> = (0..records.len()).collect();
    turns.sort_by_key(|&index| {
        let (size, duration) = (records[index].size, durations[index]);
        std::cmp::Reverse(match order {
            Order::Spatial => (size, duration),
            Order::Temporal => (duration, size),
        })
    });
    let mut layout = Layout::new(lifetimes, options, observer)?;
    let mut placed = Placed::new(&records);
    for index in turns {
        let offset = best_fit(&mut layout, &placed, (index, &records[index]))?;
        let behind = layout.put(&records[index], offset)?;
        placed.set(index, (offset, behind));
    }
    Ok(layout.into_plan(strategy))
}

/// Calls between the allocation and the release of each record.
fn durations(records: &[Record]) -> Vec<u64> {
    let mut by_range: Vec<usize> = (0..records.len()).collect();
    by_range.sort_by_key(|&index| (records[index].start, records[index].end));
    let mut calls: Vec<(u64, bool, usize)> = Vec::with_capacity(2 * records.len());
    for (rank, &index) in by_range.iter().enumerate() {
        calls.push((records[index].start, false, rank));
        calls.push((records[index].end - 1, true, rank));
    }
    calls.sort_unstable();
    let mut durations = vec![0; records.len()];
    for (clock, (_, released, rank)) in (0_u64..).zip(calls) {
        let duration = &mut durations[by_range[rank]];
        // The allocation is noted first and taken off the later release.
        *duration = if released { clock - *duration } else { clock };
    }
    durations
}

fn best_fit(
    layout: &mut Layout<'_>,
    placed: &Placed<'_>,
    (index, record): (usize, &Record),
) -> Result<u64, PlanError> {
    let blocks = placed.in_the_way(index);
    let blocks = blocks.into_iter().map(|other| placed.place(other));
    let (gaps, top) = gaps(layout, record, blocks)?;
    let fitting = gaps.iter().filter(|gap| gap.size >= record.size);
    let best = fitting.min_by_key(|gap| (gap.size, gap.from));
    let offset = best.map_or(top, |gap| gap.from);
    if layout.observer().wants_reasons() {
        tell_refused(layout, record, &gaps, (offset, Refusal::LooserFit))?;
    }
    Ok(offset)
}
