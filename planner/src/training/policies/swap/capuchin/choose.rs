//! What is swapped and what is recomputed: the hybrid policy of the paper (algorithm 1).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::recompute::Recomputation;
use crate::sorting::Sorting;
use crate::training::swap::Run;
use crate::training::swap::script::{Absence, How};
use crate::training::{Link, Problem};
use crate::units::Bytes;

/// When nodes run where nothing waits, and what is there then.
#[derive(Clone, Debug)]
pub(super) struct Timeline<'a> {
    pub(super) problem: &'a Problem,
    starts: Vec<u64>,
    ends: Vec<u64>,
    /// The bytes that are there while each node runs.
    live: Vec<u64>,
    /// The nodes that use each value: what computes it, and its readers.
    uses: Vec<Vec<usize>>,
}

/// A value between the two of its uses between which swapping it has most time, and what is done
/// with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// The node whose value it is.
    pub value: usize,
    /// The use after which it leaves.
    pub after: usize,
    /// The node at whose turn it is needed again.
    pub before: usize,
    /// When that is: when the node starts, or before it what is recomputed from the value.
    pub needed: u64,
    /// What its copies out and back take; `None` where it cannot be copied.
    pub copies: Option<(u64, u64)>,
    /// How long its bytes are free between both copies: the start of the latest copy back that
    /// arrives in time, less the end of the earliest copy out. Below 0 the run waits so long.
    pub free_time: Option<i64>,
    /// What is done with it.
    pub how: Option<How>,
}

impl<'a> Timeline<'a> {
    /// Of a run of the step that keeps everything.
    pub(super) fn new(problem: &'a Problem, run: &Run) -> Self {
        let readers = problem.readers();
        let mut live = vec![0_i128; problem.nodes.len() + 1];
        for (value, node) in problem.nodes.iter().enumerate() {
            let bytes = i128::from(node.bytes.0);
            let last = readers[value].last().copied().unwrap_or(value);
            live[value] += bytes;
            live[last + 1] -= bytes;
        }
        let live = live.iter().scan(0, |all, change| {
            *all += change;
            Some(u64::try_from(*all).unwrap_or(0))
        });
        Self {
            problem,
            starts: run.ran.iter().map(|it| it.start).collect(),
            ends: run.ran.iter().map(|it| it.end).collect(),
            live: live.collect(),
            uses: readers
                .into_iter()
                .enumerate()
                .map(|(value, readers)| std::iter::once(value).chain(readers).collect())
                .collect(),
        }
    }

    /// FreeTime of a value that is used by `after` and needed again then.
    fn free_time(&self, after: usize, needed: u64, copies: Option<(u64, u64)>) -> Option<i64> {
        let (out, back) = copies?;
        let start = i128::from(needed) - i128::from(back);
        let end = i128::from(self.ends[after]) + i128::from(out);
        let free = start - end;
        Some(i64::try_from(free).unwrap_or(if free < 0 { i64::MIN } else { i64::MAX }))
    }

    /// Every value that is used more than once, between the uses that leave most time, of those
    /// that have one of the nodes `over` between them if there are such.
    pub(super) fn candidates(&self, over: &[usize]) -> Vec<Candidate> {
        let link = self.problem.link.unwrap_or(Link::NONE);
        let mut candidates = Vec::new();
        for (value, uses) in self.uses.iter().enumerate() {
            let copies = link.times(self.problem.nodes[value].bytes);
            let mut best: Option<(bool, u64, Candidate)> = None;
            for pair in uses.windows(2) {
                let (after, before) = (pair[0], pair[1]);
                let needed = self.starts[before];
                let gap = needed - self.ends[after];
                let helps = is_between(over, after, before);
                if best.is_none_or(|(it, most, _)| (helps, gap) > (it, most)) {
                    let candidate = Candidate {
                        value,
                        after,
                        before,
                        needed,
                        copies,
                        free_time: self.free_time(after, needed, copies),
                        how: None,
                    };
                    best = Some((helps, gap, candidate));
                }
            }
            candidates.extend(best.map(|it| it.2));
        }
        candidates
    }

    /// The nodes that run while more is there than that.
    pub(super) fn over(&self, target: Bytes) -> Vec<usize> {
        above(&self.live[..self.problem.nodes.len()], target)
    }
}

fn above(live: &[u64], target: Bytes) -> Vec<usize> {
    let nodes = 0..live.len();
    nodes.filter(|node| live[*node] > target.0).collect()
}

/// Whether one of these nodes, which are ascending, is between two others.
fn is_between(nodes: &[usize], after: usize, before: usize) -> bool {
    let next = nodes.partition_point(|it| *it <= after);
    nodes.get(next).is_some_and(|it| *it < before)
}

/// The times at which lanes copy what is chosen already: each value as early, and as late, as the
/// others leave.
#[derive(Default)]
struct Taken {
    out: Vec<(u64, u64)>,
    back: Vec<(u64, u64)>,
}

impl Taken {
    /// The copy out and the copy back of a value; the second from below 0 where there is no time.
    fn copies(&self, timeline: &Timeline<'_>, own: &Candidate) -> Option<[(i128, i128); 2]> {
        let (out, back) = own.copies?;
        let (out, back) = (i128::from(out), i128::from(back));
        let mut start = i128::from(timeline.ends[own.after]);
        for &(from, until) in &self.out {
            if i128::from(from) < start + out && start < i128::from(until) {
                start = i128::from(until);
            }
        }
        let mut end = i128::from(own.needed);
        for &(from, until) in self.back.iter().rev() {
            if i128::from(from) < end && end - back < i128::from(until) {
                end = i128::from(from);
            }
        }
        Some([(start, start + out), (end - back, end)])
    }

    /// FreeTime beside the others.
    fn free_time(&self, timeline: &Timeline<'_>, own: &Candidate) -> Option<i64> {
        let [(_, end), (start, _)] = self.copies(timeline, own)?;
        let free = start - end;
        Some(i64::try_from(free).unwrap_or(if free < 0 { i64::MIN } else { i64::MAX }))
    }

    fn take(&mut self, timeline: &Timeline<'_>, own: &Candidate) {
        let Some([out, back]) = self.copies(timeline, own) else {
            return;
        };
        let time = |at: i128| u64::try_from(at.max(0)).unwrap_or(u64::MAX);
        for (lane, (from, until)) in [(&mut self.out, out), (&mut self.back, back)] {
            let own = (time(from), time(until));
            let at = lane.partition_point(|it| *it < own);
            lane.insert(at, own);
        }
    }
}

/// Chooses until no more is there than `target` at any node: first what is swapped without a wait
/// beside what was chosen before, the longest FreeTime first, then of the swap that waits least and the recomputation that saves
/// most memory per second what costs less. `leads` says how much earlier than they must copies
/// back start.
pub(super) fn choose(
    timeline: &Timeline<'_>,
    target: Bytes,
    leads: &BTreeMap<usize, u64>,
) -> Vec<Candidate> {
    let mut live = timeline.live.clone();
    live.truncate(timeline.problem.nodes.len());
    let peak = timeline.over(target);
    let mut all = timeline.candidates(&peak);
    let needed = all.iter().map(|it| (it.value, it.before)).collect();
    let mut recomputation = Recomputation::new(timeline.problem, &needed);
    let mut order: Vec<usize> = Vec::new();
    let mut lanes = Taken::default();
    loop {
        let over = above(&live, target);
        let helps = |it: &Candidate| {
            it.how.is_none()
                && timeline.problem.nodes[it.value].bytes.0 > 0
                && is_between(&over, it.after, it.before)
        };
        let swaps = (0..all.len()).filter(|at| helps(&all[*at]));
        let swaps = swaps.filter_map(|at| Some((lanes.free_time(timeline, &all[at])?, at)));
        // The longest, of equal ones the largest, then the first.
        let bytes = |at: usize| timeline.problem.nodes[all[at].value].bytes;
        let swap = swaps.max_by_key(|(free, at)| (*free, bytes(*at), std::cmp::Reverse(*at)));
        let place = |value: usize| all.binary_search_by_key(&value, |it| it.value).ok();
        let may = |value: usize| place(value).is_some_and(|at| helps(&all[at]));
        let again = recomputation.best(&may);
        let (at, recompute) = match (swap, again) {
            (None, None) => break,
            (Some((_, at)), None) => (at, false),
            (swap, Some((value, source))) => {
                let waits = |free: i64| free.min(0).unsigned_abs();
                match swap.map(|(free, at)| (waits(free), at)) {
                    Some((wait, at)) if wait == 0 || wait < source.all() => (at, false),
                    _ => match place(value) {
                        Some(at) => (at, true),
                        None => break,
                    },
                }
            }
        };
        let own = all[at];
        let bytes = timeline.problem.nodes[own.value].bytes.0;
        for live in &mut live[own.after + 1..own.before] {
            *live = live.saturating_sub(bytes);
        }
        order.push(at);
        if recompute {
            all[at].how = Some(How::Recompute);
            recomputation.choose(own.value);
            needed_earlier(timeline, &mut all, &recomputation, own);
        } else {
            recomputation.keep(own.value);
            lanes.take(timeline, &own);
            all[at].how = Some(How::Swap {
                copy: own.after,
                fetch: own.before,
            });
        }
    }
    for own in &mut all {
        if let Some(How::Swap { copy, .. }) = own.how {
            let lead = leads.get(&own.value).copied().unwrap_or(0);
            let fetch = timeline.trigger(own, lead, &peak);
            own.how = Some(How::Swap { copy, fetch });
        }
    }
    ranked(all, &order)
}

/// In this order of their places, then by FreeTime, the longest first.
pub(super) fn ranked(all: Vec<Candidate>, order: &[usize]) -> Vec<Candidate> {
    let rank = |at: &usize| order.iter().position(|it| it == at).unwrap_or(usize::MAX);
    let mut places: Vec<usize> = (0..all.len()).collect();
    places.order_by_key(|at| (rank(at), std::cmp::Reverse(all[*at].free_time), *at));
    places.into_iter().map(|at| all[at]).collect()
}

/// What `own` is recomputed from is needed then, if it was needed later.
fn needed_earlier(
    timeline: &Timeline<'_>,
    all: &mut [Candidate],
    recomputation: &Recomputation,
    own: Candidate,
) {
    let Some(source) = recomputation.chosen.get(&own.value) else {
        return;
    };
    let needed = own.needed.saturating_sub(source.cost);
    for other in all
        .iter_mut()
        .filter(|it| source.sources.contains(&it.value))
    {
        let recomputed = other.how == Some(How::Recompute);
        if !recomputed && other.after < own.before && needed < other.needed {
            other.needed = needed;
            other.before = other.before.min(own.before);
            other.free_time = timeline.free_time(other.after, needed, other.copies);
        }
    }
}

impl Timeline<'_> {
    /// The node with which the copy back starts: the last that starts in time, or so much before
    /// it, but none before the peak is over; the node that needs the value where there is none.
    pub(super) fn trigger(&self, own: &Candidate, lead: u64, peak: &[usize]) -> usize {
        let back = own.copies.map_or(0, |(_, back)| back);
        let due = own.needed.saturating_sub(back).saturating_sub(lead);
        let first = peak.iter().rev().find(|node| **node < own.before);
        let first = first.map_or(own.after, |node| *node.max(&own.after)) + 1;
        let mut nodes = first..own.before;
        let in_time = nodes.clone().rev().find(|node| self.starts[*node] <= due);
        in_time.or_else(|| nodes.next()).unwrap_or(own.before)
    }
}

/// What is chosen as absences.
pub(super) fn absences(candidates: &[Candidate]) -> Vec<Absence> {
    let chosen = candidates.iter().filter_map(|it| Some((it, it.how?)));
    let absences = chosen.map(|(it, how)| Absence {
        value: it.value,
        after: it.after,
        before: it.before,
        how,
    });
    absences.collect()
}
