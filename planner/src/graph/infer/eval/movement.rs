//! Operators that copy elements from one place to another.

use super::{broadcast_index, coordinates, strides};
use crate::graph::infer::onnx::{permutation, ranges};
use crate::graph::infer::{Call, Elements, InferredOutput, Value, call};
use crate::operators::Operator;

/// The elements at `indices`.
fn pick(x: &Elements, indices: &[usize]) -> Option<Elements> {
    Some(match x {
        Elements::Ints(x) => Elements::Ints(
            indices
                .iter()
                .map(|&i| x.get(i).copied())
                .collect::<Option<_>>()?,
        ),
        Elements::Floats(x) => Elements::Floats(
            indices
                .iter()
                .map(|&i| x.get(i).copied())
                .collect::<Option<_>>()?,
        ),
    })
}

/// An output of `dims` each of whose elements is one of `x`.
pub(super) fn moved(call: &Call<'_>, x: &Value, dims: &[u64]) -> Option<Elements> {
    let count = call::count(dims)?;
    let source = source(call, x)?;
    let indices = (0..count).map(|flat| source(&coordinates(flat, dims)));
    pick(&x.elements, &indices.collect::<Option<Vec<usize>>>()?)
}

pub(super) type Source<'a> = Box<dyn Fn(&[u64]) -> Option<usize> + 'a>;

/// Where the element at some coordinates of the output comes from.
pub(super) fn source<'a>(call: &Call<'a>, x: &'a Value) -> Option<Source<'a>> {
    let steps = strides(&x.dims);
    let flat = |index: u64| usize::try_from(index).ok();
    Some(match call.op.operator {
        Operator::Expand => Box::new(|at| broadcast_index(at, &x.dims)),
        Operator::Tile => Box::new(move |at| {
            let inside = at.iter().zip(&x.dims).zip(&steps);
            flat(inside.map(|((at, dim), step)| at % dim * step).sum())
        }),
        Operator::Transpose => {
            let axes = permutation(call).ok()?;
            Box::new(move |at| {
                flat(
                    at.iter()
                        .zip(&axes)
                        .map(|(at, &axis)| at * steps[axis])
                        .sum(),
                )
            })
        }
        Operator::Slice => {
            let ranges = ranges(call).ok()?;
            Box::new(move |at| {
                let mut from = at.to_vec();
                for range in &ranges {
                    let along = from[range.axis].cast_signed().checked_mul(range.step)?;
                    from[range.axis] = u64::try_from(range.start.checked_add(along)?).ok()?;
                }
                flat(from.iter().zip(&steps).map(|(at, step)| at * step).sum())
            })
        }
        Operator::Gather => gathered(call, x, steps)?,
        _ => return None,
    })
}

fn gathered<'a>(call: &Call<'a>, x: &'a Value, steps: Vec<u64>) -> Option<Source<'a>> {
    let indices = call.input(1)?;
    let rank = indices.dims.len();
    let inner = strides(indices.dims);
    let elements = indices.value?.as_ints()?;
    let axis = call::resolve(call.int("axis", 0), x.dims.len())?;
    let dim = usize::try_from(x.dims[axis]).ok()?;
    Some(Box::new(move |at| {
        let (before, rest) = at.split_at(axis);
        let (which, after) = rest.split_at(rank);
        let which: u64 = which.iter().zip(&inner).map(|(at, step)| at * step).sum();
        let index = *elements.get(usize::try_from(which).ok()?)?;
        let index = call::resolve(index, dim)? as u64;
        let from = before.iter().chain(std::iter::once(&index)).chain(after);
        usize::try_from(from.zip(&steps).map(|(at, step)| at * step).sum::<u64>()).ok()
    }))
}

/// Copies block by block: what one input holds for one position of the outer axes.
pub(super) fn concat(call: &Call<'_>, dims: &[u64]) -> Option<Elements> {
    let axis = call::resolve(call.int("axis", 1), dims.len())?;
    let outer = usize::try_from(call::count(&dims[..axis])?).ok()?;
    let mut ints = Vec::new();
    let mut floats = Vec::new();
    for row in 0..outer {
        for input in call.inputs.iter().flatten() {
            let value = input.value?;
            let block = value.len() / outer;
            let range = row * block..(row + 1) * block;
            match &value.elements {
                Elements::Ints(x) => ints.extend_from_slice(x.get(range)?),
                Elements::Floats(x) => floats.extend_from_slice(x.get(range)?),
            }
        }
    }
    match (ints.is_empty(), floats.is_empty()) {
        (_, true) => Some(Elements::Ints(ints)),
        (true, false) => Some(Elements::Floats(floats)),
        (false, false) => None,
    }
}

/// Gives each part of a Split its elements.
pub(super) fn split(call: &Call<'_>, parts: &mut [InferredOutput]) {
    let Some(x) = call.input(0).and_then(|x| x.value) else {
        return;
    };
    let Some(axis) = call::resolve(call.int("axis", 0), x.dims.len()) else {
        return;
    };
    let steps = strides(&x.dims);
    let mut begin = 0;
    for part in parts {
        let count = call::count(&part.dims).unwrap_or(0);
        let index = |flat| {
            let mut at = coordinates(flat, &part.dims);
            at[axis] += begin;
            usize::try_from(
                at.iter()
                    .zip(&steps)
                    .map(|(at, step)| at * step)
                    .sum::<u64>(),
            )
            .ok()
        };
        let indices: Option<Vec<usize>> = (0..count).map(index).collect();
        let elements = indices.and_then(|indices| pick(&x.elements, &indices));
        begin += part.dims[axis];
        let dims = part.dims.clone();
        part.value = elements.map(|elements| Value { dims, elements });
    }
}
