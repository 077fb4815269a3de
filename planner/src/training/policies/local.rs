//! Local search over retention intervals: which value is kept over which stages.
//!
//! ```text
//! stage          0  1  2  3  4  5  6  7  8
//! value of 2              [kept ]     [kept      bridge: keep it over stage 5 too
//!                         [kept        drop: what reads it at 4 has it computed again
//! ```
//!
//! A state is Checkmate's matrix S (see [`matrices`]), what runs is the least that S needs, and a
//! stage's cost and bytes depend on its two rows of S alone, so a change of one interval is
//! counted over its own stages. Retention intervals as what is searched: Bartan et al., "Moccasin:
//! Efficient Tensor Rematerialization for Neural Networks", ICML 2023, section 2. The search is
//! threshold accepting (Dueck and Scheuer 1990): a change is taken if it is not worse by more than
//! a threshold, which falls to nothing. What is above the budget counts as cost, so that a way may
//! lead through states that do not fit.

use super::{Found, Known, NoWalk, Policy};
use crate::random::Random;
use crate::training::dtr::Heuristic;
use crate::training::matrices::{self, Matrix};
use crate::training::{Move, Problem, Walk};
use crate::units::Bytes;

/// The most nodes: S has a place for every two. Of a larger step the cheapest start is the end.
const MOST_NODES: usize = 2_048;
/// How much is looked at, in nodes and what they read, stage by stage: about a second, and what a
/// table of many has time for.
pub(super) const MOST_WORK: u64 = 1_200_000_000;
pub(super) const GLANCE: u64 = 30_000_000;
/// The most changes that are tried, for each node.
const CHANGES: u64 = 3_000;
/// The search starts over from the best state so often.
const ROUNDS: u64 = 4;
/// After so many changes the observer is asked.
const PERIOD: u64 = 256;
/// What fixed point numbers count as one: computing everything once, or the whole budget.
const ONE: u128 = 1 << 40;
/// A budget's worth of bytes too many in one stage costs so many times computing everything.
const PENALTY: u128 = 4;
/// Into how many parts a round is divided.
const ROUND: u64 = 1 << 16;
/// Where the pseudo-random numbers start.
const SEED: u64 = 1;

/// Searches from the cheapest walk of others that fits, or from the smallest.
pub(super) fn run(
    problem: &Problem,
    (budget, most): (Option<Bytes>, u64),
    known: &mut Known,
    watch: &mut dyn FnMut(u64, u64) -> bool,
) -> Found {
    let starts = starts(problem, budget, known);
    let first = Found::fitting(problem, starts.iter().cloned(), budget);
    let size = problem.nodes.len();
    let (Some(limit), false) = (budget, first.optimal || size > MOST_NODES) else {
        return first;
    };
    let rows = match &first.walk {
        Some(walk) => kept_by(problem, walk),
        None => {
            let rows = starts.iter().map(|walk| kept_by(problem, walk));
            let over = |rows: &Matrix| State::new(problem, limit.0, rows).over;
            let Some(rows) = rows.min_by_key(over) else {
                return first;
            };
            rows
        }
    };
    let mut search = Search::new(State::new(problem, limit.0, &rows), most);
    if !search.run(watch) {
        return Found::none(NoWalk::Stopped);
    }
    let kept = search.best.matrix();
    let walk = matrices::walk(problem, &matrices::least_runs(problem, &kept), &kept);
    let mut found = Found::fitting(problem, first.walk.into_iter().chain([walk]), budget);
    if found.walk.is_none() {
        found.why = Some(NoWalk::NotSearched);
    }
    found
}

/// Walks of quick policies: each one's cheapest that fits, or its smallest.
fn starts(problem: &Problem, budget: Option<Bytes>, known: &mut Known) -> Vec<Walk> {
    let others = [
        Policy::KeepAll,
        Policy::SqrtN,
        Policy::ChenGreedy,
        Policy::ChenGreedyAll,
        Policy::TorchSegments,
        Policy::Knapsack,
        Policy::Live(Heuristic::Dtr),
        Policy::Live(Heuristic::DtrEq),
        Policy::Coop,
    ];
    let mut run = |policy, budget| known.glance(policy, problem, budget);
    let walk = |policy: Policy| {
        let found = run(policy, budget);
        match found.why {
            Some(NoWalk::SmallestNeeds(least)) => run(policy, Some(least)).walk,
            _ => found.walk,
        }
    };
    others.into_iter().filter_map(walk).collect()
}

/// What is there when each stage of a walk begins.
fn kept_by(problem: &Problem, walk: &[Move]) -> Matrix {
    let size = problem.nodes.len();
    let mut kept = Matrix::new(size);
    let mut there = vec![false; size];
    let mut next = 0;
    for step in walk {
        match *step {
            Move::Forget(node) | Move::SwapOut(node) => there[node] = false,
            Move::SwapIn(node) => there[node] = true,
            Move::Compute(node) => {
                there[node] = true;
                if node == next {
                    next += 1;
                    let values = (0..next.min(size)).filter(|value| there[*value]);
                    values.for_each(|value| {
                        if next < size {
                            kept.set(next, value);
                        }
                    });
                }
            }
        }
    }
    kept
}

/// What a stage comes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct StageCost {
    cost: u64,
    /// The bytes above the budget at its highest.
    over: u64,
}

/// A value that is kept, or not, when these stages begin.
#[derive(Clone, Copy, Debug)]
struct Change {
    value: usize,
    first: usize,
    last: usize,
    keep: bool,
}

/// What is kept, and what follows from it.
#[derive(Clone)]
struct State<'a> {
    problem: &'a Problem,
    budget: u64,
    size: usize,
    /// Row by row, with an empty one behind the last stage.
    kept: Vec<bool>,
    /// What runs in each stage, and what is read in it.
    runs: Vec<bool>,
    read: Vec<bool>,
    stages: Vec<StageCost>,
    cost: u64,
    /// The bytes above the budget, of all stages.
    over: u128,
}

/// Room for one stage: what runs, and the last that reads each value.
#[derive(Default)]
struct Room {
    runs: Vec<bool>,
    last: Vec<usize>,
}

impl<'a> State<'a> {
    fn new(problem: &'a Problem, budget: u64, rows: &Matrix) -> Self {
        let size = rows.size();
        let places = size * size;
        let mut state = Self {
            problem,
            budget,
            size,
            kept: vec![false; places + size],
            runs: vec![false; places],
            read: vec![false; places],
            stages: vec![StageCost::default(); size],
            cost: 0,
            over: 0,
        };
        for stage in 0..size {
            for value in 0..stage {
                state.kept[stage * size + value] = rows.get(stage, value);
            }
        }
        let mut room = Room::default();
        (0..size).for_each(|stage| state.recount(stage, &mut room));
        state
    }

    fn matrix(&self) -> Matrix {
        let mut matrix = Matrix::new(self.size);
        for stage in 0..self.size {
            let values = (0..stage).filter(|value| self.kept[stage * self.size + value]);
            values.for_each(|value| matrix.set(stage, value));
        }
        matrix
    }

    fn row<'b>(&self, bits: &'b [bool], stage: usize) -> &'b [bool] {
        &bits[stage * self.size..(stage + 1) * self.size]
    }

    /// What a stage comes to: as [`matrices::least_runs`] and [`matrices::walk`] have it.
    fn stage(&self, stage: usize, room: &mut Room) -> StageCost {
        let (now, then) = (self.row(&self.kept, stage), self.row(&self.kept, stage + 1));
        let Room { runs, last } = room;
        runs.clear();
        runs.extend((0..=stage).map(|node| then[node] && !now[node]));
        runs[stage] = true;
        last.clear();
        // Nobody reads it; whoever is looked at first reads it last.
        last.resize(stage + 1, usize::MAX);
        let mut cost = 0;
        for node in (0..=stage).rev().filter(|node| node < &self.size) {
            if !runs[node] {
                continue;
            }
            cost += self.problem.nodes[node].cost;
            for &read in &self.problem.nodes[node].reads {
                if last[read] == usize::MAX {
                    last[read] = node;
                    runs[read] |= !now[read];
                }
            }
        }
        let bytes = |node: usize| self.problem.nodes[node].bytes.0;
        let stays = |node: &usize| now[*node] && (then[*node] || last[*node] != usize::MAX);
        let mut live: u64 = (0..stage).filter(stays).map(bytes).sum();
        let mut peak = 0;
        for node in (0..=stage).filter(|node| runs[*node]) {
            live += bytes(node);
            peak = peak.max(live);
            let done = |read: &&usize| last[**read] == node && !then[**read];
            let reads = self.problem.nodes[node].reads.iter();
            live -= reads.filter(done).map(|read| bytes(*read)).sum::<u64>();
            if last[node] == usize::MAX && !then[node] {
                live -= bytes(node);
            }
        }
        StageCost {
            cost,
            over: peak.saturating_sub(self.budget),
        }
    }

    /// Counts a stage anew.
    fn recount(&mut self, stage: usize, room: &mut Room) {
        let new = self.stage(stage, room);
        let old = std::mem::replace(&mut self.stages[stage], new);
        self.cost = self.cost - old.cost + new.cost;
        self.over = self.over - u128::from(old.over) + u128::from(new.over);
        let row = stage * self.size;
        self.runs[row..=row + stage].copy_from_slice(&room.runs);
        for (value, last) in room.last.iter().enumerate() {
            self.read[row + value] = *last != usize::MAX;
        }
    }

    /// Cost and bytes above the budget in one number.
    fn weight(&self, cost: u64, over: u128) -> u128 {
        let base = u128::from(self.problem.base_cost().max(1));
        let bytes = over.saturating_mul(ONE * PENALTY) / u128::from(self.budget.max(1));
        u128::from(cost) * ONE / base + bytes
    }

    /// Where a value was there last before a stage: kept for it, run or read in it.
    fn before(&self, value: usize, stage: usize, read: bool) -> usize {
        let is = |at: &usize| {
            let at = at * self.size + value;
            self.runs[at] || if read { self.read[at] } else { self.kept[at] }
        };
        (value..stage).rev().find(is).unwrap_or(value)
    }
}

struct Search<'a> {
    state: State<'a>,
    best: State<'a>,
    random: Random,
    room: Room,
    work: u64,
    most: u64,
    changes: Vec<Change>,
    undo: Vec<(usize, bool)>,
    picks: Vec<usize>,
}

impl<'a> Search<'a> {
    fn new(state: State<'a>, most: u64) -> Self {
        Self {
            best: state.clone(),
            state,
            random: Random::new(SEED),
            room: Room::default(),
            work: 0,
            most,
            changes: Vec::new(),
            undo: Vec::new(),
            picks: Vec::new(),
        }
    }

    /// Whether the observer let it end.
    fn run(&mut self, watch: &mut dyn FnMut(u64, u64) -> bool) -> bool {
        let size = self.state.size as u64;
        let tries = CHANGES * size;
        let base = self.state.problem.base_cost();
        // What a node costs on average, and less where there are only a few tries for each.
        let threshold = ONE / u128::from(size) * 64 / u128::from(size.max(64));
        let mut tried = 0;
        for round in 0..ROUNDS {
            if round > 0 {
                self.state.clone_from(&self.best);
            }
            let first = threshold >> (2 * round);
            let (mut share, ends) = (0, (round + 1) * ROUND);
            while share < ends {
                // How far it is: what was tried, or what was looked at, whichever is further.
                let by = |done: u64, all: u64| done.saturating_mul(ROUNDS * ROUND) / all.max(1);
                share = by(tried, tries).max(by(self.work, self.most));
                let left = ends.saturating_sub(share).min(ROUND);
                let (left, all) = (u128::from(left), u128::from(ROUND));
                // Down to nothing, ever more slowly.
                let threshold = first * left * left / (all * all);
                if tried % PERIOD == 0 && !watch(share, ROUNDS * ROUND) {
                    return false;
                }
                tried += 1;
                self.step(threshold);
                if self.best.over == 0 && self.best.cost == base {
                    return true;
                }
            }
        }
        true
    }

    fn step(&mut self, threshold: u128) {
        self.changes.clear();
        self.propose();
        let Some((first, last)) = self.apply() else {
            return;
        };
        let state = &self.state;
        let (mut cost, mut over) = (state.cost, state.over);
        for stage in first..=last {
            let old = state.stages[stage];
            let new = state.stage(stage, &mut self.room);
            self.work += 3 * stage as u64 + 8;
            cost = cost - old.cost + new.cost;
            over = over - u128::from(old.over) + u128::from(new.over);
        }
        if state.weight(cost, over) > state.weight(state.cost, state.over) + threshold {
            for (at, bit) in self.undo.drain(..).rev() {
                self.state.kept[at] = bit;
            }
            return;
        }
        self.work += (last + 1 - first) as u64 * 3 * last as u64;
        for stage in first..=last {
            self.state.recount(stage, &mut self.room);
        }
        let (state, best) = (&self.state, &self.best);
        if (state.over, state.cost) < (best.over, best.cost) {
            self.best.clone_from(&self.state);
        }
    }

    /// Makes the changes; which stages they touch, if anything is another than before.
    fn apply(&mut self) -> Option<(usize, usize)> {
        self.undo.clear();
        let size = self.state.size;
        let (mut first, mut last) = (usize::MAX, 0);
        for change in &self.changes {
            for stage in change.first..=change.last {
                let at = stage * size + change.value;
                if self.state.kept[at] != change.keep {
                    self.undo.push((at, !change.keep));
                    self.state.kept[at] = change.keep;
                    (first, last) = (first.min(stage), last.max(stage));
                }
            }
        }
        (first <= last).then(|| (first.saturating_sub(1), last))
    }

    fn propose(&mut self) {
        let stage = 1 + self.random.index(self.state.size.saturating_sub(1));
        match self.random.index(5) {
            0 | 1 => self.bridge(stage),
            2 | 3 => self.drop_one(stage),
            // One for another.
            _ => {
                self.bridge(stage);
                if let Some(Change { first, last, .. }) = self.changes.first().copied() {
                    let stage = first + self.random.index(last + 1 - first);
                    self.drop_one(stage);
                }
            }
        }
    }

    /// A value that is computed again is kept for it, since it was there last or since later.
    fn bridge(&mut self, stage: usize) {
        let state = &self.state;
        self.picks.clear();
        let runs = state.row(&state.runs, stage.min(state.size - 1));
        self.picks.extend((0..stage).filter(|value| runs[*value]));
        let Some(&value) = self.picks.get(self.random.index(self.picks.len())) else {
            return;
        };
        let since = state.before(value, stage, false) + 1;
        let first = match self.random.index(2) {
            0 => since,
            _ => since + self.random.index(stage + 1 - since),
        };
        self.changes.push(Change {
            value,
            first,
            last: stage,
            keep: true,
        });
    }

    /// A value is not kept from one use to the next, or not for a part of that.
    fn drop_one(&mut self, stage: usize) {
        let state = &self.state;
        self.picks.clear();
        let kept = state.row(&state.kept, stage);
        self.picks.extend((0..stage).filter(|value| kept[*value]));
        let Some(&value) = self.picks.get(self.random.index(self.picks.len())) else {
            return;
        };
        let at = |stage: usize| stage * state.size + value;
        let first = state.before(value, stage, true) + 1;
        let used = |stage: &usize| !state.kept[at(stage + 1)] || state.read[at(*stage)];
        let next = (stage..state.size).find(used).unwrap_or(stage);
        let (first, last) = match self.random.index(4) {
            0 | 1 => (first, next),
            2 => (first, stage),
            _ => {
                // The whole interval.
                let is_kept = |stage: &usize| state.kept[at(*stage)];
                let ends = (stage..state.size).take_while(is_kept).last();
                let starts = (value + 1..=stage).rev().take_while(is_kept).last();
                (starts.unwrap_or(first), ends.unwrap_or(next))
            }
        };
        self.changes.push(Change {
            value,
            first,
            last,
            keep: false,
        });
    }
}
