//! Attention of the `com.microsoft` domain on queries, keys and values. Source: the operator
//! documentation of ONNX Runtime.

use crate::kernels::HeadSteps;
use crate::lower::Dispatches;
use crate::lower::attention::Attention;
use crate::lower::call::Call;
use crate::lower::heads::{Heads, Lengths, Mask, product, scale_of};
use crate::lower::onnx::attention::present;
use crate::lower::onnx::grouped;
use crate::recording::Operand;
use planner::operators::Operator;
use planner::{Message, message};

/// The dispatches of such an operator; `None` when it is of another family.
pub(in crate::lower) fn dispatches(call: &Call<'_>, _opset: u32) -> Option<Dispatches> {
    Some(match call.op.operator {
        Operator::MultiHeadAttention => multi_head(call),
        Operator::GroupQueryAttention => grouped::grouped(call),
        Operator::MicrosoftAttention => projecting(call),
        _ => return None,
    })
}

/// The attribute called `name`, a number of heads.
pub(super) fn heads(call: &Call<'_>, name: &str) -> Result<u32, Message> {
    let count = u32::try_from(call.op.int(name).unwrap_or_default());
    let count = count.ok().filter(|&count| count > 0);
    count.ok_or_else(|| message!("its attribute {} is not there", name))
}

pub(super) fn unknown_attribute(name: &str) -> Message {
    message!("there is no kernel for its attribute {}", name)
}

/// Refuses inputs and outputs from these positions on.
pub(super) fn nothing_from(call: &Call<'_>, input: usize, output: usize) -> Result<(), Message> {
    if let Some(x) = call.inputs.iter().skip(input).flatten().next() {
        return Err(message!("there is no kernel for its input {}", x.name));
    }
    match call.outputs.iter().skip(output).flatten().count() {
        0 => Ok(()),
        more => Err(message!("it has {} outputs that are not known", more)),
    }
}

/// Part `which` of (batch, rows, heads, parts, size).
fn part(x: &Operand, which: u32) -> Result<Heads<'_>, Message> {
    let &[batches, rows, heads, parts, size] = x.dims.as_slice() else {
        return Err(message!(
            "{} of {} has no heads",
            x.name,
            format_args!("{:?}", x.dims)
        ));
    };
    let head = product([parts, size])?;
    let row = product([heads, head])?;
    Ok(Heads {
        x,
        batches,
        heads,
        rows,
        size,
        steps: HeadSteps {
            at: product([which, size])?,
            batch: product([rows, row])?,
            head,
            row,
        },
    })
}

/// Queries, keys and values, however they are packed.
fn operands<'a>(call: &'a Call<'_>, heads: u32) -> Result<[Heads<'a>; 3], Message> {
    let count = Some(i64::from(heads));
    let (q, k, v) = (call.input(0)?, call.optional(1), call.optional(2));
    Ok(match (k, v) {
        (None, _) => [part(q, 0)?, part(q, 1)?, part(q, 2)?],
        (Some(k), None) => [Heads::of(q, count)?, part(k, 0)?, part(k, 1)?],
        (Some(k), Some(v)) => [
            Heads::of(q, count)?,
            Heads::of(k, count)?,
            Heads::of(v, count)?,
        ],
    })
}

fn multi_head(call: &Call<'_>) -> Dispatches {
    let count = heads(call, "num_heads")?;
    let y = Heads::of(call.output(0)?, Some(count.into()))?;
    let [q, new_k, new_v] = operands(call, count)?;
    nothing_from(call, 8, 3)?;
    let mut dispatches = Vec::new();
    let (past, bias) = (call.optional(6), call.optional(3));
    for (output, past, new) in [(1, 6, &new_k), (2, 7, &new_v)] {
        match (call.output(output), call.optional(past)) {
            (Ok(y), past) => dispatches.extend(present(past, new, y)?),
            (Err(missing), Some(_)) => return Err(missing),
            (Err(_), None) => {}
        }
    }
    if let (Some(bias), Ok(_)) = (bias, call.output(1)) {
        return Err(message!("there is no kernel for its input {}", bias.name));
    }
    let (k, v) = match past {
        None => (new_k, new_v),
        Some(_) => (
            Heads::of(call.output(1)?, None)?,
            Heads::of(call.output(2)?, None)?,
        ),
    };
    let scores = [q.batches, q.heads, q.rows, k.rows];
    let mask = call.optional(4).map(|mask| padding(mask, scores));
    let (mask, lengths) = match mask.transpose()? {
        None => (None, None),
        Some(Padding::Mask(mask)) => (Some(mask), None),
        Some(Padding::Lengths(lengths)) => (None, Some(lengths)),
    };
    let added = call.optional(5).map(|x| Mask::broadcast(x, scores, false));
    let causal = call.op.int("unidirectional").unwrap_or_default() != 0;
    let attention = Attention {
        low: call
            .float_attribute("mask_filter_value")
            .unwrap_or(-10_000.0),
        offset: past.map_or(0, |past| past.dims.get(2).copied().unwrap_or_default()),
        window: [-1, if causal { 0 } else { -1 }],
        masks: [mask, added.transpose()?],
        lengths,
        bias,
        ..Attention::plain(given_scale(call, q.size))
    };
    dispatches.push(attention.dispatch([&q, &k, &v], &y)?);
    Ok(dispatches)
}

/// 0 stands for none.
pub(super) fn given_scale(call: &Call<'_>, size: u32) -> f32 {
    match call.float_attribute("scale") {
        Some(given) if given != 0.0 => given,
        _ => scale_of(size),
    }
}

/// What says which keys are padding.
enum Padding<'a> {
    Mask(Mask<'a>),
    Lengths(Lengths<'a>),
}

/// (batch): how many keys there are; (batch, keys) or (batch, queries, keys): which.
fn padding<'a>(x: &'a Operand, scores: [u32; 4]) -> Result<Padding<'a>, Message> {
    let [batches, _, rows, keys] = scores;
    if !matches!(x.dtype, planner::graph::DType::I32) {
        return Err(message!("{} is {}", x.name, x.dtype.name()));
    }
    let dims = match *x.dims.as_slice() {
        [own] if own == batches => {
            return Ok(Padding::Lengths(Lengths {
                x,
                more: 0,
                from_end: false,
            }));
        }
        [own, all] if [own, all] == [batches, keys] => [batches, 1, 1, keys],
        [own, queries, all] if [own, queries, all] == [batches, rows, keys] => {
            [batches, 1, rows, keys]
        }
        _ => {
            return Err(message!(
                "{} does not broadcast to {}",
                format_args!("{:?}", x.dims),
                format_args!("{scores:?}")
            ));
        }
    };
    Ok(Padding::Mask(Mask::of(x, dims, scores, false)?))
}

/// Queries, keys and values are input times weights.
fn projecting(call: &Call<'_>) -> Dispatches {
    let count = heads(call, "num_heads")?;
    let y = Heads::of(call.output(0)?, Some(count.into()))?;
    let (x, weights) = (call.input(0)?, call.input(1)?);
    nothing_from(call, 6, 1)?;
    if let Some(past) = call.optional(4) {
        return Err(message!("there is no kernel for its input {}", past.name));
    }
    if call.op.int("do_rotary").unwrap_or_default() != 0 {
        return Err(unknown_attribute("do_rotary"));
    }
    let hidden = match (call.op.ints("qkv_hidden_sizes"), &*weights.dims) {
        (Some(&[q, k, v]), _) if q == k => [q, v].map(|size| u32::try_from(size).unwrap_or(0)),
        (None, [_, columns]) => [columns / 3; 2],
        _ => return Err(message!("{} does not fit {}", weights.name, x.name)),
    };
    let sizes = hidden.map(|hidden| hidden / count);
    let scores = [y.batches, count, y.rows, y.rows];
    let (mask, lengths) = match call.optional(3).map(|mask| padding(mask, scores)) {
        None => (None, None),
        Some(found) => match found? {
            Padding::Mask(mask) => (Some(mask), None),
            Padding::Lengths(lengths) => (None, Some(lengths)),
        },
    };
    let added = call.optional(5).map(|x| Mask::broadcast(x, scores, false));
    let causal = call.op.int("unidirectional").unwrap_or_default() != 0;
    let attention = Attention {
        low: call
            .float_attribute("mask_filter_value")
            .unwrap_or(-10_000.0),
        window: [-1, if causal { 0 } else { -1 }],
        masks: [mask, added.transpose()?],
        lengths,
        ..Attention::plain(given_scale(call, sizes[0]))
    };
    let bias = call.optional(2);
    Ok(vec![attention.projected(
        [x, weights],
        bias,
        (count, sizes),
        &y,
    )?])
}
