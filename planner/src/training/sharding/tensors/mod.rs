//! The graph of one device, of a graph whose tensors have sizes: weights and activations in parts, and
//! operators where devices tell each other.
//!
//! | divided | how | file |
//! |---|---|---|
//! | products and what is between them | columns, heads, rows; sums over devices | `regions.rs` |
//! | tokens of a sequence, all the way | keys and values are gathered | `tokens.rs` |
//! | tokens where products are not divided | gathered before products, sums scattered after | both |
//! | experts | rows go to their expert, and back | `experts.rs` |
//!
//! What follows for the tensors of an operator where one of them is divided is said once for
//! all of these (`relations.rs`), in sizes before anything is divided. Names say nothing: graphs of
//! files and those that are generated go the same way.
//!
//! Sizes alone count, as the graph is planned and never run: constants that say shapes keep the old
//! ones.

mod experts;
mod moves;
mod part;
mod products;
mod regions;
mod relations;
mod tokens;
mod writer;

use crate::graph::{Graph, Op, Role};
use crate::operators::{Effect, Operator};
use crate::settings::Sharding;
use crate::training::sharding::Gradients;
use crate::{Message, message};
use regions::{Inside, Regions};
use tokens::Tokens;

/// The graph of one device.
#[derive(Clone, Debug, Default)]
pub struct Ranked {
    /// The graph, with operators that communicate.
    pub graph: Graph,
    /// The tensors whose gradients come from other devices, too, beside those that such an operator
    /// reads.
    pub gradients: Gradients,
    /// For each operator the one of the graph before that it is, or was put beside.
    pub of_op: Vec<usize>,
}

/// Among how many devices what is divided.
#[derive(Clone, Copy, Debug)]
struct Degrees {
    tensor: u32,
    /// Whether a tensor group divides tokens where it divides no products.
    sequence: bool,
    context: u32,
}

/// The graph of one device. Where tensors are divided unevenly it is a device that has most.
///
/// # Errors
/// Where what is to be divided cannot be.
pub fn rewritten(graph: &Graph, sharding: &Sharding) -> Result<Ranked, Message> {
    let degrees = Degrees {
        tensor: sharding.tensor.max(1),
        sequence: sharding.sequence && sharding.tensor > 1,
        context: sharding.context.max(1),
    };
    let (before, of_op) = match sharding.expert {
        0 | 1 => (graph.clone(), (0..graph.ops.len()).collect()),
        devices => experts::divided(graph, devices)?,
    };
    if degrees.tensor == 1 && degrees.context == 1 {
        return Ok(Ranked {
            graph: before,
            of_op,
            ..Ranked::default()
        });
    }
    let graph = &before;
    let fixed = fixed(graph);
    let mut regions = Regions::default();
    if degrees.tensor > 1 {
        regions = Regions::of(graph, &fixed, u64::from(degrees.tensor));
        if !regions.any {
            return Err(message!(
                "no product can be divided among {} devices: choose a number that divides heads, \
                 and the size between the products of a feed-forward part",
                degrees.tensor
            ));
        }
    }
    if degrees.tensor > 1
        && graph
            .ops
            .iter()
            .zip(&regions.ops)
            .any(|it| stays_whole(graph, it))
    {
        return Err(message!(
            "attention cannot be divided among {} devices: choose a number that divides the heads of \
             queries and those of keys and values",
            degrees.tensor
        ));
    }
    let mut tokens = Tokens::default();
    if degrees.sequence || degrees.context > 1 {
        let tensor = if degrees.sequence { degrees.tensor } else { 1 };
        let devices = u64::from(degrees.context) * u64::from(tensor);
        tokens = Tokens::of(graph, &fixed, devices)?;
    }
    let mut made = writer::written(graph, &regions, &tokens, degrees);
    made.of_op.iter_mut().for_each(|op| *op = of_op[*op]);
    Ok(made)
}

/// Whether this is attention of several heads that no region has: every device would compute all of it.
fn stays_whole(graph: &Graph, (op, inside): (&Op, &Option<Inside>)) -> bool {
    let read = op.inputs.first().copied().flatten();
    let dims = read.and_then(|id| graph.tensor(id).dims.as_deref());
    // Attention in parts: probabilities of samples × heads × queries × keys, heads in groups or not.
    let several = |dims: &[u64]| match dims {
        [_, heads @ .., queries, keys] => {
            heads.iter().any(|it| *it > 1) && *queries > 1 && *keys > 1
        }
        _ => false,
    };
    let by_heads = dims.is_some_and(several);
    let attends = op.is(Operator::Attention) || op.is(Operator::Softmax) && by_heads;
    attends && inside.is_none() && graph.runs(op)
}

/// Whether the elements of each tensor hang on nothing but constants.
fn fixed(graph: &Graph) -> Vec<bool> {
    let mut fixed: Vec<bool> = graph
        .tensors
        .iter()
        .map(|it| it.role == Role::Constant)
        .collect();
    for op in &graph.ops {
        let from_constants = op.read().all(|id| fixed[id.index()]);
        let made = from_constants && op.read().next().is_some();
        if made && op.facts().effect == Effect::None {
            op.written().for_each(|id| fixed[id.index()] = true);
        }
    }
    fixed
}
