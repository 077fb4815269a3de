//! The function that an operator applies to its results before it stores them.

use planner::operators::Operator;
use planner::{Message, message};

use super::call::Call;
use crate::kernels::UnaryOp;

/// A fused activation with its two parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Activation {
    /// The function: identity, ReLU, clip or tanh.
    pub(crate) op: UnaryOp,
    /// Lower bound of a clip.
    pub(crate) alpha: f32,
    /// Upper bound of a clip.
    pub(crate) beta: f32,
}

impl Activation {
    /// None.
    pub(crate) const NONE: Self = Self::of(UnaryOp::Identity, 0.0, 0.0);

    const fn of(op: UnaryOp, alpha: f32, beta: f32) -> Self {
        Self { op, alpha, beta }
    }

    /// What a pass has fused into an ONNX operator.
    ///
    /// # Errors
    /// When the kernels cannot compute it.
    pub(crate) fn onnx(call: &Call<'_>) -> Result<Self, Message> {
        let bound = |name, missing| call.float_attribute(name).unwrap_or(missing);
        // ONNX Runtime's own fused operators call it plainly `activation`.
        let own = call.op.text("activation");
        let named = call.op.text("fused_activation").or(own).unwrap_or_default();
        match Operator::of(call.graph.dialect, "", named) {
            _ if named.is_empty() => Ok(Self::NONE),
            Operator::Relu => Ok(Self::of(UnaryOp::Relu, 0.0, 0.0)),
            Operator::Clip => Ok(Self::of(
                UnaryOp::Clip,
                bound("fused_min", f32::MIN),
                bound("fused_max", f32::MAX),
            )),
            _ => Err(message!("{} is fused into it", named)),
        }
    }

    /// What a TFLite operator's options ask for.
    ///
    /// # Errors
    /// When the kernels cannot compute it.
    pub(crate) fn tflite(call: &Call<'_>) -> Result<Self, Message> {
        match call.op.attribute("fused_activation_function") {
            None => Ok(Self::NONE),
            Some(planner::graph::Attribute::Text(name)) => match name.as_str() {
                "NONE" => Ok(Self::NONE),
                "RELU" => Ok(Self::of(UnaryOp::Relu, 0.0, 0.0)),
                "RELU_N1_TO_1" => Ok(Self::of(UnaryOp::Clip, -1.0, 1.0)),
                "RELU6" => Ok(Self::of(UnaryOp::Clip, 0.0, 6.0)),
                "TANH" => Ok(Self::of(UnaryOp::Tanh, 0.0, 0.0)),
                other => Err(message!("{} is fused into it", other)),
            },
            Some(other) => Err(message!(
                "the unknown activation {} is fused into it",
                format_args!("{other:?}")
            )),
        }
    }

    /// What results are not below, and not above.
    ///
    /// # Errors
    /// When it does more to them.
    pub(crate) fn ends(self) -> Result<[f32; 2], Message> {
        match self.op {
            UnaryOp::Identity => Ok([f32::NEG_INFINITY, f32::INFINITY]),
            UnaryOp::Relu => Ok([0.0, f32::INFINITY]),
            UnaryOp::Clip => Ok([self.alpha, self.beta]),
            _ => Err(message!("{} is fused into it", "TANH")),
        }
    }

    /// The value of the shaders' `ACTIVATION`.
    pub(crate) fn code(self) -> u32 {
        self.op.code()
    }
}
