//! Convolutions and pools of TFLite: channels come after pixels.

use crate::kernels::PoolOp;
use crate::lower::Dispatches;
use crate::lower::activation::Activation;
use crate::lower::call::Call;
use crate::lower::convolution::{Convolution, WeightStrides};
use crate::lower::pooling::{Neighbours, Pool, lrn};
use crate::lower::window::{Image, Layout, Padding, Window};
use crate::recording::{Dispatch, Operand};
use planner::operators::Operator;
use planner::{Message, message};

/// The dispatches of an operator with a window; `None` when it is of another family.
pub(in crate::lower) fn dispatches(call: &Call<'_>) -> Option<Dispatches> {
    let lowered: fn(&Call<'_>) -> Result<Dispatch, Message> = match call.op.operator {
        Operator::Conv => convolution,
        Operator::Conv3d => convolution_3d,
        Operator::DepthwiseConv2d => depthwise,
        Operator::TransposeConv => transposed,
        Operator::MaxPool => |call| pool(call, PoolOp::Max),
        Operator::AveragePool => |call| pool(call, PoolOp::Average),
        Operator::L2Pool2d => |call| pool(call, PoolOp::RootMeanSquare),
        Operator::Lrn => neighbours,
        _ => return None,
    };
    Some(call.unless_empty(lowered))
}

/// The integer options called `names`, 1 where one is not set.
pub(super) fn options<const N: usize>(call: &Call<'_>, names: [&str; N]) -> [i64; N] {
    names.map(|name| call.op.int(name).unwrap_or(1))
}

pub(super) fn padding(call: &Call<'_>) -> Padding<'static> {
    match call.op.text("padding") {
        Some("VALID") => Padding::Valid,
        _ => Padding::SameUpper,
    }
}

pub(super) fn window(call: &Call<'_>, kernel: &[u32]) -> Result<Window, Message> {
    let stride = options(call, ["stride_h", "stride_w"]);
    let dilation = options(call, ["dilation_h_factor", "dilation_w_factor"]);
    Window::of(kernel, Some(&stride), Some(&dilation))
}

pub(super) fn four_dims(operand: &Operand) -> Result<[u32; 4], Message> {
    let dims = <[u32; 4]>::try_from(operand.dims.as_slice());
    dims.ok()
        .ok_or_else(|| message!("{} is {}", operand.name, format_args!("{:?}", operand.dims)))
}

pub(super) fn images(x: &Operand, y: &Operand) -> Result<(Image, Image), Message> {
    let layout = Layout::ChannelsLast;
    Ok((Image::of(x, layout)?, Image::of(y, layout)?))
}

/// Weights lie by filter, tap, channel.
fn convolution(call: &Call<'_>) -> Result<Dispatch, Message> {
    let (x, w, y) = (call.input(0)?, call.input(1)?, call.output(0)?);
    let [_, height, width, inputs] = four_dims(w)?;
    let (from, to) = images(x, y)?;
    let window = window(call, &[height, width])?.padded(padding(call), from.size, to.size)?;
    let groups = from.channels.checked_div(inputs).unwrap_or_default().max(1);
    let convolution = Convolution {
        x,
        w,
        bias: call.optional(2),
        y,
        layout: Layout::ChannelsLast,
        groups,
        window,
        transposed: false,
        weights: WeightStrides {
            group: w.len() / groups,
            filter: w.len().checked_div(w.dims[0]).unwrap_or_default(),
            channel: 1,
            tap: inputs,
        },
        activation: Activation::tflite(call)?,
    };
    convolution.dispatch()
}

/// Weights lie by tap, channel, filter.
fn convolution_3d(call: &Call<'_>) -> Result<Dispatch, Message> {
    let (x, w, y) = (call.input(0)?, call.input(1)?, call.output(0)?);
    let [depth, height, width, inputs, outputs] = w.dims[..] else {
        return Err(message!("weights of {}", format_args!("{:?}", w.dims)));
    };
    let (from, to) = images(x, y)?;
    let stride = options(call, ["stride_d", "stride_h", "stride_w"]);
    let names = [
        "dilation_d_factor",
        "dilation_h_factor",
        "dilation_w_factor",
    ];
    let dilation = options(call, names);
    let window = Window::of(&[depth, height, width], Some(&stride), Some(&dilation))?;
    let convolution = Convolution {
        x,
        w,
        bias: call.optional(2),
        y,
        layout: Layout::ChannelsLast,
        groups: from.channels.checked_div(inputs).unwrap_or_default().max(1),
        window: window.padded(padding(call), from.size, to.size)?,
        transposed: false,
        weights: WeightStrides {
            group: 0,
            filter: 1,
            channel: outputs,
            tap: inputs.wrapping_mul(outputs),
        },
        activation: Activation::tflite(call)?,
    };
    if convolution.groups != 1 {
        return Err(message!("a convolution in three dimensions with groups"));
    }
    convolution.dispatch()
}

/// Weights lie by tap, filter; every channel is a group of its own.
fn depthwise(call: &Call<'_>) -> Result<Dispatch, Message> {
    let (x, w, y) = (call.input(0)?, call.input(1)?, call.output(0)?);
    let [_, height, width, outputs] = four_dims(w)?;
    let (from, to) = images(x, y)?;
    let window = window(call, &[height, width])?.padded(padding(call), from.size, to.size)?;
    let convolution = Convolution {
        x,
        w,
        bias: call.optional(2),
        y,
        layout: Layout::ChannelsLast,
        groups: from.channels,
        window,
        transposed: false,
        weights: WeightStrides {
            group: outputs.checked_div(from.channels).unwrap_or_default(),
            filter: 1,
            channel: 0,
            tap: outputs,
        },
        activation: Activation::tflite(call)?,
    };
    convolution.dispatch()
}

/// The output's shape comes first, then weights by filter, tap, channel, then the image.
fn transposed(call: &Call<'_>) -> Result<Dispatch, Message> {
    let (w, x, y) = (call.input(1)?, call.input(2)?, call.output(0)?);
    let [_, height, width, inputs] = four_dims(w)?;
    let (from, to) = images(x, y)?;
    let window = window(call, &[height, width])?.padded(padding(call), to.size, from.size)?;
    let convolution = Convolution {
        x,
        w,
        bias: call.optional(3),
        y,
        layout: Layout::ChannelsLast,
        groups: 1,
        window,
        transposed: true,
        weights: WeightStrides {
            group: 0,
            filter: w.len().checked_div(w.dims[0]).unwrap_or_default(),
            channel: 1,
            tap: inputs,
        },
        activation: Activation::tflite(call)?,
    };
    convolution.dispatch()
}

fn pool(call: &Call<'_>, op: PoolOp) -> Result<Dispatch, Message> {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let (from, to) = images(x, y)?;
    let sides = options(call, ["filter_height", "filter_width"]);
    let kernel = sides.map(|side| u32::try_from(side).unwrap_or_default());
    let window = window(call, &kernel)?.padded(padding(call), from.size, to.size)?;
    let pool = Pool {
        op,
        x,
        y,
        indices: None,
        layout: Layout::ChannelsLast,
        window,
        padding_counts: false,
        first_fastest: false,
        p: 2.0,
        activation: Activation::tflite(call)?,
    };
    pool.dispatch()
}

/// The sum is not divided by the number of channels in it, unlike in ONNX.
fn neighbours(call: &Call<'_>) -> Result<Dispatch, Message> {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let radius = call.op.int("radius").unwrap_or_default();
    let radius = u32::try_from(radius)
        .ok()
        .ok_or_else(|| message!("a negative radius"))?;
    let float = |name| call.float_attribute(name).unwrap_or_default();
    let neighbours = Neighbours {
        before: radius,
        after: radius,
        alpha: float("alpha"),
        beta: float("beta"),
        bias: float("bias"),
    };
    lrn(x, y, Layout::ChannelsLast, &neighbours)
}
