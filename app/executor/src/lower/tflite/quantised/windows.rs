//! Convolutions, products of matrices, pools and means of quantised elements.

use planner::graph::DType;
use planner::{Message, message};

use super::{activated, alike, narrow, quantization, range, steps};
use crate::elements;
use crate::fixed_point::Factor;
use crate::kernels::{
    Kernel, QuantisedConvParams, QuantisedPoolOp, QuantisedPoolParams, Scaling, typed_grid,
};
use crate::lower::call::Call;
use crate::lower::table::table;
use crate::lower::tflite::window::{four_dims, images, options, padding, window};
use crate::lower::window::Image;
use crate::recording::{Dispatch, Operand};
use planner::operators::Operator;

/// Filters lie by filter, tap, channel.
///
/// # Errors
/// What stands in the way, for people.
pub(super) fn convolution(call: &Call<'_>) -> Result<Dispatch, Message> {
    let w = call.input(1)?;
    let [filters, height, width, inputs] = four_dims(w)?;
    let groups = channels(call.input(0)?)
        .checked_div(inputs)
        .unwrap_or(1)
        .max(1);
    let params = QuantisedConvParams {
        group: [inputs, (filters / groups).max(1)],
        w: [0, height * width * inputs, inputs, 1],
        ..QuantisedConvParams::default()
    };
    windowed(call, params, [height, width])
}

/// Filters lie by tap, channel; every channel is a group of its own.
///
/// # Errors
/// What stands in the way, for people.
pub(super) fn depthwise(call: &Call<'_>) -> Result<Dispatch, Message> {
    let w = call.input(1)?;
    let [_, height, width, outputs] = four_dims(w)?;
    let groups = channels(call.input(0)?).max(1);
    if !outputs.is_multiple_of(groups) {
        return Err(misfit(call));
    }
    let params = QuantisedConvParams {
        group: [1, (outputs / groups).max(1)],
        w: [0, 1, outputs, 0],
        ..QuantisedConvParams::default()
    };
    windowed(call, params, [height, width])
}

/// The shapes of the operands do not belong together.
fn misfit(call: &Call<'_>) -> Message {
    let dims = |x: Option<&Operand>| x.map(|x| x.dims.clone()).unwrap_or_default();
    let [x, w, y] = [call.optional(0), call.optional(1), call.output(0).ok()].map(dims);
    message!(
        "{} and {} do not make {}",
        format_args!("{x:?}"),
        format_args!("{w:?}"),
        format_args!("{y:?}")
    )
}

/// The output's shape comes first, then filters by filter, tap, channel, then the image.
///
/// # Errors
/// What stands in the way, for people.
pub(super) fn transposed(call: &Call<'_>) -> Result<Dispatch, Message> {
    let (w, x, y) = (call.input(1)?, call.input(2)?, call.output(0)?);
    let [filters, height, width, inputs] = four_dims(w)?;
    let (from, to) = images(x, y)?;
    if from.batch != to.batch || from.channels != inputs || to.channels != filters {
        return Err(misfit(call));
    }
    let window = window(call, &[height, width])?.padded(padding(call), to.size, from.size)?;
    let params = QuantisedConvParams {
        x: [from.size[1], from.size[2]],
        from: channels_last(&from),
        y: [to.size[1], to.size[2], to.channels],
        group: [inputs, filters.max(1)],
        kernel: [height, width],
        stride: [window.stride[1], window.stride[2]],
        dilation: [window.dilation[1], window.dilation[2]],
        pad: [window.pad[1], window.pad[2]],
        w: [0, height * width * inputs, inputs, 1],
        ..QuantisedConvParams::default()
    };
    let made = summed(call, [x, w], call.optional(3), params)?;
    Ok(made.constant("TRANSPOSED", 1))
}

/// Strides by image, row, column and channel.
fn channels_last(image: &Image) -> [u32; 4] {
    let [_, row, column, _] = image.space_strides();
    [image.batch_stride, row, column, image.channel_stride]
}

fn channels(x: &Operand) -> u32 {
    x.dims.last().copied().unwrap_or_default()
}

/// With the window that the options of the operator describe.
fn windowed(
    call: &Call<'_>,
    params: QuantisedConvParams,
    kernel: [u32; 2],
) -> Result<Dispatch, Message> {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let (from, to) = images(x, y)?;
    if from.batch != to.batch {
        return Err(misfit(call));
    }
    let window = window(call, &kernel)?.padded(padding(call), from.size, to.size)?;
    let two = |all: [u32; 3]| [all[1], all[2]];
    let params = QuantisedConvParams {
        x: [from.size[1], from.size[2]],
        from: channels_last(&from),
        y: [to.size[1], to.size[2], to.channels],
        kernel,
        stride: two(window.stride),
        dilation: two(window.dilation),
        pad: [window.pad[1], window.pad[2]],
        ..params
    };
    summed(call, [x, call.input(1)?], call.optional(2), params)
}

/// Filters have a row for each output; the input is rows of as many elements as a row has.
///
/// # Errors
/// What stands in the way, for people.
pub(super) fn fully_connected(call: &Call<'_>) -> Result<Dispatch, Message> {
    let (x, w) = (call.input(0)?, call.input(1)?);
    let &[units, depth] = w.dims.as_slice() else {
        return Err(message!("{} is no matrix", w.name));
    };
    let rows = x.len().checked_div(depth).unwrap_or_default();
    if u64::from(rows) * u64::from(depth) != u64::from(x.len()) {
        return Err(message!(
            "{} is not in rows of {}",
            format_args!("{:?}", x.dims),
            depth
        ));
    }
    if u64::from(rows) * u64::from(units) != u64::from(call.output(0)?.len()) {
        return Err(misfit(call));
    }
    let params = QuantisedConvParams {
        x: [1; 2],
        from: [depth, depth, depth, 1],
        y: [1, 1, units],
        group: [depth, units.max(1)],
        kernel: [1; 2],
        stride: [1; 2],
        dilation: [1; 2],
        w: [0, depth, depth, 1],
        ..QuantisedConvParams::default()
    };
    summed(call, [x, w], call.optional(2), params)
}

/// With the quantisation of all operands: a factor for each channel, or one for all.
fn summed(
    call: &Call<'_>,
    [x, w]: [&Operand; 2],
    bias: Option<&Operand>,
    params: QuantisedConvParams,
) -> Result<Dispatch, Message> {
    let y = call.output(0)?;
    let (of_x, of_y) = (steps(call, x)?, steps(call, y)?);
    narrow(w)?;
    let [taps, outputs] = [params.kernel.iter().product::<u32>(), params.y[2]];
    let weights = [taps, params.group[0], outputs].into_iter();
    let weights = weights.fold(1_u64, |all, size| all.saturating_mul(size.into()));
    let filters = quantization(call, w).ok_or_else(|| message!("{} has no scale", w.name))?;
    let zeros = &filters.zero_points;
    let zero = zeros.first().copied().unwrap_or_default();
    let one_zero = zeros.iter().all(|other| *other == zero);
    let per_channel = filters.scales.len() == outputs as usize;
    if weights != u64::from(w.len()) || !(per_channel || filters.scales.len() == 1) || !one_zero {
        return Err(misfit(call));
    }
    let factors = filters.scales.iter().map(|scale| {
        Factor::of(f64::from(of_x.scale) * f64::from(*scale) / f64::from(of_y.scale)).words()
    });
    let factors = table(y, DType::I32, factors.flatten().collect());
    // Sums of 16 bits are wide where the bias is, and in windows without one.
    let connected = call.op.is(Operator::FullyConnected);
    let wide = bias.map_or(!connected, |bias| bias.dtype != DType::I32);
    let wide = wide && x.dtype == DType::I16;
    let scaling = if connected {
        Scaling::Once
    } else {
        Scaling::FixedPoint
    };
    let of_sums = if wide { DType::I64 } else { DType::I32 };
    if let Some(bias) = bias.filter(|it| it.dtype != of_sums || it.len() != outputs) {
        return Err(message!("{} is not for {} outputs", bias.name, outputs));
    }
    let params = QuantisedConvParams {
        count: y.len(),
        zeros: [
            of_x.zero,
            i32::try_from(zero).map_err(|_error| misfit(call))?,
            of_y.zero,
        ],
        range: activated(call, y, of_y)?,
        factors: u32::try_from(filters.scales.len()).unwrap_or(1),
        ..params
    };
    let dispatch = Dispatch::new(Kernel::QuantisedConv, &params, typed_grid(y));
    Ok(dispatch
        .reads([x, w, &factors].into_iter().chain(bias))
        .writes(y)
        .constant("X", elements::code(x.dtype))
        .constant("W", elements::code(w.dtype))
        .constant("KIND", elements::code(y.dtype))
        .constant("WIDE", u32::from(wide))
        .constant("SCALE", scaling.code())
        .constant("BIAS", u32::from(bias.is_some()))
        .constant("LANES", params.lanes(y, false)))
}

/// # Errors
/// What stands in the way, for people.
pub(super) fn pool(call: &Call<'_>, op: QuantisedPoolOp) -> Result<Dispatch, Message> {
    let (x, y) = (call.input(0)?, call.output(0)?);
    alike(call, x, y)?;
    let (from, to) = images(x, y)?;
    if [from.batch, from.channels] != [to.batch, to.channels] {
        return Err(misfit(call));
    }
    let sides = options(call, ["filter_height", "filter_width"]);
    let kernel = sides.map(|side| u32::try_from(side).unwrap_or_default());
    let window = window(call, &kernel)?.padded(padding(call), from.size, to.size)?;
    let params = QuantisedPoolParams {
        count: y.len(),
        x: [from.size[1], from.size[2]],
        channels: to.channels,
        y: [to.size[1], to.size[2]],
        kernel,
        stride: [window.stride[1], window.stride[2]],
        pad: [window.pad[1], window.pad[2]],
        range: activated(call, y, steps(call, y)?)?,
        ..QuantisedPoolParams::default()
    };
    Ok(pooled(op, x, &params, y))
}

/// Whether a mean is over height and width of an image.
pub(super) fn is_of_image(call: &Call<'_>) -> bool {
    let mut axes = call.ints(1).unwrap_or_default().to_vec();
    axes.sort_unstable();
    let image = call.input(0).is_ok_and(|x| x.dims.len() == 4);
    image && matches!(axes[..], [1, 2] | [-3, -2])
}

/// Over height and width of an image.
///
/// # Errors
/// When the shapes do not fit.
pub(super) fn mean(call: &Call<'_>) -> Result<Dispatch, Message> {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let [batch, height, width, channels] = four_dims(x)?;
    if u64::from(batch) * u64::from(channels) != u64::from(y.len()) {
        return Err(misfit(call));
    }
    let (of_x, of_y) = (steps(call, x)?, steps(call, y)?);
    let factor = Factor::of(f64::from(of_x.scale) / f64::from(of_y.scale));
    let factor = factor.divided(height.saturating_mul(width));
    let params = QuantisedPoolParams {
        count: y.len(),
        x: [height, width],
        channels,
        y: [1; 2],
        kernel: [height, width],
        stride: [1; 2],
        zeros: [of_x.zero, of_y.zero],
        range: range(y),
        factor: [factor.mantissa, factor.shift],
        ..QuantisedPoolParams::default()
    };
    Ok(pooled(QuantisedPoolOp::ScaledSum, x, &params, y))
}

fn pooled(op: QuantisedPoolOp, x: &Operand, params: &QuantisedPoolParams, y: &Operand) -> Dispatch {
    Dispatch::new(Kernel::QuantisedPool, params, typed_grid(y))
        .reads([x])
        .writes(y)
        .constant("OP", op.code())
        .constant("KIND", elements::code(y.dtype))
}
