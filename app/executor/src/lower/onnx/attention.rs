//! Attention of ONNX's own domain.

use planner::graph::DType;
use planner::{Message, message};

use crate::lower::Dispatches;
use crate::lower::arrange::joined;
use crate::lower::attention::Attention;
use crate::lower::call::{Call, all_floats};
use crate::lower::heads::{Heads, Lengths, Mask, scale_of};
use crate::recording::Operand;
use planner::operators::Operator;

/// The dispatches of an operator that attends; `None` when it is of another family.
pub(in crate::lower) fn dispatches(call: &Call<'_>, _opset: u32) -> Option<Dispatches> {
    Some(match call.op.operator {
        Operator::Attention => attention(call),
        Operator::FlexAttention => flexible(call),
        _ => return None,
    })
}

/// 1 / √size, unless it is given.
fn scale(call: &Call<'_>, size: u32) -> f32 {
    call.float_attribute("scale")
        .unwrap_or_else(|| scale_of(size))
}

/// Past keys, or values, and the new ones after them.
pub(super) fn present(past: Option<&Operand>, new: &Heads<'_>, y: &Operand) -> Dispatches {
    // Heads and rows may have to change places, so the new ones have strides of their own.
    let new = Operand {
        dims: vec![new.batches, new.heads, new.rows, new.size],
        strides: vec![new.steps.batch, new.steps.head, new.steps.row, 1],
        ..new.x.clone()
    };
    let pieces: Vec<&Operand> = past.into_iter().chain([&new]).collect();
    joined(&pieces, 2, y)
}

fn attention(call: &Call<'_>) -> Dispatches {
    let heads = |name| call.op.int(name);
    let y = Heads::of(call.output(0)?, heads("q_num_heads"))?;
    let q = Heads::of(call.input(0)?, heads("q_num_heads"))?;
    let new_k = Heads::of(call.input(1)?, heads("kv_num_heads"))?;
    let new_v = Heads::of(call.input(2)?, heads("kv_num_heads"))?;
    all_floats([q.x, new_k.x, new_v.x, y.x])?;
    let past = call.optional(4).map(|past| past.dims.get(2).copied());
    let mut dispatches = Vec::new();
    for (output, past, new) in [(1, 4, &new_k), (2, 5, &new_v)] {
        match (call.output(output), call.optional(past)) {
            (Ok(y), past) => dispatches.extend(present(past, new, y)?),
            (Err(missing), Some(_)) => return Err(missing),
            (Err(_), None) => {}
        }
    }
    let (k, v) = match past {
        None => (new_k, new_v),
        Some(_) => (
            Heads::of(call.output(1)?, None)?,
            Heads::of(call.output(2)?, None)?,
        ),
    };
    let scores = [q.batches, q.heads, q.rows, k.rows];
    let mask = call.optional(3);
    let mask = mask.map(|mask| Mask::broadcast(mask, scores, true));
    let side = |name| match call.op.int(name).unwrap_or(-1) {
        size @ 0.. => i32::try_from(size).unwrap_or(-1),
        _ => -1,
    };
    let mut window = [side("left_window_size"), side("right_window_size")];
    if call.op.int("is_causal").unwrap_or_default() != 0 {
        window[1] = 0;
    }
    let attention = Attention {
        cap: call.float_attribute("softcap").unwrap_or_default(),
        offset: past.flatten().unwrap_or_default(),
        window,
        masks: [mask.transpose()?, None],
        lengths: lengths(call, q.batches)?,
        scores: shown(call)?,
        ..Attention::plain(scale(call, q.size))
    };
    dispatches.push(attention.dispatch([&q, &k, &v], &y)?);
    Ok(dispatches)
}

/// How many keys are no padding.
fn lengths<'a>(call: &'a Call<'_>, batches: u32) -> Result<Option<Lengths<'a>>, Message> {
    let Some(x) = call.optional(6) else {
        return Ok(None);
    };
    if x.dtype != DType::I64 || x.len() != batches {
        return Err(message!("{} is not for {} batches", x.name, batches));
    }
    Ok(Some(Lengths {
        x,
        more: 0,
        from_end: call.optional(4).is_none(),
    }))
}

/// Where scores go, and which: the fourth output.
fn shown<'a>(call: &'a Call<'_>) -> Result<Option<(&'a Operand, u32)>, Message> {
    let Ok(y) = call.output(3) else {
        return Ok(None);
    };
    match call.op.int("qk_matmul_output_mode").unwrap_or_default() {
        mode @ 0..=3 => Ok(Some((y, u32::try_from(mode + 1).unwrap_or(1)))),
        other => Err(message!("there is no kernel for its mode {}", other)),
    }
}

/// Without functions of scores it is an attention over all keys.
fn flexible(call: &Call<'_>) -> Dispatches {
    for name in ["score_mod", "prob_mod"] {
        if call.op.attribute(name).is_some() {
            return Err(message!("it holds a subgraph"));
        }
    }
    let [q, k, v] = [0, 1, 2].map(|at| Heads::of(call.input(at)?, None));
    let (q, k, v, y) = (q?, k?, v?, Heads::of(call.output(0)?, None)?);
    let attention = Attention::plain(scale(call, q.size));
    Ok(vec![attention.dispatch([&q, &k, &v], &y)?])
}
