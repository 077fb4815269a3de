//! What an operator of the forward pass costs, in floating point operations.
//!
//! A multiplication with its addition counts as one, as in Checkmate's cost model (its artifact,
//! `extraction_hooks.py`): its published figures follow from that.
//!
//! | operators | operations |
//! |---|---|
//! | convolutions | elements of the output × elements of the kernel that make one |
//! | transposed convolutions | elements of the input × elements of the kernel that take part |
//! | matrix products | elements of the output × the dimension that is summed over |
//! | Einsum | product of the sizes of all indices of its equation |
//! | attention | elements of queries and output × number of keys; projections as matrix products |
//! | recurrent layers | steps × samples × elements of both kernels |
//! | normalisations | 4 × elements of the input |
//! | what moves or pools elements | 0 |
//! | layers of a training problem | what the file says |
//! | everything else | elements of the inputs that are no constants |

use std::collections::BTreeMap;

use super::layers;
use crate::graph::{Graph, Op, Role, TensorId};
use crate::operators::{Cost, Operator};

/// What `op` costs; dimensions that are not known count as nothing.
#[must_use]
pub fn flops(graph: &Graph, op: &Op) -> u64 {
    let dims = |id: TensorId| graph.tensor(id).dims.as_deref().unwrap_or_default();
    let elements = |id: TensorId| product(dims(id));
    let input = |index: usize| op.inputs.get(index).copied().flatten();
    let made: u64 = op.written().map(elements).fold(0, u64::saturating_add);
    let weight = |index| input(index).map_or(&[][..], dims);
    match op.facts().cost {
        Cost::Layer => {
            let flops = op.int(layers::FLOPS).unwrap_or_default();
            u64::try_from(flops).unwrap_or_default()
        }
        Cost::Free => 0,
        Cost::Convolution => made.saturating_mul(product(weight(1).get(1..).unwrap_or_default())),
        Cost::DepthwiseConvolution => {
            let window = weight(1).get(1..3).unwrap_or_default();
            made.saturating_mul(product(window))
        }
        Cost::TransposedConvolution => {
            let kernel = product(weight(1).get(1..).unwrap_or_default());
            input(0).map_or(0, elements).saturating_mul(kernel)
        }
        Cost::TransposeConv => {
            let [out, height, width, _] = *weight(1) else {
                return made;
            };
            let read = input(2).map_or(0, elements);
            read.saturating_mul(product(&[out, height, width]))
        }
        Cost::Product => made.saturating_mul(summed(op, input(0).map_or(&[][..], dims))),
        Cost::Einsum => einsum(graph, op).unwrap_or(made),
        Cost::PackedAttention => {
            let weights = weight(1);
            let projected = weights.last().copied().unwrap_or(0);
            let (read, keys) = (input(0).map_or(0, elements), sequence(weight(0)));
            let products = made.saturating_mul(2).saturating_mul(keys);
            read.saturating_mul(projected).saturating_add(products)
        }
        Cost::Attention => {
            let before = input(4).map_or(0, |id| sequence(dims(id)));
            let keys = sequence(weight(1)).saturating_add(before);
            let first = op.outputs.first().copied().flatten().map_or(0, elements);
            let queries = input(0).map_or(0, elements);
            queries.saturating_add(first).saturating_mul(keys)
        }
        Cost::ScaledDotProductAttention => {
            let keys = input(2).map_or(1, |id| sequence(dims(id)));
            let queries = input(0).map_or(0, elements);
            queries.saturating_add(made).saturating_mul(keys)
        }
        // Each number of both kernels takes part in each step of each sample.
        Cost::Recurrent => {
            let kernels = product(weight(1)).saturating_add(product(weight(2)));
            let steps = product(weight(0).get(..2).unwrap_or_default());
            kernels.saturating_mul(steps)
        }
        Cost::Normalisation => input(0).map_or(0, elements).saturating_mul(4),
        Cost::Reads => {
            let fed = op
                .read()
                .filter(|id| graph.tensor(*id).role != Role::Constant);
            fed.map(elements).fold(0, u64::saturating_add)
        }
    }
}

/// Whether an operator is a convolution; a layer of a training problem by its name.
#[must_use]
pub fn is_convolution(operator: Operator) -> bool {
    matches!(
        operator.facts().cost,
        Cost::Convolution
            | Cost::DepthwiseConvolution
            | Cost::TransposedConvolution
            | Cost::TransposeConv
    )
}

/// Whether a layer is called a convolution.
#[must_use]
pub fn is_named_convolution(name: &str) -> bool {
    name.to_ascii_lowercase().contains("conv")
}

/// How many positions a tensor of queries or keys has: its last but one dimension.
fn sequence(dims: &[u64]) -> u64 {
    dims.iter().rev().nth(1).copied().unwrap_or(1)
}

/// The product of the sizes of all indices of an equation; `None` of one that cannot be read.
fn einsum(graph: &Graph, op: &Op) -> Option<u64> {
    let equation: String = op.text("equation")?.split_whitespace().collect();
    let terms = equation.split("->").next()?.split(',');
    let mut sizes: BTreeMap<String, u64> = BTreeMap::new();
    for (term, id) in terms.zip(&op.inputs) {
        let dims = graph.tensor((*id)?).dims.as_deref()?;
        let letters = term.replace("...", "");
        let (before, after) = match term.split_once("...") {
            Some((before, after)) => (before.len(), after.len()),
            None => (letters.len(), 0),
        };
        // The dots stand for all that is between, counted from the end.
        let between = dims.len().checked_sub(before + after)?;
        let dots = (0..between).rev().map(|at| format!(".{at}"));
        let names = letters.chars().map(String::from);
        let mut names: Vec<String> = names.collect();
        names.splice(before..before, dots);
        for (name, dim) in names.into_iter().zip(dims) {
            let size = sizes.entry(name).or_insert(1);
            *size = (*size).max(*dim);
        }
    }
    let sizes: Vec<u64> = sizes.into_values().collect();
    Some(product(&sizes))
}

/// The dimension of the first operand that a matrix product sums over.
fn summed(op: &Op, first: &[u64]) -> u64 {
    let turned = op.int("transA").unwrap_or_default() != 0;
    let at = if turned { first.first() } else { first.last() };
    at.copied().unwrap_or(1)
}

fn product(dims: &[u64]) -> u64 {
    dims.iter().fold(1, |all, dim| all.saturating_mul(*dim))
}
