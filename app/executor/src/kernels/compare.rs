//! y[i] = whether a[j] and b[k] compare as asked.

use super::pair::{paired, wide};
use crate::arena::Memory;
use crate::elements;
use crate::recording::Dispatch;

codes! {
    /// The question: the `override` constant `OP`.
    #[expect(missing_docs, reason = "each is the operator of the same name in ONNX")]
    pub enum CompareOp {
        Equal,
        NotEqual,
        Less,
        LessOrEqual,
        Greater,
        GreaterOrEqual,
        /// Of the first input alone, as are all that follow.
        IsNaN,
        /// Either infinity.
        IsInf,
        IsPositiveInf,
        IsNegativeInf,
    }
}

impl CompareOp {
    fn ordered<T: PartialOrd>(self, a: T, b: T) -> bool {
        match self {
            Self::Equal => a == b,
            Self::NotEqual => a != b,
            Self::Less => a < b,
            Self::LessOrEqual => a <= b,
            Self::Greater => a > b,
            Self::GreaterOrEqual => a >= b,
            Self::IsNaN | Self::IsInf | Self::IsPositiveInf | Self::IsNegativeInf => false,
        }
    }

    fn floats(self, a: f32, b: f32) -> bool {
        match self {
            Self::IsNaN => a.is_nan(),
            Self::IsInf => a.is_infinite(),
            Self::IsPositiveInf => a.is_infinite() && a > 0.0,
            Self::IsNegativeInf => a.is_infinite() && a < 0.0,
            _ => self.ordered(a, b),
        }
    }
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let op = CompareOp::read(dispatch, "OP");
    let [a, b] = [&dispatch.inputs[0], &dispatch.inputs[1]];
    let y = if elements::is_float(a.dtype) {
        let (a, b) = (memory.floats(a), memory.floats(b));
        paired(dispatch, &a, &b, |a, b| i64::from(op.floats(a, b)))
    } else {
        let (a, b) = (wide(memory, a), wide(memory, b));
        paired(dispatch, &a, &b, |a, b| i64::from(op.ordered(a, b)))
    };
    memory.put_ints(&dispatch.outputs[0], &y);
}
