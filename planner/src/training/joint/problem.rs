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
    let Traced {
        graph,
        costs,
        gradient_of,
    } = traced;
    let classified = Classified::of(&graph);
    let (forward, follows) = (classified.forward, classified.follows_tangent);
    let count = graph.nodes.len();
    let owns = |node: &usize| {
        let class = graph.nodes[*node].class;
        !class.is_placeholder() && !matches!(class, Class::View | Class::Item)
    };
    let runs_forward = |node: &usize| owns(node) && forward[*node].is_some();
    let first: Vec<usize> = (0..count).filter(runs_forward).collect();
    let tangent = |node: &usize| graph.nodes[*node].class == Class::Tangent;
    let later = |node: &usize| owns(node) && forward[*node].is_none();
    let last: Vec<usize> = (0..count)
        .filter(tangent)
        .chain((0..count).filter(later))
        .collect();
    let loss = first.len();
    let mut node_of = vec![None; count];
    for (at, &node) in first.iter().enumerate() {
        node_of[node] = Some(at);
    }
    for (at, &node) in last.iter().enumerate() {
        node_of[node] = Some(loss + 1 + at);
    }
    for node in 0..count {
        if matches!(graph.nodes[node].class, Class::View | Class::Item) {
            node_of[node] = graph.nodes[node].reads().next().and_then(|it| node_of[it]);
        }
    }
    let stays = stay(&graph, values);
    let made = |node: &usize| {
        let own = &graph.nodes[*node];
        let mut reads: BTreeSet<usize> = own.reads().filter_map(|it| node_of[it]).collect();
        if tangent(node) {
            reads.insert(loss);
            reads.extend(gradient_of[*node].and_then(|it| node_of[it]));
        }
        Node {
            name: own.name.clone(),
            phase: match forward[*node] {
                Some(_) if !tangent(node) => Phase::Forward,
                _ => Phase::Backward,
            },
            reads: reads.into_iter().collect(),
            bytes: stays[*node],
            cost: costs[*node],
            gradient_of: gradient_of[*node].and_then(|it| node_of[it]),
            early: forward[*node].is_none() && !follows[*node],
            operator: match own.operator.as_str() {
                "convolution" => Operator::Conv,
                _ => Operator::Unknown,
            },
            packs: false,
        }
    };
    let mut nodes: Vec<Node> = first.iter().map(made).collect();
    let outputs: BTreeSet<usize> = graph.forward.iter().filter_map(|it| node_of[*it]).collect();
    nodes.push(Node {
        name: "loss".to_owned(),
        phase: Phase::Loss,
        reads: outputs.into_iter().collect(),
        bytes: Bytes(batch.saturating_mul(FLOAT)),
        ..Node::default()
    });
    nodes.extend(last.iter().map(made));
    if values {
        let made = graph.backward.iter().filter_map(|it| node_of[*it]);
        nodes.push(Node {
            name: "update".to_owned(),
            phase: Phase::Update,
            reads: made.collect::<BTreeSet<usize>>().into_iter().collect(),
            ..Node::default()
        });
    }
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
            .filter(|node| forward_runs(&nodes[*node]))
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

/// Whether it is computed from what the forward pass reads.
fn forward_runs(node: &super::JointNode) -> bool {
    !node.class.is_placeholder()
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
