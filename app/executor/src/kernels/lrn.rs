//! y = x / (bias + alpha * sum of squares over neighbouring channels) ^ beta.

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct LrnParams {
    /// Number of elements.
    pub count: u32,
    /// Number of channels.
    pub channels: u32,
    /// Distance of neighbouring channels in elements.
    pub stride: u32,
    /// Channels in front that count.
    pub before: u32,
    /// Channels after that count.
    pub after: u32,
    /// Factor of the sum.
    pub alpha: f32,
    /// Exponent.
    pub beta: f32,
    /// What is added to the sum.
    pub bias: f32,
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: LrnParams = dispatch.params();
    let x = memory.floats(&dispatch.inputs[0]);
    let (channels, stride) = (params.channels as usize, params.stride as usize);
    let (before, after) = (params.before as usize, params.after as usize);
    let mut y = vec![0.0; x.len()];
    let image = (channels * stride).max(1);
    for (x, y) in x.chunks_exact(image).zip(y.chunks_exact_mut(image)) {
        for channel in 0..channels {
            let first = channel.saturating_sub(before);
            let end = channel.saturating_add(after).min(channels - 1) + 1;
            for inner in 0..stride {
                let value = |channel: usize| x[channel * stride + inner];
                let sum: f32 = (first..end).map(|c| value(c) * value(c)).sum();
                let scale = (params.bias + params.alpha * sum).powf(params.beta);
                y[channel * stride + inner] = value(channel) / scale;
            }
        }
    }
    memory.put_floats(&dispatch.outputs[0], &y);
}
