//! What a rank holds of the weights of a model.

use std::collections::BTreeSet;

use super::divided::Count;
use crate::graph::Graph;
use crate::operators::Operator;
use crate::training::backward::weights_of;
use crate::training::estimate::Share;
use crate::training::stage::NoStep;
use crate::training::{Recipe, Sharding};

/// A rank's graph and what it holds of its weights.
pub(in crate::training) struct Rank {
    /// The graph.
    pub(in crate::training) graph: Graph,
    sharding: Sharding,
    /// The weights of experts, by name.
    experts: BTreeSet<String>,
}

impl Rank {
    /// That of a sized graph.
    ///
    /// # Errors
    /// [`NoStep`] as for the step.
    pub(in crate::training) fn of(graph: &Graph, recipe: Recipe) -> Result<Self, NoStep> {
        let graph = super::piece(graph, recipe)?.0.graph;
        let experts = graph.ops.iter().filter(|op| op.is(Operator::GroupedMatMul));
        let experts = experts.flat_map(|op| weights_of(&graph, op));
        let experts = experts.map(|it| graph.tensor(it.1).name.clone()).collect();
        Ok(Self {
            sharding: recipe.sharding,
            experts,
            graph,
        })
    }

    /// What it holds of a weight of so many elements.
    pub(in crate::training) fn share(&self, name: &str, elements: u64) -> Share {
        let mut count = Count::default();
        count.add(elements, self.experts.contains(name));
        let held = |zero| match self.sharding.zero >= zero {
            true => count.share(self.sharding),
            false => elements,
        };
        Share {
            weights: held(3),
            gradients: held(2),
            states: held(1),
        }
    }

    /// Whether replicas divide gradients.
    pub(in crate::training) fn divides_gradients(&self) -> bool {
        self.sharding.zero > 1
    }
}
