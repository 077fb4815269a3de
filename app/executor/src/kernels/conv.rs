//! y = activation(conv(x, w) + bias), also transposed, in up to three spatial dimensions.

use bytemuck::{Pod, Zeroable};

use crate::arena::Memory;
use crate::kernels::UnaryOp;
use crate::kernels::planar::{inside, last, planes};
use crate::recording::Dispatch;

/// Parameters, as the shader declares them. Spatial sizes are depth, height, width and a
/// word of padding; strides are counted in elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ConvParams {
    /// Batch times groups times tiles; threads where the kernel is the depthwise one.
    pub units: u32,
    /// Number of groups.
    pub groups: u32,
    /// Input channels of a group.
    pub inputs: u32,
    /// Output channels of a group.
    pub outputs: u32,
    /// Tiles of output channels in a group.
    pub tiles: u32,
    /// Pixels of an output channel.
    pub pixels: u32,
    /// Threads side by side over pixels: 4, 8, 16, 32 or 64.
    pub lanes: u32,
    /// Workgroups side by side over pixels; threads below each other in the depthwise kernel.
    pub blocks: u32,
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
    /// Spatial strides of the input.
    pub x_space: [u32; 4],
    /// Strides of the input.
    pub x_batch: u32,
    /// Strides of the input.
    pub x_channel: u32,
    /// Stride of the weights from group to group.
    pub w_group: u32,
    /// Stride of the weights from filter to filter.
    pub w_filter: u32,
    /// Stride of the weights from input channel to input channel.
    pub w_channel: u32,
    /// Stride of the weights from tap to tap.
    pub w_tap: u32,
    /// Stride of the output from image to image.
    pub y_batch: u32,
    /// Stride of the output from channel to channel.
    pub y_channel: u32,
    /// Stride of the output from pixel to pixel.
    pub y_pixel: u32,
    /// First parameter of the activation.
    pub alpha: f32,
    /// Second parameter of the activation.
    pub beta: f32,
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: ConvParams = dispatch.params();
    let size: [usize; 3] = [0, 1, 2].map(|d| params.size[d] as usize);
    let result: [usize; 3] = [0, 1, 2].map(|d| params.result[d] as usize);
    let transposed = dispatch.value_of("TRANSPOSED") == 1;
    let [inputs, outputs, groups] =
        [params.inputs, params.outputs, params.groups].map(|n| n as usize);
    let (from, to): (usize, usize) = (size.iter().product(), result.iter().product());
    let batch = dispatch.outputs[0]
        .dims
        .first()
        .copied()
        .unwrap_or_default() as usize;
    let x_strides = [params.x_batch, params.x_channel, params.x_space[2]];
    let x = memory.floats(&dispatch.inputs[0]);
    let x = planes(&x, [batch, groups * inputs, from], x_strides);
    let taps: u32 = params.kernel[..3].iter().product();
    let w = memory.floats(&dispatch.inputs[1]);
    let w_strides = [params.w_filter, params.w_channel, params.w_tap];
    let w: Vec<f32> = (0..groups)
        .flat_map(|group| {
            let w = &w[group * params.w_group as usize..];
            planes(w, [outputs, inputs, taps as usize], w_strides)
        })
        .collect();
    let bias = dispatch.inputs.get(2).map(|bias| memory.floats(bias));
    let mut sums = vec![0.0; batch * groups * outputs * to];
    for (number, sum) in sums.chunks_exact_mut(to.max(1)).enumerate() {
        let filter = number % (groups * outputs);
        let image = number / (groups * outputs) * groups + filter / outputs;
        if let Some(bias) = &bias {
            sum.fill(bias[filter]);
        }
        for channel in 0..inputs {
            let x = &x[(image * inputs + channel) * from..][..from];
            let w = &w[(filter * inputs + channel) * taps as usize..][..taps as usize];
            for (tap, &w) in w.iter().enumerate() {
                let offset = offsets(&params, tap);
                if transposed {
                    scatter(&params, offset, w, (x, size), (sum, result));
                } else {
                    gather(&params, offset, w, (x, size), (sum, result));
                }
            }
        }
    }
    let op = UnaryOp::read(dispatch, "ACTIVATION");
    for y in &mut sums {
        *y = op.apply(*y, params.alpha, params.beta);
    }
    let y = if params.y_pixel == 1 {
        sums
    } else {
        last(&sums, groups * outputs, to)
    };
    memory.put_floats(&dispatch.outputs[0], &y);
}

/// How far a tap lies from where the window stands, along each dimension.
fn offsets(params: &ConvParams, tap: usize) -> [i64; 3] {
    let mut rest = tap;
    let mut offsets = [0; 3];
    for d in [2, 1, 0] {
        let size = params.kernel[d] as usize;
        let at = i64::try_from(rest % size).unwrap_or_default();
        offsets[d] = at * i64::from(params.dilation[d]) - i64::from(params.pad[d]);
        rest /= size;
    }
    offsets
}

fn stand(position: usize, stride: u32, offset: i64) -> usize {
    let at = i64::try_from(position).unwrap_or_default() * i64::from(stride) + offset;
    usize::try_from(at).unwrap_or_default()
}

/// Adds one tap of a convolution to every pixel of the output.
fn gather(
    params: &ConvParams,
    offset: [i64; 3],
    w: f32,
    (x, size): (&[f32], [usize; 3]),
    (sum, result): (&mut [f32], [usize; 3]),
) {
    let stride = params.stride;
    let within = |d: usize| inside(result[d], size[d], stride[d], offset[d]);
    let columns = within(2);
    if columns.is_empty() {
        return;
    }
    let step = stride[2] as usize;
    for z in within(0) {
        for y in within(1) {
            let from = stand(z, stride[0], offset[0]) * size[1] + stand(y, stride[1], offset[1]);
            let start = from * size[2] + stand(columns.start, stride[2], offset[2]);
            let to = (z * result[1] + y) * result[2];
            let sum = &mut sum[to + columns.start..to + columns.end];
            if step == 1 {
                let x = &x[start..start + sum.len()];
                sum.iter_mut().zip(x).for_each(|(sum, x)| *sum += w * x);
            } else {
                let x = x[start..].iter().step_by(step);
                sum.iter_mut().zip(x).for_each(|(sum, x)| *sum += w * x);
            }
        }
    }
}

/// Adds one tap of a transposed convolution: every pixel of the input goes where it belongs.
fn scatter(
    params: &ConvParams,
    offset: [i64; 3],
    w: f32,
    (x, size): (&[f32], [usize; 3]),
    (sum, result): (&mut [f32], [usize; 3]),
) {
    let stride = params.stride;
    let within = |d: usize| inside(size[d], result[d], stride[d], offset[d]);
    let columns = within(2);
    if columns.is_empty() {
        return;
    }
    for z in within(0) {
        for y in within(1) {
            let to = stand(z, stride[0], offset[0]) * result[1] + stand(y, stride[1], offset[1]);
            let start = to * result[2] + stand(columns.start, stride[2], offset[2]);
            let from = (z * size[1] + y) * size[2];
            let x = &x[from + columns.start..from + columns.end];
            let sum = sum[start..].iter_mut().step_by(stride[2] as usize);
            sum.zip(x).for_each(|(sum, x)| *sum += w * x);
        }
    }
}
