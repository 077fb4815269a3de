//! What is live when: live bytes per step, who is live at a step, positional maxima.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::Lifetimes;
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
        let behind = self.points.partition_point(|point| point.0 <= step);
        let point = behind.checked_sub(1).and_then(|last| self.points.get(last));
        point.map_or(Bytes::ZERO, |point| point.1)
    }
}

/// The profile of `lifetimes`, with a point only where the bytes change. Sums beyond 64 bits
/// are shown as the largest number.
///
/// A sweep over starts and ends, O(n log n) whatever the horizon.
#[must_use]
pub fn profile(lifetimes: &Lifetimes) -> Profile {
    let mut changes: Vec<(Step, i128)> = Vec::with_capacity(2 * lifetimes.buffers.len());
    for buffer in &lifetimes.buffers {
        if !buffer.span.is_empty() && buffer.size > Bytes::ZERO {
            changes.push((buffer.span.start, i128::from(buffer.size.0)));
            changes.push((buffer.span.end, -i128::from(buffer.size.0)));
        }
    }
    changes.sort_unstable();
    let mut live = 0_i128;
    let mut points = Vec::new();
    for together in changes.chunk_by(|a, b| a.0 == b.0) {
        let change: i128 = together.iter().map(|change| change.1).sum();
        live += change;
        if change != 0 {
            let bytes = u64::try_from(live).unwrap_or(u64::MAX);
            points.push((together[0].0, Bytes(bytes)));
        }
    }
    Profile { points }
}

/// The buffers live at `step` by index, the largest first, ties by lower index. Buffers of
/// no bytes are left out.
#[must_use]
pub fn live_at(lifetimes: &Lifetimes, step: Step) -> Vec<usize> {
    let buffers = &lifetimes.buffers;
    let is_live =
        |&index: &usize| buffers[index].span.contains(step) && buffers[index].size > Bytes::ZERO;
    let mut live: Vec<usize> = (0..buffers.len()).filter(is_live).collect();
    live.sort_by_key(|&index| Reverse(buffers[index].size));
    live
}

/// The positional maxima: over all steps the largest live size, the largest second-largest,
/// and so on. No object of a shared-object plan, taken by size, can be smaller
/// (Pisarchyk and Lee 2020).
///
/// The k-th maximum is the largest size of which, and above, k buffers are ever live at
/// once. So buffers are added by size descending, and each that raises the largest number
/// of simultaneously live ones is the next maximum: O(n log n).
#[must_use]
pub fn positional_maxima(lifetimes: &Lifetimes) -> Vec<Bytes> {
    let is_live = |buffer: &&super::Buffer| !buffer.span.is_empty() && buffer.size > Bytes::ZERO;
    let live = lifetimes.buffers.iter().filter(is_live);
    let mut blocks: Vec<(Bytes, Span)> = live.map(|buffer| (buffer.size, buffer.span)).collect();
    blocks.sort_by_key(|&(size, _)| Reverse(size));
    let mut steps: Vec<Step> = blocks
        .iter()
        .flat_map(|&(_, span)| [span.start, span.end])
        .collect();
    steps.sort_unstable();
    steps.dedup();
    let mut crowd = Crowd::new(steps.len());
    let mut maxima = Vec::new();
    for (size, span) in blocks {
        let first = steps.partition_point(|&step| step < span.start);
        let last = steps.partition_point(|&step| step < span.end);
        crowd.add(1, (0, crowd.width), (first, last));
        if crowd.largest() > maxima.len() {
            maxima.push(size);
        }
    }
    maxima
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
