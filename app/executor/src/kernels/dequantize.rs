//! y[i] = scale[c] (x[i] − zero[c]).

use bytemuck::{Pod, Zeroable};

use super::pair::wide;
use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shaders declare them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Params {
    /// Number of elements.
    pub count: u32,
    /// Elements after the axis along which scales differ.
    pub inner: u32,
    /// Scales along it: 1 where one serves all elements.
    pub size: u32,
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

pub(super) fn twin(dispatch: &Dispatch, memory: &mut Memory) {
    let params: Params = dispatch.params();
    let steps = steps(dispatch, memory);
    let x = wide(memory, &dispatch.inputs[0]);
    let value = |(index, &x): (usize, &i128)| {
        let (scale, zero) = steps[index / params.inner as usize % steps.len()];
        #[expect(clippy::cast_precision_loss, reason = "rounding is what a cast does")]
        let distance = (x - zero) as f32;
        scale * distance
    };
    let y: Vec<f32> = x.iter().enumerate().map(value).collect();
    memory.put_floats(&dispatch.outputs[0], &y);
}
