//! The least peak of all orders, by dynamic programming over sets of steps.
//!
//! What is live after some steps depends on which have run, not on their order. So the
//! orders are paths through the sets that are closed under "comes before", from none to all,
//! and the least peak is that of the path whose highest step is lowest. Sets are taken up in
//! order of the peak on the best way to them (E. W. Dijkstra 1959, with the largest instead of
//! the sum), of equal ones the fullest, so that the first way to the full set is the best.
//!
//! No way counts below what every order needs, and a way that is as high as a known order is
//! left. Which steps are taken together, and which at once, is in `runs`.
//!
//! Source: the exact order of small graphs as in Steiner and others, "OLLA: Optimizing the
//! lifetime and location of arrays to reduce the memory usage of neural networks", 2022, who
//! solve an integer program; sets of operators as in Ahn and others, "Ordering chaos:
//! memory-aware scheduling of irregularly wired neural networks for edge devices", 2020.

mod runs;
mod set;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::Watch;
use super::problem::Problem;
use crate::units::narrow;
use runs::Runs;
use set::Set;

/// The most words that sets take: 64 MiB.
const WORDS: usize = 1 << 23;

/// How many steps are looked at for each set that may be kept.
const LOOKS: u64 = 32;

/// What a search came to.
pub(super) enum Found {
    /// An order with its peak, which is below the one known, and the least there is or the
    /// floor.
    Best(Vec<u32>, u64),
    /// No order has a peak below the one known.
    NoBetter,
    /// It was stopped, or reached its limits. No order has a smaller peak than this.
    Open(u64),
}

/// Looks for the order with the least peak of all that are below `known`. A peak of `floor`
/// is as good as any below it.
pub(super) fn search(
    problem: &Problem,
    (floor, known): (u64, u64),
    states: u64,
    watch: &mut Watch<'_>,
) -> Found {
    let mut sets = Sets::of(problem, known, states);
    if !sets.begin(floor) {
        return Found::Open(floor);
    }
    while let Some((peak, state)) = sets.take() {
        if sets.is_full(state) {
            return Found::Best(sets.way(state), peak);
        }
        if !sets.follow(state) || !watch.goes_on(1) {
            return Found::Open(peak.max(floor));
        }
    }
    Found::NoBetter
}

/// A set, as it is kept.
#[derive(Clone, Copy)]
struct State {
    /// The largest memory on the best way to it.
    peak: u64,
    /// What is live now.
    live: u64,
    /// How many steps have run.
    done: u32,
    /// The set before, and the steps that were taken from there, in `moves`.
    parent: u32,
    moves: (u32, u32),
    /// Another set with the same key.
    next: u32,
}

/// No set.
const NONE: u32 = u32::MAX;

struct Sets<'a> {
    problem: &'a Problem,
    known: u64,
    words: usize,
    runs: Runs<'a>,
    states: Vec<State>,
    /// For each state the steps that have run, then those that can run.
    bits: Vec<u64>,
    moves: Vec<u32>,
    by_key: BTreeMap<u64, u32>,
    /// By the lowest peak, then the most steps, then the last made.
    queue: BinaryHeap<(Reverse<u64>, u32, u32)>,
    most: usize,
}

impl<'a> Sets<'a> {
    fn of(problem: &'a Problem, known: u64, states: u64) -> Self {
        let words = problem.len().div_ceil(64);
        let room = WORDS / (2 * words).max(1);
        Self {
            problem,
            known,
            words,
            runs: Runs::of(problem, states.saturating_mul(LOOKS)),
            states: Vec::new(),
            bits: Vec::new(),
            moves: Vec::new(),
            by_key: BTreeMap::new(),
            queue: BinaryHeap::new(),
            most: usize::try_from(states).unwrap_or(usize::MAX).min(room),
        }
    }

    /// The empty set, at which the peak is `floor`; whether there is room for it.
    fn begin(&mut self, floor: u64) -> bool {
        let mut set = Set::none(self.problem, floor);
        self.runs.close(&mut set);
        self.keep(&set, NONE)
    }

    /// The open set with the lowest peak.
    fn take(&mut self) -> Option<(u64, u32)> {
        loop {
            let (peak, done, state) = self.queue.pop()?;
            let known = &self.states[state as usize];
            // A better way may have been found since it was put there, and was followed then.
            if (known.peak, known.done) == (peak.0, done) {
                return Some((peak.0, state));
            }
        }
    }

    fn is_full(&self, state: u32) -> bool {
        self.states[state as usize].done as usize == self.problem.len()
    }

    /// The steps on the best way to `state`.
    fn way(&self, mut state: u32) -> Vec<u32> {
        let mut way = Vec::with_capacity(self.problem.len());
        while state != NONE {
            let at = &self.states[state as usize];
            let moves = &self.moves[at.moves.0 as usize..at.moves.1 as usize];
            way.extend(moves.iter().rev());
            state = at.parent;
        }
        way.reverse();
        way
    }

    /// Makes the sets that one run more leads to; whether there was room for all.
    fn follow(&mut self, state: u32) -> bool {
        let from = self.set(state);
        for mut next in self.runs.behind(&from, self.known) {
            self.runs.close(&mut next.set);
            if !self.keep(&next.set, state) {
                return false;
            }
        }
        self.runs.looks > 0
    }

    fn set(&self, state: u32) -> Set {
        let at = &self.states[state as usize];
        let from = state as usize * 2 * self.words;
        let (ran, ready) = self.bits[from..from + 2 * self.words].split_at(self.words);
        Set {
            ran: ran.to_vec(),
            ready: ready.to_vec(),
            peak: at.peak,
            live: at.live,
            done: at.done as usize,
            moves: Vec::new(),
        }
    }

    /// Keeps a set that was reached from `parent`, unless a way to it is known that is as
    /// good; whether there was room.
    fn keep(&mut self, set: &Set, parent: u32) -> bool {
        let key = key(&set.ran);
        let first = self.by_key.get(&key).copied().unwrap_or(NONE);
        let mut same = first;
        while same != NONE && self.ran(same) != set.ran.as_slice() {
            same = self.states[same as usize].next;
        }
        if same != NONE && self.states[same as usize].peak <= set.peak {
            return true;
        }
        let from = narrow(self.moves.len());
        self.moves.extend(&set.moves);
        let state = State {
            peak: set.peak,
            live: set.live,
            done: narrow(set.done),
            parent,
            moves: (from, narrow(self.moves.len())),
            next: first,
        };
        if same == NONE {
            if self.states.len() >= self.most {
                return false;
            }
            same = narrow(self.states.len());
            self.by_key.insert(key, same);
            self.states.push(state);
            self.bits.extend(&set.ran);
            self.bits.extend(&set.ready);
        } else {
            let next = self.states[same as usize].next;
            self.states[same as usize] = State { next, ..state };
        }
        let queued = (Reverse(set.peak), narrow(set.done), same);
        self.queue.push(queued);
        true
    }

    fn ran(&self, state: u32) -> &[u64] {
        let from = state as usize * 2 * self.words;
        &self.bits[from..from + self.words]
    }
}

/// A number that sets rarely share: FNV-1a (Fowler, Noll and Vo) over words.
fn key(bits: &[u64]) -> u64 {
    let mix = |key: u64, word: &u64| {
        let mixed = (key ^ word).wrapping_mul(0x0100_0000_01b3);
        mixed ^ (mixed >> 29)
    };
    bits.iter().fold(0xcbf2_9ce4_8422_2325, mix)
}
