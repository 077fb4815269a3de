//! y = (x - mean) / sqrt(variance + epsilon) * scale + bias, all four by channel.

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct BatchNormParams {
    /// Number of elements.
    pub count: u32,
    /// Number of channels.
    pub channels: u32,
    /// Elements of one channel that lie together.
    pub inner: u32,
    /// What is added to the variance.
    pub epsilon: f32,
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: BatchNormParams = dispatch.params();
    let read = |position: usize| memory.floats(&dispatch.inputs[position]);
    let (x, scale, bias, mean, variance) = (read(0), read(1), read(2), read(3), read(4));
    let element = |(i, &x): (usize, &f32)| {
        let c = i / params.inner as usize % params.channels as usize;
        (x - mean[c]) / (variance[c] + params.epsilon).sqrt() * scale[c] + bias[c]
    };
    let y: Vec<f32> = x.iter().enumerate().map(element).collect();
    memory.put_floats(&dispatch.outputs[0], &y);
}
