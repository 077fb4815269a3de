//! What ONNX Runtime's optimizers write for image networks (the `com.microsoft` domain). Source:
//! the operator documentation of ONNX Runtime.

use planner::graph::Attribute;
use planner::{Message, message};

use super::elementwise::{binary, unary, unary_op};
use super::transformers::nothing_from;
use super::window::convolution_of;
use crate::kernels::{
    BinaryOp, DeterminantParams, Kernel, MOST_ROWS, NormalizeOp, UnaryOp, groups,
};
use crate::lower::Dispatches;
use crate::lower::activation::Activation;
use crate::lower::call::{Call, all_floats, axis_of};
use crate::lower::rows::{Affine, elements, normalize, softmax};
use crate::lower::window::Layout;
use crate::recording::{Dispatch, Operand};
use planner::operators::Operator;

/// The dispatches of such an operator; `None` when it is of another family.
pub(in crate::lower) fn dispatches(call: &Call<'_>, _opset: u32) -> Option<Dispatches> {
    Some(match call.op.operator {
        Operator::FusedConv => fused_convolution(call),
        Operator::NhwcConv => {
            call.unless_empty(|call| convolution_of(call, Layout::ChannelsLast, Activation::NONE))
        }
        Operator::BiasAdd => bias_add(call),
        Operator::BiasSoftmax => bias_softmax(call),
        Operator::GroupNorm => group(call),
        Operator::Inverse => inverse(call),
        _ => return None,
    })
}

/// A convolution, what is added to it (input 3), and the activation of both.
fn fused_convolution(call: &Call<'_>) -> Dispatches {
    let y = call.output(0)?;
    if y.is_empty() {
        return Ok(Vec::new());
    }
    let mut dispatches = vec![convolution_of(
        call,
        Layout::ChannelsFirst,
        Activation::NONE,
    )?];
    if let Some(sum) = call.optional(3) {
        dispatches.push(binary(BinaryOp::Add, y, sum, y)?);
    }
    if let Some((op, alpha, beta)) = activation(call)? {
        dispatches.push(unary(op, alpha, beta, y, y)?);
    }
    Ok(dispatches)
}

/// The function that `activation` names, with `activation_params` for its attributes.
fn activation(call: &Call<'_>) -> Result<Option<(UnaryOp, f32, f32)>, Message> {
    let Some(name) = call.op.text("activation").filter(|name| !name.is_empty()) else {
        return Ok(None);
    };
    let given = match call.op.attribute("activation_params") {
        Some(Attribute::Floats(given)) => given.as_slice(),
        _ => &[],
    };
    let number = |at: usize, usual: f32| given.get(at).copied().unwrap_or(usual);
    let operator = Operator::of(call.graph.dialect, "", name);
    if operator == Operator::Clip {
        let (low, high) = (number(0, f32::MIN), number(1, f32::MAX));
        return Ok(Some((UnaryOp::Clip, low, high)));
    }
    match unary_op(call, operator) {
        Some((op, alpha, beta)) => Ok(Some((op, number(0, alpha), number(1, beta)))),
        None => Err(message!("{} is fused into it", name)),
    }
}

/// x + bias + skip.
fn bias_add(call: &Call<'_>) -> Dispatches {
    let (x, bias, skip) = (call.input(0)?, call.input(1)?, call.input(2)?);
    let y = call.output(0)?;
    Ok(vec![
        binary(BinaryOp::Add, x, bias, y)?,
        binary(BinaryOp::Add, y, skip, y)?,
    ])
}

/// The softmax of x + bias along the axis and all after it.
fn bias_softmax(call: &Call<'_>) -> Dispatches {
    let (x, bias, y) = (call.input(0)?, call.input(1)?, call.output(0)?);
    let first = axis_of(call.op.int("axis").unwrap_or(1), x.dims.len())?;
    let along: Vec<bool> = (0..x.dims.len()).map(|axis| axis >= first).collect();
    Ok(vec![
        binary(BinaryOp::Add, x, bias, y)?,
        softmax(false, 1.0, y, &along, y)?,
    ])
}

/// The inverse of each matrix.
fn inverse(call: &Call<'_>) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    all_floats([x, y])?;
    let [batch @ .., rows, columns] = x.dims.as_slice() else {
        return Err(message!("it has no matrices"));
    };
    if rows != columns || x.dims != y.dims {
        return Err(message!(
            "{} does not reduce to {}",
            format_args!("{:?}", x.dims),
            format_args!("{:?}", y.dims)
        ));
    }
    if *rows > MOST_ROWS {
        return Err(message!(
            "a matrix of {} rows: a kernel has {}",
            rows,
            MOST_ROWS
        ));
    }
    let params = DeterminantParams {
        count: elements(batch),
        size: *rows,
    };
    let made = Dispatch::new(Kernel::Inverse, &params, groups(params.count));
    Ok(vec![made.reads([x]).writes(y)])
}

/// Groups of channels, which lie last unless the operator says so, normalized over all pixels.
fn group(call: &Call<'_>) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    nothing_from(call, 3, 1)?;
    let last = call.op.int("channels_last").unwrap_or(1) != 0;
    let (batch, channels, space) = match x.dims.as_slice() {
        [batch, space @ .., channels] if last => (*batch, *channels, space),
        [batch, channels, space @ ..] => (*batch, *channels, space),
        dims => return Err(message!("an image of {}", format_args!("{dims:?}"))),
    };
    let groups = u32::try_from(call.op.int("groups").unwrap_or_default()).ok();
    let groups = groups.filter(|&groups| channels.checked_rem(groups) == Some(0));
    let groups = groups.ok_or_else(|| message!("its groups do not divide the channels"))?;
    let (members, pixels) = (channels / groups, elements(space));
    let viewed = |x: &Operand| {
        x.viewed(match last {
            true => [batch, pixels, groups, members],
            false => [batch, groups, members, pixels],
        })
    };
    let (along, repeat) = match last {
        true => ([false, true, false, true], 1),
        false => ([false, false, true, true], pixels.max(1)),
    };
    let affine = Affine {
        scale: Some(call.input(1)?),
        bias: Some(call.input(2)?),
        row_period: groups,
        row_stride: members,
        repeat,
        period: members,
    };
    let epsilon = call.float_attribute("epsilon").unwrap_or(1e-5);
    let op = NormalizeOp::Layer;
    let (x, whole) = (viewed(x), viewed(y));
    let mut dispatches = vec![normalize(op, epsilon, &x, &along, &affine, &whole)?];
    match call.op.int("activation").unwrap_or_default() {
        0 => {}
        1 => dispatches.push(unary(UnaryOp::Swish, 1.0, 0.0, y, y)?),
        other => {
            return Err(message!(
                "the unknown activation {} is fused into it",
                other
            ));
        }
    }
    Ok(dispatches)
}
