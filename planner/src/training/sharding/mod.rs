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

pub use communication::{Collective, Communication, Group};

use super::Recipe;
use super::backward::{self, Step};
use super::stage::NoStep;
use crate::graph::Graph;

/// The step of a rank of a sized graph, by autograd's rule; a micro-batch has `batch` samples.
///
/// # Errors
/// [`NoStep`], also where the graph cannot be divided so.
pub(super) fn step(graph: &Graph, batch: u64, recipe: Recipe) -> Result<Step, NoStep> {
    backward::step(graph, batch, recipe)
}
