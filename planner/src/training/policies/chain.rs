//! A training step as a chain: stages of the forward pass between values that all that follows
//! is computed from, the loss as the last stage, and the gradients that belong to each.
//!
//! ```text
//! stage     0      1          2          loss
//! forward   b0 ->  .. b1  ->  .. b2  ->  loss
//! backward         g0 ..  <-  g1 ..  <-  g2
//! ```
//!
//! A stage ends with its boundary value b. Its backward pass computes the gradients of all values
//! from the boundary before it up to its own, which is not among them.

use std::collections::{BTreeMap, BTreeSet};

use super::chen::articulation_points;
use crate::schedule::Phase;
use crate::training::{Move, Problem, Walk};

/// The most segments of a chain; neighbours of a longer one are joined.
const MOST_SEGMENTS: usize = 200;

/// A stage of a chain, in figures. Costs have the unit of the nodes' costs, sizes are bytes or
/// slots of memory. What a stage reads of the one before is not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChainStage {
    /// The cost of its forward pass, of which only the boundary value is wanted.
    pub forward: u64,
    /// The cost of its forward pass, of which all that its backward pass reads is wanted too.
    pub saving: u64,
    /// The same right before its backward pass: the boundary value need not be wanted.
    pub again: u64,
    /// The cost of its backward pass.
    pub backward: u64,
    /// The size of its boundary value.
    pub output: u64,
    /// The size of all that its backward pass reads, with the boundary value.
    pub saved: u64,
    /// The size of what its backward pass reads of that of the next stage.
    pub gradient: u64,
    /// The most that is there at once in its forward pass if only the boundary value is wanted.
    pub passing: u64,
    /// The same if all that its backward pass reads is wanted.
    pub keeping: u64,
    /// The most that is there at once in its backward pass, with what it reads of its own and of
    /// the next stage. Nothing where it has no backward pass.
    pub returning: u64,
}

impl ChainStage {
    /// All its sizes.
    pub(super) fn sizes(&self) -> [u64; 6] {
        [
            self.output,
            self.saved,
            self.gradient,
            self.passing,
            self.keeping,
            self.returning,
        ]
    }

    /// The same with sizes in units, rounded up.
    pub(super) fn in_units(&self, unit: u64) -> Self {
        let units = |size: u64| size.div_ceil(unit.max(1));
        Self {
            output: units(self.output),
            saved: units(self.saved),
            gradient: units(self.gradient),
            passing: units(self.passing),
            keeping: units(self.keeping),
            returning: units(self.returning),
            ..*self
        }
    }
}

/// What is done with a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// Its boundary value is computed, if it is not there.
    Forward(usize),
    /// All that its backward pass reads is computed, as far as it is not there.
    Save(usize),
    /// Its boundary value is given up.
    Drop(usize),
    /// Its backward pass runs. Nothing of the stage is needed afterwards.
    Back(usize),
}

/// A training step as a chain.
pub(super) struct Chain<'a> {
    problem: &'a Problem,
    /// The last node of each stage's forward pass.
    ends: Vec<usize>,
    /// The nodes of each stage's backward pass, ascending.
    backward: Vec<Vec<usize>>,
    /// The values of each stage that its backward pass reads, ascending.
    read: Vec<Vec<usize>>,
}

impl<'a> Chain<'a> {
    /// The chain of `problem`; `None` where it has none of at least two segments.
    pub(super) fn of(problem: &'a Problem) -> Option<Self> {
        let ends = ends(problem)?;
        let mut chain = Self {
            backward: vec![Vec::new(); ends.len()],
            read: vec![Vec::new(); ends.len()],
            problem,
            ends,
        };
        let first = chain.ends.last()? + 1;
        let mut stages = vec![0; problem.nodes.len()];
        for stage in 0..chain.ends.len() {
            chain.nodes(stage).for_each(|node| stages[node] = stage);
        }
        let mut before = chain.ends.len() - 1;
        for (node, own) in problem.nodes.iter().enumerate().skip(first) {
            let stage = match own.gradient_of {
                Some(of) => chain.ends.partition_point(|end| *end <= of),
                // Gradients of weights belong to what computes the value whose gradient they read.
                None => {
                    let of = own
                        .reads
                        .iter()
                        .find_map(|it| problem.nodes[*it].gradient_of)?;
                    // The first stage is one node, and its gradient is the next one's.
                    stages[of].max(1)
                }
            };
            if own.phase != Phase::Backward || stage > before {
                return None;
            }
            before = stage;
            stages[node] = stage;
            for &read in &own.reads {
                let from = stages[read];
                match read < first {
                    true if from == stage => chain.read[stage].push(read),
                    true if Some(read) == chain.input(stage) => {}
                    false if from == stage || from == stage + 1 => {}
                    _ => return None,
                }
            }
            chain.backward[stage].push(node);
        }
        for read in &mut chain.read {
            *read = BTreeSet::from_iter(read.drain(..)).into_iter().collect();
        }
        Some(chain)
    }

    /// The boundary value before a stage.
    fn input(&self, stage: usize) -> Option<usize> {
        stage.checked_sub(1).map(|before| self.ends[before])
    }

    /// The number of segments: steps that are numbered from 1, before the loss.
    pub(super) fn steps(&self) -> usize {
        self.ends.len() - 2
    }

    /// The nodes of a stage's forward pass.
    fn nodes(&self, stage: usize) -> std::ops::RangeInclusive<usize> {
        self.input(stage).map_or(0, |input| input + 1)..=self.ends[stage]
    }

    /// The stages in figures.
    pub(super) fn stages(&self) -> Vec<ChainStage> {
        (0..self.ends.len())
            .map(|stage| self.stage(stage))
            .collect()
    }

    fn stage(&self, stage: usize) -> ChainStage {
        let (problem, end) = (self.problem, self.ends[stage]);
        let (read, backward) = (&self.read[stage], &self.backward[stage]);
        let nodes: Vec<usize> = self.nodes(stage).collect();
        let saved: BTreeSet<usize> = read.iter().copied().chain([end]).collect();
        let mut there = vec![false; problem.nodes.len()];
        if let Some(input) = self.input(stage) {
            there[input] = true;
        }
        let size = |values: &BTreeSet<usize>| -> u64 {
            values.iter().map(|it| problem.nodes[*it].bytes.0).sum()
        };
        let cost =
            |nodes: &[usize]| -> u64 { nodes.iter().map(|it| problem.nodes[*it].cost).sum() };
        let running = |wanted: &[usize]| cost(&closure(problem, wanted, &there));
        let all: Vec<usize> = saved.iter().copied().collect();
        let arriving = self.gradients(stage + 1, stage);
        let leaving = stage
            .checked_sub(1)
            .map(|before| self.gradients(stage, before));
        let before = read
            .iter()
            .copied()
            .chain(arriving.iter().copied())
            .collect();
        let returning = peak(problem, backward, &before, &leaving.unwrap_or_default());
        ChainStage {
            forward: running(&[end]),
            saving: running(&all),
            again: running(read),
            backward: cost(backward),
            output: problem.nodes[end].bytes.0,
            saved: size(&saved),
            gradient: size(&arriving),
            passing: peak(problem, &nodes, &BTreeSet::new(), &BTreeSet::from([end])),
            keeping: peak(problem, &nodes, &BTreeSet::new(), &saved),
            returning,
        }
    }

    /// The gradients of one stage that the backward pass of another reads.
    fn gradients(&self, from: usize, to: usize) -> BTreeSet<usize> {
        let of = self.backward.get(from).map_or(&[][..], Vec::as_slice);
        let reads = self.backward[to].iter();
        let read = reads.flat_map(|node| &self.problem.nodes[*node].reads);
        read.copied()
            .filter(|read| of.binary_search(read).is_ok())
            .collect()
    }

    /// The walk that does `acts`. A value is forgotten as soon as nothing reads it before it is
    /// computed again. Whatever else is missing when it is read is computed as well, so that
    /// there is a walk for any acts that visit all stages in order.
    pub(super) fn walk(&self, acts: impl IntoIterator<Item = Act>) -> Walk {
        let mut player = Player {
            chain: self,
            there: vec![false; self.problem.nodes.len()],
            ran: vec![false; self.ends.len()],
            runs: Vec::new(),
        };
        acts.into_iter().for_each(|act| player.act(act));
        forgetting(self.problem, &player.runs)
    }
}

/// The last nodes of the stages.
fn ends(problem: &Problem) -> Option<Vec<usize>> {
    let forward = problem.forward();
    let mut last = vec![0; forward];
    for (node, own) in problem.nodes.iter().enumerate().take(forward) {
        own.reads.iter().for_each(|read| last[*read] = node);
    }
    // Nothing before a boundary value is read behind it.
    let mut reach = 0;
    let mut clean = vec![true; forward];
    for node in 0..forward {
        clean[node] = reach <= node;
        reach = reach.max(last[node]);
    }
    let mut ends = articulation_points(problem);
    ends.retain(|node| clean[*node]);
    let segments = ends.len().checked_sub(1).filter(|it| *it >= 2)?;
    if segments > MOST_SEGMENTS {
        let share = |part: usize| ends[part * segments / MOST_SEGMENTS];
        ends = (0..=MOST_SEGMENTS).map(share).collect();
    }
    let losses = problem.nodes.iter().skip(forward);
    let losses = losses.take_while(|node| node.phase == Phase::Loss).count();
    let reads = |node: &usize| problem.nodes[*node].reads.iter();
    let mut read =
        (forward..forward + losses).flat_map(|node| reads(&node).copied().collect::<Vec<_>>());
    let whole = ends.last() == Some(&(forward - 1)) && ends.first() == Some(&0);
    if !whole || losses == 0 || read.any(|read| read + 1 < forward) {
        return None;
    }
    ends.push(forward + losses - 1);
    Some(ends)
}

/// Does acts one by one.
struct Player<'a> {
    chain: &'a Chain<'a>,
    there: Vec<bool>,
    ran: Vec<bool>,
    runs: Vec<usize>,
}

impl Player<'_> {
    fn act(&mut self, act: Act) {
        let chain = self.chain;
        match act {
            Act::Forward(stage) => {
                self.want(stage, &[]);
                let end = chain.ends[stage];
                chain
                    .nodes(stage)
                    .for_each(|node| self.there[node] = node == end);
            }
            Act::Save(stage) => self.want(stage, &chain.read[stage]),
            Act::Drop(stage) => self.there[chain.ends[stage]] = false,
            Act::Back(stage) => {
                for &node in &chain.backward[stage] {
                    let first = chain.ends.last().map_or(0, |end| end + 1);
                    let read = chain.problem.nodes[node].reads.iter().copied();
                    let read: Vec<usize> = read.filter(|read| *read < first).collect();
                    self.compute(&read);
                    self.runs.push(node);
                }
                chain.nodes(stage).for_each(|node| self.there[node] = false);
            }
        }
    }

    /// The boundary value of a stage and `also` are there; at first all of the stage runs.
    fn want(&mut self, stage: usize, also: &[usize]) {
        match std::mem::replace(&mut self.ran[stage], true) {
            false => {
                let nodes: Vec<usize> = self.chain.nodes(stage).collect();
                self.compute(&nodes);
            }
            true => {
                self.compute(also);
                self.compute(&[self.chain.ends[stage]]);
            }
        }
    }

    /// Runs these nodes and all that they need, as far as it is not there.
    fn compute(&mut self, nodes: &[usize]) {
        for node in closure(self.chain.problem, nodes, &self.there) {
            self.there[node] = true;
            self.runs.push(node);
        }
    }
}

/// The most bytes at once while `runs` run, with the values of `before` at first and those of
/// `after` kept.
fn peak(
    problem: &Problem,
    runs: &[usize],
    before: &BTreeSet<usize>,
    after: &BTreeSet<usize>,
) -> u64 {
    let bytes = |value: usize| problem.nodes[value].bytes.0;
    let mut last: BTreeMap<usize, usize> = BTreeMap::new();
    for &node in runs {
        last.insert(node, node);
        last.extend(problem.nodes[node].reads.iter().map(|read| (*read, node)));
    }
    let mut there = before.clone();
    let mut live: u64 = before.iter().map(|value| bytes(*value)).sum();
    let mut most = live;
    for &node in runs {
        if there.insert(node) {
            live += bytes(node);
        }
        most = most.max(live);
        for value in problem.nodes[node].reads.iter().chain([&node]) {
            if last.get(value) == Some(&node) && !after.contains(value) && there.remove(value) {
                live -= bytes(*value);
            }
        }
    }
    most
}

/// What has to run, ascending, that `nodes` are there.
fn closure(problem: &Problem, nodes: &[usize], there: &[bool]) -> Vec<usize> {
    let mut missing = BTreeSet::new();
    let mut stack = nodes.to_vec();
    while let Some(node) = stack.pop() {
        if !there[node] && missing.insert(node) {
            stack.extend(&problem.nodes[node].reads);
        }
    }
    missing.into_iter().collect()
}

/// The walk that runs these nodes one after another, with each value forgotten after its last
/// reader before it is computed again.
fn forgetting(problem: &Problem, runs: &[usize]) -> Walk {
    // Backwards: whether something later reads the value that is there now.
    let mut wanted = vec![false; problem.nodes.len()];
    let mut forgets: Vec<Vec<usize>> = Vec::with_capacity(runs.len());
    for &node in runs.iter().rev() {
        let mut done = Vec::new();
        for &read in &problem.nodes[node].reads {
            if !std::mem::replace(&mut wanted[read], true) {
                done.push(read);
            }
        }
        if !std::mem::replace(&mut wanted[node], false) {
            done.push(node);
        }
        forgets.push(done);
    }
    let steps = runs.iter().zip(forgets.into_iter().rev());
    let moves = steps.flat_map(|(node, done)| {
        let done = done.into_iter().map(Move::Forget);
        std::iter::once(Move::Compute(*node)).chain(done)
    });
    moves.collect()
}
