//! y[i] = f(a[j], b[k]) of quantised elements: arithmetic or a comparison.

use super::pair::paired;
use crate::arena::Memory;
use crate::fixed_point::Factor;
use crate::recording::Dispatch;

codes! {
    /// The function: the `override` constant `OP`.
    #[expect(missing_docs, reason = "each is the operator of the same name")]
    pub enum QuantisedOp {
        Add,
        Sub,
        Mul,
        PRelu,
        SquaredDifference,
        Equal,
        NotEqual,
        Less,
        LessEqual,
        Greater,
        GreaterEqual,
        QLinearAdd,
        QLinearMul,
        /// What a table has for the bits of two elements of 8 bits.
        Table,
    }
}

impl QuantisedOp {
    /// Places after the point that elements have before they are scaled.
    #[must_use]
    pub fn places(self) -> u32 {
        match self {
            Self::Add | Self::Sub => 20,
            Self::SquaredDifference => 7,
            Self::Mul | Self::PRelu | Self::QLinearAdd | Self::QLinearMul | Self::Table => 0,
            _ => 8,
        }
    }
}

/// The table that the kernel reads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Facts {
    /// Zero points of a, b and y.
    pub zeros: [i32; 3],
    /// The least and the largest element of y.
    pub range: [i32; 2],
    /// What a, b and y are multiplied by; of PRELU what positive and negative products are.
    pub factors: [Factor; 3],
    /// Places after the point that a and b have before they are multiplied.
    pub places: u32,
    /// Where floats are computed with: what a and b are multiplied by, or their product and
    /// nothing, and what is added.
    pub reals: [f32; 3],
}

impl Facts {
    /// As words.
    #[must_use]
    pub fn words(self) -> Vec<u32> {
        let ints = self.zeros.into_iter().chain(self.range);
        let factors = self.factors.into_iter().flat_map(Factor::words);
        let words = ints.map(i32::cast_unsigned).chain(factors);
        let reals = self.reals.into_iter().map(f32::to_bits);
        words.chain([self.places]).chain(reals).collect()
    }

    fn read(words: &[i32]) -> Option<Self> {
        let factor = |at: usize| {
            Some(Factor {
                mantissa: *words.get(at)?,
                shift: *words.get(at + 1)?,
            })
        };
        Some(Self {
            zeros: words.get(..3)?.try_into().ok()?,
            range: words.get(3..5)?.try_into().ok()?,
            factors: [factor(5)?, factor(7)?, factor(9)?],
            places: words.get(11)?.cast_unsigned(),
            reals: [12, 13, 14].map(|at| {
                let bits = words.get(at).copied().unwrap_or_default();
                f32::from_bits(bits.cast_unsigned())
            }),
        })
    }
}

/// The nearest integer, ties to even, of what is not far beyond the range of elements.
#[expect(clippy::cast_possible_truncation, reason = "it is cut off before")]
pub(super) fn element(real: f32) -> i32 {
    real.round_ties_even().clamp(-65_536.0, 65_536.0) as i32
}

#[expect(
    clippy::cast_precision_loss,
    reason = "products of two elements have 17 bits"
)]
pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let words = super::narrow(memory, &dispatch.inputs[2]);
    let op = QuantisedOp::read(dispatch, "OP");
    if op == QuantisedOp::Table {
        return looked_up(dispatch, &words, memory);
    }
    let facts = Facts::read(&words).unwrap_or_default();
    let a = super::narrow(memory, &dispatch.inputs[0]);
    let b = super::narrow(memory, &dispatch.inputs[1]);
    let [lowest, highest] = facts.range;
    let y = paired(dispatch, &a, &b, |a, b| {
        let (a, b) = (a - facts.zeros[0], b - facts.zeros[1]);
        let [first, second, last] = facts.factors;
        let scaled = || {
            let left = first.times(a << facts.places);
            (left, second.times(b << facts.places))
        };
        let compared = |of: fn(&i32, &i32) -> bool| {
            let (left, right) = scaled();
            i32::from(of(&left, &right))
        };
        let y = match op {
            QuantisedOp::Add => last.times(scaled().0.wrapping_add(scaled().1)),
            QuantisedOp::Sub => last.times(scaled().0.wrapping_sub(scaled().1)),
            QuantisedOp::Mul => last.times(a.wrapping_mul(b)),
            QuantisedOp::PRelu if a >= 0 => first.times(a),
            QuantisedOp::PRelu => second.times(a.wrapping_mul(b)),
            QuantisedOp::SquaredDifference => {
                let difference = scaled().0.wrapping_sub(scaled().1);
                last.times(difference.wrapping_mul(difference))
            }
            QuantisedOp::Equal => compared(i32::eq),
            QuantisedOp::NotEqual => compared(i32::ne),
            QuantisedOp::Less => compared(i32::lt),
            QuantisedOp::LessEqual => compared(i32::le),
            QuantisedOp::Greater => compared(i32::gt),
            QuantisedOp::GreaterEqual => compared(i32::ge),
            QuantisedOp::QLinearAdd => {
                element(facts.reals[2] + a as f32 * facts.reals[0] + b as f32 * facts.reals[1])
            }
            QuantisedOp::QLinearMul | QuantisedOp::Table => {
                element((a * b) as f32 * facts.reals[0] + facts.reals[2])
            }
        };
        let y = y.wrapping_add(facts.zeros[2]);
        i64::from(y.clamp(lowest, highest))
    });
    memory.put_ints(&dispatch.outputs[0], &y);
}

fn looked_up(dispatch: &Dispatch, table: &[i32], memory: &mut Memory) {
    let a = super::narrow(memory, &dispatch.inputs[0]);
    let b = super::narrow(memory, &dispatch.inputs[1]);
    let y = paired(dispatch, &a, &b, |a, b| {
        let place = usize::try_from((a & 0xff) << 8 | b & 0xff).ok();
        let found = place.and_then(|place| table.get(place));
        found.copied().map(i64::from).unwrap_or_default()
    });
    memory.put_ints(&dispatch.outputs[0], &y);
}
