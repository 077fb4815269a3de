//! Which buffers would lower the peak most if they were gone or smaller.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use serde::{Deserialize, Serialize};

use crate::liveness::profile::{Profile, live_at, profile};
use crate::liveness::{Buffer, Lifetimes};
use crate::units::{Bytes, Step};

/// What the peak would be without one buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relief {
    /// The buffer.
    pub buffer: usize,
    /// The peak without it.
    pub peak: Bytes,
    /// Bytes that the peak falls by; making the buffer smaller by as much does the same.
    pub saved: Bytes,
    /// Where the peak would be then.
    pub step: Step,
}

/// The `most` buffers without which the largest sum of bytes needed at one step would be
/// smallest, those that save most first, ties by lower index; only those that save anything.
///
/// No buffer saves more than what it needs itself at the first peak. So buffers are tried by
/// that, largest first, and what a trial has found is final once it is the best of all that
/// may come. A trial looks at the steps at which the buffer is needed; for one that may be
/// written over another, or be written over, everything is added up again, O(n log n).
#[must_use]
pub fn reliefs(lifetimes: &Lifetimes, most: usize) -> Vec<Relief> {
    let Some(trials) = Trials::new(lifetimes) else {
        return Vec::new();
    };
    let (step, peak) = trials.highest;
    let live = live_at(lifetimes, step);
    // Most saved first; what is only guessed before what was found, so that ties are known.
    let mut open: BinaryHeap<(u64, bool, Reverse<usize>, Step, Bytes)> = live
        .into_iter()
        .filter_map(|buffer| {
            let (start, end) = lifetimes.buffers[buffer].needed_at(step)?;
            let guess = end.0 - start.0;
            Some((guess, true, Reverse(buffer), step, peak))
        })
        .collect();
    let mut reliefs = Vec::new();
    while reliefs.len() < most
        && let Some((saved, guessed, Reverse(buffer), step, left)) = open.pop()
    {
        if !guessed {
            reliefs.push(Relief {
                buffer,
                peak: left,
                saved: Bytes(saved),
                step,
            });
            continue;
        }
        let (step, left) = trials.without(lifetimes, buffer);
        let saved = peak.0.saturating_sub(left.0);
        if saved > 0 {
            open.push((saved, false, Reverse(buffer), step, left));
        }
    }
    reliefs
}

/// The profile, prepared for asking what it would be without one buffer.
struct Trials {
    profile: Profile,
    highest: (Step, Bytes),
    /// The first of the highest points up to and with each.
    up_to: Vec<(Step, Bytes)>,
    /// The first of the highest points from each on.
    from: Vec<(Step, Bytes)>,
    /// Buffers that may share bytes on purpose.
    shared: BTreeSet<usize>,
}

impl Trials {
    fn new(lifetimes: &Lifetimes) -> Option<Self> {
        let profile = profile(lifetimes);
        let highest = profile.highest()?;
        let running = |best: &mut (Step, Bytes), point: &(Step, Bytes)| {
            *best = higher(*best, *point);
            Some(*best)
        };
        let least = (Step::default(), Bytes::ZERO);
        let points = profile.points.iter();
        let up_to = points.clone().scan(least, running).collect();
        let mut from: Vec<_> = points.rev().scan(least, running).collect();
        from.reverse();
        let pairs = lifetimes.handovers.iter();
        let shared = pairs.flat_map(|pair| [pair.before, pair.after]).collect();
        Some(Self {
            profile,
            highest,
            up_to,
            from,
            shared,
        })
    }

    /// The first of the highest steps without `buffer`, and its bytes.
    fn without(&self, lifetimes: &Lifetimes, buffer: usize) -> (Step, Bytes) {
        if self.shared.contains(&buffer) {
            let mut without = lifetimes.clone();
            without.buffers[buffer].size = Bytes::ZERO;
            without.buffers[buffer].pauses.clear();
            return profile(&without).highest().unwrap_or_default();
        }
        self.beside(&lifetimes.buffers[buffer])
    }

    /// The same for a buffer that shares no byte with another.
    fn beside(&self, buffer: &Buffer) -> (Step, Bytes) {
        let points = &self.profile.points;
        let before = points.partition_point(|point| point.0 < buffer.span.start);
        let after = points.partition_point(|point| point.0 < buffer.span.end);
        let mut best = (Step::default(), Bytes::ZERO);
        if let Some(last) = before.checked_sub(1) {
            best = higher(best, self.up_to[last]);
        }
        if let Some(&later) = self.from.get(after) {
            best = higher(best, later);
        }
        // Where it begins, ends or changes there may be no point, if another does the opposite.
        best = higher(best, self.left_at(buffer, buffer.span.end));
        for need in buffer.needs() {
            best = higher(best, self.left_at(buffer, need.span.start));
            best = higher(best, self.left_at(buffer, need.span.end));
        }
        for point in &points[before..after] {
            best = higher(best, self.left_at(buffer, point.0));
        }
        best
    }

    /// What is needed at `step` beside `buffer`.
    fn left_at(&self, buffer: &Buffer, step: Step) -> (Step, Bytes) {
        let all = self.profile.at(step);
        let own = buffer.needed_at(step);
        let own = own.map_or(0, |(start, end)| end.0 - start.0);
        (step, Bytes(all.0.saturating_sub(own)))
    }
}

/// The higher of two points, the earlier of two that are equally high; nothing is at step 0.
fn higher(one: (Step, Bytes), other: (Step, Bytes)) -> (Step, Bytes) {
    let rank = |point: &(Step, Bytes)| (point.1, Reverse(point.0));
    match other.1 {
        Bytes::ZERO => one,
        _ => std::cmp::max_by_key(one, other, rank),
    }
}
