//! y[i] = f(a[j], b[k]) of quantised elements: a sum, a difference or a product.

use super::pair::paired;
use crate::arena::Memory;
use crate::fixed_point::Factor;
use crate::recording::Dispatch;

/// The function: the `override` constant `OP`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[expect(missing_docs, reason = "each is the builtin of the same name")]
pub enum QuantisedOp {
    Add,
    Sub,
    Mul,
}

/// Places after the point that sums have before they are scaled.
const PLACES: u32 = 20;

impl QuantisedOp {
    /// The value of the shader's `OP`.
    #[must_use]
    pub fn code(self) -> u32 {
        self as u32
    }
}

/// The table that the kernel reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Zero points of a, b and y.
    pub zeros: [i32; 3],
    /// The least and the largest element of y.
    pub range: [i32; 2],
    /// What a, b and y are multiplied by.
    pub factors: [Factor; 3],
}

impl Facts {
    /// As words.
    #[must_use]
    pub fn words(self) -> Vec<u32> {
        let ints = self.zeros.into_iter().chain(self.range);
        let factors = self.factors.into_iter().flat_map(Factor::words);
        ints.map(i32::cast_unsigned).chain(factors).collect()
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
        })
    }
}

pub(super) fn twin(dispatch: &Dispatch, memory: &mut Memory) {
    let words = super::narrow(memory, &dispatch.inputs[2]);
    let facts = Facts::read(&words).unwrap_or_default();
    let a = super::narrow(memory, &dispatch.inputs[0]);
    let b = super::narrow(memory, &dispatch.inputs[1]);
    let op = dispatch.value_of("OP");
    let [lowest, highest] = facts.range;
    let y = paired(dispatch, &a, &b, |a, b| {
        let (a, b) = (a - facts.zeros[0], b - facts.zeros[1]);
        let scaled = || {
            let left = facts.factors[0].times(a << PLACES);
            (left, facts.factors[1].times(b << PLACES))
        };
        let made = match op {
            0 => scaled().0.wrapping_add(scaled().1),
            1 => scaled().0.wrapping_sub(scaled().1),
            _ => a.wrapping_mul(b),
        };
        let y = facts.factors[2].times(made).wrapping_add(facts.zeros[2]);
        i64::from(y.clamp(lowest, highest))
    });
    memory.put_ints(&dispatch.outputs[0], &y);
}
