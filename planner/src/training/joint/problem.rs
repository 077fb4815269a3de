//! A joint graph as a training step, and the walk that a partition of it is.
//!
//! A view shares the memory of what it views, and the results of one node lie in its value, so that
//! neither is a node of the step. Every other node's result is in memory until it was read last, as
//! where PyTorch runs the graph node by node (`backend="aot_eager"`); that Inductor makes one kernel
//! of several nodes, whose results in between take no memory, is not counted.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::trace::Traced;
use super::{Class, Classified, JointGraph};
use crate::operators::Operator;
use crate::schedule::Phase;
use crate::training::backward::FLOAT;
use crate::training::{Move, Node, Problem, ProblemError, Rule, Walk};
use crate::units::Bytes;

/// A joint graph and where its nodes are in the training step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Joint {
    /// The graph.
    pub graph: JointGraph,
    /// The node of the step whose value holds what each node writes; `None` for inputs and
    /// parameters.
    pub node_of: Vec<Option<usize>>,
    /// The node of the loss.
    pub loss: usize,
}

/// The order of a step's nodes: those of the forward pass, the loss, the gradients of what it reads,
/// all others.
struct Order {
    forward: Vec<usize>,
    backward: Vec<usize>,
    /// See [`Joint::node_of`].
    node_of: Vec<Option<usize>>,
}

impl Order {
    fn of(classified: &Classified<'_>) -> Self {
        let nodes = &classified.graph.nodes;
        let is_seen = |class: Class| matches!(class, Class::View | Class::Item);
        let owns = |node: &usize| {
            let class = nodes[*node].class;
            !class.is_placeholder() && !is_seen(class)
        };
        let all = || 0..nodes.len();
        let runs_forward = |node: &usize| owns(node) && classified.forward[*node].is_some();
        let forward: Vec<usize> = all().filter(runs_forward).collect();
        let tangent = |node: &usize| nodes[*node].class == Class::Tangent;
        let later = |node: &usize| owns(node) && classified.forward[*node].is_none();
        let backward: Vec<usize> = all().filter(tangent).chain(all().filter(later)).collect();
        let mut node_of = vec![None; nodes.len()];
        for (at, &node) in forward.iter().enumerate() {
            node_of[node] = Some(at);
        }
        for (at, &node) in backward.iter().enumerate() {
            node_of[node] = Some(forward.len() + 1 + at);
        }
        for node in all().filter(|node| is_seen(nodes[*node].class)) {
            node_of[node] = nodes[node].reads().next().and_then(|it| node_of[it]);
        }
        Self {
            forward,
            backward,
            node_of,
        }
    }

    /// The node of the step that a node of the graph is, and what its value takes.
    fn node(
        &self,
        traced: &Traced,
        classified: &Classified<'_>,
        (node, bytes): (usize, Bytes),
    ) -> Node {
        let own = &traced.graph.nodes[node];
        let of = traced.gradient_of[node].and_then(|it| self.node_of[it]);
        let mut reads: BTreeSet<usize> = own.reads().filter_map(|it| self.node_of[it]).collect();
        let is_tangent = own.class == Class::Tangent;
        if is_tangent {
            reads.insert(self.forward.len());
            reads.extend(of);
        }
        let runs_forward = classified.forward[node].is_some();
        Node {
            name: own.name.clone(),
            phase: match runs_forward && !is_tangent {
                true => Phase::Forward,
                false => Phase::Backward,
            },
            reads: reads.into_iter().collect(),
            bytes,
            cost: traced.costs[node],
            gradient_of: of,
            early: !runs_forward && !classified.follows_tangent[node],
            operator: match own.operator.as_str() {
                "convolution" => Operator::Conv,
                _ => Operator::Unknown,
            },
            ..Node::default()
        }
    }
}

/// The training step of a joint graph for `batch` samples. Gradients of weights take memory of
/// their own if they are `values` of the step, else they are added to what stays.
///
/// # Errors
/// Numbers beyond 64 bits, too many nodes.
pub(in crate::training) fn problem(
    traced: Traced,
    name: &str,
    batch: u64,
    fixed: Bytes,
    values: bool,
) -> Result<Problem, ProblemError> {
    let classified = Classified::of(&traced.graph);
    let order = Order::of(&classified);
    let stays = stay(&traced.graph, values);
    let made = |node: &usize| order.node(&traced, &classified, (*node, stays[*node]));
    let mut nodes: Vec<Node> = order.forward.iter().map(made).collect();
    let of = |list: &[usize]| -> Vec<usize> {
        let list = list.iter().filter_map(|it| order.node_of[*it]);
        list.collect::<BTreeSet<usize>>().into_iter().collect()
    };
    nodes.push(Node {
        name: "loss".to_owned(),
        phase: Phase::Loss,
        reads: of(&traced.graph.forward),
        bytes: Bytes(batch.saturating_mul(FLOAT)),
        ..Node::default()
    });
    nodes.extend(order.backward.iter().map(made));
    if values {
        nodes.push(Node {
            name: "update".to_owned(),
            phase: Phase::Update,
            reads: of(&traced.graph.backward),
            ..Node::default()
        });
    }
    let (loss, node_of) = (order.forward.len(), order.node_of);
    let graph = traced.graph;
    let joint = Joint {
        graph,
        node_of,
        loss,
    };
    let problem = Problem {
        name: name.to_owned(),
        nodes,
        fixed,
        rule: Rule::Compile,
        joint: Some(Box::new(joint)),
        ..Problem::default()
    };
    problem.checked()
}

/// What each node's value takes: of one with several results those that are no gradients of
/// weights, unless these are values too. What is viewed on the way to a gradient of a weight is it.
fn stay(graph: &JointGraph, values: bool) -> Vec<Bytes> {
    let mut bytes: Vec<Bytes> = graph.nodes.iter().map(|node| node.bytes).collect();
    if values {
        return bytes;
    }
    let mut read = vec![0_usize; graph.nodes.len()];
    for node in &graph.nodes {
        node.reads().for_each(|it| read[it] += 1);
    }
    for &returned in &graph.backward {
        let mut at = returned;
        // A gradient that something else reads is a value all the same.
        while graph.nodes[at].class == Class::View && read[at] == 0 {
            let Some(&under) = graph.nodes[at].operands.first() else {
                break;
            };
            if read[under] > 1 {
                break;
            }
            read[under] = 0;
            at = under;
        }
        if read[at] > 0 || graph.nodes[at].class.is_placeholder() {
            continue;
        }
        match graph.nodes[at].class {
            Class::Item => {
                let several = graph.nodes[at].operands[0];
                bytes[several].0 = bytes[several].0.saturating_sub(graph.nodes[at].bytes.0);
            }
            _ => bytes[at] = Bytes::ZERO,
        }
    }
    bytes
}

impl Joint {
    /// The walk of a partition: the forward pass computes what it returns and what is `saved`; the
    /// backward pass computes again what it needs of the rest, each just before it is read first,
    /// as `reordering_to_mimic_autograd_engine` orders it.
    #[must_use]
    pub fn walk(&self, problem: &Problem, saved: &[usize]) -> Walk {
        let nodes = &self.graph.nodes;
        let mut kept = vec![false; nodes.len()];
        saved.iter().for_each(|node| kept[*node] = true);
        let mut forward = vec![false; nodes.len()];
        let outputs = self.graph.forward.iter().chain(saved);
        outputs.for_each(|node| forward[*node] = true);
        for node in (0..nodes.len())
            .rev()
            .filter(|node| !nodes[*node].class.is_placeholder())
        {
            if forward[node] {
                nodes[node].reads().for_each(|read| forward[read] = true);
            }
        }
        let mut runs: Vec<usize> = Vec::new();
        let own = |node: usize| {
            let class = nodes[node].class;
            let value = !class.is_placeholder() && !matches!(class, Class::View | Class::Item);
            self.node_of[node].filter(|_| value)
        };
        runs.extend((0..nodes.len()).filter(|it| forward[*it]).filter_map(own));
        runs.push(self.loss);
        let tangents = (0..nodes.len()).filter(|it| nodes[*it].class == Class::Tangent);
        runs.extend(tangents.filter_map(|it| self.node_of[it]));
        runs.extend(self.backward(&kept).into_iter().filter_map(own));
        if problem
            .nodes
            .last()
            .is_some_and(|node| node.phase == Phase::Update)
        {
            runs.push(problem.nodes.len() - 1);
        }
        forgetting(problem, &runs)
    }

    /// What the backward pass runs, in its order.
    fn backward(&self, kept: &[bool]) -> Vec<usize> {
        let nodes = &self.graph.nodes;
        let given = |node: usize| kept[node] || nodes[node].class.is_placeholder();
        let mut needed = vec![false; nodes.len()];
        self.graph
            .backward
            .iter()
            .for_each(|node| needed[*node] = true);
        for node in (0..nodes.len()).rev() {
            if needed[node] && !given(node) {
                nodes[node].reads().for_each(|read| needed[read] = true);
            }
        }
        let tangent = |node: &usize| nodes[*node].class == Class::Tangent;
        let reads_tangent =
            |node: &usize| needed[*node] && nodes[*node].reads().any(|it| tangent(&it));
        let first = (0..nodes.len()).find(reads_tangent).unwrap_or(0);
        let mut done: Vec<bool> = (0..nodes.len()).map(given).collect();
        let mut order = Vec::new();
        for node in (first..nodes.len()).filter(|node| needed[*node]) {
            let mut stack = vec![node];
            let mut found = BTreeSet::new();
            while let Some(node) = stack.pop() {
                if !done[node] && found.insert(node) {
                    stack.extend(nodes[node].reads());
                }
            }
            found.iter().for_each(|node| done[*node] = true);
            order.extend(found);
        }
        order
    }
}

/// These runs one after the other, each value forgotten after the run that reads it last.
fn forgetting(problem: &Problem, runs: &[usize]) -> Walk {
    let mut walk = Vec::new();
    let mut needed = vec![false; problem.nodes.len()];
    for &node in runs.iter().rev() {
        // From the end to the start: what nobody reads from here on goes.
        if !needed[node] {
            walk.push(Move::Forget(node));
        }
        for &read in problem.nodes[node].reads.iter().rev() {
            if read != node && !std::mem::replace(&mut needed[read], true) {
                walk.push(Move::Forget(read));
            }
        }
        walk.push(Move::Compute(node));
        needed[node] = false;
    }
    walk.reverse();
    walk
}
