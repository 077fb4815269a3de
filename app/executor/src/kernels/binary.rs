//! y[i] = f(a[j], b[k]) with j and k by broadcasting.

use super::UnaryOp;
use super::pair::{BinaryParams, paired, put};
use crate::arena::Memory;
use crate::recording::Dispatch;

codes! {
    /// The function: the `override` constant `OP`.
    #[expect(missing_docs, reason = "each is the operator of the same name in ONNX")]
    pub enum BinaryOp {
        Add,
        Sub,
        Mul,
        Div,
        Max,
        Min,
        Pow,
        PRelu,
        SquaredDifference,
        /// Remainder with the sign of the divisor.
        FloorMod,
        /// Remainder with the sign of the dividend.
        Fmod,
        /// The quotient rounded down.
        FloorDiv,
    }
}

impl BinaryOp {
    /// The function itself.
    #[must_use]
    pub fn apply(self, a: f32, b: f32) -> f32 {
        match self {
            Self::Add => a + b,
            Self::Sub => a - b,
            Self::Mul => a * b,
            Self::Div => a / b,
            Self::Max => max_of(a, b),
            Self::Min => min_of(a, b),
            Self::Pow => a.powf(b),
            Self::PRelu => {
                if a >= 0.0 {
                    a
                } else {
                    a * b
                }
            }
            Self::SquaredDifference => (a - b) * (a - b),
            Self::FloorMod => {
                let rest = a % b;
                if rest != 0.0 && (rest < 0.0) != (b < 0.0) {
                    rest + b
                } else {
                    rest
                }
            }
            Self::Fmod => a % b,
            Self::FloorDiv => (a / b).floor(),
        }
    }
}

/// The larger number, or NaN if one of the two is.
pub(super) fn max_of(a: f32, b: f32) -> f32 {
    match (a.is_nan(), b.is_nan()) {
        (true, _) => a,
        (_, true) => b,
        _ => a.max(b),
    }
}

/// The smaller number, or NaN if one of the two is.
pub(super) fn min_of(a: f32, b: f32) -> f32 {
    -max_of(-a, -b)
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let op = BinaryOp::read(dispatch, "OP");
    let params: BinaryParams = dispatch.params();
    let activation = UnaryOp::read(dispatch, "ACTIVATION");
    let activated = |y| activation.apply(y, params.alpha, params.beta);
    let a = memory.floats(&dispatch.inputs[0]);
    let b = memory.floats(&dispatch.inputs[1]);
    let y = paired(dispatch, &a, &b, |a, b| activated(op.apply(a, b)));
    put(dispatch, memory, &y);
}
