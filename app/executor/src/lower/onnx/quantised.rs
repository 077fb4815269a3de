//! ONNX Runtime's operators on quantised elements (the `com.microsoft` domain), which sum floats
//! in the order in which its CPU kernels do and round ties to even: what they give is equal.

use planner::graph::DType;
use planner::{Message, message};

use super::elementwise::unary_op;
use super::window::{padding, window};
use crate::elements;
use crate::kernels::{
    Kernel, QuantisedFacts, QuantisedOp, QuantisedPoolOp, QuantisedPoolParams,
    QuantisedSoftmaxParams, typed_grid,
};
use crate::lower::Dispatches;
use crate::lower::arrange::joined;
use crate::lower::call::{Call, axis_of};
use crate::lower::elementwise::quantised_pair;
use crate::lower::table::{by_parts, entries, lookup, table};
use crate::lower::window::{Image, Layout, Window, product};
use crate::recording::{Dispatch, Operand};
use planner::operators::Operator;

/// The dispatches of an operator on quantised elements; `None` when it is of another family.
pub(in crate::lower) fn dispatches(call: &Call<'_>, _opset: u32) -> Option<Dispatches> {
    let one: fn(&Call<'_>) -> Result<Dispatch, Message> = match call.op.operator {
        Operator::QLinearAdd => |call| pair(call, QuantisedOp::QLinearAdd),
        Operator::QLinearMul => |call| pair(call, QuantisedOp::QLinearMul),
        Operator::QLinearAveragePool => average,
        Operator::QLinearGlobalAveragePool => global_average,
        Operator::QLinearSoftmax => softmax,
        Operator::QLinearConcat => return Some(concat(call)),
        _ => {
            let _known = function(call)?;
            function_of_one
        }
    };
    Some(call.unless_empty(one))
}

/// One scale and zero point for all elements.
#[derive(Clone, Copy, PartialEq)]
struct Steps {
    scale: f32,
    zero: i32,
}

impl Steps {
    /// The inputs at these positions; a zero point that is left out is 0.
    fn of(call: &Call<'_>, scale: usize, zero: usize) -> Result<Self, Message> {
        let unknown = || message!("input {} is not known before the run", scale);
        Ok(Self {
            scale: call.float(scale).ok_or_else(unknown)?,
            zero: zero_at(call, zero)?,
        })
    }

    /// The number that an element stands for.
    #[expect(clippy::cast_precision_loss, reason = "it has 9 bits")]
    fn real(self, x: i32) -> f32 {
        (x - self.zero) as f32 * self.scale
    }

    /// The element that stands for a number.
    fn element(self, real: f32, [lowest, highest]: [i32; 2]) -> i32 {
        #[expect(clippy::cast_possible_truncation, reason = "float casts saturate")]
        let nearest = (real / self.scale).round_ties_even() as i32;
        nearest.saturating_add(self.zero).clamp(lowest, highest)
    }
}

/// The zero point at this position; 0 where it is left out.
pub(super) fn zero_at(call: &Call<'_>, at: usize) -> Result<i32, Message> {
    if call.optional(at).is_none() {
        return Ok(0);
    }
    match *call.ints(at)? {
        [zero] => i32::try_from(zero).map_err(|_error| {
            message!("scales or zero points are not those that the operator needs")
        }),
        _ => Err(message!("its scales are not one for each operand")),
    }
}

/// The least and the largest element of a type of 8 bits.
pub(super) fn range(x: &Operand) -> Result<[i32; 2], Message> {
    match x.dtype {
        DType::I8 => Ok([-128, 127]),
        DType::U8 => Ok([0, 255]),
        other => Err(message!("{} is {}", x.name, other.name())),
    }
}

/// The least and the largest element of y: of its type, or under the activation that a pass has
/// found after the operator.
pub(super) fn bounded(call: &Call<'_>, y: &Operand) -> Result<[i32; 2], Message> {
    let [lowest, highest] = range(y)?;
    let fused = |name: &str, usual: i32| match call.op.int(name).map(i32::try_from) {
        Some(Ok(bound)) => bound,
        _ => usual,
    };
    let lowest = fused("fused_lowest", lowest).clamp(lowest, highest);
    Ok([
        lowest,
        fused("fused_highest", highest).clamp(lowest, highest),
    ])
}

/// a and b with scale and zero point each, then those of y.
#[expect(clippy::cast_precision_loss, reason = "zero points have 8 bits")]
fn pair(call: &Call<'_>, op: QuantisedOp) -> Result<Dispatch, Message> {
    let (a, b, y) = (call.input(0)?, call.input(3)?, call.output(0)?);
    let (of_a, of_b) = (Steps::of(call, 1, 2)?, Steps::of(call, 4, 5)?);
    let of_y = Steps::of(call, 6, 7)?;
    range(a)?;
    range(b)?;
    let (zeros, reals) = match op {
        QuantisedOp::QLinearAdd => {
            let [a, b] = [of_a, of_b].map(|of| of.scale / of_y.scale);
            let offset = a * of_a.zero as f32 + b * of_b.zero as f32;
            ([0; 3], [a, b, of_y.zero as f32 - offset])
        }
        _ => {
            let factor = of_a.scale * of_b.scale / of_y.scale;
            ([of_a.zero, of_b.zero, 0], [factor, 0.0, of_y.zero as f32])
        }
    };
    let facts = QuantisedFacts {
        zeros,
        range: bounded(call, y)?,
        reals,
        ..QuantisedFacts::default()
    };
    quantised_pair(op, [a, b], &table(y, DType::I32, facts.words()), y)
}

/// x with scale and zero point, then those of y.
fn of_one(call: &Call<'_>, function: &dyn Fn(f32) -> f32) -> Result<Dispatch, Message> {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let (of_x, of_y) = (Steps::of(call, 1, 2)?, Steps::of(call, 3, 4)?);
    range(x)?;
    let range = bounded(call, y)?;
    lookup(x, y, &|x| of_y.element(function(of_x.real(x)), range))
}

/// The function of the floats that elements stand for: that of the operator on floats. What stands
/// between bounds is cut off once it is an element again.
fn function(call: &Call<'_>) -> Option<Box<dyn Fn(f32) -> f32>> {
    let of_floats = match call.op.operator {
        Operator::QLinearClip => return Some(Box::new(|x| x)),
        Operator::QLinearElu => Operator::Elu,
        Operator::QLinearErf => Operator::Erf,
        Operator::QLinearExp => Operator::Exp,
        Operator::QLinearGelu => Operator::Gelu,
        Operator::QLinearHardSigmoid => Operator::HardSigmoid,
        Operator::QLinearHardSwish => Operator::HardSwish,
        Operator::QLinearLeakyRelu => Operator::LeakyRelu,
        Operator::QLinearMish => Operator::Mish,
        Operator::QLinearSigmoid => Operator::Sigmoid,
        Operator::QLinearSoftplus => Operator::Softplus,
        Operator::QLinearSqrt => Operator::Sqrt,
        Operator::QLinearSwish => Operator::Swish,
        Operator::QLinearTanh => Operator::Tanh,
        _ => return None,
    };
    let (op, alpha, beta) = unary_op(call, of_floats)?;
    Some(Box::new(move |x| op.apply(x, alpha, beta)))
}

fn function_of_one(call: &Call<'_>) -> Result<Dispatch, Message> {
    let function = function(call).ok_or_else(|| message!("there is no kernel for it"))?;
    of_one(call, &*function)
}

/// Where the channels are.
fn layout(call: &Call<'_>) -> Layout {
    match call.op.int("channels_last").unwrap_or_default() {
        0 => Layout::ChannelsFirst,
        _ => Layout::ChannelsLast,
    }
}

fn average(call: &Call<'_>) -> Result<Dispatch, Message> {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let kernel = call.op.ints("kernel_shape").unwrap_or_default();
    let taps = kernel.iter().map(|&side| u32::try_from(side).ok());
    let taps: Option<Vec<u32>> = taps.collect();
    let taps = taps.filter(|taps| taps.len() + 2 == x.dims.len());
    let taps = taps.ok_or_else(|| {
        message!(
            "a window of {} over {}",
            format_args!("{kernel:?}"),
            format_args!("{:?}", x.dims)
        )
    })?;
    let images = (Image::of(x, layout(call))?, Image::of(y, layout(call))?);
    let padding = padding(call, taps.len())?;
    let window = window(call, &taps)?.padded(padding, images.0.size, images.1.size)?;
    let (of_x, of_y) = (Steps::of(call, 1, 2)?, Steps::of(call, 3, 4)?);
    let params = QuantisedPoolParams {
        zeros: [of_x.zero, of_y.zero],
        reals: [of_x.scale, of_y.scale],
        taps: match call.op.int("count_include_pad").unwrap_or_default() {
            0 => 0,
            _ => product(&taps),
        },
        range: bounded(call, y)?,
        ..pool(x, &window, images, layout(call), y)?
    };
    Ok(pooled(QuantisedPoolOp::RealMean, x, &params, y))
}

/// One window over all pixels of a channel, however many dimensions they have.
#[expect(clippy::cast_precision_loss, reason = "rounding is what a cast does")]
fn global_average(call: &Call<'_>) -> Result<Dispatch, Message> {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let (batch, channels, space) = match (layout(call), x.dims.as_slice()) {
        (Layout::ChannelsFirst, [batch, channels, space @ ..])
        | (Layout::ChannelsLast, [batch, space @ .., channels]) => (*batch, *channels, space),
        (_, dims) => return Err(message!("an image of {}", format_args!("{dims:?}"))),
    };
    let pixels = product(space);
    let viewed = |operand: &Operand, pixels: u32| {
        operand.viewed(match layout(call) {
            Layout::ChannelsFirst => vec![batch, channels, pixels],
            Layout::ChannelsLast => vec![batch, pixels, channels],
        })
    };
    if u64::from(y.len()) != u64::from(batch) * u64::from(channels) || pixels == 0 {
        return Err(message!(
            "it leads from {} to {}",
            format_args!("{:?}", x.dims),
            format_args!("{:?}", y.dims)
        ));
    }
    let (from, to) = (viewed(x, pixels), viewed(y, 1));
    let images = (
        Image::of(&from, layout(call))?,
        Image::of(&to, layout(call))?,
    );
    let (of_x, of_y) = (Steps::of(call, 1, 2)?, Steps::of(call, 3, 4)?);
    let params = QuantisedPoolParams {
        zeros: [of_x.zero, of_y.zero],
        reals: [of_x.scale / (of_y.scale * pixels as f32), 0.0],
        range: bounded(call, y)?,
        ..pool(
            x,
            &Window::of(&[pixels], None, None)?,
            images,
            layout(call),
            y,
        )?
    };
    Ok(pooled(QuantisedPoolOp::RealSum, x, &params, y))
}

/// A window over elements of 8 bits. Of channels that come first each is an image by itself.
pub(super) fn pool(
    x: &Operand,
    window: &Window,
    (from, to): (Image, Image),
    layout: Layout,
    y: &Operand,
) -> Result<QuantisedPoolParams, Message> {
    let alike = x.dtype == y.dtype && [from.batch, from.channels] == [to.batch, to.channels];
    if !alike || window.dilation != [1; 3] {
        return Err(message!("there is no kernel for it on {}", x.dtype.name()));
    }
    Ok(QuantisedPoolParams {
        count: y.len(),
        x: [from.size[1], from.size[2]],
        channels: match layout {
            Layout::ChannelsFirst => 1,
            Layout::ChannelsLast => to.channels,
        },
        y: [to.size[1], to.size[2]],
        kernel: [window.kernel[1], window.kernel[2]],
        stride: [window.stride[1], window.stride[2]],
        pad: [window.pad[1], window.pad[2]],
        depth: window.depth(&from, &to),
        range: range(x)?,
        ..QuantisedPoolParams::default()
    })
}

pub(super) fn pooled(
    op: QuantisedPoolOp,
    x: &Operand,
    params: &QuantisedPoolParams,
    y: &Operand,
) -> Dispatch {
    Dispatch::new(Kernel::QuantisedPool, params, typed_grid(y))
        .reads([x])
        .writes(y)
        .constant("OP", op.code())
        .constant("KIND", elements::code(y.dtype))
}

/// Along the last dimension; in operator sets before 13 along all from the axis on.
fn softmax(call: &Call<'_>) -> Result<Dispatch, Message> {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let flat = call.op.int("opset").unwrap_or(13) < 13;
    let usual = if flat { 1 } else { -1 };
    let axis = axis_of(call.op.int("axis").unwrap_or(usual), x.dims.len())?;
    if !flat && product(&x.dims[axis + 1..]) != 1 {
        return Err(message!(
            "softmax of quantised elements along another dimension than the last"
        ));
    }
    let (of_x, of_y) = (Steps::of(call, 1, 2)?, Steps::of(call, 3, 4)?);
    range(x)?;
    let size = product(&x.dims[axis..]);
    let params = QuantisedSoftmaxParams {
        count: y.len(),
        size,
        range: bounded(call, y)?,
        whole: (1.0 / of_y.scale).floor(),
        zero: of_y.zero,
        ..QuantisedSoftmaxParams::default()
    };
    let exps = table(y, DType::F32, exponentials(of_x.scale, size));
    let dispatch = Dispatch::new(Kernel::QuantisedSoftmax, &params, typed_grid(y));
    Ok(dispatch
        .reads([x, &exps])
        .writes(y)
        .constant("REAL", 1)
        .constant("TO", elements::code(y.dtype))
        .constant("KIND", elements::code(y.dtype)))
}

/// e^(shift − d · scale) for every distance d from the largest element of `size`, with as large a
/// shift as leaves room for the sum (`QlinearBuildLookupTableUint32`).
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "it computes so"
)]
fn exponentials(scale: f32, size: u32) -> Vec<u32> {
    let scale = f64::from(scale);
    let room = f64::from((f32::MAX / size.max(1) as f32).ln());
    let shift = (room - 5.0).max(0.0) / scale;
    let exp = |distance: u32| ((shift - f64::from(distance)) * scale).exp() as f32;
    (0..256).map(|distance| exp(distance).to_bits()).collect()
}

/// The scale and zero point of y, then every piece with its own. Where those differ the pieces
/// are looked up in tables once they lie in y.
fn concat(call: &Call<'_>) -> Dispatches {
    let y = call.output(0)?;
    let axis = axis_of(call.op.int("axis").unwrap_or_default(), y.dims.len())?;
    let (of_y, bounds) = (Steps::of(call, 0, 1)?, bounded(call, y)?);
    let (mut pieces, mut ends, mut tables) = (Vec::new(), Vec::new(), Vec::new());
    let inner = product(&y.dims[axis + 1..]);
    let (mut end, mut alike) = (0, Ok(bounds) == range(y));
    for at in (2..call.inputs.len()).step_by(3) {
        let (x, of_x) = (call.input(at)?, Steps::of(call, at + 1, at + 2)?);
        let side = x.dims.get(axis).copied().unwrap_or_default();
        if x.dtype != y.dtype {
            return Err(message!("{} is {}", x.name, x.dtype.name()));
        }
        end += side.wrapping_mul(inner);
        ends.push(end);
        tables.extend(entries(x.dtype, &|x| of_y.element(of_x.real(x), bounds)));
        alike &= of_x == of_y;
        pieces.push(x);
    }
    let mut dispatches = joined(&pieces, axis, y)?;
    if !alike {
        dispatches.push(by_parts(y, ends, &tables));
    }
    Ok(dispatches)
}
