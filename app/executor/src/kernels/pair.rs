//! What kernels of two inputs with broadcasting share: their parameters, and how an index of
//! the output leads to the inputs.

use bytemuck::{Pod, Zeroable};

use super::MAX_RANK;
use crate::arena::Memory;
use crate::recording::{Dispatch, Operand};

/// Parameters, as the shaders declare them. Dimensions lie innermost first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct BinaryParams {
    /// Number of elements of the output.
    pub count: u32,
    /// Number of dimensions.
    pub rank: u32,
    /// First parameter of the activation, if the kernel applies one.
    pub alpha: f32,
    /// Second parameter of the activation.
    pub beta: f32,
    /// Dimensions of the output.
    pub dims: [u32; MAX_RANK],
    /// Strides of the first input in elements, 0 where it is broadcast.
    pub a: [u32; MAX_RANK],
    /// Strides of the second input.
    pub b: [u32; MAX_RANK],
    /// Strides of the output.
    pub y: [u32; MAX_RANK],
}

/// Which element of an input the element `i` of the output is made of.
pub(super) fn source(
    i: u32,
    rank: u32,
    dims: &[u32; MAX_RANK],
    strides: &[u32; MAX_RANK],
) -> usize {
    let (mut rest, mut index) = (i, 0);
    for (&size, &stride) in dims.iter().zip(strides).take(rank as usize) {
        index += rest % size * stride;
        rest /= size;
    }
    index as usize
}

/// f of every pair of elements that broadcasting brings together.
pub(super) fn paired<A: Copy, Y>(
    dispatch: &Dispatch,
    a: &[A],
    b: &[A],
    f: impl Fn(A, A) -> Y,
) -> Vec<Y> {
    let params: BinaryParams = dispatch.params();
    if dispatch.value_of("SAME") == 1 {
        return a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect();
    }
    let at = |i, strides| source(i, params.rank, &params.dims, strides);
    let element = |i| f(a[at(i, &params.a)], b[at(i, &params.b)]);
    (0..params.count).map(element).collect()
}

/// Writes the elements of the output where its strides have them.
pub(super) fn put(dispatch: &Dispatch, memory: &mut Memory, values: &[f32]) {
    let output = &dispatch.outputs[0];
    if output.strides.is_empty() {
        return memory.put_floats(output, values);
    }
    let params: BinaryParams = dispatch.params();
    let mut words = memory.floats(output);
    for (i, value) in (0..params.count).zip(values) {
        if let Some(word) = words.get_mut(source(i, params.rank, &params.dims, &params.y)) {
            *word = *value;
        }
    }
    memory.put_floats(output, &words);
}

/// The elements of an input as integers wide enough for every type.
pub(super) fn wide(memory: &Memory, operand: &Operand) -> Vec<i128> {
    let unsigned = operand.dtype == planner::graph::DType::U64;
    let ints = memory.ints(operand).into_iter();
    ints.map(|value| match unsigned {
        true => i128::from(value.cast_unsigned()),
        false => i128::from(value),
    })
    .collect()
}

/// The low 64 bits, of which an element keeps as many as it has.
#[expect(clippy::cast_possible_truncation, reason = "integers of tensors wrap")]
pub(super) fn wrapped(value: i128) -> i64 {
    value as i64
}
