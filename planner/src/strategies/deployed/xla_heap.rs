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
//!
//! A handover becomes a colocation when the later buffer starts with the earlier one and is
//! no larger: the earlier is released at once, the later allocated, and both get one address.
//! It is the first of those that a buffer may take over which is not taken yet.

use super::stays_aligned;
use crate::free_space::Fit;
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::sorting::Sorting as _;
use crate::strategies::layout::Layout;
use crate::strategies::placed::Placed;
use crate::strategies::records::{Record, records};
use crate::strategies::{Note, Observer, PlanError, Strategy};
use alloc::vec;
use alloc::vec::Vec;

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
    let calls = Calls::of(lifetimes, options, &records);
    let mut turns: Vec<usize> = (0..records.len()).collect();
    turns.retain(|&index| calls.groups[index].first() == Some(&index));
    turns.order_by_key(|&index| {
        let size = records[index].size;
        core::cmp::Reverse(match order {
            Order::Spatial => (size, calls.duration(&[index])),
            Order::Temporal => (calls.duration(&calls.groups[index]), size),
        })
    });
    let mut layout = Layout::new(lifetimes, options, observer)?;
    let mut placed = Placed::new(&records);
    for index in turns {
        let group = &calls.groups[index];
        let offset = best_fit(&mut layout, &mut placed, (&records, group))?;
        for &member in group {
            let end = layout.put(&records[member], offset)?;
            placed.insert(member, (offset, end));
        }
    }
    Ok(layout.into_plan(strategy))
}

/// When each record is allocated and released, in calls, and what shares an address.
struct Calls {
    allocated: Vec<u64>,
    released: Vec<u64>,
    /// With the first of a group all of it, in the order of their starts; none with others.
    groups: Vec<Vec<usize>>,
}

impl Calls {
    fn of(lifetimes: &Lifetimes, options: &Options, records: &[Record]) -> Self {
        let may_take = may_take(lifetimes, options, records);
        let mut by_range: Vec<usize> = (0..records.len()).collect();
        by_range.order_by_key(|&index| (records[index].start, records[index].end));
        let mut calls: Vec<(u64, bool, usize)> = Vec::with_capacity(2 * records.len());
        for (rank, &index) in by_range.iter().enumerate() {
            calls.push((records[index].start, false, rank));
            calls.push((records[index].end - 1, true, rank));
        }
        calls.order();
        let mut made = Self {
            allocated: vec![0; records.len()],
            released: vec![0; records.len()],
            groups: vec![Vec::new(); records.len()],
        };
        let mut first: Vec<usize> = (0..records.len()).collect();
        let mut taken = vec![false; records.len()];
        let mut clock = 0;
        for (_, release, rank) in calls {
            let index = by_range[rank];
            if release && taken[index] {
                continue;
            }
            if release {
                made.released[index] = clock;
            } else {
                let open = may_take[index].iter().find(|&&before| !taken[before]);
                if let Some(&before) = open {
                    taken[before] = true;
                    made.released[before] = clock;
                    clock += 1;
                    first[index] = first[before];
                }
                made.allocated[index] = clock;
                made.groups[first[index]].push(index);
            }
            clock += 1;
        }
        made
    }

    /// Calls from the allocation of the first of `group` to the last release.
    fn duration(&self, group: &[usize]) -> u64 {
        let last = group.iter().map(|&member| self.released[member]).max();
        let first = group.first().map_or(0, |&first| self.allocated[first]);
        last.unwrap_or(0).saturating_sub(first)
    }
}

/// For each record those whose place it may take over, in the order of the handovers.
fn may_take(lifetimes: &Lifetimes, options: &Options, records: &[Record]) -> Vec<Vec<usize>> {
    let mut of_buffer = vec![None; lifetimes.buffers.len()];
    for (index, record) in records.iter().enumerate() {
        of_buffer[record.buffer] = Some(index);
    }
    let record = |buffer: usize| of_buffer.get(buffer).copied().flatten();
    let mut may_take = vec![Vec::new(); records.len()];
    for handover in &lifetimes.handovers {
        let (Some(before), Some(after)) = (record(handover.before), record(handover.after)) else {
            continue;
        };
        let (under, over) = (&records[before], &records[after]);
        let meet = over.start == under.end - 1 && under.len() > 1;
        if meet
            && handover.shift.0 == 0
            && over.size <= under.size
            && stays_aligned(lifetimes, options, handover)
        {
            may_take[after].push(before);
        }
    }
    may_take
}

/// Where `group`, which shares an address from the start of its first to the end of its last,
/// goes. Each starts in the last step of the one before, so that it is live without a break.
fn best_fit(
    layout: &mut Layout<'_>,
    placed: &mut Placed<'_>,
    (records, group): (&[Record], &[usize]),
) -> Result<u64, PlanError> {
    let (first, last) = (records[group[0]], records[group[group.len() - 1]]);
    let whole = Record {
        end: last.end,
        ..first
    };
    if group.len() > 1 {
        let last = last.buffer;
        layout.note(&whole, Note::Chain { last })?;
    }
    Ok(layout.choose(placed, &whole, Fit::Best)?.start)
}
