//! y = (x - centre) / spread, times scale, plus bias, where centre and spread are the row's.

use bytemuck::{Pod, Zeroable};

use super::Rows;
use crate::arena::Memory;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them. `SCALE` and `BIAS` are 1 where input 1 and 2 are
/// there. Element `i` of a row has the scale and the bias of number
/// `row % row_period * row_stride + i / repeat % period`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct NormalizeParams {
    /// The rows of x and of y.
    pub rows: Rows,
    /// Keeps the spread from being 0.
    pub epsilon: f32,
    /// After how many rows the scales repeat.
    pub row_period: u32,
    /// Scales between one row and the next.
    pub row_stride: u32,
    /// Neighbours in a row that share a scale.
    pub repeat: u32,
    /// Scales of one row.
    pub period: u32,
    /// Unused, for the alignment.
    pub pad: [u32; 3],
}

codes! {
    /// How centre and spread are found: the `override` constant `OP`.
    pub enum NormalizeOp {
        /// Mean and sqrt(variance + epsilon).
        Layer,
        /// 0 and sqrt(mean of squares + epsilon).
        RootMeanSquare,
        /// 0 and the sum of absolute values, at least epsilon.
        L1,
        /// 0 and the root of the sum of squares, at least epsilon.
        L2,
        /// Mean and sqrt(variance) + epsilon.
        MeanVariance,
        /// Like [`Layer`](Self::Layer), rounded after every operator of those that it was fused
        /// from; and with the reciprocal of the spread as a factor.
        LayerSteps,
        /// See [`LayerSteps`](Self::LayerSteps).
        LayerFactor,
        /// Like [`RootMeanSquare`](Self::RootMeanSquare), rounded as
        /// [`LayerSteps`](Self::LayerSteps) is.
        RootMeanSquareSteps,
        /// See [`LayerSteps`](Self::LayerSteps).
        RootMeanSquareFactor,
    }
}

impl NormalizeOp {
    /// Centre and spread of a row.
    fn of(self, row: &[f64], epsilon: f64) -> (f64, f64) {
        let len = f64::from(u32::try_from(row.len()).unwrap_or(u32::MAX));
        let mean = row.iter().sum::<f64>() / len;
        let squares = |centre: f64| row.iter().map(|x| (x - centre) * (x - centre)).sum::<f64>();
        match self {
            Self::Layer => (mean, (squares(mean) / len + epsilon).sqrt()),
            Self::RootMeanSquare => (0.0, (squares(0.0) / len + epsilon).sqrt()),
            Self::L1 => (0.0, row.iter().map(|x| x.abs()).sum::<f64>().max(epsilon)),
            Self::L2 => (0.0, squares(0.0).sqrt().max(epsilon)),
            Self::MeanVariance => (mean, (squares(mean) / len).sqrt() + epsilon),
            Self::LayerSteps | Self::LayerFactor => stepwise(row, rounded(mean), epsilon),
            Self::RootMeanSquareSteps | Self::RootMeanSquareFactor => stepwise(row, 0.0, epsilon),
        }
    }

    /// An element after centre and spread, scale and shift.
    fn finished(self, (x, centre, spread): (f64, f64, f64), factor: f64, shift: f64) -> f64 {
        let divided = match self {
            Self::LayerSteps | Self::RootMeanSquareSteps => rounded(rounded(x - centre) / spread),
            Self::LayerFactor | Self::RootMeanSquareFactor => {
                rounded(rounded(x - centre) * rounded(1.0 / spread))
            }
            _ => return (x - centre) / spread * factor + shift,
        };
        rounded(rounded(divided * factor) + shift)
    }
}

/// As an operator of its own would have left it.
#[expect(clippy::cast_possible_truncation, reason = "that is what rounds")]
fn rounded(x: f64) -> f64 {
    f64::from(x as f32)
}

/// Centre and spread with each of square, mean, sum and root rounded.
fn stepwise(row: &[f64], centre: f64, epsilon: f64) -> (f64, f64) {
    let square = |x: &f64| {
        let centred = rounded(x - centre);
        rounded(centred * centred)
    };
    let len = f64::from(u32::try_from(row.len()).unwrap_or(u32::MAX));
    let mean = rounded(row.iter().map(square).sum::<f64>() / len);
    (centre, rounded(rounded(mean + epsilon).sqrt()))
}

#[expect(clippy::cast_possible_truncation, reason = "the result is an f32")]
pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: NormalizeParams = dispatch.params();
    let op = NormalizeOp::read(dispatch, "OP");
    let x = memory.floats(&dispatch.inputs[0]);
    let given = |name: &str, position: usize| {
        let there = dispatch.value_of(name) == 1;
        there.then(|| memory.floats(&dispatch.inputs[position]))
    };
    let (scale, bias) = (given("SCALE", 1), given("BIAS", 2));
    let steps = params.rows.both_steps();
    let mut y = memory.floats(&dispatch.outputs[0]);
    for (number, (start, out)) in params.rows.both_starts().enumerate() {
        let values: Vec<f64> = steps.iter().map(|s| f64::from(x[start + s.0])).collect();
        let (centre, spread) = op.of(&values, f64::from(params.epsilon));
        let first = number % params.row_period as usize * params.row_stride as usize;
        for (i, (value, step)) in values.into_iter().zip(&steps).enumerate() {
            let channel = first + i / params.repeat as usize % params.period as usize;
            let factor = scale
                .as_ref()
                .map_or(1.0, |scale| f64::from(scale[channel]));
            let shift = bias.as_ref().map_or(0.0, |bias| f64::from(bias[channel]));
            y[out + step.1] = op.finished((value, centre, spread), factor, shift) as f32;
        }
    }
    memory.put_floats(&dispatch.outputs[0], &y);
}
