//! What MegEngine's allocators share: which buffer overwrites which, and when they are called.
//! Source: MegEngine, `StaticMemAllocImplHelper` and `BestFitHelper`.
//!
//! A handover becomes an overwrite when the later buffer lies inside the earlier one and
//! starts in its last step. A buffer is overwritten by one other at most, the largest of
//! those that ask, the first on ties. Overwrites chain; the buffer at the bottom of a chain
//! is its root, and all of a chain lie where the root is put.
//!
//! MegEngine aligns roots only and takes any offset. Here an overwrite must leave the later
//! buffer aligned as it asks. And a buffer of a single step is never overwritten: what did
//! that would meet the one below it too.

use super::stays_aligned;
use crate::liveness::Lifetimes;
use crate::plan::Options;
use crate::sorting::Sorting as _;
use crate::strategies::records::{Record, records};
use crate::strategies::{PlanError, alignment, overflow};
use alloc::vec;
use alloc::vec::Vec;

/// The records and their overwrites, by index of the record.
pub(super) struct Intervals {
    /// In the buffers' order.
    pub(super) records: Vec<Record>,
    /// What each overwrites, and at how many bytes from its start.
    pub(super) below: Vec<Option<(usize, u64)>>,
    /// By what each is overwritten.
    pub(super) above: Vec<Option<usize>>,
    /// The root of each, and the bytes from its start.
    pub(super) roots: Vec<(usize, u64)>,
}

/// A call of an allocator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Call {
    /// An interval that is not overwritten has ended.
    Free,
    /// A root begins.
    Alloc,
    /// An interval begins that overwrites another.
    Overwrite,
}

impl Intervals {
    /// Those of `lifetimes`.
    pub(super) fn of(lifetimes: &Lifetimes, options: &Options) -> Self {
        let records = records(lifetimes);
        let count = records.len();
        let mut intervals = Self {
            records,
            below: vec![None; count],
            above: vec![None; count],
            roots: (0..count).map(|index| (index, 0)).collect(),
        };
        let mut of_buffer = vec![None; lifetimes.buffers.len()];
        for (index, record) in intervals.records.iter().enumerate() {
            of_buffer[record.buffer] = Some(index);
        }
        let record = |buffer: usize| of_buffer.get(buffer).copied().flatten();
        for handover in &lifetimes.handovers {
            if let (Some(source), Some(dest)) = (record(handover.after), record(handover.before))
                && stays_aligned(lifetimes, options, handover)
            {
                intervals.overwrite(source, dest, handover.shift.0);
            }
        }
        intervals.find_roots();
        intervals
    }

    /// Lets `source` overwrite `dest`, unless one that is as large does already.
    fn overwrite(&mut self, source: usize, dest: usize, shift: u64) {
        let (over, under) = (&self.records[source], &self.records[dest]);
        let inside = shift
            .checked_add(over.size)
            .is_some_and(|end| end <= under.size);
        let in_time = over.start == under.end - 1 && under.len() > 1;
        let known = self.above[dest];
        let larger = known.is_none_or(|known| over.size > self.records[known].size);
        if !inside || !in_time || !larger || self.below[source].is_some() {
            return;
        }
        if let Some(known) = known {
            self.below[known] = None;
        }
        self.above[dest] = Some(source);
        self.below[source] = Some((dest, shift));
    }

    /// What overwrites starts later than the one below, so that one is known by then.
    fn find_roots(&mut self) {
        let mut by_start: Vec<usize> = (0..self.records.len()).collect();
        by_start.order_by_key(|&index| self.records[index].start);
        for index in by_start {
            if let Some((dest, shift)) = self.below[index] {
                let (root, offset) = self.roots[dest];
                self.roots[index] = (root, offset + shift);
            }
        }
    }

    /// `root` and all that overwrite it, from the bottom up.
    pub(super) fn chain(&self, root: usize) -> impl Iterator<Item = usize> {
        core::iter::successors(Some(root), |&index| self.above[index])
    }

    /// Whether it overwrites none.
    pub(super) fn is_root(&self, index: usize) -> bool {
        self.below[index].is_none()
    }

    /// The calls of an online allocator in their order, each with the record that it is about:
    /// at each step what has ended is freed, then roots are allocated, then the overwrites are
    /// done, each time in the buffers' order. What is overwritten is freed by that.
    pub(super) fn calls(&self) -> Vec<(Call, usize)> {
        let mut calls = Vec::with_capacity(2 * self.records.len());
        for (index, record) in self.records.iter().enumerate() {
            let begins = if self.is_root(index) {
                Call::Alloc
            } else {
                Call::Overwrite
            };
            calls.push((record.start, begins, index));
            if self.above[index].is_none() {
                calls.push((record.end, Call::Free, index));
            }
        }
        calls.order();
        calls
            .into_iter()
            .map(|(_, call, index)| (call, index))
            .collect()
    }
}

/// One alignment for all: the least common multiple of what the buffers ask for.
pub(super) fn joint_alignment(
    lifetimes: &Lifetimes,
    options: &Options,
    records: &[Record],
) -> Result<u64, PlanError> {
    let mut joint = 1_u64;
    for record in records {
        let buffer = &lifetimes.buffers[record.buffer];
        let needed = alignment(buffer, options).0;
        let (mut greatest, mut rest) = (joint, needed);
        while rest > 0 {
            (greatest, rest) = (rest, greatest % rest);
        }
        joint = (joint / greatest)
            .checked_mul(needed)
            .ok_or_else(|| overflow(buffer))?;
    }
    Ok(joint)
}
