//! The scale and the zero point with which the elements of x, and 0, become unsigned integers of
//! 8 bits.

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct DynamicRangeParams {
    /// Number of elements.
    pub count: u32,
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let x = memory.floats(&dispatch.inputs[0]);
    let low = x.iter().copied().fold(0.0_f32, f32::min);
    let high = x.iter().copied().fold(0.0_f32, f32::max);
    let range = if high > low { high - low } else { 1.0 };
    let scale = range / 255.0;
    let zero = (-low / scale).round_ties_even().clamp(0.0, 255.0);
    memory.put_floats(&dispatch.outputs[0], &[scale]);
    memory.put_floats(&dispatch.outputs[1], &[zero]);
}
