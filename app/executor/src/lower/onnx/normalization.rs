//! Softmax and normalization.

use crate::kernels::{BatchNormParams, Kernel, NormalizeOp, ReduceOp, grid};
use crate::lower::Dispatches;
use crate::lower::call::{Call, all_floats};
use crate::lower::rows::{Affine, axes, axis, elements, hardmax, normalize, reduce, softmax};
use crate::recording::{Dispatch, Operand};
use planner::operators::Operator;
use planner::{Message, message};

/// The dispatches of a normalizing operator; `None` when it is of another family.
pub(in crate::lower) fn dispatches(call: &Call<'_>, opset: u32) -> Option<Dispatches> {
    Some(match call.op.operator {
        Operator::Softmax | Operator::LogSoftmax | Operator::Hardmax => soft(call, opset),
        Operator::LayerNormalization => layer(call, NormalizeOp::Layer),
        Operator::RMSNormalization | Operator::SimplifiedLayerNormalization => {
            layer(call, NormalizeOp::RootMeanSquare)
        }
        Operator::InstanceNormalization => instance(call),
        Operator::GroupNormalization => group(call, opset),
        Operator::BatchNormalization => batch(call, opset),
        Operator::LpNormalization => lp(call),
        Operator::MeanVarianceNormalization => mean_variance(call),
        _ => return None,
    })
}

fn epsilon(call: &Call<'_>) -> f32 {
    call.float_attribute("epsilon").unwrap_or(1e-5)
}

/// Since operator set 13 along one axis; before it along that axis and all after it.
fn soft(call: &Call<'_>, opset: u32) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let rank = x.dims.len();
    let given = call.op.int("axis");
    let along: Vec<bool> = if opset >= 13 {
        axes(&[given.unwrap_or(-1)], rank)?
    } else {
        let given = given.unwrap_or(1);
        // One past the last is an axis, too: then every element is a row.
        let first = if usize::try_from(given) == Ok(rank) {
            rank
        } else {
            axis(given, rank)?
        };
        (0..rank).map(|axis| axis >= first).collect()
    };
    Ok(vec![match call.op.operator {
        Operator::Hardmax => hardmax(x, &along, y)?,
        operator => softmax(operator == Operator::LogSoftmax, 1.0, x, &along, y)?,
    }])
}

/// Scale and bias have the normalized dimensions, or broadcast to them along one run.
fn layer(call: &Call<'_>, op: NormalizeOp) -> Dispatches {
    let (x, scale) = (call.input(0)?, call.input(1)?);
    let bias = call.optional(2).filter(|_| op == NormalizeOp::Layer);
    if call.op.int("stash_type").unwrap_or(1) != 1 {
        return Err(message!("it computes in a type other than f32"));
    }
    let first = axis(call.op.int("axis").unwrap_or(-1), x.dims.len())?;
    let along: Vec<bool> = (0..x.dims.len()).map(|axis| axis >= first).collect();
    let normalized = &x.dims[first..];
    let (repeat, period) = run(&scale.dims, normalized)?;
    if let Some(bias) = bias
        && run(&bias.dims, normalized)? != (repeat, period)
    {
        return Err(message!("scale and bias broadcast each its own way"));
    }
    let affine = Affine {
        scale: Some(scale),
        bias,
        repeat,
        period,
        ..Affine::NONE
    };
    let mut dispatches = Vec::new();
    if let Some(Some(y)) = call.outputs.first() {
        dispatches.push(normalize(op, epsilon(call), x, &along, &affine, y)?);
    }
    let (mean, inverse) = match op {
        NormalizeOp::Layer => (call.outputs.get(1), call.outputs.get(2)),
        _ => (None, None),
    };
    let unasked = call.outputs.iter().skip(1).flatten().count();
    for (statistic, operand) in [
        (ReduceOp::Mean, mean),
        (ReduceOp::InverseDeviation, inverse),
    ] {
        if let Some(Some(y)) = operand {
            dispatches.push(reduce(statistic, epsilon(call), x, &along, y)?);
        }
    }
    let there = call.outputs.iter().flatten().count();
    if dispatches.len() != there {
        return Err(message!("it has {} outputs that are not known", unasked));
    }
    Ok(dispatches)
}

/// How an operand of dimensions `dims` is read along dimensions `normalized`: how often each
/// element repeats, and how many there are.
fn run(dims: &[u32], normalized: &[u32]) -> Result<(u32, u32), Message> {
    let refused = || {
        message!(
            "{} does not broadcast to {} along one run",
            format_args!("{dims:?}"),
            format_args!("{normalized:?}")
        )
    };
    let (mut repeat, mut period, mut ended) = (1_u32, 1_u32, false);
    for back in 0..dims.len().max(normalized.len()) {
        let own = dims.iter().rev().nth(back).copied().unwrap_or(1);
        let size = normalized.iter().rev().nth(back).copied().unwrap_or(1);
        if own == 1 {
            if period == 1 {
                repeat = size.saturating_mul(repeat);
            } else {
                ended = ended || size != 1;
            }
        } else if own == size && !ended {
            period = size.saturating_mul(period);
        } else {
            return Err(refused());
        }
    }
    Ok((if period == 1 { 1 } else { repeat }, period))
}

/// Batch and channels, outermost.
fn batch_and_channels(x: &Operand) -> Result<(u32, u32), Message> {
    match x.dims.as_slice() {
        [batch, channels, ..] => Ok((*batch, *channels)),
        dims => Err(message!("{} has no channels", format_args!("{dims:?}"))),
    }
}

fn instance(call: &Call<'_>) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let (_, channels) = batch_and_channels(x)?;
    let along: Vec<bool> = (0..x.dims.len()).map(|axis| axis >= 2).collect();
    let affine = Affine {
        scale: Some(call.input(1)?),
        bias: Some(call.input(2)?),
        row_period: channels,
        row_stride: 1,
        ..Affine::NONE
    };
    let op = NormalizeOp::Layer;
    Ok(vec![normalize(op, epsilon(call), x, &along, &affine, y)?])
}

/// Operator set 18 has a scale for each group, 21 one for each channel.
fn group(call: &Call<'_>, opset: u32) -> Dispatches {
    let (x, y, scale) = (call.input(0)?, call.output(0)?, call.input(1)?);
    let (batch, channels) = batch_and_channels(x)?;
    let groups = call.op.int("num_groups").unwrap_or_default();
    let groups = u32::try_from(groups).ok().filter(|&groups| {
        let whole = channels.checked_rem(groups);
        whole == Some(0)
    });
    let groups = groups.ok_or_else(|| message!("its groups do not divide the channels"))?;
    if call.op.int("stash_type").unwrap_or(1) != 1 {
        return Err(message!("it computes in a type other than f32"));
    }
    let members = channels / groups;
    let spatial = elements(&x.dims[2..]);
    let by_group = opset < 21 && scale.len() == groups;
    let (row_stride, repeat, period) = if by_group {
        (1, 1, 1)
    } else {
        (members, spatial.max(1), members)
    };
    let affine = Affine {
        scale: Some(scale),
        bias: Some(call.input(2)?),
        row_period: groups,
        row_stride,
        repeat,
        period,
    };
    let x = x.viewed([batch, groups, members.saturating_mul(spatial)]);
    let (op, along) = (NormalizeOp::Layer, [false, false, true]);
    Ok(vec![normalize(op, epsilon(call), &x, &along, &affine, y)?])
}

fn batch(call: &Call<'_>, opset: u32) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let set = |name: &str| call.op.int(name).unwrap_or_default() != 0;
    if set("training_mode") || call.outputs.iter().skip(1).any(Option::is_some) {
        return Err(message!(
            "it is in training mode: it would update its statistics"
        ));
    }
    if opset < 7 && !set("is_test") {
        return Err(message!("it is in training mode: is_test is 0"));
    }
    if opset < 9 && call.op.int("spatial") == Some(0) {
        return Err(message!("it has statistics for each element: spatial is 0"));
    }
    let channels = match x.dims.as_slice() {
        [_, channels, ..] => *channels,
        _ => 1,
    };
    let mut inputs = vec![x];
    for position in 1..5 {
        let input = call.input(position)?;
        if input.len() != channels {
            return Err(message!("{} is not for {} channels", input.name, channels));
        }
        inputs.push(input);
    }
    all_floats(inputs.iter().copied().chain([y]))?;
    let params = BatchNormParams {
        count: y.len(),
        channels,
        inner: elements(x.dims.get(2..).unwrap_or_default()),
        epsilon: epsilon(call),
    };
    let dispatch = Dispatch::new(Kernel::BatchNorm, &params, grid(y.len()));
    Ok(vec![dispatch.reads(inputs).writes(y)])
}

fn lp(call: &Call<'_>) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let op = match call.op.int("p").unwrap_or(2) {
        1 => NormalizeOp::L1,
        2 => NormalizeOp::L2,
        p => return Err(message!("the norm of order {} is neither L1 nor L2", p)),
    };
    let along = axes(&[call.op.int("axis").unwrap_or(-1)], x.dims.len())?;
    // A row of zeros stays one.
    let least = f32::MIN_POSITIVE;
    Ok(vec![normalize(op, least, x, &along, &Affine::NONE, y)?])
}

fn mean_variance(call: &Call<'_>) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let along = axes(call.op.ints("axes").unwrap_or(&[0, 2, 3]), x.dims.len())?;
    let op = NormalizeOp::MeanVariance;
    Ok(vec![normalize(op, 1e-9, x, &along, &Affine::NONE, y)?])
}
