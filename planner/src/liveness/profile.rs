//! What is live when: live bytes per step, which buffers are live at a step, positional maxima.

use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::needs::{need_bytes, savings};
use super::{Buffer, Lifetimes};
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Span, Step};

/// Live bytes as a step function: from each point's step until the next point's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// Points by ascending step; the last one has 0 bytes.
    pub points: Vec<(Step, Bytes)>,
}

impl Profile {
    /// Live bytes at `step`: 0 before the first point and from the last on.
    #[must_use]
    pub fn at(&self, step: Step) -> Bytes {
        let after = self.points.partition_point(|point| point.0 <= step);
        let point = after.checked_sub(1).and_then(|last| self.points.get(last));
        point.map_or(Bytes::ZERO, |point| point.1)
    }

    /// The first step at which most is live, and how much; `None` where nothing ever is.
    #[must_use]
    pub fn highest(&self) -> Option<(Step, Bytes)> {
        let points = self.points.iter().rev();
        points.max_by_key(|point| point.1).copied()
    }
}

/// The profile of `lifetimes`, with a point only where the bytes change. Sums beyond 64 bits
/// are shown as the largest number.
///
/// During a pause only its window counts, and at the step of a handover what it can
/// save at most counts once. A sweep over starts and ends, O(n log n) whatever
/// the horizon.
#[must_use]
pub fn profile(lifetimes: &Lifetimes) -> Profile {
    let mut changes: Vec<(Step, i128)> = Vec::with_capacity(2 * lifetimes.buffers.len());
    for need in lifetimes.buffers.iter().flat_map(Buffer::needs) {
        let bytes = i128::from(need.bytes().0);
        changes.push((need.span.start, bytes));
        changes.push((need.span.end, -bytes));
    }
    for (step, _, bytes) in savings(lifetimes) {
        changes.push((step, -i128::from(bytes.0)));
        changes.push((Step(step.0 + 1), i128::from(bytes.0)));
    }
    changes.sort_unstable();
    let mut live = 0_i128;
    let mut points = Vec::new();
    for together in changes.chunk_by(|a, b| a.0 == b.0) {
        let change: i128 = together.iter().map(|change| change.1).sum();
        live += change;
        if change != 0 {
            let bytes = u64::try_from(live.max(0)).unwrap_or(u64::MAX);
            points.push((together[0].0, Bytes(bytes)));
        }
    }
    Profile { points }
}

/// The buffers of which bytes are needed at `step`, by index, those of which the most is
/// needed first, ties by lower index.
#[must_use]
pub fn live_at(lifetimes: &Lifetimes, step: Step) -> Vec<usize> {
    let buffers = &lifetimes.buffers;
    let needed = buffers.iter().map(|buffer| need_bytes(buffer, step));
    let live = needed.enumerate().filter(|&(_, bytes)| bytes > 0);
    let mut live: Vec<(usize, u64)> = live.collect();
    live.order_by_key(|&(_, bytes)| Reverse(bytes));
    live.into_iter().map(|(index, _)| index).collect()
}

/// The positional maxima: over all steps the largest live size, the largest second-largest,
/// and so on. No object of a shared-object plan, taken by size, can be smaller
/// (Pisarchyk and Lee 2020).
#[must_use]
pub(crate) fn positional_maxima(lifetimes: &Lifetimes) -> Vec<Bytes> {
    let holders = maxima_holders(lifetimes);
    let sizes = holders.iter().map(|&buffer| lifetimes.buffers[buffer].size);
    sizes.collect()
}

/// For each positional maximum, in their order, a buffer of that size which has so many
/// others of at least its size beside it at some step, by index.
///
/// The k-th maximum is the largest size of which, and above, k buffers are ever live at
/// once. So buffers are added by size descending, ties by lower index, and each that raises
/// the largest number of simultaneously live ones is the next maximum: O(n log n).
///
/// Two buffers cannot share an object at steps at which both need their first byte, because
/// both start where the object starts; so pauses that spare the first byte do not count, nor
/// does the first step of a buffer that may be written over another without a shift.
#[must_use]
pub(crate) fn maxima_holders(lifetimes: &Lifetimes) -> Vec<usize> {
    let buffers = &lifetimes.buffers;
    let mut written_over = vec![false; buffers.len()];
    for handover in &lifetimes.handovers {
        if let Some(after) = written_over.get_mut(handover.after) {
            *after |= handover.shift == Bytes::ZERO;
        }
    }
    let mut blocks: Vec<(usize, Span)> = Vec::with_capacity(buffers.len());
    for (index, buffer) in buffers.iter().enumerate() {
        for need in buffer.needs().filter(|need| need.window.0 == Bytes::ZERO) {
            let mut span = need.span;
            if written_over[index] && span.start == buffer.span.start {
                span.start.0 += 1;
            }
            blocks.push((index, span));
        }
    }
    blocks.order_by_key(|&(index, _)| Reverse(buffers[index].size));
    let mut steps: Vec<Step> = blocks
        .iter()
        .flat_map(|&(_, span)| [span.start, span.end])
        .collect();
    steps.sort_unstable();
    steps.dedup();
    let mut crowd = Crowd::new(steps.len());
    let mut holders = Vec::new();
    for (index, span) in blocks {
        let first = steps.partition_point(|&step| step < span.start);
        let last = steps.partition_point(|&step| step < span.end);
        crowd.add(1, (0, crowd.width), (first, last));
        if crowd.largest() > holders.len() {
            holders.push(index);
        }
    }
    holders
}

/// Counts per moment, with the largest of them: a segment tree with range addition.
struct Crowd {
    /// For each node what was added to all of it, and the largest sum below, itself included.
    nodes: Vec<(usize, usize)>,
    width: usize,
}

impl Crowd {
    fn new(moments: usize) -> Self {
        let width = moments.next_power_of_two();
        Self {
            nodes: vec![(0, 0); 2 * width],
            width,
        }
    }

    fn largest(&self) -> usize {
        self.nodes[1].1
    }

    /// Counts one more from moment `from` up to `to`, within the node over
    /// `[first, last)`. Recursion is as deep as the tree.
    fn add(&mut self, node: usize, (first, last): (usize, usize), (from, to): (usize, usize)) {
        if last <= from || to <= first {
            return;
        }
        if from <= first && last <= to {
            self.nodes[node].0 += 1;
            self.nodes[node].1 += 1;
            return;
        }
        let middle = first + (last - first) / 2;
        self.add(2 * node, (first, middle), (from, to));
        self.add(2 * node + 1, (middle, last), (from, to));
        let below = self.nodes[2 * node].1.max(self.nodes[2 * node + 1].1);
        self.nodes[node].1 = self.nodes[node].0 + below;
    }
}
