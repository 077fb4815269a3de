//! Operators that carry a state from one run to the next, and gates.

use crate::kernels::{
    BinaryOp, CausalConvParams, Kernel, LinearAttentionParams, Outside, UnaryOp, grid,
};
use crate::lower::Dispatches;
use crate::lower::arrange::padded;
use crate::lower::call::{Call, all_floats};
use crate::lower::elementwise::{binary, unary};
use crate::lower::heads::{Heads, product, scale_of};
use crate::recording::{Dispatch, Operand};
use planner::message;
use planner::operators::Operator;

/// The dispatches of such an operator; `None` when it is of another family.
pub(in crate::lower) fn dispatches(call: &Call<'_>, _opset: u32) -> Option<Dispatches> {
    Some(match call.op.operator {
        Operator::LinearAttention => linear(call),
        Operator::CausalConvWithState => convolution(call),
        Operator::SwiGLU => gated(call),
        _ => return None,
    })
}

/// a sigmoid(alpha a) b.
fn gated(call: &Call<'_>) -> Dispatches {
    let (a, b, y) = (call.input(0)?, call.input(1)?, call.output(0)?);
    if a.dims != b.dims {
        return Err(message!(
            "{} does not broadcast to {}",
            format_args!("{:?}", b.dims),
            format_args!("{:?}", a.dims)
        ));
    }
    let alpha = call.float_attribute("alpha").unwrap_or(1.0);
    Ok(vec![
        unary(UnaryOp::Swish, alpha, 0.0, a, y)?,
        binary(BinaryOp::Mul, y, b, y)?,
    ])
}

fn linear(call: &Call<'_>) -> Dispatches {
    // What the shader has room for.
    const SIZE: u32 = 256;
    let heads = |name| call.op.int(name);
    let q = Heads::of(call.input(0)?, heads("q_num_heads"))?;
    let k = Heads::of(call.input(1)?, heads("kv_num_heads"))?;
    let v = Heads::of(call.input(2)?, heads("kv_num_heads"))?;
    let (y, state) = (call.output(0)?, call.output(1)?);
    let (past, decay, rate) = (call.optional(3), call.optional(4), call.optional(5));
    let given = [past, decay, rate].into_iter().flatten();
    all_floats([q.x, k.x, v.x, y, state].into_iter().chain(given))?;
    let misfit = |x: &Operand| message!("{} does not fit {}", x.name, q.x.name);
    let alike = |x: &Heads<'_>| x.x.dims.len() == 3 && [x.batches, x.rows] == [q.batches, q.rows];
    if !alike(&k) || q.size != k.size || q.heads.checked_rem(k.heads) != Some(0) {
        return Err(misfit(k.x));
    }
    if !alike(&v) || q.x.dims.len() != 3 {
        return Err(misfit(v.x));
    }
    let (decays, rates) = match call.op.text("update_rule").unwrap_or("gated_delta") {
        "linear" => (false, false),
        "gated" => (true, false),
        "delta" => (false, true),
        "gated_delta" => (true, true),
        other => return Err(message!("there is no kernel for its mode {}", other)),
    };
    let lines = product([q.batches, q.rows])?;
    let columns = |x: Option<&Operand>, wanted: bool, counts: [u32; 2]| match x {
        None if !wanted => Ok(0),
        Some(x) if wanted => {
            let last = x.dims.last().copied().unwrap_or_default();
            let fits = counts.contains(&last) && x.len() == product([lines, last])?;
            if fits { Ok(last) } else { Err(misfit(x)) }
        }
        _ => Err(message!("its inputs are not those of its update")),
    };
    let size_of_state = product([q.batches, k.heads, k.size, v.size])?;
    if past.is_some_and(|past| past.len() != size_of_state) || state.len() != size_of_state {
        return Err(misfit(state));
    }
    if k.size > SIZE {
        let size = k.size;
        return Err(message!(
            "its rows have {} elements, of at most {}",
            size,
            SIZE
        ));
    }
    let scale = call.float_attribute("scale").filter(|scale| *scale != 0.0);
    let params = LinearAttentionParams {
        batches: q.batches,
        rows: q.rows,
        heads: [q.heads, k.heads],
        sizes: [k.size, v.size],
        decays: columns(decay, decays, [k.heads, product([k.heads, k.size])?])?,
        rates: columns(rate, rates, [k.heads, 1])?,
        scale: scale.unwrap_or_else(|| scale_of(q.size)),
    };
    let threads = product([q.batches, k.heads, v.size])?;
    Ok(vec![
        Dispatch::new(Kernel::LinearAttention, &params, grid(threads))
            .reads([q.x, k.x, v.x])
            .reads([past, decay, rate].map(|it| it.unwrap_or(q.x)))
            .writes(y)
            .writes(state)
            .constant("PAST", u32::from(past.is_some())),
    ])
}

/// The state is what the next window begins with: the last elements of past and x.
fn convolution(call: &Call<'_>) -> Dispatches {
    let (x, weights, y) = (call.input(0)?, call.input(1)?, call.output(0)?);
    let (bias, past) = (call.optional(2), call.optional(3));
    all_floats([x, weights, y].into_iter().chain(bias).chain(past))?;
    let misfit = || Err(message!("{} does not fit {}", weights.name, x.name));
    let (&[batches, channels, length], &[filters, 1, taps]) = (&*x.dims, &*weights.dims) else {
        return misfit();
    };
    let Some(before) = taps.checked_sub(1) else {
        return misfit();
    };
    let state = product([batches, channels, before])?;
    let short = bias.is_some_and(|bias| bias.len() != channels);
    if filters != channels || short || past.is_some_and(|past| past.len() != state) {
        return misfit();
    }
    let silu = match call.op.text("activation").unwrap_or("none") {
        "none" => false,
        "silu" | "swish" => true,
        other => return Err(message!("there is no kernel for its mode {}", other)),
    };
    let params = CausalConvParams {
        count: y.len(),
        channels,
        length,
        taps,
    };
    let mut dispatches = vec![
        Dispatch::new(Kernel::CausalConv, &params, grid(y.len()))
            .reads([x, weights, bias.unwrap_or(x), past.unwrap_or(x)])
            .writes(y)
            .constant("BIAS", u32::from(bias.is_some()))
            .constant("PAST", u32::from(past.is_some()))
            .constant("SILU", u32::from(silu)),
    ];
    let Ok(state) = call.output(1) else {
        return Ok(dispatches);
    };
    let (before, length) = (i64::from(before), i64::from(length));
    if let Some(past) = past {
        let (begins, ends) = ([0, 0, -length.min(before)], [0, 0, length.min(before)]);
        dispatches.extend(padded(
            past,
            &begins,
            &ends,
            (Outside::Fill, [0; 2]),
            state,
        )?);
    }
    let outside = if past.is_some() {
        Outside::Keep
    } else {
        Outside::Fill
    };
    let begins = [0, 0, before - length];
    dispatches.extend(padded(x, &begins, &[0; 3], (outside, [0; 2]), state)?);
    Ok(dispatches)
}
