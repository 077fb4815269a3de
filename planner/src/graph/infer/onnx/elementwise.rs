//! Operators whose output elements correspond to input elements one by one.

use super::element_type;
use crate::graph::DType;
use crate::graph::infer::call::broadcast;
use crate::graph::infer::{Call, InferredOutput, Outputs};
use crate::message;
use crate::operators::{Family, Operator};

pub(super) fn outputs(call: &Call<'_>, opset: u32) -> Option<Outputs> {
    Some(match call.op.operator {
        Operator::CumProd
        | Operator::CumSum
        | Operator::Hardmax
        | Operator::Identity
        | Operator::LogSoftmax
        | Operator::PRelu
        | Operator::ReverseSequence
        | Operator::RotaryEmbedding
        | Operator::Scatter
        | Operator::ScatterElements
        | Operator::ScatterND
        | Operator::Softmax
        | Operator::SwiGLU
        | Operator::TensorScatter
        | Operator::Trilu => same(call),
        Operator::IsInf | Operator::IsNaN => same_as(call, DType::Bool),
        Operator::And
        | Operator::Or
        | Operator::Xor
        | Operator::Equal
        | Operator::Greater
        | Operator::GreaterOrEqual
        | Operator::Less
        | Operator::LessOrEqual => {
            all(call, opset).map(|dims| vec![InferredOutput::new(DType::Bool, dims)])
        }
        Operator::Where => all(call, opset)
            .and_then(|dims| Ok(vec![InferredOutput::new(call.need(1)?.dtype, dims)])),
        Operator::Cast => same_as(call, element_type(call.int("to", 0))),
        Operator::CastLike => call.need(1).and_then(|like| same_as(call, like.dtype)),
        Operator::BitCast => bit_cast(call),
        Operator::QuantizeLinear => quantize(call),
        Operator::DequantizeLinear => dequantize(call),
        Operator::DynamicQuantizeLinear => call.dims(0).map(|dims| {
            vec![
                InferredOutput::new(DType::U8, dims),
                InferredOutput::new(DType::F32, []),
                InferredOutput::new(DType::U8, []),
            ]
        }),
        // In training it has outputs of its own beside the first.
        Operator::BatchNormalization => return None,
        _ => match call.op.facts().family {
            Family::ElementWise(1) => same(call),
            Family::ElementWise(_) => all(call, opset)
                .and_then(|dims| Ok(vec![InferredOutput::new(call.need(0)?.dtype, dims)])),
            _ => return None,
        },
    })
}

/// One output like the first input.
pub(super) fn same(call: &Call<'_>) -> Outputs {
    let x = call.need(0)?;
    Ok(vec![InferredOutput::new(x.dtype, x.dims)])
}

/// One output with the dimensions of the first input.
pub(super) fn same_as(call: &Call<'_>, dtype: DType) -> Outputs {
    Ok(vec![InferredOutput::new(dtype, call.dims(0)?)])
}

/// The dimensions that all inputs broadcast to.
pub(super) fn all(call: &Call<'_>, opset: u32) -> Result<Vec<u64>, crate::graph::Unsized> {
    let mut dims = call.dims(0)?.to_vec();
    if opset < 7 {
        // The second input is stretched to the first, at an axis that the operator names.
        return Ok(dims);
    }
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

fn bit_cast(call: &Call<'_>) -> Outputs {
    let dtype = element_type(call.int("to", 0));
    let x = call.need(0)?;
    if x.dtype.bits() != dtype.bits() {
        return Err(call.invalid(message!("element sizes differ")));
    }
    Ok(vec![InferredOutput::new(dtype, x.dims)])
}

fn quantize(call: &Call<'_>) -> Outputs {
    let dtype = match (call.input(2), call.op.int("output_dtype")) {
        (Some(zero), _) => zero.dtype,
        (None, Some(number)) if number != 0 => element_type(number),
        _ => DType::U8,
    };
    same_as(call, dtype)
}

fn dequantize(call: &Call<'_>) -> Outputs {
    let dtype = match call.op.int("output_dtype") {
        Some(number) if number != 0 => element_type(number),
        _ => call.need(1)?.dtype,
    };
    same_as(call, dtype)
}
