//! Operators whose output elements correspond to input elements one by one.

use super::{Dims, element_type};
use crate::graph::DType;
use crate::graph::infer::call::broadcast;
use crate::graph::infer::{Call, InferredOutput, Outputs};
use crate::message;

/// One output like the first input.
pub(super) fn same(call: &Call<'_>) -> Outputs {
    let x = call.need(0)?;
    Ok(vec![InferredOutput::new(x.dtype, x.dims)])
}

/// One output with the dimensions of the first input.
pub(super) fn same_as(call: &Call<'_>, dtype: DType) -> Outputs {
    Ok(vec![InferredOutput::new(dtype, call.dims(0)?)])
}

/// A truth for each place that all inputs broadcast to.
pub(super) fn truths(call: &Call<'_>) -> Outputs {
    Ok(vec![InferredOutput::new(DType::Bool, all(call)?)])
}

/// An element for each, of the type of the input at `index`.
pub(super) fn all_like(call: &Call<'_>, index: usize) -> Outputs {
    let dims = all(call)?;
    Ok(vec![InferredOutput::new(call.need(index)?.dtype, dims)])
}

fn all(call: &Call<'_>) -> Dims {
    match call.opset() < 7 {
        // The second input is stretched to the first, at an axis that the operator names.
        true => call.dims(0).map(<[u64]>::to_vec),
        false => common(call),
    }
}

/// The dimensions that all inputs broadcast to.
pub(super) fn common(call: &Call<'_>) -> Dims {
    let mut dims = call.dims(0)?.to_vec();
    for input in call.inputs.iter().skip(1).flatten() {
        dims = broadcast(&dims, input.dims).ok_or_else(|| {
            call.invalid(message!(
                "{} and {} do not fit",
                format_args!("{dims:?}"),
                format_args!("{:?}", input.dims)
            ))
        })?;
    }
    Ok(dims)
}

pub(super) fn bit_cast(call: &Call<'_>) -> Outputs {
    let dtype = element_type(call.int("to", 0));
    let x = call.need(0)?;
    if x.dtype.bits() != dtype.bits() {
        return Err(call.invalid(message!("element sizes differ")));
    }
    Ok(vec![InferredOutput::new(dtype, x.dims)])
}

pub(super) fn quantize(call: &Call<'_>) -> Outputs {
    let dtype = match (call.input(2), call.op.int("output_dtype")) {
        (Some(zero), _) => zero.dtype,
        (None, Some(number)) if number != 0 => element_type(number),
        _ => DType::U8,
    };
    same_as(call, dtype)
}

/// The elements, their scale and their zero point.
pub(super) fn dynamic_quantize(call: &Call<'_>) -> Outputs {
    Ok(vec![
        InferredOutput::new(DType::U8, call.dims(0)?),
        InferredOutput::new(DType::F32, []),
        InferredOutput::new(DType::U8, []),
    ])
}

pub(super) fn dequantize(call: &Call<'_>) -> Outputs {
    let dtype = match call.op.int("output_dtype") {
        Some(number) if number != 0 => element_type(number),
        _ => call.need(1)?.dtype,
    };
    same_as(call, dtype)
}
