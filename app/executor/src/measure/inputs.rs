//! What a run is fed with: the caller's elements, or seeded ones that every operator can take.

use planner::Bytes;
use planner::graph::{DType, Dialect, Graph, Op, TensorId};

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
                if position == 0 && passes_on(&op.kind) {
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

/// Operators whose output holds the same integers.
fn passes_on(kind: &str) -> bool {
    const KINDS: [&str; 13] = [
        "Cast",
        "Concat",
        "Expand",
        "Flatten",
        "Identity",
        "Reshape",
        "Slice",
        "Squeeze",
        "Transpose",
        "Unsqueeze",
        "CAST",
        "RESHAPE",
        "EXPAND_DIMS",
    ];
    KINDS.contains(&kind)
}

/// The size of the axis that the integers at `position` index.
fn indexed(graph: &Graph, op: &Op, position: usize) -> Option<u64> {
    let (table, axis) = match (graph.dialect, op.kind.as_str(), position) {
        (Dialect::Onnx { .. }, "Gather" | "GatherElements" | "ScatterElements", 1)
        | (Dialect::Tflite, "GATHER", 1) => (0, op.int("axis").unwrap_or(0)),
        (Dialect::Onnx { .. }, "GatherND" | "ScatterND", 1) | (Dialect::Tflite, "GATHER_ND", 1) => {
            (0, 0)
        }
        (Dialect::Tflite, "EMBEDDING_LOOKUP", 0) => (1, 0),
        _ => return None,
    };
    let dims = graph.tensor((*op.inputs.get(table)?)?).dims.as_ref()?;
    let rank = i64::try_from(dims.len()).ok()?;
    let axis = if axis < 0 { axis + rank } else { axis };
    dims.get(usize::try_from(axis).ok()?).copied()
}
