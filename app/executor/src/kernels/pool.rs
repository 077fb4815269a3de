//! y = the largest, the mean or the norm of the elements under a window.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::kernels::UnaryOp;
use crate::kernels::planar::{inside, last, planes};
use crate::recording::Dispatch;

/// Parameters, as the shader declares them. Spatial sizes are depth, height, width and a
/// word of padding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct PoolParams {
    /// Number of elements of the output.
    pub count: u32,
    /// Channels that lie next to each other: 1 where channels come before pixels.
    pub channels: u32,
    /// 1 where the mean counts the padding.
    pub padding_counts: u32,
    /// 1 where places are counted with the first spatial dimension fastest.
    pub first_fastest: u32,
    /// Input.
    pub size: [u32; 4],
    /// Output.
    pub result: [u32; 4],
    /// Window.
    pub kernel: [u32; 4],
    /// Steps of the window.
    pub stride: [u32; 4],
    /// Distances of its taps.
    pub dilation: [u32; 4],
    /// Padding in front; negative where it crops.
    pub pad: [i32; 4],
    /// Padding after.
    pub pad_end: [i32; 4],
    /// Which norm.
    pub p: f32,
    /// First parameter of the activation.
    pub alpha: f32,
    /// Second parameter of the activation.
    pub beta: f32,
    /// Unused, for the alignment.
    pub nothing: u32,
}

codes! {
    /// What becomes of the elements: the `override` constant `OP`.
    pub enum PoolOp {
        /// The largest.
        Max,
        /// The mean.
        Average,
        /// The root of order `p` of the sum of their powers.
        Norm,
        /// The root of the mean of their squares.
        RootMeanSquare,
    }
}

/// One window: the taps inside along every dimension, where tap 0 is, and the number of taps
/// that the mean is taken over.
struct Window {
    taps: [Range<usize>; 3],
    start: [i64; 3],
    counted: f32,
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: PoolParams = dispatch.params();
    let op = PoolOp::read(dispatch, "OP");
    let activation = UnaryOp::read(dispatch, "ACTIVATION");
    let size = [0, 1, 2].map(|d| params.size[d] as usize);
    let result = [0, 1, 2].map(|d| params.result[d] as usize);
    let (from, to) = (
        size.iter().product::<usize>(),
        result.iter().product::<usize>(),
    );
    let channels = params.channels as usize;
    let images = params.count as usize / (channels * to).max(1);
    let x = memory.floats(&dispatch.inputs[0]);
    let strides = [from * channels, 1, channels].map(|n| u32::try_from(n).unwrap_or(u32::MAX));
    let x = planes(&x, [images, channels, from], strides);
    let windows = windows(&params, result);
    let mut y = Vec::with_capacity(params.count as usize);
    let mut indices = Vec::new();
    for plane in 0..images * channels {
        let x = &x[plane * from..(plane + 1) * from];
        for window in &windows {
            let (value, place) = reduce(&params, op, x, window);
            y.push(activation.apply(value, params.alpha, params.beta));
            indices.push(i64::try_from(plane * from + place).unwrap_or_default());
        }
    }
    if channels > 1 {
        y = last(&y, channels, to);
    }
    memory.put_floats(&dispatch.outputs[0], &y);
    if let Some(output) = dispatch.outputs.get(1) {
        memory.put_ints(output, &indices);
    }
}

/// The windows of all pixels of the output.
fn windows(params: &PoolParams, result: [usize; 3]) -> Vec<Window> {
    let mut windows = Vec::with_capacity(result.iter().product());
    for z in 0..result[0] {
        for y in 0..result[1] {
            for x in 0..result[2] {
                windows.push(window(params, [z, y, x]));
            }
        }
    }
    windows
}

fn window(params: &PoolParams, position: [usize; 3]) -> Window {
    let pad = [0, 1, 2].map(|d| i64::from(params.pad[d]));
    let start = [0, 1, 2].map(|d| {
        let position = i64::try_from(position[d]).unwrap_or_default();
        position * i64::from(params.stride[d]) - pad[d]
    });
    let kernel = params.kernel.map(|taps| taps as usize);
    let taps = [0, 1, 2].map(|d| {
        let size = params.size[d] as usize;
        inside(kernel[d], size, params.dilation[d], start[d])
    });
    let counted = [0, 1, 2].map(|d| {
        if params.padding_counts == 0 {
            return taps[d].len();
        }
        let padded = i64::from(params.size[d]) + pad[d] + i64::from(params.pad_end[d]);
        let padded = usize::try_from(padded).unwrap_or_default();
        inside(kernel[d], padded, params.dilation[d], start[d] + pad[d]).len()
    });
    #[expect(clippy::cast_precision_loss, reason = "windows are small")]
    let counted = counted.iter().product::<usize>().max(1) as f32;
    Window {
        taps,
        start,
        counted,
    }
}

/// The value of one window over one channel, and the place of the largest element.
fn reduce(params: &PoolParams, op: PoolOp, x: &[f32], window: &Window) -> (f32, usize) {
    let at = |d: usize, tap: usize| {
        let tap = i64::try_from(tap).unwrap_or_default();
        let at = window.start[d] + tap * i64::from(params.dilation[d]);
        usize::try_from(at).unwrap_or_default()
    };
    let size = params.size.map(|size| size as usize);
    let (mut best, mut place, mut sum) = (f32::MIN, 0, 0.0);
    for z in window.taps[0].clone().map(|tap| at(0, tap)) {
        for y in window.taps[1].clone().map(|tap| at(1, tap)) {
            for column in window.taps[2].clone().map(|tap| at(2, tap)) {
                let value = x[(z * size[1] + y) * size[2] + column];
                if value > best {
                    best = value;
                    place = if params.first_fastest == 1 {
                        (column * size[1] + y) * size[0] + z
                    } else {
                        (z * size[1] + y) * size[2] + column
                    };
                }
                sum += match op {
                    PoolOp::Max | PoolOp::Average => value,
                    PoolOp::RootMeanSquare => value * value,
                    PoolOp::Norm => value.abs().powf(params.p),
                };
            }
        }
    }
    let value = match op {
        PoolOp::Max => best,
        PoolOp::Average => sum / window.counted,
        PoolOp::RootMeanSquare => (sum / window.counted).sqrt(),
        PoolOp::Norm => sum.powf(1.0 / params.p),
    };
    (value, place)
}
