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
use crate::graph::{DType, Op};
use crate::operators::Operator;
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

/// A family of operators of the default domain says whether the kind is one of its own.
type Family = fn(&Call<'_>, u32) -> Option<Outputs>;

/// Kinds of the default domain that few models have.
const RARE: [Operator; 15] = [
    Operator::Attention,
    Operator::BlackmanWindow,
    Operator::CausalConvWithState,
    Operator::Dft,
    Operator::Gru,
    Operator::HammingWindow,
    Operator::HannWindow,
    Operator::If,
    Operator::Lstm,
    Operator::LinearAttention,
    Operator::Loop,
    Operator::MelWeightMatrix,
    Operator::Rnn,
    Operator::Stft,
    Operator::Scan,
];

/// Whether [`outputs`] sizes it, rather than [`rare_outputs`].
pub(crate) fn is_usual(op: &Op) -> bool {
    op.domain.is_empty() && !RARE.contains(&op.operator)
}

/// The outputs of an ONNX operator that many models have. `opset` is the version of the default
/// domain, 0 for the newest.
pub(super) fn outputs(call: &Call<'_>, opset: u32) -> Outputs {
    evaluated(call, usual_outputs(call, opset))
}

fn usual_outputs(call: &Call<'_>, opset: u32) -> Outputs {
    let families: [Family; 9] = [
        elementwise::outputs,
        layout::outputs,
        linear::outputs,
        convolution::outputs,
        indexing::outputs,
        reduction::outputs,
        normalization::outputs,
        sources::outputs,
        resize::outputs,
    ];
    made_by(&families, call, opset)
}

/// The outputs of any other.
pub(super) fn rare_outputs(call: &Call<'_>, opset: u32) -> Outputs {
    let families: &[Family] = match call.op.domain.as_str() {
        "" => &[
            normalization::attending,
            recurrent::outputs,
            signal::outputs,
            |call, _| {
                let control = matches!(
                    call.op.operator,
                    Operator::If | Operator::Loop | Operator::Scan
                );
                control.then(|| Err(call.control()))
            },
        ],
        "com.microsoft" => &[|call, opset| Some(contrib::outputs(call, opset))],
        "ai.onnx.ml" => &[|call, opset| Some(domains::features(call, opset))],
        "ai.onnx.preview.training" => &[|call, opset| Some(domains::training(call, opset))],
        "ai.onnx.preview" => &[|call, _| {
            let found = call.op.is(Operator::FlexAttention);
            found.then(|| normalization::attention(call))
        }],
        _ => &[],
    };
    evaluated(call, made_by(families, call, opset))
}

fn made_by(families: &[Family], call: &Call<'_>, opset: u32) -> Outputs {
    let opset = if opset == 0 { u32::MAX } else { opset };
    let found = families.iter().find_map(|family| family(call, opset));
    found.unwrap_or_else(|| Err(call.unknown()))
}

/// The outputs with their elements, where these follow from what is known.
fn evaluated(call: &Call<'_>, made: Outputs) -> Outputs {
    match call.follow {
        true => made.map(|made| eval::evaluate(call, made)),
        false => made,
    }
}
