//! The joint graph of a training step, and which of its values torch.compile keeps for the
//! backward pass.
//!
//! ```text
//! forward    x ──▶ pow ──▶ mean ──▶ rsqrt ──▶ mul ──▶ y        kept: x, rsqrt
//!                                     │                        computed again: what is cheap
//! backward   tangent of y ──▶ mul ◀───┘ ──▶ gradient of x
//! ```
//!
//! AOTAutograd traces the forward and the backward pass into one graph; the partitioner cuts it in
//! two, so that what crosses the cut is as few bytes as can be ([`partition`]): a minimum cut in
//! which what is cheap may be computed again and what is not may not (`bans`). With a memory
//! budget a knapsack chooses what of the rest is computed again. As PyTorch 2.15 does it,
//! `torch/_functorch/partitioners.py`; Horace He and Shangdi Yu, "Min-cut optimal(*)
//! recomputation with AOTAutograd" (2022).

mod bans;
mod cut;
mod knapsack;
pub mod partition;
pub(in crate::training) mod problem;
pub(in crate::training) mod trace;

use serde::{Deserialize, Serialize};

use super::backward::{self, Saved, Step};
use super::stage::NoStep;
use super::{Recipe, Rule};
use crate::graph::Graph;
use crate::units::Bytes;

pub use problem::Joint;

/// A forward pass and its backward pass as one graph.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JointGraph {
    /// The nodes in the order in which they run: a node reads nodes before it.
    pub nodes: Vec<JointNode>,
    /// The nodes that the forward pass returns, as often as it does.
    pub forward: Vec<usize>,
    /// The nodes that the backward pass returns: gradients.
    pub backward: Vec<usize>,
}

/// A node of a joint graph and what it writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JointNode {
    /// What people call it and its value.
    pub name: String,
    /// The operator, as PyTorch calls it.
    pub operator: String,
    /// What the partitioner takes it for.
    pub class: Class,
    /// What it writes, all results together.
    pub bytes: Bytes,
    /// Whether it writes several tensors, which only its items can be kept of.
    pub several: bool,
    /// Whether it views the storage of an input.
    pub of_input: bool,
    /// What the partitioner's estimator says that it costs to compute: floating point operations
    /// of products, 1 for all else.
    pub runtime: u64,
    /// The operands that stand for themselves, as often as they are read.
    pub operands: Vec<usize>,
    /// The operands that stand in lists, as those of a concatenation, or are given by keyword.
    pub listed: Vec<usize>,
}

/// What the partitioner takes a node for: its lists of operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// An input of the forward pass.
    Input,
    /// A parameter: it stays in any case, so that keeping it is free.
    Parameter,
    /// The gradient of an output, an input of the backward pass.
    Tangent,
    /// A view of its operand.
    View,
    /// Arithmetic element by element, reductions, indexing: may be computed again.
    Recomputable,
    /// Draws random numbers: may be fused, never computed again.
    Random,
    /// Products, convolutions, attention.
    ComputeIntensive,
    /// A concatenation: what it joins may be written in its place.
    Concatenation,
    /// One of the results of a node that has several.
    Item,
    /// All other operators: on no list.
    Other,
}

impl Class {
    /// Whether it comes into the graph from outside.
    #[must_use]
    pub const fn is_placeholder(self) -> bool {
        matches!(self, Self::Input | Self::Parameter | Self::Tangent)
    }

    /// Whether it is an input of the forward pass.
    #[must_use]
    pub const fn is_primal(self) -> bool {
        matches!(self, Self::Input | Self::Parameter)
    }

    /// Whether the list of what may be computed again has it.
    const fn is_recomputable(self) -> bool {
        matches!(self, Self::View | Self::Recomputable | Self::Item)
    }

    /// Whether it can be one kernel with another such.
    const fn is_fusible(self) -> bool {
        self.is_recomputable() || matches!(self, Self::Random)
    }
}

impl JointNode {
    /// Every node that it reads; one may be there more than once.
    pub fn reads(&self) -> impl Iterator<Item = usize> + '_ {
        self.operands.iter().chain(&self.listed).copied()
    }
}

/// A joint graph with what follows from its edges.
#[derive(Clone, Debug)]
pub struct Classified<'a> {
    pub(super) graph: &'a JointGraph,
    /// The nodes that read each node, ascending, each once.
    pub(super) users: Vec<Vec<usize>>,
    /// Whether a node is returned by either pass.
    pub(super) returned: Vec<bool>,
    /// The place of each node among those that the forward pass needs; `None` of others.
    pub(super) forward: Vec<Option<usize>>,
    /// Whether a node follows from a tangent, so that only the backward pass can compute it.
    pub(super) follows_tangent: Vec<bool>,
    /// Whether the backward pass returns a node that follows from no tangent.
    pub(super) needed_backward: Vec<bool>,
    /// How many edges lead from a node of the forward pass to the backward pass at least; [`FAR`]
    /// where none do.
    pub(super) distance: Vec<u64>,
}

/// The distance of what does not lead to the backward pass.
pub(super) const FAR: u64 = 1_000_000_000;

impl<'a> Classified<'a> {
    /// Sorts the nodes of `graph`: who reads what, what the forward pass needs, what follows from
    /// a tangent.
    #[must_use]
    pub fn of(graph: &'a JointGraph) -> Self {
        let count = graph.nodes.len();
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); count];
        let mut follows_tangent = vec![false; count];
        for (index, node) in graph.nodes.iter().enumerate() {
            follows_tangent[index] |= node.class == Class::Tangent;
            for read in node.reads() {
                if users[read].last() != Some(&index) {
                    users[read].push(index);
                }
                follows_tangent[index] |= follows_tangent[read];
            }
        }
        let mut needed: Vec<bool> = graph.nodes.iter().map(|it| it.class.is_primal()).collect();
        graph.forward.iter().for_each(|node| needed[*node] = true);
        for index in (0..count)
            .rev()
            .filter(|it| !graph.nodes[*it].class.is_primal())
        {
            if needed[index] {
                graph.nodes[index]
                    .reads()
                    .for_each(|read| needed[read] = true);
            }
        }
        let mut order = 0..;
        let place = |needed: &bool| needed.then(|| order.next()).flatten();
        let forward: Vec<Option<usize>> = needed.iter().map(place).collect();
        let mut returned = vec![false; count];
        let mut needed_backward = vec![false; count];
        graph.forward.iter().for_each(|node| returned[*node] = true);
        for &node in &graph.backward {
            returned[node] = true;
            needed_backward[node] = !follows_tangent[node];
        }
        let mut distance = vec![0; count];
        for index in (0..count).rev().filter(|it| forward[*it].is_some()) {
            let nearest = users[index].iter().map(|user| distance[*user]).min();
            distance[index] = nearest.map_or(FAR, |nearest: u64| FAR.min(nearest + 1));
        }
        Self {
            graph,
            users,
            returned,
            forward,
            follows_tangent,
            needed_backward,
            distance,
        }
    }

    /// Whether `a` and `b`, which reads it, can be one kernel. What is joined is written where the
    /// whole lies, but a concatenation is no start of a kernel.
    pub(super) fn is_fusible(&self, a: usize, b: usize) -> bool {
        let [a, b] = [a, b].map(|node| self.graph.nodes[node].class);
        b == Class::Concatenation || (a.is_fusible() && b.is_fusible())
    }

    /// The nodes of the forward pass that read `node`, each with its place there.
    pub(super) fn forward_users(&self, node: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let users = self.users[node].iter();
        users.filter_map(|user| Some((self.forward[*user]?, *user)))
    }
}

/// The training step of `batch` samples of a sized graph as torch.compile traces it. What is saved
/// is what the usual cut keeps.
///
/// # Errors
/// [`NoStep::OnlyLayers`], [`NoStep::Unsized`] or [`NoStep::TooLarge`].
pub(super) fn step(graph: &Graph, batch: u64, recipe: Recipe) -> Result<Step, NoStep> {
    let eager = Recipe {
        rule: Rule::Autograd,
        in_place: false,
        ..recipe
    };
    let eager = backward::step(graph, batch, eager)?;
    let (graph, _) = backward::as_trained(graph, recipe);
    let traced = trace::trace(&graph, batch, recipe)?;
    let fixed = eager.problem.fixed;
    let made = problem::problem(traced, &graph.name, batch, fixed, recipe.set_to_none);
    let problem = made.map_err(|error| NoStep::TooLarge(error.message))?;
    let saved = problem.joint.as_ref().map(|joint| usual(&joint.graph));
    Ok(Step {
        problem,
        saved: saved.unwrap_or_default(),
        ..eager
    })
}

/// What the usual cut keeps, without parameters, each with the nodes of the backward pass that read
/// it.
fn usual(graph: &JointGraph) -> Vec<Saved> {
    let Ok(partitioner) = partition::Partitioner::new(graph) else {
        return Vec::new();
    };
    let saved = partitioner
        .saved(1.0, partition::Solver::Dp)
        .unwrap_or_default();
    let own = |node: &&usize| graph.nodes[**node].class != Class::Parameter;
    let saved = saved.iter().filter(own).map(|&node| {
        let it = &graph.nodes[node];
        let readers = partitioner.backward_users(node);
        Saved {
            name: it.name.clone(),
            bytes: it.bytes,
            input: it.class == Class::Input,
            by: readers.map(|it| graph.nodes[it].name.clone()).collect(),
        }
    });
    saved.collect()
}
