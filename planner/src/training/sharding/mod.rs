//! A training step that is divided among devices: the step of one of them.
//!
//! ```text
//! graph ─pieces─▶ graph of a stage ─tensors─▶ graph of a rank ─backward─▶ step of a micro-batch
//!       ─replicas─▶ with gathers and reductions ─pipeline─▶ step with all micro-batches
//! ```
//!
//! Ranks of one stage hold as much as each other; where something cannot be divided evenly it is
//! that of the rank that holds most.

pub mod communication;
pub mod exchange;
pub mod tensors;

pub use communication::{Collective, Communication, Group};
pub use exchange::{Exchange, Gradients};

use super::backward::{self, Step};
use super::stage::NoStep;
use super::{Recipe, layers};
use crate::graph::Graph;

/// The step of a rank of a sized graph, by autograd's rule; a micro-batch has `batch` samples.
///
/// # Errors
/// [`NoStep`], also where the graph cannot be divided so.
pub(super) fn step(graph: &Graph, batch: u64, recipe: Recipe) -> Result<Step, NoStep> {
    if graph.ops.iter().any(layers::is_layer) {
        return Err(NoStep::OnlyLayers);
    }
    let (graph, recognised) = backward::as_trained(graph, recipe);
    let ranked = tensors::rewritten(&graph, &recipe.sharding).map_err(NoStep::Undivided)?;
    let divided = (&ranked.graph, &ranked.gradients);
    backward::trained(divided, recognised, batch, recipe)
}
