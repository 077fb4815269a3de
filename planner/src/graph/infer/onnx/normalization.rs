//! Normalization, dropout, attention and losses.

use super::element_type;
use crate::graph::DType;
use crate::graph::infer::{Call, InferredOutput, Outputs, Unsized};
use crate::message;

/// The result, then mean and inverse deviation, both without the normalized axes.
pub(super) fn layer(call: &Call<'_>) -> Outputs {
    let x = call.need(0)?;
    let axis = call.axis(call.int("axis", -1), x.dims.len())?;
    let mut statistics = x.dims.to_vec();
    statistics[axis..].fill(1);
    let stash = element_type(call.int("stash_type", 1));
    Ok(vec![
        InferredOutput::new(x.dtype, x.dims),
        InferredOutput::new(stash, statistics.clone()),
        InferredOutput::new(stash, statistics),
    ])
}

/// The result, and in training mode running mean and variance (older operator sets: also
/// the saved ones), one element per channel.
pub(super) fn batch(call: &Call<'_>) -> Outputs {
    let x = call.need(0)?;
    let mut made = vec![InferredOutput::new(x.dtype, x.dims)];
    for index in 1..call.op.outputs.len() {
        // Inputs 3 and 4 are mean and variance; the saved ones repeat them.
        let like = call.need(if index % 2 == 1 { 3 } else { 4 })?;
        made.push(InferredOutput::new(like.dtype, like.dims));
    }
    Ok(made)
}

/// The result and the mask, which is boolean since operator set 10.
pub(super) fn dropout(call: &Call<'_>) -> Outputs {
    let x = call.need(0)?;
    let mask = if call.opset() < 10 {
        x.dtype
    } else {
        DType::Bool
    };
    Ok(vec![
        InferredOutput::new(x.dtype, x.dims),
        InferredOutput::new(mask, x.dims),
    ])
}

/// One loss per target, or a scalar; the second output of the cross entropy is the
/// logarithm of the probabilities.
pub(super) fn loss(call: &Call<'_>, more: usize) -> Outputs {
    let x = call.need(0)?;
    let dims = match call.op.text("reduction").unwrap_or("mean") {
        "none" => call.dims(1)?,
        _ => &[],
    };
    let mut made = vec![InferredOutput::new(x.dtype, dims)];
    if more > 0 {
        made.push(InferredOutput::new(x.dtype, x.dims));
    }
    Ok(made)
}

/// Queries, keys and values as (batch, heads, length, head size) or (batch, length, hidden
/// size); the present keys and values are the past ones followed by the new ones.
pub(super) fn attention(call: &Call<'_>) -> Outputs {
    let (q, k, v) = (call.need(0)?, call.need(1)?, call.need(2)?);
    let heads = |name| call.size(call.int(name, 0));
    let split = |dims: &[u64], heads: u64| match *dims {
        [batch, heads, length, size] => Some([batch, heads, length, size]),
        [batch, length, hidden] => Some([batch, heads, length, hidden.checked_div(heads)?]),
        _ => None,
    };
    let mismatch = || unfit(call, [q.dims, k.dims, v.dims]);
    let [batch, q_heads, q_len, _] = split(q.dims, heads("q_num_heads")?).ok_or_else(mismatch)?;
    let kv_heads = heads("kv_num_heads")?;
    let mut k4 = split(k.dims, kv_heads).ok_or_else(mismatch)?;
    let mut v4 = split(v.dims, kv_heads).ok_or_else(mismatch)?;
    for (index, present) in [(4, &mut k4), (5, &mut v4)] {
        if let Some(past) = call.input(index) {
            let length = past
                .dims
                .get(2)
                .and_then(|past| past.checked_add(present[2]));
            present[2] = length.ok_or_else(mismatch)?;
        }
    }
    let y = match q.dims.len() {
        4 => vec![batch, q_heads, q_len, v4[3]],
        _ => vec![
            batch,
            q_len,
            q_heads.checked_mul(v4[3]).ok_or_else(mismatch)?,
        ],
    };
    Ok(vec![
        InferredOutput::new(q.dtype, y),
        InferredOutput::new(k.dtype, k4),
        InferredOutput::new(v.dtype, v4),
        InferredOutput::new(q.dtype, [batch, q_heads, q_len, k4[2]]),
    ])
}

/// Queries, keys and values of these dimensions do not fit each other.
fn unfit(call: &Call<'_>, [q, k, v]: [&[u64]; 3]) -> Unsized {
    call.invalid(message!(
        "{}, {}, {}",
        format_args!("{q:?}"),
        format_args!("{k:?}"),
        format_args!("{v:?}")
    ))
}

/// Queries, keys and values as (batch, length, hidden size); the state has a row for each element
/// of a key and a column for each of a value.
pub(super) fn linear_attention(call: &Call<'_>) -> Outputs {
    let (q, k, v) = (call.need(0)?, call.need(1)?, call.need(2)?);
    let heads = |name| call.size(call.int(name, 0));
    let (q_heads, kv_heads) = (heads("q_num_heads")?, heads("kv_num_heads")?);
    let mismatch = || unfit(call, [q.dims, k.dims, v.dims]);
    let (&[batch, length, _], &[_, _, keys], &[_, _, values]) = (q.dims, k.dims, v.dims) else {
        return Err(mismatch());
    };
    let size = |hidden: u64| hidden.checked_div(kv_heads).ok_or_else(mismatch);
    let (keys, values) = (size(keys)?, size(values)?);
    let hidden = q_heads.checked_mul(values).ok_or_else(mismatch)?;
    let state = call.input(3).map_or(q.dtype, |past| past.dtype);
    Ok(vec![
        InferredOutput::new(q.dtype, [batch, length, hidden]),
        InferredOutput::new(state, [batch, kv_heads, keys, values]),
    ])
}

/// The result, and the elements that the next window begins with.
pub(super) fn causal_convolution(call: &Call<'_>) -> Outputs {
    let x = call.need(0)?;
    let (&[batch, channels, _], &[_, _, taps]) = (x.dims, call.dims(1)?) else {
        return Err(call.invalid(message!("unexpected dimensions")));
    };
    let before = taps.checked_sub(1);
    let before = before.ok_or_else(|| call.invalid(message!("unexpected dimensions")))?;
    Ok(vec![
        InferredOutput::new(x.dtype, x.dims),
        InferredOutput::new(x.dtype, [batch, channels, before]),
    ])
}
