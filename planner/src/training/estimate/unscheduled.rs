//! A training step before a way to run it is chosen: what all ways have in common.

use super::weights::{self, Weight};
use super::{NoEstimate, Scheduled};
use crate::graph::Graph;
use crate::training::backward::Step;
use crate::training::sharding::{Rank, expanded};
use crate::training::{Recipe, Walk, stage};
use crate::units::Bytes;

/// A training step, of a rank that of one micro-batch.
pub(in crate::training) struct Unscheduled {
    pub(in crate::training) step: Step,
    weights: Vec<Weight>,
    /// Names and bytes, of a rank those of a micro-batch.
    inputs: Vec<(String, Bytes)>,
    /// What it holds of the weights, where the step is divided.
    rank: Option<Rank>,
}

impl Unscheduled {
    /// The step of `batch` samples of a sized graph.
    ///
    /// # Errors
    /// [`NoEstimate::NoStep`].
    pub(in crate::training) fn of(
        graph: &Graph,
        batch: u64,
        recipe: Recipe,
    ) -> Result<Self, NoEstimate> {
        let step = stage::step(graph, batch, recipe)?;
        let rank = match step.problem.divided {
            None => None,
            Some(_) => Some(Rank::of(graph, recipe)?),
        };
        let graph = rank.as_ref().map_or(graph, |it| &it.graph);
        Ok(Self {
            weights: weights::weights(graph, &step.problem, recipe),
            inputs: weights::inputs(graph, batch, recipe),
            step,
            rank,
        })
    }

    /// The step as `walk` runs it; of a rank all micro-batches that show what it comes to.
    pub(in crate::training) fn scheduled(&self, walk: Walk) -> Scheduled {
        let own = &self.step;
        let all = self.rank.as_ref().zip(expanded(&own.problem, &walk));
        let Some((rank, all)) = all else {
            return Scheduled {
                step: own.clone(),
                weights: self.weights.clone(),
                inputs: self.inputs.clone(),
                walk,
            };
        };
        let micro = u64::try_from(all.places.len()).unwrap_or(u64::MAX);
        let inputs = self.inputs.iter();
        let inputs = inputs.map(|(name, it)| (name.clone(), Bytes(it.0.saturating_mul(micro))));
        Scheduled {
            weights: weights::of_rank(self.weights.clone(), rank, &all),
            inputs: inputs.collect(),
            step: Step {
                problem: all.problem,
                fixed: own.fixed,
                ..Step::default()
            },
            walk: all.walk,
        }
    }
}
