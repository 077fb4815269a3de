//! y[i] = f(a[j], b[k]) on integers and bools of one type, exact and wrapped to its width.

use super::pair::{paired, wide, wrapped};
use crate::arena::Memory;
use crate::recording::Dispatch;

codes! {
    /// The function: the `override` constant `OP`.
    #[expect(missing_docs, reason = "each is the operator of the same name in ONNX")]
    pub enum IntegerOp {
        Add,
        Sub,
        Mul,
        /// Towards zero; 0 where the divisor is 0.
        Div,
        Max,
        Min,
        /// A negative exponent gives the quotient of 1 and the power, towards zero.
        Pow,
        SquaredDifference,
        /// Remainder with the sign of the divisor.
        FloorMod,
        /// Remainder with the sign of the dividend.
        Fmod,
        /// The quotient rounded down.
        FloorDiv,
        And,
        Or,
        Xor,
        /// Of the first input alone, as are all that follow.
        Neg,
        Abs,
        Sign,
        /// Whether it is 0.
        Not,
        BitwiseNot,
        /// Of both again: towards the higher digits. A negative count shifts everything out.
        ShiftLeft,
        /// Towards the lower digits, with the sign coming in.
        ShiftRight,
    }
}

impl IntegerOp {
    /// The function itself, on numbers of at most 64 bits; of the result count as many bits
    /// as the type has.
    #[must_use]
    pub fn apply(self, a: i128, b: i128) -> i128 {
        match self {
            Self::Add => a + b,
            Self::Sub => a - b,
            Self::Mul => a.wrapping_mul(b),
            Self::Div => a.checked_div(b).unwrap_or_default(),
            Self::Max => a.max(b),
            Self::Min => a.min(b),
            Self::Pow => power(a, b),
            Self::SquaredDifference => (a - b).wrapping_mul(a - b),
            Self::FloorMod if b == 0 => a,
            Self::FloorMod => a - b * floor_div(a, b),
            Self::Fmod => a.checked_rem(b).unwrap_or(a),
            Self::FloorDiv => floor_div(a, b),
            Self::And => a & b,
            Self::Or => a | b,
            Self::Xor => a ^ b,
            Self::Neg => -a,
            Self::Abs => a.abs(),
            Self::Sign => a.signum(),
            Self::Not => i128::from(a == 0),
            Self::BitwiseNot => !a,
            Self::ShiftLeft => count(b).map_or(0, |by| a << by),
            Self::ShiftRight => count(b).map_or(-i128::from(a < 0), |by| a >> by),
        }
    }
}

/// How far a shift goes that leaves something.
fn count(b: i128) -> Option<u32> {
    u32::try_from(b).ok().filter(|&by| by < 64)
}

fn floor_div(a: i128, b: i128) -> i128 {
    if b == 0 {
        return 0;
    }
    let down = a % b != 0 && (a < 0) != (b < 0);
    a / b - i128::from(down)
}

/// Multiplied out modulo 2^64, as any order of multiplication gives it.
fn power(a: i128, b: i128) -> i128 {
    let exponent = b.unsigned_abs();
    let (mut power, mut square, mut rest) = (1_i64, wrapped(a), exponent);
    while rest != 0 {
        if rest & 1 == 1 {
            power = power.wrapping_mul(square);
        }
        square = square.wrapping_mul(square);
        rest >>= 1;
    }
    if b < 0 {
        return 1_i128.checked_div(i128::from(power)).unwrap_or_default();
    }
    i128::from(power)
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let op = IntegerOp::read(dispatch, "OP");
    let a = wide(memory, &dispatch.inputs[0]);
    let b = wide(memory, &dispatch.inputs[1]);
    let y = paired(dispatch, &a, &b, |a, b| wrapped(op.apply(a, b)));
    memory.put_ints(&dispatch.outputs[0], &y);
}
