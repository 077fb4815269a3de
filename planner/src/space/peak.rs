//! Which buffers would lower the peak most if they were gone or smaller.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use serde::{Deserialize, Serialize};

use crate::liveness::Lifetimes;
use crate::liveness::profile::{Profile, live_at, profile};
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
/// Nobody saves more than what it needs itself at the first peak. So buffers are tried by
/// that, largest first, and what a trial has found is final once it is the best of all that
/// may come: each trial is one sweep, O(n log n).
#[must_use]
pub fn reliefs(lifetimes: &Lifetimes, most: usize) -> Vec<Relief> {
    let Some((step, peak)) = highest(&profile(lifetimes)) else {
        return Vec::new();
    };
    let live = live_at(lifetimes, step);
    // Most saved first; what is only guessed before what was found, so that ties are known.
    let mut open: BinaryHeap<(u64, bool, Reverse<usize>, Step, Bytes)> = live
        .into_iter()
        .filter_map(|buffer| {
            let (first, behind) = lifetimes.buffers[buffer].needed_at(step)?;
            let guess = behind.0 - first.0;
            Some((guess, true, Reverse(buffer), step, peak))
        })
        .collect();
    let mut without = lifetimes.clone();
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
        let kept = without.buffers[buffer].clone();
        without.buffers[buffer].size = Bytes::ZERO;
        without.buffers[buffer].gaps.clear();
        let (step, left) = highest(&profile(&without)).unwrap_or_default();
        without.buffers[buffer] = kept;
        let saved = peak.0.saturating_sub(left.0);
        if saved > 0 {
            open.push((saved, false, Reverse(buffer), step, left));
        }
    }
    reliefs
}

/// The first of the highest points.
fn highest(profile: &Profile) -> Option<(Step, Bytes)> {
    let points = profile.points.iter().rev();
    points.max_by_key(|point| point.1).copied()
}
