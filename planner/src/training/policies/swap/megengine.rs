//! `MegEngine`'s static swap pass, `src/core/impl/graph/swap/memory_swap.cpp`.
//!
//! Values are counted from the node after the one that computes them to their last reader; between
//! two uses is a segment. Again and again, of the segments over the highest place (of several the
//! last) the one is swapped that lowers it most for its size, the longer the better; values are
//! fetched some nodes ahead. A value that was swapped once is fetched for each later reader, unless
//! it was for one a little before.
//!
//! `MegEngine` stops by a number of values or by the time of all copies (0.4 s at 10 GB/s); here it
//! stops when the schedule fits. Its least size of 8 bytes is left out. Copies have their own lane,
//! which is its variant with buckets.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::training::Problem;
use crate::training::policies::NoWalk;
use crate::training::swap::script::{Absence, How, Script};
use crate::training::swap::{Link, Played, play};
use crate::units::Bytes;

/// A copy back starts so many nodes ahead of the reader.
const AHEAD: usize = 5;
/// Segments are preferred whose value is larger than that, and whose reader is so far from what
/// computes it, or a twentieth of all nodes if that is less.
const LEAST_BYTES: u64 = 1 << 20;
const FAR: usize = 500;
/// Readers that are less apart share a copy back; more in a step of more than 6,000 nodes.
const SHARED: usize = 100;

/// The run with the fewest values swapped that fits.
pub(super) fn run(
    problem: &Problem,
    budget: Option<Bytes>,
    watch: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Played, NoWalk> {
    let full = |node| NoWalk::OutOfMemory(node);
    let free = play(problem, &Script::default(), None).map_err(|it| full(it.node))?;
    let budget = budget.unwrap_or(free.run.peak);
    if free.run.peak <= budget {
        return Ok(free);
    }
    let mut places = Places::new(problem);
    let all = places.segments.len() as u64;
    let mut node = 0;
    let mut done = 0;
    while let Some(()) = places.swap_one() {
        done += 1;
        if !watch(done, all) {
            return Err(NoWalk::Stopped);
        }
        match play(problem, &places.script(), Some(budget)) {
            Ok(played) => return Ok(played),
            Err(no_room) => node = no_room.node,
        }
    }
    Err(full(node))
}

/// A value between two of its uses.
#[derive(Clone, Copy, Debug)]
struct Segment {
    value: usize,
    /// The first and the last node between the uses.
    first: usize,
    last: usize,
    is_swapped: bool,
}

struct Places<'a> {
    problem: &'a Problem,
    readers: Vec<Vec<usize>>,
    segments: Vec<Segment>,
    /// The bytes that are counted at each node.
    counted: Vec<i128>,
}

impl<'a> Places<'a> {
    fn new(problem: &'a Problem) -> Self {
        let readers = problem.readers();
        let mut places = Self {
            problem,
            segments: Vec::new(),
            counted: vec![0; problem.nodes.len()],
            readers,
        };
        let link = problem.link.unwrap_or(Link::NONE);
        for value in 0..problem.nodes.len() {
            let bytes = problem.nodes[value].bytes;
            let mut before = value;
            for &reader in &places.readers[value] {
                let at = before + 1..=reader;
                at.for_each(|at| places.counted[at] += i128::from(bytes.0));
                if before + 1 < reader && bytes > Bytes::ZERO && link.times(bytes).is_some() {
                    places.segments.push(Segment {
                        value,
                        first: before + 1,
                        last: reader - 1,
                        is_swapped: false,
                    });
                }
                before = reader;
            }
        }
        places
    }

    fn bytes(&self, segment: &Segment) -> i128 {
        i128::from(self.problem.nodes[segment.value].bytes.0)
    }

    /// Whether what reads the value after the segment is far enough from what computes it.
    fn is_apart(segment: &Segment, by: usize) -> bool {
        segment.last + 1 - segment.value > by
    }

    /// Swaps one more segment; `None` where there is none over the highest place.
    fn swap_one(&mut self) -> Option<()> {
        let (_, Reverse(place)) = self.highest(0..self.counted.len())?;
        let place = self.counted.len() - 1 - place;
        let over = |it: &Segment| {
            !it.is_swapped && it.first <= place && place <= it.last && Self::is_apart(it, AHEAD)
        };
        let far = FAR.min(self.problem.nodes.len() / 20);
        let preferred = |it: &Segment| {
            Self::is_apart(it, far.saturating_sub(1)) && self.bytes(it) > i128::from(LEAST_BYTES)
        };
        let may: Vec<usize> = (0..self.segments.len())
            .filter(|at| over(&self.segments[*at]))
            .collect();
        let mut list: Vec<usize> = may
            .iter()
            .copied()
            .filter(|at| preferred(&self.segments[*at]))
            .collect();
        if list.is_empty() {
            list = may;
        }
        let peak = self.most(0..self.counted.len());
        let mut best: Option<(usize, Gain)> = None;
        for at in list {
            let segment = self.segments[at];
            self.change(&segment, -1);
            let lowered = peak - self.most(0..self.counted.len());
            self.change(&segment, 1);
            let gain = Gain {
                lowered,
                length: (segment.last - segment.first + 1) as i128,
                bytes: self.bytes(&segment),
            };
            if best.as_ref().is_none_or(|(_, best)| gain.is_more(best)) {
                best = Some((at, gain));
            }
        }
        let at = best?.0;
        self.segments[at].is_swapped = true;
        let segment = self.segments[at];
        self.change(&segment, -1);
        Some(())
    }

    /// Counts a segment, or no longer; what is fetched ahead is counted in its stead.
    fn change(&mut self, segment: &Segment, by: i128) {
        let bytes = by * self.bytes(segment);
        for at in segment.first..=segment.last {
            self.counted[at] += bytes;
        }
        for at in (segment.last + 1).saturating_sub(AHEAD)..segment.last {
            self.counted[at] -= bytes;
        }
    }

    fn most(&self, nodes: std::ops::Range<usize>) -> i128 {
        self.highest(nodes).map_or(0, |it| it.0)
    }

    /// The most bytes, and how far from the end the last node is that has them.
    fn highest(&self, nodes: std::ops::Range<usize>) -> Option<(i128, Reverse<usize>)> {
        let count = self.counted.len();
        let each = nodes.map(|at| (self.counted[at], Reverse(count - 1 - at)));
        each.max()
    }

    fn script(&self) -> Script {
        let shared = SHARED.max(self.problem.nodes.len() / 60);
        let mut swapped: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for segment in self.segments.iter().filter(|it| it.is_swapped) {
            swapped
                .entry(segment.value)
                .or_default()
                .push(segment.last + 1);
        }
        let mut absences = Vec::new();
        for (value, chosen) in swapped {
            let mut fetched: Option<usize> = None;
            let mut after = value;
            for &reader in &self.readers[value] {
                let swaps = chosen.contains(&reader) || fetched.is_some();
                let kept = fetched.is_some_and(|first| reader < first + shared);
                if swaps && !kept && after + 1 < reader {
                    fetched = Some(reader);
                    let fetch = (reader + 1).saturating_sub(AHEAD).max(after + 1);
                    absences.push(Absence {
                        value,
                        after,
                        before: reader,
                        how: How::Swap { copy: value, fetch },
                    });
                }
                after = reader;
            }
        }
        Script {
            absences,
            ..Script::default()
        }
    }
}

/// What swapping a segment comes to.
struct Gain {
    /// How much lower the highest place is.
    lowered: i128,
    length: i128,
    bytes: i128,
}

impl Gain {
    /// By how much it lowers the highest place for its size, times its length; nothing where that
    /// is less than half of its size. Of equal ones without the length, then the smaller value.
    fn is_more(&self, than: &Self) -> bool {
        let weight = |it: &Self| match 2 * it.lowered < it.bytes {
            true => 0,
            false => it.lowered.saturating_mul(it.length),
        };
        let key = |own: &Self, other: &Self| {
            let bytes = other.bytes;
            let weight = weight(own).saturating_mul(bytes);
            (weight, own.lowered.saturating_mul(bytes))
        };
        let (own, other) = (key(self, than), key(than, self));
        own.cmp(&other).then(than.bytes.cmp(&self.bytes)).is_gt()
    }
}
