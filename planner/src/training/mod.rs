//! Training steps under a budget: what is kept from the forward pass, what is computed again
//! in the backward pass, and what each choice costs in bytes and in arithmetic.
//!
//! ```text
//! node   0    1    2    loss   2'      1'           0'
//!        f0   f1   f2   l      b2      f1 again, b1 b0        f1 was not kept
//! ```
//!
//! A [`Problem`] is the step as nodes, each of which writes one value and reads others, in the
//! order in which they first run. A [`Walk`] is one way to run it: compute this node, compute
//! that one again, forget a value. A [`Policy`] makes a walk for a budget; [`cost`] counts what
//! a walk needs, and [`judge`] says whether it can happen, without the policies' code.
//! [`table`] sets policies side by side, and [`stage`] makes a training step of a model: what the
//! backward pass reads is Checkmate's rule ([`layers`]), autograd's ([`backward`]), or what
//! torch.compile traces and keeps ([`joint`]); [`gist`] packs values in between.
//! [`program`] makes of a walk the program that liveness, strategies and the picture take, and
//! [`placements`] says what it needs in addresses, [`switches`] what PyTorch's users are told to do
//! and what that saves, [`devices`] what it runs on, [`swap`] what copying values to the host and
//! back takes, and [`estimate`] what all of it takes on a device before it runs.

pub mod advisor;
pub mod backward;
pub mod choice;
pub mod cost;
pub mod costs;
pub mod devices;
pub mod dtr;
pub mod eager;
pub mod estimate;
pub mod fixed;
pub mod gist;
pub mod joint;
pub mod judge;
pub mod layers;
pub mod matrices;
pub mod model;
pub mod placements;
pub mod policies;
pub mod program;
pub mod sharding;
pub mod stage;
pub mod swap;
pub mod switches;
pub mod table;

use serde::{Deserialize, Serialize};

pub use crate::settings::{Gist, Optimizer, Precision, Rates, Recipe, Rule, Sharding, Sparse};
pub use policies::{Policy, UnknownPolicy};
pub use swap::{Lane, Link};

use crate::operators::Operator;
use crate::schedule::Phase;
use crate::units::Bytes;
use crate::{Message, message};

/// The most nodes of a training step.
pub const MAX_NODES: usize = 1 << 16;
/// The most values that the nodes read, all together.
pub const MAX_READS: usize = 1 << 20;

/// A training step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// What people call it.
    pub name: String,
    /// What is computed, in the order in which it first runs: a node reads values of nodes before
    /// it.
    pub nodes: Vec<Node>,
    /// What stays in memory during the whole step beside the values: weights, their gradients and
    /// what the optimizer keeps.
    pub fixed: Bytes,
    /// How its backward pass was made.
    #[serde(default)]
    pub rule: Rule,
    /// The joint graph that torch.compile's partitioner cuts, where the step was made of one.
    #[serde(default)]
    pub joint: Option<Box<joint::Joint>>,
    /// What values can be swapped over, if anything.
    #[serde(default)]
    pub link: Option<Link>,
    /// How it is divided among devices, of which this is the step of one micro-batch; `None` where
    /// one device has everything.
    #[serde(default)]
    pub divided: Option<Box<sharding::Divided>>,
}

/// What is computed at once, and the value that it writes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// What people call it and its value.
    pub name: String,
    /// The part of the training step.
    pub phase: Phase,
    /// The nodes whose values it reads, ascending, each once. What is always there (the model's
    /// inputs and weights) is not listed.
    pub reads: Vec<usize>,
    /// What its value takes.
    pub bytes: Bytes,
    /// What computing it costs: floating point operations, or any unit that all nodes share.
    pub cost: u64,
    /// Of a gradient, the node whose value it is the gradient of.
    pub gradient_of: Option<usize>,
    /// Whether it may run before nodes that come before it: it belongs to the backward pass, but
    /// reads no gradient, as the mask of a ReLU.
    #[serde(default)]
    pub early: bool,
    /// The operator that it is, of a node of the forward pass, where that is known.
    #[serde(default)]
    pub operator: Operator,
    /// Whether it packs or unpacks a value, which is work that the step itself has not.
    #[serde(default)]
    pub packs: bool,
    /// How its value is written, where devices tell each other.
    #[serde(default)]
    pub communicates: Option<sharding::Communication>,
    /// The part of the model that it is of, where a step is divided among devices: its place in
    /// [`Divided::parts`](sharding::Divided::parts).
    #[serde(default)]
    pub part: u32,
    /// Of how many weights it computes the gradients, where they are no values of nodes and replicas
    /// divide them.
    #[serde(default)]
    pub weights: u64,
}

/// What a walk does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Move {
    /// The node runs. If its value is there already, it is written anew in the same place.
    Compute(usize),
    /// The value of the node is given back.
    Forget(usize),
    /// The value of the node has been copied to the host, and its bytes are given back.
    SwapOut(usize),
    /// Bytes are taken for the value of the node, and a copy from the host begins.
    SwapIn(usize),
}

impl Move {
    /// The node that runs, or whose value it is about.
    #[must_use]
    pub const fn node(self) -> usize {
        match self {
            Self::Compute(node) | Self::Forget(node) => node,
            Self::SwapOut(node) | Self::SwapIn(node) => node,
        }
    }

    /// Whether the value is there after it.
    #[must_use]
    pub const fn brings(self) -> bool {
        matches!(self, Self::Compute(_) | Self::SwapIn(_))
    }
}

/// One way to run a training step.
pub type Walk = Vec<Move>;

/// Why a problem is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProblemError {
    /// The node at fault, if one is.
    pub node: Option<usize>,
    /// What is wrong.
    pub message: Message,
}

impl Problem {
    /// Checks that every node reads values that are computed before it, and that all bytes and
    /// all costs together, each node run as often as there are nodes, fit 64 bits.
    ///
    /// # Errors
    /// The first fault.
    pub fn checked(self) -> Result<Self, ProblemError> {
        let fault = |node, message: Message| ProblemError { node, message };
        if self.nodes.len() > MAX_NODES {
            let message = message!(
                "{} nodes, of which we read at most {}",
                self.nodes.len(),
                MAX_NODES
            );
            return Err(fault(None, message));
        }
        let reads: usize = self.nodes.iter().map(|node| node.reads.len()).sum();
        if reads > MAX_READS {
            let message = message!(
                "{} values are read, of which we read at most {}",
                reads,
                MAX_READS
            );
            return Err(fault(None, message));
        }
        for (index, node) in self.nodes.iter().enumerate() {
            let ascending = node.reads.windows(2).all(|pair| pair[0] < pair[1]);
            if !ascending || node.reads.last().is_some_and(|last| *last >= index) {
                let message = message!("\"{}\" reads what is not computed before it", node.name);
                return Err(fault(Some(index), message));
            }
        }
        let mut bytes = Some(self.fixed.0);
        let mut cost = Some(0_u64);
        for node in &self.nodes {
            bytes = bytes.and_then(|sum| sum.checked_add(node.bytes.0));
            cost = cost.and_then(|sum| sum.checked_add(node.cost));
        }
        let most = self.nodes.len().max(1) as u64;
        if bytes.is_none() || cost.and_then(|sum| sum.checked_mul(most)).is_none() {
            let message = message!("bytes or costs are beyond 64 bits");
            return Err(fault(None, message));
        }
        Ok(self)
    }

    /// The nodes of the forward pass: they come first.
    #[must_use]
    pub fn forward(&self) -> usize {
        let forward = |node: &&Node| node.phase == Phase::Forward;
        self.nodes.iter().take_while(forward).count()
    }

    /// What it costs to run every node once, packing and unpacking aside.
    #[must_use]
    pub fn base_cost(&self) -> u64 {
        let own = self.nodes.iter().filter(|node| !node.packs);
        own.map(|node| node.cost).sum()
    }

    /// The nodes that read the value of each node, ascending.
    #[must_use]
    pub fn readers(&self) -> Vec<Vec<usize>> {
        let mut readers = vec![Vec::new(); self.nodes.len()];
        for (reader, node) in self.nodes.iter().enumerate() {
            for &read in &node.reads {
                readers[read].push(reader);
            }
        }
        readers
    }

    /// What a node needs while it runs: what it reads, and its value.
    #[must_use]
    pub fn working_set(&self, node: usize) -> Bytes {
        let own = &self.nodes[node];
        let read = own.reads.iter().map(|read| self.nodes[*read].bytes.0);
        Bytes(own.bytes.0 + read.sum::<u64>())
    }

    /// The least budget under which the step can run, fixed bytes aside, and the node that sets
    /// it: no schedule runs a node without its working set.
    #[must_use]
    pub fn minimum(&self) -> (Bytes, Option<usize>) {
        let sets = (0..self.nodes.len()).map(|node| (self.working_set(node), node));
        // The first of several.
        let most = sets.fold(None, |most: Option<(Bytes, usize)>, it| match most {
            Some(before) if before.0 >= it.0 => Some(before),
            _ => Some(it),
        });
        most.map_or((Bytes::ZERO, None), |(bytes, node)| (bytes, Some(node)))
    }
}
