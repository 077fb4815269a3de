//! Operators that make tensors out of shapes, and shapes out of tensors.

use super::element_type;
use super::elementwise::{same, same_as};
use crate::graph::infer::{
    Call, Elements, InferredOutput, MAX_ELEMENTS, Outputs, Unsized, Value, call, constant,
};
use crate::graph::{Attribute, DType};
use crate::message;

fn int(call: &Call<'_>, size: u64) -> Result<i64, Unsized> {
    i64::try_from(size).map_err(|_error| call.too_large())
}

pub(super) fn shape(call: &Call<'_>) -> Outputs {
    let dims = call.dims(0)?;
    // Positions are clamped, not checked.
    let position = |at: i64| {
        let rank = dims.len().cast_signed() as i64;
        let at = if at < 0 { at.saturating_add(rank) } else { at };
        usize::try_from(at.clamp(0, rank)).unwrap_or(0)
    };
    let start = position(call.int("start", 0));
    let end = call.op.int("end").map_or(dims.len(), position);
    let part = dims.get(start..end).unwrap_or_default();
    let elements = part.iter().map(|&dim| int(call, dim));
    let value = Value::ints(elements.collect::<Result<_, _>>()?);
    let mut made = InferredOutput::new(DType::I64, value.dims.clone());
    made.value = Some(value);
    Ok(vec![made])
}

pub(super) fn size(call: &Call<'_>) -> Outputs {
    let elements = call.product(call.dims(0)?)?;
    let mut made = InferredOutput::new(DType::I64, []);
    made.value = Some(Value::int(int(call, elements)?));
    Ok(vec![made])
}

/// Zeros of type float32 unless the attribute gives another element.
pub(super) fn constant_of_shape(call: &Call<'_>) -> Outputs {
    let dims = call.sizes(call.elements(0)?)?;
    let (dtype, element) = match call.op.attribute("value") {
        Some(Attribute::Tensor(id)) => {
            let tensor = call.graph.tensor(*id);
            (tensor.dtype, constant(tensor))
        }
        _ => {
            let elements = Elements::Floats(vec![0.0]);
            let dims = vec![1];
            (DType::F32, Some(Value { dims, elements }))
        }
    };
    let mut made = InferredOutput::new(dtype, dims);
    if let Some(element) = element.filter(|_| call.follow)
        && let Some(count) = call::count(&made.dims).filter(|&count| count <= MAX_ELEMENTS)
    {
        let count = usize::try_from(count).unwrap_or(0);
        let elements = match element.elements {
            Elements::Ints(x) => x.first().map(|&x| Elements::Ints(vec![x; count])),
            Elements::Floats(x) => x.first().map(|&x| Elements::Floats(vec![x; count])),
        };
        let dims = made.dims.clone();
        made.value = elements.map(|elements| Value { dims, elements });
    }
    Ok(vec![made])
}

/// `max(ceil((limit - start) / delta), 0)` elements.
pub(super) fn range(call: &Call<'_>) -> Outputs {
    let dtype = call.need(0)?.dtype;
    let value = |index| {
        let value = call.need(index)?.value;
        value.ok_or_else(|| call.data_dependent(index))
    };
    let (start, limit, delta) = (value(0)?, value(1)?, value(2)?);
    if let (Some(start), Some(limit), Some(delta)) =
        (start.single(), limit.single(), delta.single())
    {
        return int_range(call, dtype, start, limit, delta);
    }
    let (start, limit, delta) = (start.to_floats(), limit.to_floats(), delta.to_floats());
    let (&[start], &[limit], &[delta]) = (&*start, &*limit, &*delta) else {
        return Err(call.invalid(message!("limits that are not scalars")));
    };
    let count = ((limit - start) / delta).ceil().max(0.0);
    if !count.is_finite() || count > 9e15 {
        return Err(call.invalid(message!("{} to {} by {}", start, limit, delta)));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the range is checked above"
    )]
    let count = count as u64;
    let mut made = InferredOutput::new(dtype, [count]);
    if call.follow && count <= MAX_ELEMENTS && dtype == DType::F32 {
        made.value = Some(Value {
            dims: vec![count],
            elements: Elements::Floats(floats_from(start, delta, count)),
        });
    }
    Ok(vec![made])
}

/// `count` numbers from `start` on, rounded as f32 arithmetic rounds them.
#[expect(
    clippy::cast_possible_truncation,
    reason = "they are f32 in the tensors that they come from"
)]
fn floats_from(start: f64, delta: f64, count: u64) -> Vec<f64> {
    let (start, delta) = (start as f32, delta as f32);
    let element = |index: u64| f64::from(start + index as f32 * delta);
    (0..count).map(element).collect()
}

fn int_range(call: &Call<'_>, dtype: DType, start: i64, limit: i64, delta: i64) -> Outputs {
    let (from, to, by) = (i128::from(start), i128::from(limit), i128::from(delta));
    let distance = if by < 0 { from - to } else { to - from };
    if by == 0 {
        return Err(call.invalid(message!("delta 0")));
    }
    let by = by.unsigned_abs();
    let count = u128::try_from(distance).unwrap_or(0).div_ceil(by);
    let count = u64::try_from(count).map_err(|_error| call.too_large())?;
    let mut made = InferredOutput::new(dtype, [count]);
    if call.follow && count <= MAX_ELEMENTS {
        let count = count.cast_signed();
        let element = |index: i64| start.checked_add(index.checked_mul(delta)?);
        let elements: Option<Vec<i64>> = (0..count).map(element).collect();
        made.value = elements.map(Value::ints);
    }
    Ok(vec![made])
}

/// Like the input; another element type if the attribute says so.
pub(super) fn like(call: &Call<'_>) -> Outputs {
    match call.op.int("dtype") {
        Some(number) => same_as(call, element_type(number)),
        None => same(call),
    }
}

pub(super) fn random(call: &Call<'_>) -> Outputs {
    let sizes = call.op.ints("shape");
    let sizes = sizes.ok_or_else(|| call.invalid(message!("no shape")))?;
    let dims = call.sizes(sizes)?;
    Ok(vec![InferredOutput::new(
        element_type(call.int("dtype", 1)),
        dims,
    )])
}

pub(super) fn multinomial(call: &Call<'_>) -> Outputs {
    let batch = call.dims(0)?.first().copied();
    let batch = batch.ok_or_else(|| call.invalid(message!("no batch")))?;
    let samples = call.size(call.int("sample_size", 1))?;
    Ok(vec![InferredOutput::new(
        element_type(call.int("dtype", 6)),
        [batch, samples],
    )])
}
