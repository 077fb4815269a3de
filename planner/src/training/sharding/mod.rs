//! A training step that is divided among devices: the step of one of them.
//!
//! ```text
//! graph ─pieces─▶ graph of a stage ─tensors─▶ graph of a rank ─backward─▶ step of a micro-batch
//!       ─replicas─▶ with gathers and reductions ─pipeline─▶ step with all micro-batches
//! ```
//!
//! Ranks of one stage hold as much as each other; where something cannot be divided evenly it is
//! that of the rank that holds most.

pub mod bars;
mod budget;
pub mod closed_forms;
pub mod communication;
mod divided;
mod gathers;
pub mod exchange;
mod parts;
mod pieces;
pub mod pipeline;
mod rank;
mod reductions;
pub mod runtime;
pub mod tensors;

use std::collections::BTreeSet;

pub(super) use budget::under;
pub use communication::{Collective, Communication, Group};
pub use divided::{Count, Divided, Part};
pub use exchange::{Exchange, Gradients};
pub use parts::Parts;
pub(super) use rank::Rank;
pub(super) use runtime::in_bytes;
pub use runtime::{Expanded, expanded};

use super::Recipe;
use super::backward::{self, Step};
use super::estimate;
use super::stage::NoStep;
use crate::graph::{Graph, TensorId};
use crate::operators::Operator;
use crate::schedule::Phase;
use crate::training::backward::weights_of;
use crate::{Message, message};
use pieces::Piece;

/// The step of a rank of a sized graph, by autograd's rule; a micro-batch has `batch` samples.
///
/// # Errors
/// [`NoStep`], also where the graph cannot be divided so.
pub(super) fn step(graph: &Graph, batch: u64, recipe: Recipe) -> Result<Step, NoStep> {
    checked(recipe).map_err(NoStep::Undivided)?;
    let (piece, parts) = piece(graph, recipe)?;
    let mut step = backward::step_of((&piece.graph, &piece.gradients), batch, recipe)?;
    step.recognised = backward::counted(backward::as_trained(graph, recipe).1);
    let divided = divided(&piece, &parts, recipe);
    step.fixed = divided.fixed(recipe).ok_or_else(backward::beyond)?;
    let sum = step.fixed.sum().ok_or_else(backward::beyond)?;
    step.problem.fixed = crate::units::Bytes(sum);
    assign(&mut step, &piece.of_op);
    for weight in estimate::weights(&piece.graph, &step.problem, recipe) {
        let node = weight
            .gradient
            .and_then(|it| step.problem.nodes.get_mut(it));
        if let Some(node) = node {
            node.weights = node.weights.saturating_add(weight.elements);
        }
    }
    step.problem.divided = Some(Box::new(divided));
    Ok(step)
}

/// The graph of a rank, with the parts of the model.
fn piece(graph: &Graph, recipe: Recipe) -> Result<(Piece, Parts), NoStep> {
    let (graph, _) = backward::as_trained(graph, recipe);
    let parts = Parts::of(&graph);
    let mut piece = pieces::piece(&graph, &parts, recipe.sharding).map_err(NoStep::Undivided)?;
    let ranked = tensors::rewritten(&piece.graph, &recipe.sharding).map_err(NoStep::Undivided)?;
    let of_op = ranked.of_op.iter().map(|op| piece.of_op[*op]);
    piece = Piece {
        of_op: of_op.collect(),
        graph: ranked.graph,
        gradients: ranked.gradients,
    };
    Ok((piece, parts))
}

/// Whether a step can be divided as it is chosen, whatever the model is.
fn checked(recipe: Recipe) -> Result<(), Message> {
    let own = recipe.sharding;
    let faults = [
        (
            recipe.set_to_none,
            message!("where a step is divided, gradients stay: leave out set_to_none"),
        ),
        (
            recipe.frozen > 0 && own.pipeline > 1,
            message!("a pipeline is not planned with frozen layers: choose one of both"),
        ),
        (
            own.stage >= own.pipeline,
            message!(
                "stage {} is none of {}: they are numbered from 0",
                own.stage,
                own.pipeline
            ),
        ),
        (
            own.chunks > 1 && own.pipeline == 1,
            message!("one stage has nothing to interleave: choose one chunk, or more stages"),
        ),
        (
            own.chunks > 1 && !own.micro.is_multiple_of(own.pipeline),
            message!(
                "{} stages with several chunks need a multiple of as many micro-batches, not {}",
                own.pipeline,
                own.micro
            ),
        ),
        (
            !own.data.is_multiple_of(own.expert),
            message!(
                "{} replicas cannot divide experts among {}: choose a divisor",
                own.data,
                own.expert
            ),
        ),
    ];
    match faults.into_iter().find(|it| it.0) {
        Some((_, why)) => Err(why),
        None => Ok(()),
    }
}

/// The weights of each part, each counted where it is read first.
fn divided(piece: &Piece, parts: &Parts, recipe: Recipe) -> Divided {
    let graph = &piece.graph;
    let own = recipe.sharding;
    let stages = own.pipeline * own.chunks;
    let chunk = |part: u32| {
        let last = part > parts.layers();
        let at = (0..own.chunks).find(|chunk| {
            let at = chunk * own.pipeline + own.stage;
            pieces::layers(parts.layers(), stages, at).contains(&part)
        });
        at.unwrap_or(if last { own.chunks - 1 } else { 0 })
    };
    let names = parts.names.iter().zip(0..);
    let mut made: Vec<Part> = names
        .map(|(name, part)| Part {
            name: name.clone(),
            chunk: chunk(part),
            ..Part::default()
        })
        .collect();
    let mut counted: BTreeSet<TensorId> = BTreeSet::new();
    let mut layers = 0;
    let after = made.len() - 1;
    for (op, part) in graph.ops.iter().zip(&piece.of_op) {
        let found = weights_of(graph, op);
        if found.is_empty() {
            continue;
        }
        let trained = layers >= recipe.frozen;
        layers += 1;
        let experts = op.is(Operator::GroupedMatMul);
        // What is before and after the layers is gathered at once.
        let part = *part as usize;
        let part = &mut made[if part == after { 0 } else { part }];
        for (_, id, elements) in found {
            if counted.insert(id) {
                part.weights.add(elements, experts);
                let trained = if trained { elements } else { 0 };
                part.trained.add(trained, experts);
                if piece.gradients.contains_key(&id) {
                    part.summed = part.summed.saturating_add(trained);
                }
            }
        }
    }
    Divided {
        sharding: own,
        parts: made,
        each: (recipe.precision.bytes(), recipe.gradient_bytes()),
    }
}

/// Says of each node which part it is of: one of the forward pass that of its operator, a gradient
/// that of the operators through which it comes, which read its value.
fn assign(step: &mut Step, of_op: &[u32]) {
    let forward = step.problem.forward();
    let own: Vec<u32> = step.of_op.iter().map(|op| of_op[*op]).collect();
    let mut of_readers = own.clone();
    for (node, part) in step.problem.nodes[..forward].iter().zip(&own) {
        for &read in &node.reads {
            of_readers[read] = of_readers[read].max(*part);
        }
    }
    let mut before = own.iter().copied().max().unwrap_or(0);
    for (at, node) in step.problem.nodes.iter_mut().enumerate() {
        let gathered = node.reads.first().filter(|_| node.early);
        let gathered = gathered.and_then(|read| of_readers.get(*read));
        node.part = match (own.get(at), node.gradient_of) {
            (Some(part), _) => *part,
            (None, Some(of)) => of_readers[of],
            // It is gathered for those that read it.
            (None, None) if gathered.is_some() => gathered.copied().unwrap_or(before),
            (None, None) => before,
        };
        if node.phase != Phase::Forward {
            before = node.part;
        }
    }
}
