//! Shapes of ONNX operators.

use super::{Call, Outputs, declared_only};

/// The outputs of an ONNX operator.
pub(super) fn outputs(call: &Call<'_>, opset: u32) -> Outputs {
    let _ = opset;
    declared_only(call)
}
