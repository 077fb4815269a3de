//! Chains of buffers that are handed over in place, each merged into the allocation of its
//! first.

use crate::liveness::{Handover, Lifetimes};
use crate::strategies::records::Record;

/// The records that allocate, and those that live in another's allocation.
pub(super) struct Chains {
    /// One record per chain, and every record of no chain: the first buffer, live until the
    /// last is not; in the order given.
    pub(super) roots: Vec<Record>,
    /// For each of `roots`, the records behind the first, in order of their starts.
    pub(super) shared: Vec<Vec<Record>>,
}

/// Merges `records`, which are in the buffers' order, along the hand-overs of `lifetimes`.
///
/// A hand-over counts where it shifts nothing, both buffers are equally large, equally
/// aligned and not fixed, and they share exactly one step. A buffer is handed over at most
/// once, and takes over at most one other: the first listed hand-over wins.
pub(super) fn merge(lifetimes: &Lifetimes, records: &[Record]) -> Chains {
    let mut record_of = vec![None; lifetimes.buffers.len()];
    for (index, record) in records.iter().enumerate() {
        record_of[record.buffer] = Some(index);
    }
    let known = |buffer: usize| record_of.get(buffer).copied().flatten();
    let pair = |handover: &Handover| {
        let (before, after) = (known(handover.before)?, known(handover.after)?);
        let counts = handover.shift.0 == 0 && joins(lifetimes, &records[before], &records[after]);
        counts.then_some((before, after))
    };
    let mut pairs: Vec<(usize, usize)> = lifetimes.handovers.iter().filter_map(pair).collect();
    // The earlier links of a chain first; stable, so that the listed order decides ties.
    pairs.sort_by_key(|&(_, after)| records[after].start);
    let mut root: Vec<usize> = (0..records.len()).collect();
    let mut taken = vec![false; records.len()];
    let mut roots = records.to_vec();
    let mut shared: Vec<Vec<Record>> = vec![Vec::new(); records.len()];
    for (before, after) in pairs {
        if taken[before] || root[after] != after {
            continue;
        }
        taken[before] = true;
        let first = root[before];
        root[after] = first;
        roots[first].end = records[after].end;
        shared[first].push(records[after]);
    }
    let keep = |index: &usize| root[*index] == *index;
    let kept: Vec<usize> = (0..records.len()).filter(keep).collect();
    Chains {
        roots: kept.iter().map(|&index| roots[index]).collect(),
        shared: kept.iter().map(|&index| shared[index].clone()).collect(),
    }
}

/// Whether `after` may live where `before` does: they share one step, the last of the one and
/// the first of the other, and `before` has lived longer, so that nobody before it in the
/// chain shares that step.
fn joins(lifetimes: &Lifetimes, before: &Record, after: &Record) -> bool {
    let (old, new) = (
        &lifetimes.buffers[before.buffer],
        &lifetimes.buffers[after.buffer],
    );
    before.end == after.start + 1
        && before.start < after.start
        && before.size == after.size
        && old.size == new.size
        && old.alignment == new.alignment
        && old.fixed.is_none()
        && new.fixed.is_none()
}
