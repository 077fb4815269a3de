//! The function that an operator applies to its result before it writes it.

use super::call::Call;
use crate::kernels::UnaryOp;

/// A function of one element with its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Activation {
    pub(crate) op: UnaryOp,
    pub(crate) alpha: f32,
    pub(crate) beta: f32,
}

impl Activation {
    /// None at all.
    pub(crate) const NONE: Self = Self::plain(UnaryOp::Identity);

    const fn plain(op: UnaryOp) -> Self {
        Self {
            op,
            alpha: 0.0,
            beta: 0.0,
        }
    }

    fn clip(low: f32, high: f32) -> Self {
        Self {
            op: UnaryOp::Clip,
            alpha: low,
            beta: high,
        }
    }

    /// The one that was fused into an ONNX operator.
    ///
    /// # Errors
    /// When it is none that kernels apply.
    pub(crate) fn of_onnx(call: &Call<'_>) -> Result<Self, String> {
        let bound = |name: &str, default| call.float_attribute(name).unwrap_or(default);
        // ONNX Runtime's own fused operators call it plainly `activation`.
        let own = call.op.text("activation");
        match call.op.text("fused_activation").or(own) {
            None | Some("") => Ok(Self::NONE),
            Some("Relu") => Ok(Self::plain(UnaryOp::Relu)),
            Some("Tanh") => Ok(Self::plain(UnaryOp::Tanh)),
            Some("Clip") => Ok(Self::clip(
                bound("fused_min", f32::NEG_INFINITY),
                bound("fused_max", f32::INFINITY),
            )),
            Some(other) => Err(format!("the activation {other} cannot be fused")),
        }
    }

    /// The one that a TFLite operator asks for.
    ///
    /// # Errors
    /// When it is none that kernels apply.
    pub(crate) fn of_tflite(call: &Call<'_>) -> Result<Self, String> {
        match call.op.text("fused_activation_function") {
            None | Some("NONE") => Ok(Self::NONE),
            Some("RELU") => Ok(Self::plain(UnaryOp::Relu)),
            Some("RELU_N1_TO_1") => Ok(Self::clip(-1.0, 1.0)),
            Some("RELU6") => Ok(Self::clip(0.0, 6.0)),
            Some("TANH") => Ok(Self::plain(UnaryOp::Tanh)),
            Some(other) => Err(format!("the activation {other} cannot be fused")),
        }
    }
}
