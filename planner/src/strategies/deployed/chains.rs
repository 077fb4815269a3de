//! Chains of buffers that are handed over in place, each merged into the allocation of its
//! first.

use crate::liveness::{Handover, Lifetimes};
use crate::plan::Options;
use crate::sorting::Sorting as _;
use crate::strategies::alignment;
use crate::strategies::records::Record;
use alloc::vec;
use alloc::vec::Vec;

/// The records that allocate, and those that live in another's allocation.
pub(super) struct Chains {
    /// One record per chain, and every record of no chain: the first buffer, live until the
    /// last is not; in the order given.
    pub(super) roots: Vec<Record>,
    /// For each of `roots`, the records after the first, in order of their starts, with
    /// their distance from its start in bytes.
    pub(super) shared: Vec<Vec<(Record, u64)>>,
}

/// A handover between records, by index.
struct Link {
    before: usize,
    after: usize,
    shift: u64,
}

/// Merges `records`, which are in the buffers' order, along the handovers of `lifetimes`.
///
/// A handover counts where neither buffer is fixed, they share exactly one step, and the
/// second lies inside the first of its chain, aligned wherever that is. (Deployed planners
/// know only equal sizes and no shift.) A buffer is handed over at most once, and takes over
/// at most one other: the first listed handover wins.
pub(super) fn merge(lifetimes: &Lifetimes, records: &[Record], options: &Options) -> Chains {
    let mut root: Vec<usize> = (0..records.len()).collect();
    let mut distance = vec![0_u64; records.len()];
    let mut taken = vec![false; records.len()];
    let mut roots = records.to_vec();
    let mut shared: Vec<Vec<(Record, u64)>> = vec![Vec::new(); records.len()];
    for link in links(lifetimes, records) {
        let (first, after) = (root[link.before], link.after);
        let place = distance[link.before].saturating_add(link.shift);
        let inside = place.saturating_add(records[after].size) <= records[first].size;
        let of = |index: usize| {
            let buffer = &lifetimes.buffers[records[index].buffer];
            alignment(buffer, options).0
        };
        let aligned = of(first).is_multiple_of(of(after)) && place.is_multiple_of(of(after));
        if taken[link.before] || root[after] != after || !inside || !aligned {
            continue;
        }
        taken[link.before] = true;
        root[after] = first;
        distance[after] = place;
        roots[first].end = records[after].end;
        shared[first].push((records[after], place));
    }
    let keep = |index: &usize| root[*index] == *index;
    let kept: Vec<usize> = (0..records.len()).filter(keep).collect();
    Chains {
        roots: kept.iter().map(|&index| roots[index]).collect(),
        shared: kept.iter().map(|&index| shared[index].clone()).collect(),
    }
}

/// The handovers that count as far as steps and fixed addresses go, the earlier links of a
/// chain first; the listed order decides ties.
fn links(lifetimes: &Lifetimes, records: &[Record]) -> Vec<Link> {
    let mut record_of = vec![None; lifetimes.buffers.len()];
    for (index, record) in records.iter().enumerate() {
        record_of[record.buffer] = Some(index);
    }
    let known = |buffer: usize| record_of.get(buffer).copied().flatten();
    let link = |handover: &Handover| {
        let (before, after) = (known(handover.before)?, known(handover.after)?);
        let counts = joins(lifetimes, &records[before], &records[after]);
        counts.then_some(Link {
            before,
            after,
            shift: handover.shift.0,
        })
    };
    let mut links: Vec<Link> = lifetimes.handovers.iter().filter_map(link).collect();
    links.order_by_key(|link| records[link.after].start);
    links
}

/// Whether `after` may live where `before` does: they share one step, the last of the one and
/// the first of the other, and `before` has lived longer, so that none before it in the
/// chain shares that step.
fn joins(lifetimes: &Lifetimes, before: &Record, after: &Record) -> bool {
    let fixed = |record: &Record| lifetimes.buffers[record.buffer].fixed.is_some();
    before.end == after.start + 1 && before.start < after.start && !fixed(before) && !fixed(after)
}
