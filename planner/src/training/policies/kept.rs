//! The walk that keeps some values of the forward pass, and computes all others again when the
//! backward pass comes back to them.
//!
//! It is the one of Checkmate's [matrices](crate::training::matrices): of each stage only what changes
//! from one to the next is looked at, where a matrix has a bit for every value in every stage.

use std::collections::{BTreeSet, BinaryHeap};

use crate::training::{Move, Problem, Rule, Walk, matrices};

/// The walk that keeps these nodes of the forward pass, ascending.
#[must_use]
pub fn keeping(problem: &Problem, kept: &[usize]) -> Walk {
    let packs = problem.nodes.iter().any(|node| node.packs);
    let keeps_all = kept.len() == problem.forward();
    if problem.rule == Rule::Checkmate && !packs {
        // A block is kept until the backward pass has left it.
        let kept = matrices::with_checkpoints(problem, kept);
        return matrices::walk(problem, &matrices::least_runs(problem, &kept), &kept);
    }
    if keeps_all {
        return once(problem);
    }
    let stages = Stages::new(problem, kept).found();
    walk(problem, &stages)
}

/// Every node runs once; a value is forgotten after the last node that reads it.
fn once(problem: &Problem) -> Walk {
    let mut last: Vec<usize> = (0..problem.nodes.len()).collect();
    for (node, own) in problem.nodes.iter().enumerate() {
        for &read in &own.reads {
            last[read] = last[read].max(node);
        }
    }
    let mut walk = Walk::with_capacity(2 * last.len());
    for (node, own) in problem.nodes.iter().enumerate() {
        walk.push(Move::Compute(node));
        for value in own.reads.iter().copied().chain([node]) {
            if last[value] == node {
                last[value] = usize::MAX;
                walk.push(Move::Forget(value));
            }
        }
    }
    walk
}

/// What changes in a stage, which ends with the first run of the node of its number.
#[derive(Clone, Default)]
struct Stage {
    /// The nodes that run, ascending.
    runs: Vec<usize>,
    /// The values that the next stage does not find.
    gone: Vec<usize>,
}

struct Stages<'a> {
    problem: &'a Problem,
    /// The values that are kept from when they are computed to the end, ascending.
    kept: &'a [usize],
    forward: usize,
    /// The step of the forward pass that each stage is about.
    steps: Vec<usize>,
    /// What the stage finds when it begins, of blocks with the block.
    found: BTreeSet<(usize, usize)>,
}

impl<'a> Stages<'a> {
    fn new(problem: &'a Problem, kept: &'a [usize]) -> Self {
        Self {
            problem,
            kept,
            forward: problem.forward(),
            steps: matrices::steps(problem),
            found: BTreeSet::new(),
        }
    }

    /// The values from one that is kept to the next are a block.
    fn block(&self, value: usize) -> usize {
        self.kept.partition_point(|kept| *kept <= value)
    }

    /// The blocks that a stage keeps: that of its step, and going forward the one that it ends.
    fn blocks(&self, stage: usize) -> (usize, Option<usize>) {
        let step = self.steps[stage];
        let own = self.block(step);
        let ends = stage <= self.forward && self.kept.binary_search(&step).is_ok();
        (own, ends.then(|| own.saturating_sub(1)))
    }

    /// Whether a stage may find a value, in whose block it is.
    fn keeps(&self, stage: usize, value: usize) -> bool {
        let (own, ends) = self.blocks(stage);
        let block = self.block(value);
        // Gradients wait for the last that reads them.
        value >= self.forward
            || block == own
            || Some(block) == ends
            || self.kept.binary_search(&value).is_ok()
            || self.problem.nodes[stage]
                .reads
                .binary_search(&value)
                .is_ok()
    }

    /// From the last stage back: what a stage has to find is what the next one finds and what its
    /// nodes read. What it may not find, it computes.
    fn found(mut self) -> Vec<Stage> {
        let count = self.problem.nodes.len();
        let mut stages = vec![Stage::default(); count];
        for stage in (0..count).rev() {
            let mut runs: BinaryHeap<usize> = BinaryHeap::new();
            let lost = self.lost(stage);
            for &value in &lost {
                self.found.remove(&(self.block(value), value));
            }
            let itself = self.found.remove(&(self.block(stage), stage));
            runs.push(stage);
            runs.extend(lost.iter().copied().filter(|value| *value != stage));
            let mut stays: BTreeSet<usize> = lost.into_iter().collect();
            stays.extend(itself.then_some(stage));
            let own = &mut stages[stage];
            let mut last = None;
            while let Some(node) = runs.pop() {
                if last.replace(node) == Some(node) {
                    continue;
                }
                own.runs.push(node);
                if !stays.contains(&node) {
                    own.gone.push(node);
                }
                for &read in &self.problem.nodes[node].reads {
                    match self.keeps(stage, read) {
                        false => runs.push(read),
                        true if self.found.insert((self.block(read), read)) => own.gone.push(read),
                        true => {}
                    }
                }
            }
            own.runs.reverse();
        }
        stages
    }

    /// Of what the next stage finds, what this one may not.
    fn lost(&self, stage: usize) -> Vec<usize> {
        let next = stage + 1;
        if next >= self.problem.nodes.len() {
            return Vec::new();
        }
        let (own, ends) = self.blocks(next);
        let mut lost: Vec<usize> = Vec::new();
        let before = self.blocks(stage);
        let left = [Some(own), ends].into_iter().flatten();
        for block in left.filter(|block| *block != before.0 && Some(*block) != before.1) {
            let of_block = self.found.range((block, 0)..(block + 1, 0));
            lost.extend(of_block.map(|it| it.1));
        }
        lost.extend(&self.problem.nodes[next].reads);
        lost.sort_unstable();
        lost.dedup();
        let is = |value: &usize| {
            let found = self.found.contains(&(self.block(*value), *value));
            *value < stage && found && !self.keeps(stage, *value)
        };
        lost.retain(is);
        lost
    }
}

/// A value is given back after the last node of its stage that reads it, where the next stage does not
/// find it.
fn walk(problem: &Problem, stages: &[Stage]) -> Walk {
    let mut walk = Walk::new();
    // The node after which each value goes.
    let mut last: Vec<Option<usize>> = vec![None; problem.nodes.len()];
    for stage in stages {
        for &value in &stage.gone {
            last[value] = Some(value);
        }
        for &node in &stage.runs {
            for &read in &problem.nodes[node].reads {
                last[read] = last[read].map(|_| node);
            }
        }
        for &node in &stage.runs {
            walk.push(Move::Compute(node));
            let reads = problem.nodes[node].reads.iter().copied();
            for value in reads.chain([node]) {
                if last[value] == Some(node) {
                    last[value] = None;
                    walk.push(Move::Forget(value));
                }
            }
        }
    }
    walk
}
