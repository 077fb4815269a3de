//! Builtins on floats whose weights are integers of 8 bits (LiteRT's dynamic range quantisation):
//! what they read becomes integers on the way.

mod layers;

use planner::graph::DType;
use planner::{Message, message};

use super::window::{four_dims, images, padding, window};
use crate::kernels::{HybridParams, Kernel, groups};
use crate::lower::Dispatches;
use crate::lower::activation::Activation;
use crate::lower::call::{Call, unplaced};
use crate::lower::table::table;
use crate::recording::{Dispatch, Operand};
use planner::operators::Operator;

/// Most workgroups that share an image: each of them looks for the image's range by itself.
const MOST_SHARES: u32 = 64;

/// The weights of the operator as they lie in the file, and how they are computed with.
#[derive(Clone)]
struct Weights {
    elements: Operand,
    /// One for all filters, or one for each.
    scales: Vec<f32>,
    /// The dimension along which these are.
    axis: usize,
}

/// The dispatches of a builtin on floats with weights of 8 bits; `None` for all others.
pub(in crate::lower) fn dispatches(call: &Call<'_>) -> Option<Dispatches> {
    let lowered: fn(&Call<'_>, Weights) -> Result<Dispatch, Message> = match call.op.operator {
        Operator::FullyConnected => fully_connected,
        Operator::Conv => convolution,
        Operator::DepthwiseConv2d => depthwise,
        Operator::MatMul => batch_matmul,
        Operator::Svdf => return Some(layers::filter(call, &weights_at(call, 1)?)),
        Operator::UnidirectionalSequenceLstm => return layers::long(call),
        Operator::UnidirectionalSequenceRnn => return layers::plain(call, weights_at(call, 1)?),
        _ => return None,
    };
    let weights = weights_at(call, 1)?;
    // Others are decoded and summed as floats.
    if call.op.is(Operator::MatMul) && matrices(call, &weights).is_none() {
        return None;
    }
    // Of groups with one scale, LiteRT has no such kernel: they are decoded and summed as floats.
    let channels = |x: &Operand| x.dims.last().copied();
    let grouped = call.op.is(Operator::Conv)
        && call.input(0).ok().and_then(channels) != channels(&weights.elements);
    if grouped && weights.scales.len() == 1 {
        return None;
    }
    if call.outputs.iter().flatten().all(Operand::is_empty) {
        return Some(Ok(Vec::new()));
    }
    Some(lowered(call, weights).map(|made| vec![made]))
}

/// Constants of int8 with scales under floats; `None` where the weights are others.
fn weights_at(call: &Call<'_>, at: usize) -> Option<Weights> {
    let id = call.op.inputs.get(at).copied().flatten()?;
    let tensor = call.graph.tensor(id);
    let floats = [call.input(0), call.output(0)];
    let floats = floats
        .iter()
        .all(|it| matches!(it, Ok(it) if it.dtype == DType::F32));
    let is_constant = call.input(at).is_ok_and(|w| call.is_constant(w));
    if !(floats && is_constant && tensor.dtype == DType::I8 && tensor.sparsity.is_none()) {
        return None;
    }
    let quantization = tensor.quantization.as_deref()?;
    Some(Weights {
        elements: unplaced(call.graph, id)?,
        scales: quantization.scales.to_vec(),
        axis: usize::try_from(quantization.axis).ok()?,
    })
}

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

/// Every row is an image of one pixel.
fn fully_connected(call: &Call<'_>, weights: Weights) -> Result<Dispatch, Message> {
    let (x, y) = (call.input(0)?, call.output(0)?);
    if call.op.int("weights_format").unwrap_or_default() != 0 {
        return Err(message!("its weights are shuffled"));
    }
    let &[units, depth] = &*weights.elements.dims else {
        return Err(message!("{} is no matrix", weights.elements.name));
    };
    let rows = y.len() / units.max(1);
    if u64::from(rows) * u64::from(depth) != u64::from(x.len()) || y.len() % units.max(1) != 0 {
        return Err(misfit(call));
    }
    let params = unit_rows([rows, depth, units]);
    summed(call, &weights, params, [asymmetric(call), false])
}

/// Rows of weights for each unit, and rows of x.
fn unit_rows([rows, depth, units]: [u32; 3]) -> HybridParams {
    HybridParams {
        images: [rows, 1],
        x: [1, 1, depth],
        y: [1, 1, units],
        group: [depth, units],
        kernel: [1, 1],
        stride: [1, 1],
        dilation: [1, 1],
        w: [depth, 0, 1],
        ..HybridParams::default()
    }
}

/// How x meets the matrices that the weights are. `None` for a transposed x, for scales that are
/// not those of columns, and for more than one batch dimension: there LiteRT's reference kernel
/// takes the scale of another row (`reference/batch_matmul.h` adds the indices of the batch
/// dimensions up).
fn matrices(call: &Call<'_>, weights: &Weights) -> Option<HybridParams> {
    let flag = |name: &str| call.op.int(name).unwrap_or_default() != 0;
    let sizes = |x: &Operand| -> Option<([u32; 2], u32)> {
        let [batch @ .., rows, columns] = x.dims.as_slice() else {
            return None;
        };
        let in_order = batch.iter().filter(|&&size| size != 1).count() < 2;
        in_order.then(|| ([*rows, *columns], batch.iter().product()))
    };
    let ([rows, depth], images) = sizes(call.input(0).ok()?)?;
    let (size, count) = sizes(&weights.elements)?;
    let (_, all) = sizes(call.output(0).ok()?)?;
    let ([own_depth, columns], strides, axis) = match flag("adj_y") {
        true => ([size[1], size[0]], [size[1], 1], 2),
        false => (size, [1, size[1]], 1),
    };
    let by_column = weights.axis + axis == weights.elements.dims.len();
    let scaled = weights.scales.len() == 1 || by_column;
    let fits = own_depth == depth
        && images.max(count) == all
        && (images == count || images.min(count) == 1);
    (scaled && fits && !flag("adj_x")).then(|| HybridParams {
        w: [strides[0], 0, strides[1]],
        given: rows * images,
        matrix: match count {
            1 => [rows * all, 0],
            _ => [rows, depth * columns],
        },
        ..unit_rows([rows * all, depth, columns])
    })
}

/// Every row of x is an image of one pixel, every column of the weights a filter.
fn batch_matmul(call: &Call<'_>, weights: Weights) -> Result<Dispatch, Message> {
    let params = matrices(call, &weights).ok_or_else(|| misfit(call))?;
    summed(call, &weights, params, [asymmetric(call), false])
}

/// Whether rows of x have a zero point.
fn asymmetric(call: &Call<'_>) -> bool {
    let asked = call.op.int("asymmetric_quantize_inputs");
    asked.unwrap_or_default() != 0
}

/// Filters lie by filter, tap, channel. With a scale for each, images have a zero point.
fn convolution(call: &Call<'_>, weights: Weights) -> Result<Dispatch, Message> {
    let [filters, height, width, inputs] = four_dims(&weights.elements)?;
    let channels = call.input(0)?.dims.last().copied().unwrap_or_default();
    let count = channels.checked_div(inputs).unwrap_or_default();
    if count == 0 || count * inputs != channels || !filters.is_multiple_of(count) {
        return Err(misfit(call));
    }
    let each = weights.scales.len() > 1;
    let params = HybridParams {
        group: [inputs, filters / count],
        w: [height * width * inputs, inputs, 1],
        ..HybridParams::default()
    };
    windowed(
        call,
        &weights,
        params,
        ([height, width], filters, [each, each]),
    )
}

/// Filters lie by tap, channel; images have a zero point.
fn depthwise(call: &Call<'_>, weights: Weights) -> Result<Dispatch, Message> {
    let [_, height, width, filters] = four_dims(&weights.elements)?;
    let channels = call.input(0)?.dims.last().copied().unwrap_or_default();
    if channels == 0 || !filters.is_multiple_of(channels) {
        return Err(misfit(call));
    }
    let params = HybridParams {
        group: [1, filters / channels],
        w: [1, filters, 0],
        ..HybridParams::default()
    };
    windowed(
        call,
        &weights,
        params,
        ([height, width], filters, [true, false]),
    )
}

/// With the window that the options of the operator describe.
fn windowed(
    call: &Call<'_>,
    weights: &Weights,
    params: HybridParams,
    (kernel, filters, how): ([u32; 2], u32, [bool; 2]),
) -> Result<Dispatch, Message> {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let (from, to) = images(x, y)?;
    if from.batch != to.batch || to.channels != filters {
        return Err(misfit(call));
    }
    let window = window(call, &kernel)?.padded(padding(call), from.size, to.size)?;
    let two = |all: [u32; 3]| [all[1], all[2]];
    let params = HybridParams {
        images: [from.batch, 1],
        x: [from.size[1], from.size[2], from.channels],
        y: [to.size[1], to.size[2], to.channels],
        kernel,
        stride: two(window.stride),
        dilation: two(window.dilation),
        pad: [window.pad[1], window.pad[2]],
        ..params
    };
    summed(call, weights, params, how)
}

/// Whether images have a zero point, and whether the scale of a filter is multiplied with first.
fn summed(
    call: &Call<'_>,
    weights: &Weights,
    mut params: HybridParams,
    [asymmetric, channel_first]: [bool; 2],
) -> Result<Dispatch, Message> {
    let (x, y, bias) = (call.input(0)?, call.output(0)?, call.optional(2));
    let filters = params.y[2];
    if bias.is_some_and(|bias| bias.len() != filters || bias.dtype != DType::F32) {
        return Err(message!(
            "its bias is not a float for each of {} filters",
            filters
        ));
    }
    params.ends = Activation::tflite(call)?.ends()?;
    Ok(with_scales([x, y], weights, params, bias)?
        .constant("ASYMMETRIC", u32::from(asymmetric))
        .constant("CHANNEL_FIRST", u32::from(channel_first)))
}

/// With a scale for each filter.
fn with_scales(
    [x, y]: [&Operand; 2],
    weights: &Weights,
    mut params: HybridParams,
    bias: Option<&Operand>,
) -> Result<Dispatch, Message> {
    let filters = params.y[2];
    let count = filters as usize;
    let scales = match weights.scales.as_slice() {
        &[scale] => vec![scale; count],
        scales if scales.len() == count => scales.to_vec(),
        scales => return Err(message!("{} scales for {} filters", scales.len(), filters)),
    };
    // Of a single matrix.
    if params.given == 0 {
        (params.given, params.matrix) = (params.images[0].max(1), [params.images[0].max(1), 0]);
    }
    let [images, share] = &mut params.images;
    let outputs = y.len().checked_div(*images).unwrap_or_default();
    *share = outputs.div_ceil(64).clamp(1, MOST_SHARES);
    let groups = groups(images.saturating_mul(*share));
    let words = scales.into_iter().map(f32::to_bits).collect();
    Ok(Dispatch::new(Kernel::Hybrid, &params, groups)
        .reads([
            x,
            &weights.elements,
            &table(y, DType::F32, words),
            bias.unwrap_or(x),
        ])
        .writes(y)
        .constant("BIAS", u32::from(bias.is_some())))
}
