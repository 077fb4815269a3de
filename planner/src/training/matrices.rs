//! Checkmate's matrices: which values are kept from stage to stage, and what is computed in each.
//!
//! Stage t ends with the first run of node t. `kept[t][i]` says that the value of node i is there
//! when stage t begins (the paper's S), `runs[t][i]` that node i runs during it (R). Jain et al.,
//! "Checkmate: Breaking the Memory Wall with Optimal Tensor Rematerialization", MLSys 2020,
//! sections 4.2 to 4.4 and 6.

use super::{Move, Problem, Walk};

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
    let gradient = gradients(problem);
    let starts = std::iter::once(0).chain(checkpoints.iter().copied());
    let ends = checkpoints.iter().copied().chain([forward + 1]);
    for (start, end) in starts.zip(ends) {
        for step in start..=end {
            // The stage of the step, in both passes: the backward pass runs the other way.
            let stages = [step, (size - 1).wrapping_sub(step)];
            for (stage, is_backward) in stages.into_iter().zip([false, true]) {
                // The stage at which the backward pass reaches the end of a block belongs to the next.
                if stage >= size || is_backward && step == end {
                    continue;
                }
                (start..stage.min(end)).for_each(|node| kept.set(stage, node));
            }
            let stage = stages[1];
            for node in start..end.min(forward) {
                if let Some(gradient) = gradient[node].filter(|it| stage < size && *it < stage) {
                    kept.set(stage, gradient);
                }
            }
        }
    }
    kept
}

/// The gradient of each node of the forward pass.
fn gradients(problem: &Problem) -> Vec<Option<usize>> {
    let mut gradients = vec![None; problem.nodes.len()];
    for (index, node) in problem.nodes.iter().enumerate() {
        if let Some(of) = node.gradient_of {
            gradients[of] = Some(index);
        }
    }
    gradients
}
