//! Operators of the `com.microsoft` domain that ONNX Runtime's optimizers write.

use super::elementwise::common;
use super::layout::concat;
use super::linear::{gemm, matrix_product};
use super::usual_outputs;
use crate::graph::DType;
use crate::graph::infer::{Call, InferredOutput, KnownInput, Outputs};
use crate::message;
use crate::operators::Operator;

/// Like those of LSTM; the weights are integers, and lie by input and then by gate.
pub(super) fn quantized_lstm(call: &Call<'_>) -> Outputs {
    let x = call.need(0)?;
    let (&[steps, batch, _], &[directions, hidden, _]) = (x.dims, call.dims(2)?) else {
        return Err(call.invalid(message!("unexpected dimensions")));
    };
    let last = InferredOutput::new(x.dtype, [directions, batch, hidden]);
    Ok(vec![
        InferredOutput::new(x.dtype, [steps, directions, batch, hidden]),
        last.clone(),
        last,
    ])
}

/// The last dimension of x has twice the columns of the result.
pub(super) fn halved(call: &Call<'_>) -> Outputs {
    let x = call.need(0)?;
    let mut dims = x.dims.to_vec();
    match dims.last_mut() {
        Some(last) if last.is_multiple_of(2) => *last /= 2,
        _ => return Err(call.invalid(message!("columns that are not two halves"))),
    }
    Ok(vec![InferredOutput::new(x.dtype, dims)])
}

/// A convolution whose channels lie after the pixels; its weights are those of any other.
pub(super) fn pixels_first(call: &Call<'_>) -> Outputs {
    let x = call.need(0)?;
    let &[batch, ref space @ .., channels] = x.dims else {
        return Err(call.invalid(message!("an image without channels")));
    };
    let dims = [&[batch, channels], space].concat();
    let mut inputs = call.inputs.to_vec();
    inputs[0] = Some(KnownInput { dims: &dims, ..x });
    let mut op = call.op.clone();
    op.become_operator(call.graph.dialect, Operator::Conv);
    let inner = Call {
        op: &op,
        inputs: &inputs,
        ..*call
    };
    let made = usual_outputs(&inner)?.into_iter();
    let moved = made.map(|made| match made.dims.as_slice() {
        [batch, channels, space @ ..] => {
            let dims = [&[*batch], space, &[*channels]].concat();
            InferredOutput::new(made.dtype, dims)
        }
        _ => made,
    });
    Ok(moved.collect())
}

/// As the operator of the default domain.
pub(super) fn taken_over(call: &Call<'_>, operator: Operator) -> Outputs {
    let mut op = call.op.clone();
    op.become_operator(call.graph.dialect, operator);
    let call = Call { op: &op, ..*call };
    usual_outputs(&call)
}

/// The sum of input and skip (output 3) normalized, mean and deviation in between.
pub(super) fn skip(call: &Call<'_>) -> Outputs {
    let x = call.need(0)?;
    let mut statistics = x.dims.to_vec();
    match statistics.last_mut() {
        Some(last) => *last = 1,
        None => return Err(call.invalid(message!("a scalar"))),
    }
    Ok(vec![
        InferredOutput::new(x.dtype, x.dims),
        InferredOutput::new(DType::F32, statistics.clone()),
        InferredOutput::new(DType::F32, statistics),
        InferredOutput::new(x.dtype, x.dims),
    ])
}

/// Embeddings of (batch, length) ids, one mask index per batch, and the sum before
/// normalization.
pub(super) fn embed(call: &Call<'_>) -> Outputs {
    let (&[batch, length], words) = (call.dims(0)?, call.need(2)?) else {
        return Err(call.invalid(message!("ids that are not (batch, length)")));
    };
    let &[_, hidden] = words.dims else {
        return Err(call.invalid(message!("embeddings that are not a matrix")));
    };
    let dims = vec![batch, length, hidden];
    Ok(vec![
        InferredOutput::new(words.dtype, dims.clone()),
        InferredOutput::new(DType::I32, [batch]),
        InferredOutput::new(words.dtype, dims),
    ])
}

pub(super) fn fused_product(call: &Call<'_>) -> Outputs {
    let operand = |index, transpose: &str, batch: &str| {
        let mut dims = call.dims(index)?.to_vec();
        if call.flag(batch) {
            return Err(call.unknown());
        }
        if call.flag(transpose)
            && let [.., a, b] = dims.as_mut_slice()
        {
            std::mem::swap(a, b);
        }
        Ok(dims)
    };
    let a = operand(0, "transA", "transBatchA")?;
    let b = operand(1, "transB", "transBatchB")?;
    let dims = matrix_product(call, &a, &b)?;
    Ok(vec![InferredOutput::new(call.need(0)?.dtype, dims)])
}

/// Weights are packed; their size stands in the attributes K and N.
pub(super) fn bits_product(call: &Call<'_>) -> Outputs {
    let x = call.need(0)?;
    let (k, n) = (call.size(call.int("K", 0))?, call.size(call.int("N", 0))?);
    let dims = matrix_product(call, x.dims, &[k, n])?;
    Ok(vec![InferredOutput::new(x.dtype, dims)])
}

/// The pieces stand at 2, 5 and so on, after the scale and zero point of the whole and before
/// their own.
/// One output of floats.
pub(super) fn float_product(call: &Call<'_>) -> Outputs {
    let dims = matrix_product(call, call.dims(0)?, call.dims(1)?)?;
    Ok(vec![InferredOutput::new(DType::F32, dims)])
}

/// Without pixels before channels.
pub(super) fn quantized_pool(call: &Call<'_>, made: fn(&Call<'_>) -> Outputs) -> Outputs {
    match call.flag("channels_last") {
        true => Err(call.unknown()),
        false => made(call),
    }
}

pub(super) fn quantized_concat(call: &Call<'_>) -> Outputs {
    let inputs = call.inputs.iter().copied().skip(2).step_by(3);
    let inputs: Vec<_> = inputs.collect();
    let call = Call {
        inputs: &inputs,
        ..*call
    };
    Ok(vec![InferredOutput::new(
        call.need(0)?.dtype,
        concat(&call)?,
    )])
}

/// The matrices stand at 0 and 3; without a scale of the result, which stands at 7, its elements
/// are floats.
pub(super) fn quantized_gemm(call: &Call<'_>) -> Outputs {
    let dtype = match call.input(7) {
        Some(_) => call.need(0)?.dtype,
        None => DType::F32,
    };
    let inputs = [call.input(0), call.input(3)];
    let inner = Call {
        inputs: &inputs,
        ..*call
    };
    let made = gemm(&inner)?.into_iter();
    Ok(made
        .map(|made| InferredOutput::new(dtype, made.dims))
        .collect())
}

/// The operands stand at 0 and 3, each with its scale and zero point after it.
pub(super) fn quantized_binary(call: &Call<'_>) -> Outputs {
    let inputs = [call.input(0), call.input(3)];
    let call = Call {
        inputs: &inputs,
        ..*call
    };
    let dims = common(&call)?;
    Ok(vec![InferredOutput::new(call.need(0)?.dtype, dims)])
}

/// Input (batch, length, size) and weights (size, 3 × hidden).
pub(super) fn attention(call: &Call<'_>) -> Outputs {
    let x = call.need(0)?;
    let (&[batch, length, _], &[_, columns]) = (x.dims, call.dims(1)?) else {
        return Err(call.invalid(message!("unexpected dimensions")));
    };
    if call.input(4).is_some() || call.op.outputs.len() > 1 {
        return Err(call.unknown());
    }
    let hidden = match call.op.ints("qkv_hidden_sizes") {
        Some([_, _, values]) => call.size(*values)?,
        _ => columns / 3,
    };
    Ok(vec![InferredOutput::new(x.dtype, [batch, length, hidden])])
}

/// Queries (batch, length, hidden), or with keys and values (batch, length, heads, 3, size);
/// the present keys and values are the past ones followed by the new ones.
pub(super) fn multi_head(call: &Call<'_>) -> Outputs {
    let (query, heads) = (call.need(0)?, call.size(call.int("num_heads", 0))?);
    let mismatch = || call.invalid(message!("unexpected dimensions"));
    let size = |hidden: u64| hidden.checked_div(heads).ok_or_else(mismatch);
    // Batch, length, and size of a head of keys and of values.
    let (batch, rows, sizes) = match (query.dims, call.input(1), call.input(2)) {
        (&[batch, rows, _, 3, size], None, None) => (batch, rows, [size; 2]),
        (_, Some(k), None) => match *k.dims {
            [batch, rows, _, 2, size] => (batch, rows, [size; 2]),
            _ => return Err(mismatch()),
        },
        (_, Some(k), Some(v)) => match (k.dims, v.dims) {
            (&[batch, rows, k], &[_, _, v]) => (batch, rows, [size(k)?, size(v)?]),
            (&[batch, _, rows, k], &[_, _, _, v]) => (batch, rows, [k, v]),
            _ => return Err(mismatch()),
        },
        _ => return Err(mismatch()),
    };
    let past = call.input(6).map(|past| past.dims.get(2).copied());
    let past = past.map_or(Some(0), |past| past).ok_or_else(mismatch)?;
    let rows = rows.checked_add(past).ok_or_else(mismatch)?;
    let length = query.dims.get(1).copied().ok_or_else(mismatch)?;
    let hidden = heads.checked_mul(sizes[1]).ok_or_else(mismatch)?;
    Ok(vec![
        InferredOutput::new(query.dtype, [batch, length, hidden]),
        InferredOutput::new(query.dtype, [batch, heads, rows, sizes[0]]),
        InferredOutput::new(query.dtype, [batch, heads, rows, sizes[1]]),
    ])
}

/// Queries (batch, length, hidden), keys and values packed behind them or on their own; the
/// caches are as long as the longest sequence, or stay as long as they are.
pub(super) fn grouped(call: &Call<'_>) -> Outputs {
    let query = call.need(0)?;
    let (heads, shared) = (call.int("num_heads", 0), call.int("kv_num_heads", 0));
    let (heads, shared) = (call.size(heads)?, call.size(shared)?);
    let mismatch = || call.invalid(message!("unexpected dimensions"));
    let &[batch, length, hidden] = query.dims else {
        return Err(mismatch());
    };
    let packed = call.input(1).is_none();
    let all = if packed {
        shared.checked_mul(2)
    } else {
        Some(0)
    };
    let all = all.and_then(|both| both.checked_add(heads));
    let size = all
        .and_then(|all| hidden.checked_div(all))
        .ok_or_else(mismatch)?;
    let &[total] = call.elements(6)? else {
        return Err(mismatch());
    };
    let past = call.input(3).and_then(|past| past.dims.get(2).copied());
    let rows = call.size(total)?.max(past.unwrap_or_default());
    let hidden = heads.checked_mul(size).ok_or_else(mismatch)?;
    let cache = InferredOutput::new(query.dtype, [batch, shared, rows, size]);
    Ok(vec![
        InferredOutput::new(query.dtype, [batch, length, hidden]),
        cache.clone(),
        cache,
    ])
}

/// Rows (n, k), a matrix (k, m) for each expert, and which expert each row goes to.
pub(super) fn grouped_product(call: &Call<'_>) -> Outputs {
    let rows = call.need(0)?;
    let (&[count, read], &[_, own, made]) = (rows.dims, call.dims(1)?) else {
        return Err(call.invalid(message!("unexpected dimensions")));
    };
    if read != own {
        return Err(call.invalid(message!("{} elements do not fit {} rows", read, own)));
    }
    Ok(vec![InferredOutput::new(rows.dtype, [count, made])])
}
