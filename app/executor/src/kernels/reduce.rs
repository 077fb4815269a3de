//! One number for the elements of each row.

use bytemuck::{Pod, Zeroable};

use super::Rows;
use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ReduceParams {
    /// The rows of x; y has one element for each.
    pub rows: Rows,
    /// The number that an empty row gives to [`ReduceOp::Max`] and [`ReduceOp::Min`].
    pub empty: f32,
    /// What is added to the variance of [`ReduceOp::InverseDeviation`].
    pub epsilon: f32,
    /// Unused, for the alignment.
    pub pad: [u32; 2],
}

codes! {
    /// Which number: the `override` constant `OP`.
    #[expect(
        missing_docs,
        reason = "each is the Reduce operator of the same name in ONNX"
    )]
    pub enum ReduceOp {
        Sum,
        Mean,
        Max,
        Min,
        Prod,
        L1,
        L2,
        SumSquare,
        LogSum,
        LogSumExp,
        /// 1 / sqrt(variance + epsilon).
        InverseDeviation,
    }
}

impl ReduceOp {
    /// The number that an empty row gives to the shader, where it is not that of its sum.
    #[must_use]
    pub fn empty(self) -> f32 {
        match self {
            Self::Min => f32::INFINITY,
            _ => f32::NEG_INFINITY,
        }
    }

    /// The number of a row.
    fn of(self, row: &[f64], epsilon: f32) -> f64 {
        let sum = |f: &dyn Fn(f64) -> f64| row.iter().map(|&x| f(x)).sum::<f64>();
        let len = f64::from(u32::try_from(row.len()).unwrap_or(u32::MAX));
        let mean = sum(&|x| x) / len;
        match self {
            Self::Sum => sum(&|x| x),
            Self::Mean => mean,
            _ if matches!(self, Self::Max | Self::Min) && row.iter().any(|x| x.is_nan()) => {
                f64::NAN
            }
            Self::Max => row.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            Self::Min => row.iter().copied().fold(f64::INFINITY, f64::min),
            Self::Prod => row.iter().product(),
            Self::L1 => sum(&f64::abs),
            Self::L2 => sum(&|x| x * x).sqrt(),
            Self::SumSquare => sum(&|x| x * x),
            Self::LogSum => sum(&|x| x).ln(),
            Self::LogSumExp => {
                let most = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                // Infinities are no centre: they would make a NaN of themselves.
                let centre = if most.is_finite() { most } else { 0.0 };
                centre + sum(&|x| (x - centre).exp()).ln()
            }
            Self::InverseDeviation => {
                let variance = sum(&|x| (x - mean) * (x - mean)) / len;
                1.0 / (variance + f64::from(epsilon)).sqrt()
            }
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the result is an f32")]
pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: ReduceParams = dispatch.params();
    let op = ReduceOp::read(dispatch, "OP");
    let x = memory.floats(&dispatch.inputs[0]);
    let steps = params.rows.steps();
    let mut row = Vec::with_capacity(steps.len());
    let mut number = |start: usize| {
        row.clear();
        row.extend(steps.iter().map(|step| f64::from(x[start + step])));
        op.of(&row, params.epsilon) as f32
    };
    let starts = params.rows.starts();
    let y: Vec<f32> = starts.into_iter().map(&mut number).collect();
    memory.put_floats(&dispatch.outputs[0], &y);
}
