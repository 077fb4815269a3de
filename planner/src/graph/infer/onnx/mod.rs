//! Shapes of ONNX operators, by family. Source: the operator definitions of the ONNX
//! specification, whose names and defaults these functions follow.

mod contrib;
mod convolution;
mod domains;
mod elementwise;
mod indexing;
mod layout;
mod linear;
mod normalization;
mod recurrent;
mod reduction;
mod resize;
mod signal;
mod sources;

use super::{Call, Outputs, eval};
use crate::graph::DType;
pub(super) use indexing::ranges;
pub(super) use layout::permutation;
pub(super) use reduction::reduced_axes;

/// The element type with this number in ONNX files.
#[must_use]
pub(crate) fn element_type(number: i64) -> DType {
    match number {
        1 => DType::F32,
        2 => DType::U8,
        3 => DType::I8,
        4 => DType::U16,
        5 => DType::I16,
        6 => DType::I32,
        7 => DType::I64,
        8 => DType::String,
        9 => DType::Bool,
        10 => DType::F16,
        11 => DType::F64,
        12 => DType::U32,
        13 => DType::U64,
        14 => DType::C64,
        15 => DType::C128,
        16 => DType::BF16,
        17 => DType::F8E4M3,
        18 => DType::F8E4M3FNUZ,
        19 => DType::F8E5M2,
        20 => DType::F8E5M2FNUZ,
        21 => DType::U4,
        22 => DType::I4,
        23 => DType::F4,
        24 => DType::F8E8M0,
        25 => DType::U2,
        26 => DType::I2,
        _ => DType::Other,
    }
}

/// The outputs of an ONNX operator. `opset` is the version of the default domain, 0 for the
/// newest.
pub(super) fn outputs(call: &Call<'_>, opset: u32) -> Outputs {
    let opset = if opset == 0 { u32::MAX } else { opset };
    let made = match call.op.domain.as_str() {
        "" => default_domain(call, opset)?,
        "com.microsoft" => contrib::outputs(call, opset)?,
        "ai.onnx.ml" => domains::features(call, opset)?,
        "ai.onnx.preview.training" => domains::training(call, opset)?,
        "ai.onnx.preview" if call.op.kind == "FlexAttention" => normalization::attention(call)?,
        _ => return Err(call.unknown()),
    };
    if call.follow {
        return Ok(eval::evaluate(call, made));
    }
    Ok(made)
}

/// The operators of the default domain: each family says whether the kind is one of its own.
fn default_domain(call: &Call<'_>, opset: u32) -> Outputs {
    let families = [
        elementwise::outputs,
        layout::outputs,
        linear::outputs,
        convolution::outputs,
        indexing::outputs,
        reduction::outputs,
        normalization::outputs,
        sources::outputs,
        resize::outputs,
        recurrent::outputs,
        signal::outputs,
    ];
    for family in families {
        if let Some(outputs) = family(call, opset) {
            return outputs;
        }
    }
    match call.op.kind.as_str() {
        "If" | "Loop" | "Scan" => Err(call.control()),
        _ => Err(call.unknown()),
    }
}
