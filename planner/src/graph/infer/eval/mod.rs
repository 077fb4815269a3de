//! Evaluates operators on small tensors whose elements are known before the run, so that
//! shapes that a model computes are known too.
//!
//! Integers are `i64` and checked: whatever overflows stays unknown. Floats are `f64`; they
//! serve scales and sizes, not results. Where nothing is said of an operator here, its
//! output's elements are simply not known.

mod arithmetic;
mod movement;
mod origin;

use super::{Call, Elements, InferredOutput, MAX_ELEMENTS, Value, call};
use crate::operators::Operator;
pub(super) use arithmetic::cast;
pub(crate) use origin::origins;

/// Adds the elements of the outputs, as far as they are known.
pub(super) fn evaluate(call: &Call<'_>, mut made: Vec<InferredOutput>) -> Vec<InferredOutput> {
    let known = |input: &super::KnownInput<'_>| input.value.is_some();
    let all = !call.inputs.is_empty() && call.inputs.iter().flatten().all(known);
    let few = |made: &InferredOutput| call::count(&made.dims).is_some_and(|n| n <= MAX_ELEMENTS);
    if all && !made.is_empty() && made.iter().all(|made| few(made) && made.value.is_none()) {
        if call.op.is(Operator::Split) {
            movement::split(call, &mut made);
        } else if let Some(elements) = first(call, &made[0].dims, made[0].dtype) {
            let dims = made[0].dims.clone();
            let value = Value { dims, elements };
            // An evaluator that contradicts the shape function knows nothing.
            if call::count(&value.dims) == Some(value.len() as u64) {
                made[0].value = Some(value);
            }
        }
    }
    made
}

/// The elements of the first output.
fn first(call: &Call<'_>, dims: &[u64], dtype: Option<crate::graph::DType>) -> Option<Elements> {
    if !call.op.domain.is_empty() {
        return None;
    }
    let x = call.input(0)?.value?;
    match call.op.operator {
        Operator::Identity
        | Operator::Reshape
        | Operator::Squeeze
        | Operator::Unsqueeze
        | Operator::Flatten => Some(x.elements.clone()),
        Operator::Transpose
        | Operator::Expand
        | Operator::Tile
        | Operator::Slice
        | Operator::Gather => movement::moved(call, x, dims),
        Operator::Concat => movement::concat(call, dims),
        Operator::Cast => cast(x, dtype?),
        Operator::Where => arithmetic::choose(call, dims),
        Operator::ReduceSum
        | Operator::ReduceProd
        | Operator::ReduceMax
        | Operator::ReduceMin
        | Operator::ReduceMean => arithmetic::reduce(call, x, dims),
        Operator::CumSum => arithmetic::running_sum(call, x),
        operator if call.inputs.len() == 1 => arithmetic::unary(operator, x),
        operator => arithmetic::fold(operator, call, dims),
    }
}

/// Row-major distances between neighbours along each axis.
fn strides(dims: &[u64]) -> Vec<u64> {
    let mut strides = vec![1; dims.len()];
    for axis in (1..dims.len()).rev() {
        strides[axis - 1] = strides[axis] * dims[axis].max(1);
    }
    strides
}

/// The coordinates of the element at `flat`.
fn coordinates(mut flat: u64, dims: &[u64]) -> Vec<u64> {
    let mut coordinates = vec![0; dims.len()];
    for (at, &dim) in coordinates.iter_mut().zip(dims).rev() {
        *at = flat % dim.max(1);
        flat /= dim.max(1);
    }
    coordinates
}

/// The index into a tensor of dimensions `from` of the element that broadcasting puts at
/// `coordinates`.
fn broadcast_index(coordinates: &[u64], from: &[u64]) -> Option<usize> {
    let skipped = coordinates.len().checked_sub(from.len())?;
    let mut flat = 0;
    for ((&at, &dim), stride) in coordinates[skipped..].iter().zip(from).zip(strides(from)) {
        flat += if dim == 1 { 0 } else { at * stride };
    }
    usize::try_from(flat).ok()
}
