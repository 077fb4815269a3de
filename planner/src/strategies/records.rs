//! Usage records: what a strategy sees of the buffers that need memory.

use alloc::collections::{BTreeMap, BinaryHeap};
use alloc::vec::Vec;
use core::cmp::Reverse;

use crate::liveness::Lifetimes;
use crate::sorting::Sorting as _;

/// A buffer that needs memory: it has bytes and is live for at least one step.
///
/// All other buffers conflict with nothing; strategies leave them out and the finished plan
/// puts them where they cost nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    /// Index of the buffer.
    pub(super) buffer: usize,
    /// Bytes, at least 1.
    pub(super) size: u64,
    /// First step.
    pub(super) start: u64,
    /// First step at which it is no longer live, after `start`.
    pub(super) end: u64,
}

impl Record {
    /// Number of steps.
    pub(super) fn len(&self) -> u64 {
        self.end - self.start
    }
}

/// The records of `lifetimes`, in the buffers' order.
pub(super) fn records(lifetimes: &Lifetimes) -> Vec<Record> {
    let needs_memory = |buffer: usize| {
        let known = &lifetimes.buffers[buffer];
        (known.size.0 > 0 && !known.span.is_empty()).then_some(Record {
            buffer,
            size: known.size.0,
            start: known.span.start.0,
            end: known.span.end.0,
        })
    };
    (0..lifetimes.buffers.len())
        .filter_map(needs_memory)
        .collect()
}

/// The records of `lifetimes` in order of first use; those that start together stand in the
/// buffers' order.
pub(super) fn in_order(lifetimes: &Lifetimes) -> Vec<Record> {
    let mut records = records(lifetimes);
    records.order_by_key(|record| record.start);
    records
}

/// What is in use, to be taken back in order of its end, ties by lower id.
#[derive(Debug, Default)]
pub(super) struct InUse {
    queue: BinaryHeap<Reverse<(u64, usize)>>,
}

impl InUse {
    /// `id` is in use until `end`.
    pub(super) fn add(&mut self, end: u64, id: usize) {
        self.queue.push(Reverse((end, id)));
    }

    /// The next id whose use has ended before `start`, which is itself a step of use.
    pub(super) fn release(&mut self, start: u64) -> Option<usize> {
        let &Reverse((end, id)) = self.queue.peek()?;
        if end > start {
            return None;
        }
        self.queue.pop();
        Some(id)
    }
}

/// Free objects by exact size, the most recently freed first.
#[derive(Debug)]
pub(super) struct FreeLists<S> {
    lists: BTreeMap<S, Vec<usize>>,
}

impl<S: Ord> FreeLists<S> {
    /// None free.
    pub(super) fn new() -> Self {
        Self {
            lists: BTreeMap::new(),
        }
    }

    /// `object` is free.
    pub(super) fn give(&mut self, size: S, object: usize) {
        self.lists.entry(size).or_default().push(object);
    }

    /// The most recently freed object of exactly this size.
    pub(super) fn take(&mut self, size: &S) -> Option<usize> {
        self.lists.get_mut(size)?.pop()
    }
}
