//! y[i] = scale[c] (x[i] − zero[c]).

use bytemuck::{Pod, Zeroable};

use super::pair::wide;
use crate::arena::Memory;
use crate::elements;
use crate::recording::Dispatch;

/// Parameters, as the shaders declare them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct DequantizeParams {
    /// Number of elements.
    pub count: u32,
    /// Elements after the axis along which scales differ.
    pub inner: u32,
    /// Elements along it: 1 where one scale serves all.
    pub size: u32,
    /// Of scales in blocks: elements along the axis that share one.
    pub block: u32,
    /// Blocks along the axis.
    pub blocks: u32,
}

/// The number of the scale of element `index`.
pub(super) fn step_of(dispatch: &Dispatch, index: usize) -> usize {
    let params: DequantizeParams = dispatch.params();
    let [inner, size, block, blocks] =
        [params.inner, params.size, params.block, params.blocks].map(|n| n.max(1) as usize);
    let (line, after) = (index / inner, index % inner);
    match dispatch.value_of("BLOCKED") {
        0 => line % size,
        _ => (line / size * blocks + line % size / block) * inner + after,
    }
}

/// Scale and zero point of every index along the axis.
pub(super) fn steps(dispatch: &Dispatch, memory: &Memory) -> Vec<(f32, i128)> {
    let scales = memory.floats(&dispatch.inputs[1]);
    let zeros = match dispatch.inputs.get(2) {
        Some(zeros) => wide(memory, zeros),
        None => vec![0; scales.len()],
    };
    scales.into_iter().zip(zeros).collect()
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    if elements::is_float(dispatch.inputs[0].dtype) {
        return of_floats(dispatch, memory);
    }
    let steps = steps(dispatch, memory);
    let x = wide(memory, &dispatch.inputs[0]);
    let value = |(index, &x): (usize, &i128)| {
        let (scale, zero) = steps[step_of(dispatch, index)];
        #[expect(clippy::cast_precision_loss, reason = "rounding is what a cast does")]
        let distance = (x - zero) as f32;
        scale * distance
    };
    let y: Vec<f32> = x.iter().enumerate().map(value).collect();
    memory.put_floats(&dispatch.outputs[0], &y);
}

/// Small floats by their scales and zero points.
fn of_floats(dispatch: &Dispatch, memory: &mut Memory) {
    let [x, scales] = [0, 1].map(|position| memory.floats(&dispatch.inputs[position]));
    let zeros = dispatch.inputs.get(2).map(|zeros| memory.floats(zeros));
    let value = |(index, x): (usize, &f32)| {
        let step = step_of(dispatch, index);
        scales[step] * (x - zeros.as_ref().map_or(0.0, |zeros| zeros[step]))
    };
    let y: Vec<f32> = x.iter().enumerate().map(value).collect();
    memory.put_floats(&dispatch.outputs[0], &y);
}
