//! A training step by autograd's rule: each gradient reads what PyTorch saves of the operators
//! that read its value, see [`saves`].
//!
//! A view shares the memory of what it views, so that it is no node. Gradients are summed up in
//! one value for each value of the forward pass; those of weights into what is fixed. Where those
//! are set to none before every step, they are values that a last node, the update, reads: its
//! arithmetic is left out, as it is otherwise.

mod forward;
pub(super) mod layout;
mod modules;
mod recurrent;
pub mod saves;
mod uses;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::fixed::Fixed;
use super::sharding::{Communication, Gradients};
use super::stage::NoStep;
use super::{Node, Problem, ProblemError, Recipe, Rule, layers};
use crate::graph::{Graph, TensorId};
use crate::schedule::Phase;
use crate::units::Bytes;

use crate::message;
use crate::operators::Operator;
use crate::passes::decomposed;
pub(super) use forward::beyond;
pub(super) use forward::weights_of;
use forward::{Forward, InPlace};
use uses::Use;

/// Bytes of the loss of a sample.
pub(super) const FLOAT: u64 = 4;

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
    /// The kinds of operators that read weights which are not trained, by name.
    pub untrained: Vec<String>,
    /// The kinds of operators through which no gradient passes, for they round to integers, by name.
    pub without_gradient: Vec<String>,
    /// The modules of PyTorch that were put together again from several operators, each with how
    /// often, by autograd's rule. All else counts as it was exported.
    pub recognised: Vec<(String, u64)>,
    /// How many operators have weights.
    pub layers: u32,
    /// The operator of each node of the forward pass, by its place in the graph as it is trained.
    pub(super) of_op: Vec<usize>,
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
        message: message!("bytes or costs are beyond 64 bits"),
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
    let (graph, recognised) = as_trained(graph, recipe);
    Ok(Step {
        recognised: counted(recognised),
        ..step_of((&graph, &Gradients::new()), batch, recipe)?
    })
}

/// The same of a graph as it is trained, some of whose gradients come from other devices.
pub(super) fn step_of(
    (graph, gradients): (&Graph, &Gradients),
    batch: u64,
    recipe: Recipe,
) -> Result<Step, NoStep> {
    let forward = Forward::of(graph, gradients, batch, recipe)?;
    let made = backward(graph, batch, recipe, forward);
    made.map_err(|error| NoStep::TooLarge(error.message))
}

/// Which modules were put together, and how often.
pub(super) fn counted(recognised: BTreeMap<&'static str, u64>) -> Vec<(String, u64)> {
    let recognised = recognised.into_iter();
    recognised
        .map(|(name, count)| (name.to_owned(), count))
        .collect()
}

/// The graph with the modules of PyTorch that were exported in parts, or with all modules in parts,
/// and which modules were put together.
pub(super) fn as_trained(graph: &Graph, recipe: Recipe) -> (Graph, BTreeMap<&'static str, u64>) {
    match recipe.decomposed {
        true => (decomposed(graph), BTreeMap::new()),
        false => modules::recognised(graph),
    }
}

/// What of the forward pass is read by whose backward pass.
#[derive(Default)]
struct Readers {
    nodes: BTreeMap<usize, BTreeSet<usize>>,
    inputs: BTreeMap<TensorId, BTreeSet<usize>>,
}

/// What is gathered again for the backward pass, in place of what the forward pass has gathered: its
/// parts are kept, the whole is not.
#[derive(Default)]
struct Gathered {
    /// The nodes of the forward pass.
    nodes: BTreeSet<usize>,
    /// Those of the backward pass, by these.
    again: BTreeMap<usize, usize>,
}

/// The backward pass as it grows.
struct Backward {
    nodes: Vec<Node>,
    /// The gradient of each value of the forward pass.
    gradients: Vec<Option<usize>>,
    /// For each of them, how it comes from those of other devices, if it does.
    communicate: Vec<Option<Communication>>,
    readers: Readers,
    gathered: Gathered,
    /// The node of the loss, and the values that it reads.
    loss: usize,
    outputs: BTreeSet<usize>,
}

impl Backward {
    /// Notes that the backward pass of an operator reads the forward pass.
    fn take(&mut self, by: &Use) {
        let mut reads: Vec<usize> = by.reads.iter().copied().collect();
        while let Some(node) = reads.pop() {
            if self.gathered.nodes.contains(&node) {
                reads.extend(&self.nodes[node].reads);
            } else {
                let readers = self.readers.nodes.entry(node).or_default();
                readers.insert(by.reader);
            }
        }
        for &id in &by.inputs {
            let readers = self.readers.inputs.entry(id).or_default();
            readers.insert(by.reader);
        }
    }

    /// The nodes that have what these have, gathered again where it was gathered.
    fn there(&mut self, reads: &BTreeSet<usize>) -> BTreeSet<usize> {
        let mut there = BTreeSet::new();
        for &node in reads {
            there.insert(match self.gathered.nodes.contains(&node) {
                true => self.again(node),
                false => node,
            });
        }
        there
    }

    fn again(&mut self, node: usize) -> usize {
        if let Some(made) = self.gathered.again.get(&node) {
            return *made;
        }
        let reads = self.nodes[node].reads.iter().copied().collect();
        let reads = self.there(&reads);
        let own = &self.nodes[node];
        self.nodes.push(Node {
            name: format!("{} again", own.name),
            phase: Phase::Backward,
            reads: reads.into_iter().collect(),
            bytes: own.bytes,
            early: true,
            communicates: own.communicates,
            ..Node::default()
        });
        let made = self.nodes.len() - 1;
        self.gathered.again.insert(node, made);
        made
    }

    /// The gradient of `value`, if what reads it has one, and through what was written over it.
    fn gradient(
        &mut self,
        value: usize,
        uses: &[Use],
        in_place: Option<&InPlace>,
    ) -> Result<(), ProblemError> {
        let used = uses.iter().filter(|it| self.gradients[it.reader].is_some());
        let used: Vec<&Use> = used.collect();
        let is_output = self.outputs.contains(&value);
        if used.is_empty() && !is_output {
            return Ok(());
        }
        let mut reads = BTreeSet::new();
        let mut cost = 0_u64;
        if is_output {
            reads.extend([value, self.loss]);
            self.readers.nodes.entry(value).or_default();
        }
        for by in used {
            reads.extend(self.gradients[by.reader]);
            reads.extend(self.there(&by.reads));
            self.take(by);
            cost = cost.checked_add(by.cost).ok_or_else(too_large)?;
        }
        let own = &self.nodes[value];
        let bytes = own.bytes;
        let name = in_place.map_or(&own.name, |it| &it.after);
        let name = format!("{name}.grad");
        let after = self.nodes.len();
        self.gradients[value] = Some(after);
        self.push(name, reads, (bytes, cost), Some(value));
        self.nodes[after].communicates = self.communicate[value];
        let Some(activation) = in_place else {
            return Ok(());
        };
        self.readers.nodes.entry(value).or_default().insert(value);
        self.gradients[value] = Some(self.nodes.len());
        let name = format!("{}.grad", activation.before);
        let reads = BTreeSet::from([value, after]);
        self.push(name, reads, (bytes, activation.cost), Some(value));
        Ok(())
    }

    /// The gradients of the weights of what computes `value`, where they are computed apart.
    fn weights(&mut self, value: usize, by: &Use) {
        let Some(gradient) = self.gradients[value] else {
            return;
        };
        self.take(by);
        let mut reads = self.there(&by.reads);
        reads.insert(gradient);
        let name = format!("{}.weights.grad", self.nodes[value].name);
        self.push(name, reads, (Bytes(by.bytes), by.cost), None);
    }

    /// The optimizer's step, where it reads gradients that are values.
    fn update(&mut self) {
        let made = self.nodes.iter().enumerate().skip(self.loss);
        let of_weights = made.filter(|(_, node)| node.gradient_of.is_none() && node.bytes.0 > 0);
        let reads = of_weights.filter(|(_, node)| node.phase == Phase::Backward && !node.early);
        let reads: BTreeSet<usize> = reads.map(|(index, _)| index).collect();
        self.nodes.push(Node {
            name: "update".to_owned(),
            phase: Phase::Update,
            reads: reads.into_iter().collect(),
            bytes: Bytes::ZERO,
            cost: 0,
            ..Node::default()
        });
    }

    fn push(
        &mut self,
        name: String,
        reads: BTreeSet<usize>,
        (bytes, cost): (Bytes, u64),
        gradient_of: Option<usize>,
    ) {
        self.nodes.push(Node {
            name,
            phase: Phase::Backward,
            reads: reads.into_iter().collect(),
            bytes,
            cost,
            gradient_of,
            ..Node::default()
        });
    }

    /// What is read of the forward pass.
    fn saved(&self, graph: &Graph, inputs: &BTreeMap<TensorId, Bytes>) -> Vec<Saved> {
        let saved = |name: &str, bytes, input, by: &BTreeSet<usize>| Saved {
            name: name.to_owned(),
            bytes,
            input,
            by: by.iter().map(|it| self.nodes[*it].name.clone()).collect(),
        };
        let of_inputs = self.readers.inputs.iter().map(|(id, by)| {
            let bytes = inputs.get(id).copied().unwrap_or_default();
            saved(&graph.tensor(*id).name, bytes, true, by)
        });
        let of_nodes = self.readers.nodes.iter().map(|(node, by)| {
            let own = &self.nodes[*node];
            saved(&own.name, own.bytes, false, by)
        });
        of_inputs.chain(of_nodes).collect()
    }
}

fn backward(
    graph: &Graph,
    batch: u64,
    recipe: Recipe,
    forward: Forward,
) -> Result<Step, ProblemError> {
    let mut nodes = forward.nodes;
    let of = graph.ops.iter().map(|op| (op.name.as_str(), op.operator));
    let of: BTreeMap<&str, Operator> = of.collect();
    for node in &mut nodes {
        node.operator = of.get(node.name.as_str()).copied().unwrap_or_default();
    }
    let loss = nodes.len();
    let outputs = forward.outputs.into_iter();
    let outputs: BTreeSet<usize> = outputs.filter(|it| forward.requires[*it]).collect();
    nodes.push(Node {
        name: "loss".to_owned(),
        phase: Phase::Loss,
        reads: outputs.iter().copied().collect(),
        // A stage that sends all that it computes has no loss.
        bytes: Bytes(
            match outputs.iter().all(|it| nodes[*it].bytes == Bytes::ZERO) {
                true if !outputs.is_empty() => 0,
                _ => batch.checked_mul(FLOAT).ok_or_else(too_large)?,
            },
        ),
        cost: 0,
        ..Node::default()
    });
    let mut made = Backward {
        nodes,
        gradients: vec![None; loss],
        communicate: forward.gradients,
        readers: Readers::default(),
        gathered: Gathered {
            nodes: forward.gathered,
            again: BTreeMap::new(),
        },
        loss,
        outputs,
    };
    for value in (0..loss).rev() {
        if forward.requires[value] {
            let in_place = forward.in_place[value].as_ref();
            made.gradient(value, &forward.uses[value], in_place)?;
        }
        if let Some(by) = &forward.weights[value] {
            made.weights(value, by);
        }
    }
    if recipe.set_to_none {
        made.update();
    }
    let fixed = Fixed::of(forward.parameters, recipe).ok_or_else(too_large)?;
    let saved = made.saved(graph, &forward.inputs);
    let problem = Problem {
        name: graph.name.clone(),
        nodes: made.nodes,
        fixed: Bytes(fixed.sum().ok_or_else(too_large)?),
        rule: Rule::Autograd,
        ..Problem::default()
    };
    Ok(Step {
        problem: problem.checked()?,
        fixed,
        saved,
        unknown: forward.unknown.into_iter().collect(),
        untrained: forward.untrained.into_iter().collect(),
        without_gradient: forward.without_gradient.into_iter().collect(),
        recognised: Vec::new(),
        layers: forward.layers,
        of_op: forward.of_op,
    })
}
