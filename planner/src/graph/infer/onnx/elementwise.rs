//! Operators whose output elements correspond to input elements one by one.

use super::element_type;
use crate::graph::DType;
use crate::graph::infer::call::broadcast;
use crate::graph::infer::{Call, Made, Outputs};

pub(super) fn outputs(call: &Call<'_>, opset: u32) -> Option<Outputs> {
    Some(match call.op.kind.as_str() {
        "Abs" | "Acos" | "Acosh" | "Asin" | "Asinh" | "Atan" | "Atanh" | "BitwiseNot" | "Ceil"
        | "Celu" | "Clip" | "Cos" | "Cosh" | "CumProd" | "CumSum" | "Elu" | "Erf" | "Exp"
        | "Floor" | "Gelu" | "HardSigmoid" | "HardSwish" | "Hardmax" | "Identity" | "LeakyRelu"
        | "Log" | "LogSoftmax" | "Mish" | "Neg" | "Not" | "PRelu" | "Reciprocal" | "Relu"
        | "ReverseSequence" | "Round" | "Scatter" | "ScatterElements" | "ScatterND" | "Selu"
        | "Shrink" | "Sigmoid" | "Sign" | "Sin" | "Sinh" | "Softmax" | "Softplus" | "Softsign"
        | "Sqrt" | "Swish" | "Tan" | "Tanh" | "TensorScatter" | "ThresholdedRelu" | "Trilu"
        | "RotaryEmbedding" | "SwiGLU" => same(call),
        "IsInf" | "IsNaN" => same_as(call, DType::Bool),
        "Add" | "Sub" | "Mul" | "Div" | "Pow" | "Mod" | "BitShift" | "BitwiseAnd" | "BitwiseOr"
        | "BitwiseXor" | "Max" | "Min" | "Mean" | "Sum" => {
            all(call, opset).and_then(|dims| Ok(vec![Made::new(call.need(0)?.dtype, dims)]))
        }
        "And" | "Or" | "Xor" | "Equal" | "Greater" | "GreaterOrEqual" | "Less" | "LessOrEqual" => {
            all(call, opset).map(|dims| vec![Made::new(DType::Bool, dims)])
        }
        "Where" => all(call, opset).and_then(|dims| Ok(vec![Made::new(call.need(1)?.dtype, dims)])),
        "Cast" => same_as(call, element_type(call.int("to", 0))),
        "CastLike" => call.need(1).and_then(|like| same_as(call, like.dtype)),
        "BitCast" => bit_cast(call),
        "QuantizeLinear" => quantize(call),
        "DequantizeLinear" => dequantize(call),
        "DynamicQuantizeLinear" => call.dims(0).map(|dims| {
            vec![
                Made::new(DType::U8, dims),
                Made::new(DType::F32, []),
                Made::new(DType::U8, []),
            ]
        }),
        _ => return None,
    })
}

/// One output like the first input.
pub(super) fn same(call: &Call<'_>) -> Outputs {
    let x = call.need(0)?;
    Ok(vec![Made::new(x.dtype, x.dims)])
}

/// One output with the dimensions of the first input.
pub(super) fn same_as(call: &Call<'_>, dtype: DType) -> Outputs {
    Ok(vec![Made::new(dtype, call.dims(0)?)])
}

/// The dimensions that all inputs broadcast to.
pub(super) fn all(call: &Call<'_>, opset: u32) -> Result<Vec<u64>, crate::graph::Unsized> {
    let mut dims = call.dims(0)?.to_vec();
    if opset < 7 {
        // The second input is stretched to the first, at an axis that the operator names.
        return Ok(dims);
    }
    for input in call.inputs.iter().skip(1).flatten() {
        dims = broadcast(&dims, input.dims)
            .ok_or_else(|| call.invalid(format!("{dims:?} and {:?} do not fit", input.dims)))?;
    }
    Ok(dims)
}

fn bit_cast(call: &Call<'_>) -> Outputs {
    let dtype = element_type(call.int("to", 0));
    let x = call.need(0)?;
    if x.dtype.bits() != dtype.bits() {
        return Err(call.invalid("element sizes differ"));
    }
    Ok(vec![Made::new(dtype, x.dims)])
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
