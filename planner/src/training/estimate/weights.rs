//! The weights of a model one by one, and when the backward pass has the gradient of each: an
//! allocator rounds each of them up, where a budget counts their sum.

use std::collections::{BTreeMap, BTreeSet};

use crate::graph::{DType, Graph, Op, Role, TensorId};
use crate::schedule::Phase;
use crate::settings::{Precision, Recipe, Rule};
use crate::sorting::Sorting;
use crate::training::backward::{as_trained, weights_of};
use crate::training::joint::{Class, Joint};
use crate::training::sharding::{Expanded, Rank};
use crate::training::{Node, Problem};
use crate::units::Bytes;

/// A weight.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Weight {
    /// Its name.
    pub name: String,
    /// How many numbers it has.
    pub elements: u64,
    /// Whether it is trained.
    pub trained: bool,
    /// The node of the step that has computed its gradient; `None` where there is none, because it
    /// is not trained or no gradient reaches it.
    pub gradient: Option<usize>,
    /// The nodes that compute it again, for other micro-batches.
    pub again: Vec<usize>,
    /// How many of its numbers this device has, where it is divided among several.
    pub share: Option<Share>,
}

/// How many numbers of a weight a device has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Of itself.
    pub weights: u64,
    /// Of its gradient.
    pub gradients: u64,
    /// Of its copy and of each thing that the optimizer keeps.
    pub states: u64,
}

impl Weight {
    /// How many numbers of it the device has.
    #[must_use]
    pub fn share(&self) -> Share {
        self.share.unwrap_or(Share {
            weights: self.elements,
            gradients: self.elements,
            states: self.elements,
        })
    }
}

/// The weights of a rank: what it holds of each, and where gradients are computed among all that it
/// runs. Gradients that replicas divide are there once those of their part are reduced.
pub(super) fn of_rank(mut weights: Vec<Weight>, rank: &Rank, all: &Expanded) -> Vec<Weight> {
    for weight in &mut weights {
        weight.share = Some(rank.share(&weight.name, weight.elements));
        let Some(node) = weight.gradient else {
            continue;
        };
        let held = all.holders.iter().filter(|it| it.0 == node);
        let mut made: Vec<usize> = match rank.divides_gradients() {
            true => held.map(|it| it.1).collect(),
            false => all.places.iter().filter_map(|it| it[node]).collect(),
        };
        made.order();
        let mut made = made.into_iter();
        weight.gradient = made.next();
        weight.again = match rank.divides_gradients() {
            true => Vec::new(),
            false => made.collect(),
        };
    }
    weights
}

/// The weights of a sized graph, in the order in which they are read first, for a step that was
/// made of it.
pub(in crate::training) fn weights(
    graph: &Graph,
    problem: &Problem,
    recipe: Recipe,
) -> Vec<Weight> {
    if recipe.rule == Rule::Checkmate {
        return of_layers(graph, problem, recipe.frozen);
    }
    let (graph, _) = as_trained(graph, recipe);
    match &problem.joint {
        Some(joint) => {
            let found = of_operators(&graph, recipe.frozen, |_| None);
            of_joint(found, joint)
        }
        None => {
            let mut nodes = Nodes::of(problem);
            of_operators(&graph, recipe.frozen, |op| nodes.gradient(op))
        }
    }
}

/// By Checkmate's rule every number that an operator reads of a constant is a weight, and its
/// gradient is there with that of what the operator writes.
fn of_layers(graph: &Graph, problem: &Problem, frozen: u32) -> Vec<Weight> {
    let gradients = of_values(problem).into_iter().zip(&problem.nodes);
    let gradients = gradients.filter(|(_, node)| !node.packs);
    let gradients: Vec<Option<usize>> = gradients.map(|it| it.0).collect();
    let mut counted = BTreeSet::new();
    let (mut layer, mut with) = (0, 0_u32);
    let mut weights = Vec::new();
    for op in graph.ops.iter().filter(|op| runs(graph, op)) {
        let before = weights.len();
        let mut any = false;
        for id in op.read() {
            let tensor = graph.tensor(id);
            let weight = tensor.role == Role::Constant && tensor.dtype.is_float();
            if !weight || !counted.insert(id.index()) {
                continue;
            }
            let dims = tensor.dims.iter().flatten();
            let elements = dims.fold(1_u64, |all, dim| all.saturating_mul(*dim));
            any |= elements > 0;
            weights.push(Weight {
                name: tensor.name.clone(),
                elements,
                trained: with >= frozen,
                ..Weight::default()
            });
        }
        for weight in &mut weights[before..] {
            let gradient = gradients.get(layer).copied().flatten();
            weight.gradient = gradient.filter(|_| weight.trained);
        }
        with = with.saturating_add(u32::from(any));
        layer += 1;
    }
    weights
}

/// By autograd's rule and in a joint graph weights are what the table of operators says that they
/// train; `gradient` knows which node computes those of an operator.
fn of_operators(
    graph: &Graph,
    frozen: u32,
    mut gradient: impl FnMut(&Op) -> Option<usize>,
) -> Vec<Weight> {
    let mut counted: BTreeSet<TensorId> = BTreeSet::new();
    let mut layers = 0_u32;
    let mut weights = Vec::new();
    for op in graph.ops.iter().filter(|op| runs(graph, op)) {
        let found = weights_of(graph, op);
        if found.is_empty() {
            continue;
        }
        let trained = layers >= frozen;
        layers = layers.saturating_add(1);
        let made = gradient(op).filter(|_| trained);
        for (_, id, elements) in found {
            if counted.insert(id) {
                weights.push(Weight {
                    name: graph.tensor(id).name.clone(),
                    elements,
                    trained,
                    gradient: made,
                    ..Weight::default()
                });
            }
        }
    }
    weights
}

/// A joint graph returns the gradients in the order of its parameters, of which some have none:
/// these are told apart by what they take.
fn of_joint(mut weights: Vec<Weight>, joint: &Joint) -> Vec<Weight> {
    let graph = &joint.graph;
    let trained = weights.iter().enumerate().filter(|(_, it)| it.trained);
    let trained: BTreeMap<String, usize> = trained
        .map(|(index, it)| (it.name.clone(), index))
        .collect();
    let all = graph.backward.len() == trained.len();
    let mut returned = graph.backward.iter().copied().peekable();
    let parameters = graph.nodes.iter();
    for node in parameters.filter(|node| node.class == Class::Parameter) {
        let Some(&weight) = trained.get(&node.name) else {
            continue;
        };
        let own = |it: &usize| all || graph.nodes[*it].bytes == node.bytes;
        let gradient = returned.next_if(own);
        weights[weight].gradient = gradient.and_then(|it| joint.node_of[it]);
    }
    weights
}

/// Whether an operator runs in a step: what writes constants alone was computed before.
fn runs(graph: &Graph, op: &Op) -> bool {
    let known = |id| graph.tensor(id).role == Role::Constant;
    !op.written().all(known)
}

/// The node that computes the gradient of each value of the forward pass: the last one, which is
/// before an activation that was written over it.
fn of_values(problem: &Problem) -> Vec<Option<usize>> {
    let mut gradients = vec![None; problem.forward()];
    for (index, node) in problem.nodes.iter().enumerate() {
        if let Some(gradient) = node.gradient_of.and_then(|it| gradients.get_mut(it)) {
            *gradient = Some(index);
        }
    }
    gradients
}

/// The nodes of a step by autograd's rule, as operators find theirs: in the same order.
struct Nodes<'a> {
    problem: &'a Problem,
    gradients: Vec<Option<usize>>,
    /// Those before it have been found.
    next: usize,
}

impl<'a> Nodes<'a> {
    fn of(problem: &'a Problem) -> Self {
        Self {
            problem,
            gradients: of_values(problem),
            next: 0,
        }
    }

    /// The node that computes the gradients of the weights of `op`: one of their own, else that of
    /// what it writes, after which autograd runs it backwards.
    fn gradient(&mut self, op: &Op) -> Option<usize> {
        let nodes = &self.problem.nodes;
        // An activation that writes over a value has joined its name to it.
        let is = |node: &Node| {
            let rest = node.name.strip_prefix(&*op.name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('+'))
        };
        let mut forward = self.next..self.gradients.len();
        let node = forward.find(|node| is(&nodes[*node]))?;
        self.next = node + 1;
        let gradient = self.gradients[node]?;
        let own = format!("{}.weights.grad", nodes[node].name);
        let apart = nodes.iter().enumerate().skip(gradient);
        let mut apart = apart.filter(|(_, it)| it.phase == Phase::Backward && it.name == own);
        let apart = apart.find(|(_, it)| it.reads.binary_search(&gradient).is_ok());
        Some(apart.map_or(gradient, |(index, _)| index))
    }
}

/// The model's inputs, with names and bytes of all samples.
pub(super) fn inputs(graph: &Graph, batch: u64, recipe: Recipe) -> Vec<(String, Bytes)> {
    let tensors = graph.tensors.iter();
    let given = tensors.filter(|it| matches!(it.role, Role::Input | Role::State));
    let sized = given.filter_map(|tensor| {
        let bytes = tensor.bytes()?.0;
        let half = recipe.precision == Precision::Mixed && tensor.dtype == DType::F32;
        let bytes = if half { bytes / 2 } else { bytes };
        Some((tensor.name.clone(), Bytes(bytes.saturating_mul(batch))))
    });
    sized.collect()
}
