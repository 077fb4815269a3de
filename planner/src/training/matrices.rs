//! Checkmate's matrices: which values are kept from stage to stage, and what is computed in each.
//!
//! Stage t ends with the first run of node t. `kept[t][i]` says that the value of node i is there
//! when stage t begins (the paper's S), `runs[t][i]` that node i runs during it (R). Jain et al.,
//! "Checkmate: Breaking the Memory Wall with Optimal Tensor Rematerialization", MLSys 2020,
//! sections 4.2 to 4.4 and 6.

use super::{Move, Problem, Rule, Walk};

/// A square of bits, row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    size: usize,
    bits: Vec<bool>,
}

impl Matrix {
    /// Nothing is set.
    #[must_use]
    pub fn new(size: usize) -> Self {
        let bits = vec![false; size * size];
        Self { size, bits }
    }

    /// The number of rows, and of columns.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// Whether this bit is set; beyond the last row nothing is.
    #[must_use]
    pub fn get(&self, row: usize, column: usize) -> bool {
        row < self.size && self.bits[row * self.size + column]
    }

    /// Sets it.
    pub fn set(&mut self, row: usize, column: usize) {
        self.bits[row * self.size + column] = true;
    }
}

/// What has to run in each stage if these values are kept, at the least cost: whatever a stage
/// needs and nobody keeps is computed in it (section 6.1, "solve for R given S").
#[must_use]
pub fn least_runs(problem: &Problem, kept: &Matrix) -> Matrix {
    let size = kept.size();
    let mut runs = Matrix::new(size);
    for stage in 0..size {
        runs.set(stage, stage);
        for node in 0..stage {
            if kept.get(stage + 1, node) && !kept.get(stage, node) {
                runs.set(stage, node);
            }
        }
        // What a node reads comes before it: one sweep backwards finds all.
        for node in (0..=stage).rev() {
            if runs.get(stage, node) {
                for &read in &problem.nodes[node].reads {
                    if !kept.get(stage, read) {
                        runs.set(stage, read);
                    }
                }
            }
        }
    }
    runs
}

/// The walk of these matrices: a value is forgotten as soon as neither the rest of the stage nor
/// the next one needs it (section 4.4).
#[must_use]
pub fn walk(problem: &Problem, runs: &Matrix, kept: &Matrix) -> Walk {
    let readers = problem.readers();
    let mut walk = Walk::new();
    let mut there = vec![false; runs.size()];
    for stage in 0..runs.size() {
        let needed = |value: usize, after: usize| {
            let reads = |reader: &usize| *reader > after && runs.get(stage, *reader);
            kept.get(stage + 1, value) || readers[value].iter().any(reads)
        };
        let forget = |walk: &mut Walk, there: &mut Vec<bool>, value: usize, after: usize| {
            if there[value] && !needed(value, after) {
                there[value] = false;
                walk.push(Move::Forget(value));
            }
        };
        for value in 0..stage {
            forget(&mut walk, &mut there, value, value);
        }
        for node in 0..=stage {
            if runs.get(stage, node) {
                walk.push(Move::Compute(node));
                there[node] = true;
            }
            for &read in &problem.nodes[node].reads {
                forget(&mut walk, &mut there, read, node);
            }
            forget(&mut walk, &mut there, node, node);
        }
    }
    walk
}

/// What is kept where the values of `checkpoints` (nodes of the forward pass, ascending) are kept
/// until the end and everything between two of them is computed once more in the backward pass.
/// As the artifact of Checkmate and DTR builds it, with the block of gradients that the published
/// library has dropped.
#[must_use]
pub fn with_checkpoints(problem: &Problem, checkpoints: &[usize]) -> Matrix {
    let size = problem.nodes.len();
    let forward = problem.forward();
    let mut kept = Matrix::new(size);
    for (node, own) in problem.nodes.iter().enumerate() {
        for &read in &own.reads {
            kept.set(node, read);
            // Gradients and the loss wait for the last that reads them.
            if read >= forward {
                (read + 1..=node).for_each(|stage| kept.set(stage, read));
            }
        }
    }
    for &node in checkpoints {
        (node + 1..size).for_each(|stage| kept.set(stage, node));
    }
    let starts = std::iter::once(0).chain(checkpoints.iter().copied());
    let ends = checkpoints.iter().copied().chain([forward + 1]);
    let blocks: Vec<(usize, usize)> = starts.zip(ends).collect();
    let steps = steps(problem);
    for (stage, &step) in steps.iter().enumerate() {
        let is_backward = stage > forward;
        let within = |(start, end): &&(usize, usize)| {
            // The stage at which the backward pass reaches the end of a block is the next block's.
            (*start..=*end).contains(&step) && !(is_backward && step == *end)
        };
        for &(start, end) in blocks.iter().filter(within) {
            (start..stage.min(end)).for_each(|node| kept.set(stage, node));
            for (gradient, own) in problem.nodes.iter().enumerate().take(stage) {
                let of = own.gradient_of.filter(|of| (start..end).contains(of));
                if of.is_some() {
                    kept.set(stage, gradient);
                }
            }
        }
    }
    // What is packed is given back, or nothing is gained.
    let packs = problem.nodes.iter().any(|node| node.packs);
    if problem.rule != Rule::Checkmate || packs {
        return trimmed(problem, &kept);
    }
    kept
}

/// Which step of the forward pass each stage is about: itself, and in the backward pass that of
/// which it computes the gradient, or of the gradient before it.
pub(super) fn steps(problem: &Problem) -> Vec<usize> {
    let mut steps: Vec<usize> = Vec::new();
    let forward = problem.forward();
    for (stage, node) in problem.nodes.iter().enumerate() {
        let before = steps.last().copied().unwrap_or_default();
        steps.push(match node.gradient_of {
            Some(of) => of,
            None if stage <= forward => stage,
            None => before,
        });
    }
    steps
}

/// `kept` without what nobody reads before it is computed again. Checkmate's artifact keeps a
/// block until the backward pass has left it; PyTorch gives a saved tensor back once it was read
/// last.
fn trimmed(problem: &Problem, kept: &Matrix) -> Matrix {
    let size = kept.size();
    let mut left = Matrix::new(size);
    for stage in (0..size).rev() {
        let mut wanted: Vec<bool> = (0..=stage).map(|it| left.get(stage + 1, it)).collect();
        wanted[stage] = true;
        let runs = |node: &usize| *node == stage || !kept.get(stage, *node);
        for node in (0..=stage).rev().filter(runs) {
            if wanted[node] {
                let reads = &problem.nodes[node].reads;
                reads.iter().for_each(|read| wanted[*read] = true);
            }
        }
        for value in (0..stage).filter(|value| wanted[*value] && kept.get(stage, *value)) {
            left.set(stage, value);
        }
    }
    left
}
