//! A training step by autograd's rule: each gradient reads what PyTorch saves of the operators
//! that read its value, see [`saves`].
//!
//! A view shares the memory of what it views, so that it is no node. Gradients are summed up in
//! one value for each value of the forward pass; those of weights into what is fixed.

mod forward;
pub mod saves;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::fixed::Fixed;
use super::recipe::{Recipe, Rule};
use super::stage::NoStep;
use super::{Node, Problem, ProblemError, layers};
use crate::graph::{Graph, TensorId};
use crate::schedule::Phase;
use crate::units::Bytes;

use forward::{Forward, Use};

/// Bytes of the loss of a sample.
const FLOAT: u64 = 4;

/// A training step, and what it is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// The step.
    pub problem: Problem,
    /// What stays beside the values.
    pub fixed: Fixed,
    /// What the backward pass reads of the forward pass, in the order of that, the model's inputs
    /// first; nothing by Checkmate's rule, which reads everything.
    pub saved: Vec<Saved>,
    /// The kinds of operators of which nobody knows what they save, so that everything counts as
    /// saved, by name.
    pub unknown: Vec<String>,
}

/// Something that the backward pass reads of the forward pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Saved {
    /// What people call it.
    pub name: String,
    /// What it takes.
    pub bytes: Bytes,
    /// Whether it is an input of the model, which is there in any case.
    pub input: bool,
    /// The operators whose backward pass reads it, in the order in which they run; the loss has
    /// no operator.
    pub by: Vec<String>,
}

/// What is beyond 64 bits.
pub(super) fn too_large() -> ProblemError {
    ProblemError {
        node: None,
        message: "bytes or costs are beyond 64 bits".to_owned(),
    }
}

/// The training step of `batch` samples of a sized graph by autograd's rule.
///
/// # Errors
/// [`NoStep::Unsized`] or [`NoStep::TooLarge`].
pub(super) fn step(graph: &Graph, batch: u64, recipe: Recipe) -> Result<Step, NoStep> {
    if graph.ops.iter().any(layers::is_layer) {
        return Err(NoStep::OnlyLayers);
    }
    let forward = Forward::of(graph, batch, recipe)?;
    let made = backward(graph, batch, recipe, forward);
    made.map_err(|error| NoStep::TooLarge(error.message))
}

/// What reads what of the forward pass: names of operators by what they read.
#[derive(Default)]
struct Readers {
    nodes: BTreeMap<usize, BTreeSet<usize>>,
    inputs: BTreeMap<TensorId, BTreeSet<usize>>,
}

impl Readers {
    fn take(&mut self, by: &Use) {
        for &node in &by.reads {
            self.nodes.entry(node).or_default().insert(by.reader);
        }
        for &id in &by.inputs {
            self.inputs.entry(id).or_default().insert(by.reader);
        }
    }
}

fn backward(
    graph: &Graph,
    batch: u64,
    recipe: Recipe,
    forward: Forward,
) -> Result<Step, ProblemError> {
    let Forward {
        mut nodes,
        uses,
        weights,
        requires,
        outputs,
        parameters,
        unknown,
        inputs,
    } = forward;
    let count = nodes.len();
    let asked: Vec<usize> = outputs.into_iter().filter(|it| requires[*it]).collect();
    nodes.push(Node {
        name: "loss".to_owned(),
        phase: Phase::Loss,
        reads: asked.clone(),
        bytes: Bytes(batch.checked_mul(FLOAT).ok_or_else(too_large)?),
        cost: 0,
        gradient_of: None,
    });
    let mut gradients: Vec<Option<usize>> = vec![None; count];
    let mut readers = Readers::default();
    for value in (0..count).rev() {
        let there = |it: &&Use| gradients[it.reader].is_some();
        let used: Vec<&Use> = uses[value].iter().filter(there).collect();
        let is_output = asked.contains(&value);
        if requires[value] && (is_output || !used.is_empty()) {
            let mut reads = BTreeSet::new();
            let mut cost = 0_u64;
            if is_output {
                reads.extend([value, count]);
                readers.nodes.entry(value).or_default();
            }
            for by in used {
                reads.extend(gradients[by.reader]);
                reads.extend(&by.reads);
                readers.take(by);
                cost = cost.checked_add(by.cost).ok_or_else(too_large)?;
            }
            gradients[value] = Some(nodes.len());
            nodes.push(Node {
                name: format!("{}.grad", nodes[value].name),
                phase: Phase::Backward,
                reads: reads.into_iter().collect(),
                bytes: nodes[value].bytes,
                cost,
                gradient_of: Some(value),
            });
        }
        // Weights of what reads nothing that is trained; the others go with a gradient.
        if let (Some(gradient), Some(by)) = (gradients[value], &weights[value]) {
            let mut reads: BTreeSet<usize> = by.reads.iter().copied().collect();
            reads.insert(gradient);
            readers.take(by);
            nodes.push(Node {
                name: format!("{}.weights.grad", nodes[value].name),
                phase: Phase::Backward,
                reads: reads.into_iter().collect(),
                bytes: Bytes::ZERO,
                cost: by.cost,
                gradient_of: None,
            });
        }
    }
    let fixed = Fixed::of(parameters, recipe).ok_or_else(too_large)?;
    let names = |by: &BTreeSet<usize>| by.iter().map(|it| nodes[*it].name.clone()).collect();
    let of_inputs = readers.inputs.iter().map(|(id, by)| Saved {
        name: graph.tensor(*id).name.clone(),
        bytes: inputs.get(id).copied().unwrap_or_default(),
        input: true,
        by: names(by),
    });
    let of_nodes = readers.nodes.iter().map(|(node, by)| Saved {
        name: nodes[*node].name.clone(),
        bytes: nodes[*node].bytes,
        input: false,
        by: names(by),
    });
    let saved = of_inputs.chain(of_nodes).collect();
    let problem = Problem {
        name: graph.name.clone(),
        nodes,
        fixed: Bytes(fixed.sum().ok_or_else(too_large)?),
        rule: Rule::Autograd,
    };
    Ok(Step {
        problem: problem.checked()?,
        fixed,
        saved,
        unknown,
    })
}
