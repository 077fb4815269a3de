//! Convolutions and pools of ONNX: channels lie before pixels.

use planner::graph::DType;
use planner::{Message, message};

use super::quantised;
use crate::kernels::{PoolOp, QuantisedPoolOp};
use crate::lower::Dispatches;
use crate::lower::activation::Activation;
use crate::lower::call::Call;
use crate::lower::convolution::{Convolution, WeightStrides};
use crate::lower::pooling::{Neighbours, Pool, lrn};
use crate::lower::window::{Image, Layout, Padding, Window, product};
use crate::recording::{Dispatch, Operand};
use planner::operators::Operator;

/// The dispatches of an operator with a window; `None` when it is of another family.
pub(in crate::lower) fn dispatches(call: &Call<'_>, _opset: u32) -> Option<Dispatches> {
    let lowered: fn(&Call<'_>) -> Result<Dispatch, Message> = match call.op.operator {
        Operator::Conv => convolution,
        Operator::ConvTranspose => transposed,
        Operator::MaxPool => |call| pool(call, PoolOp::Max),
        Operator::AveragePool => |call| pool(call, PoolOp::Average),
        Operator::LpPool => |call| pool(call, PoolOp::Norm),
        Operator::GlobalMaxPool => |call| global(call, PoolOp::Max),
        Operator::GlobalAveragePool => |call| global(call, PoolOp::Average),
        Operator::GlobalLpPool => |call| global(call, PoolOp::Norm),
        Operator::Lrn => neighbours,
        _ => return None,
    };
    Some(call.unless_empty(lowered))
}

/// The window of the attributes, whose kernel must be that of the weights where there are any.
pub(super) fn window(call: &Call<'_>, kernel: &[u32]) -> Result<Window, Message> {
    let sides: Vec<i64> = kernel.iter().map(|&side| i64::from(side)).collect();
    if let Some(given) = call.op.ints("kernel_shape").filter(|given| *given != sides) {
        return Err(message!(
            "a window of {} with weights of {}",
            format_args!("{given:?}"),
            format_args!("{kernel:?}")
        ));
    }
    Window::of(kernel, call.op.ints("strides"), call.op.ints("dilations"))
}

/// The padding of the attributes for `spatial` dimensions.
pub(super) fn padding<'a>(call: &Call<'a>, spatial: usize) -> Result<Padding<'a>, Message> {
    match call.op.text("auto_pad") {
        Some("SAME_UPPER") => Ok(Padding::SameUpper),
        Some("SAME_LOWER") => Ok(Padding::SameLower),
        Some("VALID") => Ok(Padding::Valid),
        Some("NOTSET" | "") | None => match call.op.ints("pads") {
            None => Ok(Padding::Valid),
            Some(pads) if pads.len() == 2 * spatial => Ok(Padding::Explicit(pads)),
            Some(pads) => Err(message!(
                "padding of {} in {} dimensions",
                format_args!("{pads:?}"),
                spatial
            )),
        },
        Some(other) => Err(message!("auto_pad {}", other)),
    }
}

pub(super) fn groups(call: &Call<'_>) -> Result<u32, Message> {
    let group = call.op.int("group").unwrap_or(1);
    let fits = u32::try_from(group).ok().filter(|&group| group > 0);
    fits.ok_or_else(|| message!("{} groups", group))
}

/// The first two dimensions of weights, and the window's.
pub(super) fn weights(w: &Operand) -> Result<([u32; 2], &[u32]), Message> {
    match w.dims.as_slice() {
        [first, second, kernel @ ..] => Ok(([*first, *second], kernel)),
        dims => Err(message!("weights of {}", format_args!("{dims:?}"))),
    }
}

fn convolution(call: &Call<'_>) -> Result<Dispatch, Message> {
    convolution_of(call, Layout::ChannelsFirst, Activation::onnx(call)?)
}

/// The weights lie by filter, channel of the group and tap, wherever the channels of x are.
pub(super) fn convolution_of(
    call: &Call<'_>,
    layout: Layout,
    activation: Activation,
) -> Result<Dispatch, Message> {
    let (x, w, y) = (call.input(0)?, call.input(1)?, call.output(0)?);
    let ([_, inputs], kernel) = weights(w)?;
    let groups = groups(call)?;
    let (from, to) = (Image::of(x, layout)?, Image::of(y, layout)?);
    let padding = padding(call, kernel.len())?;
    let window = window(call, kernel)?.padded(padding, from.size, to.size)?;
    let taps = product(kernel);
    let convolution = Convolution {
        x,
        w,
        bias: call.optional(2),
        y,
        layout,
        groups,
        window,
        transposed: false,
        weights: WeightStrides {
            group: w.len() / groups,
            filter: inputs.wrapping_mul(taps),
            channel: taps,
            tap: 1,
        },
        activation,
    };
    convolution.dispatch()
}

/// Weights lie by input channel, output channel of the group, tap.
fn transposed(call: &Call<'_>) -> Result<Dispatch, Message> {
    let (x, w, y) = (call.input(0)?, call.input(1)?, call.output(0)?);
    let ([_, outputs], kernel) = weights(w)?;
    let (from, to) = (
        Image::of(x, Layout::ChannelsFirst)?,
        Image::of(y, Layout::ChannelsFirst)?,
    );
    let window = window(call, kernel)?;
    let groups = groups(call)?;
    let window = match padding(call, kernel.len())? {
        // A given output shape decides the padding; what is odd lies in front then.
        Padding::Explicit(_) | Padding::Valid if call.op.ints("output_shape").is_some() => {
            let result = without_extra(call, to.size);
            window.padded(Padding::SameLower, result, from.size)?
        }
        same @ (Padding::SameUpper | Padding::SameLower) => {
            let result = without_extra(call, to.size);
            window.padded(same, result, from.size)?
        }
        padding => window.padded(padding, to.size, from.size)?,
    };
    let taps = product(kernel);
    let convolution = Convolution {
        x,
        w,
        bias: call.optional(2),
        y,
        layout: Layout::ChannelsFirst,
        groups,
        window,
        transposed: true,
        weights: WeightStrides {
            group: w.len() / groups,
            filter: taps,
            channel: outputs.wrapping_mul(taps),
            tap: 1,
        },
        activation: Activation::onnx(call)?,
    };
    convolution.dispatch()
}

/// An output's size less the rows and columns that `output_padding` appends to it: padding is
/// computed without them.
fn without_extra(call: &Call<'_>, size: [u32; 3]) -> [u32; 3] {
    let extra = call.op.ints("output_padding").unwrap_or_default();
    let mut result = size;
    for (size, &extra) in result.iter_mut().rev().zip(extra.iter().rev()) {
        *size = size.saturating_sub(u32::try_from(extra).unwrap_or_default());
    }
    result
}

/// The order of the norm.
fn order(call: &Call<'_>) -> f32 {
    let p = call.op.int("p").unwrap_or(2);
    #[expect(clippy::cast_precision_loss, reason = "orders are small")]
    let order = p as f32;
    call.float_attribute("p").unwrap_or(order)
}

fn pool(call: &Call<'_>, op: PoolOp) -> Result<Dispatch, Message> {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let kernel = call.op.ints("kernel_shape").unwrap_or_default();
    let taps = kernel.iter().map(|&k| u32::try_from(k).ok());
    let taps: Option<Vec<u32>> = taps.collect();
    let taps = taps.ok_or_else(|| message!("a window of {}", format_args!("{kernel:?}")))?;
    let (from, to) = (
        Image::of(x, Layout::ChannelsFirst)?,
        Image::of(y, Layout::ChannelsFirst)?,
    );
    if taps.len() + 2 != x.dims.len() {
        return Err(message!(
            "a window of {} over {}",
            format_args!("{kernel:?}"),
            format_args!("{:?}", x.dims)
        ));
    }
    let padding = padding(call, taps.len())?;
    let window = window(call, &taps)?.padded(padding, from.size, to.size)?;
    if op == PoolOp::Max && matches!(x.dtype, DType::I8 | DType::U8) {
        if call.outputs.get(1).is_some_and(Option::is_some) {
            return Err(message!("there is no kernel for it on {}", x.dtype.name()));
        }
        let params = quantised::pool(x, &window, (from, to), Layout::ChannelsFirst, y)?;
        return Ok(quantised::pooled(QuantisedPoolOp::Largest, x, &params, y));
    }
    let pool = Pool {
        op,
        x,
        y,
        indices: call.outputs.get(1).and_then(Option::as_ref),
        layout: Layout::ChannelsFirst,
        window,
        padding_counts: call.op.int("count_include_pad").unwrap_or_default() != 0,
        first_fastest: call.op.int("storage_order").unwrap_or_default() != 0,
        p: order(call),
        activation: Activation::onnx(call)?,
    };
    pool.dispatch()
}

/// One window over all pixels of a channel, however many dimensions they have.
fn global(call: &Call<'_>, op: PoolOp) -> Result<Dispatch, Message> {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let [batch, channels, space @ ..] = x.dims.as_slice() else {
        return Err(message!("an image of {}", format_args!("{:?}", x.dims)));
    };
    let pixels = product(space);
    if u64::from(y.len()) != u64::from(*batch) * u64::from(*channels) || pixels == 0 {
        return Err(message!(
            "it leads from {} to {}",
            format_args!("{:?}", x.dims),
            format_args!("{:?}", y.dims)
        ));
    }
    let whole = [*batch, *channels, pixels];
    let one = [*batch, *channels, 1];
    let pool = Pool {
        op,
        x: &x.viewed(whole),
        y: &y.viewed(one),
        indices: None,
        layout: Layout::ChannelsFirst,
        window: Window::of(&[pixels], None, None)?,
        padding_counts: false,
        first_fastest: false,
        p: order(call),
        activation: Activation::onnx(call)?,
    };
    pool.dispatch()
}

fn neighbours(call: &Call<'_>) -> Result<Dispatch, Message> {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let size = call.op.int("size").unwrap_or_default();
    let size = u32::try_from(size).ok().filter(|&size| size > 0);
    let size = size.ok_or_else(|| message!("a window without a size"))?;
    let float = |name, missing| call.float_attribute(name).unwrap_or(missing);
    #[expect(clippy::cast_precision_loss, reason = "windows are small")]
    let alpha = float("alpha", 1e-4) / size as f32;
    let neighbours = Neighbours {
        before: (size - 1) / 2,
        after: size / 2,
        alpha,
        beta: float("beta", 0.75),
        bias: float("bias", 1.0),
    };
    lrn(x, y, Layout::ChannelsFirst, &neighbours)
}
