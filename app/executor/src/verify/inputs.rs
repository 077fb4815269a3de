//! What a run is fed with: the caller's elements, or seeded ones that every operator can take.

use planner::Bytes;
use planner::graph::{DType, Graph, Op, TensorId};

use crate::elements;
use crate::recording::WORD;
use crate::supply;

/// Where the elements of the graph's inputs come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inputs {
    /// Seeded random elements for all of them.
    Seeded(u64),
    /// Words per input, by position; seeded ones where there are none.
    Given(Vec<Option<Vec<u32>>>),
}

/// The words of every input of `graph`, by position; none for an input without a size.
#[must_use]
pub fn words(graph: &Graph, inputs: &Inputs) -> Vec<Vec<u32>> {
    let (seed, given) = match inputs {
        Inputs::Seeded(seed) => (*seed, &[][..]),
        Inputs::Given(given) => (0, given.as_slice()),
    };
    let of = |(position, &id): (usize, &TensorId)| match given.get(position) {
        Some(Some(words)) => words.clone(),
        Some(None) | None => {
            // Two inputs of one shape must differ.
            let salt = (position as u64).wrapping_mul(0xa076_1d64_78bd_642f);
            seeded(graph, id, seed ^ salt)
        }
    };
    graph.inputs.iter().enumerate().map(of).collect()
}

/// Seeded words for one input: floats of deviation 1, truth values, and integers that index
/// whatever they are used to index.
#[must_use]
pub fn seeded(graph: &Graph, input: TensorId, seed: u64) -> Vec<u32> {
    let tensor = graph.tensor(input);
    let elements = tensor.dims.as_ref().and_then(|dims| {
        let mut dims = dims.iter();
        dims.try_fold(1_u64, |product, &dim| product.checked_mul(dim))
    });
    let small = |bytes: &Bytes| bytes.0.div_ceil(WORD) <= u64::from(u32::MAX);
    let (Some(elements), Some(_)) = (elements, tensor.bytes().filter(small)) else {
        return Vec::new();
    };
    let Ok(count) = u32::try_from(elements) else {
        return Vec::new();
    };
    let below = below(graph, input);
    if elements::runs(tensor.dtype) {
        supply::seeded_words(tensor.dtype, seed, count, below)
    } else {
        Vec::new()
    }
}

/// What the integers of `input` must stay below: the smallest axis that they index, and 2
/// where they index none.
#[must_use]
pub fn below(graph: &Graph, input: TensorId) -> u64 {
    if graph.tensor(input).dtype == DType::Bool {
        return 2;
    }
    let mut limits = Vec::new();
    let mut open = vec![input];
    let mut seen = vec![input];
    while let Some(id) = open.pop() {
        for op in &graph.ops {
            let positions = (0..op.inputs.len()).filter(|&at| op.inputs[at] == Some(id));
            for position in positions {
                limits.extend(indexed(graph, op, position));
                if position == 0 && op.facts().passes_on {
                    for output in op.written() {
                        if !seen.contains(&output) {
                            seen.push(output);
                            open.push(output);
                        }
                    }
                }
            }
        }
    }
    limits.into_iter().min().unwrap_or(2).max(1)
}

/// The size of the axis that the integers at `position` index.
fn indexed(graph: &Graph, op: &Op, position: usize) -> Option<u64> {
    let indexes = op.facts().indexes;
    let indexes = indexes.filter(|indexes| indexes.position == position)?;
    let axis = match indexes.by_axis {
        true => op.int("axis").unwrap_or(0),
        false => 0,
    };
    let dims = graph
        .tensor((*op.inputs.get(indexes.table)?)?)
        .dims
        .as_ref()?;
    let rank = i64::try_from(dims.len()).ok()?;
    let axis = if axis < 0 { axis + rank } else { axis };
    dims.get(usize::try_from(axis).ok()?).copied()
}
