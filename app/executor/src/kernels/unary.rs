//! y[i] = f(x[i]).

use super::binary::{max_of, min_of};
use super::pair::{BinaryParams, put, source};
use crate::arena::Memory;
use crate::recording::Dispatch;

codes! {
    /// The function: the `override` constant `OP`.
    #[expect(missing_docs, reason = "each is the operator of the same name in ONNX")]
    pub enum UnaryOp {
        Identity,
        Relu,
        /// Between `alpha` and `beta`.
        Clip,
        Sigmoid,
        Tanh,
        Exp,
        Log,
        Sqrt,
        Reciprocal,
        Abs,
        Neg,
        Floor,
        Ceil,
        Erf,
        Gelu,
        GeluTanh,
        /// Slope `alpha` below zero.
        LeakyRelu,
        /// `alpha` times (exp x - 1) below zero.
        Elu,
        /// `alpha` x + `beta`, between 0 and 1.
        HardSigmoid,
        HardSwish,
        Softplus,
        Softsign,
        Silu,
        Rsqrt,
        Square,
        Sign,
        /// To nearest, ties to even.
        Round,
        Sin,
        Cos,
        /// `beta` times Elu.
        Selu,
        Mish,
        /// x times the sigmoid of `alpha` x.
        Swish,
        /// Nothing up to `alpha`.
        ThresholdedRelu,
        /// `alpha` times (exp (x / `alpha`) - 1) below zero.
        Celu,
        /// Nothing within `alpha` of zero, and nearer to it by `beta` beyond.
        Shrink,
        /// `alpha` x + `beta`.
        Affine,
        Tan,
        /// Towards zero.
        Trunc,
        Asin,
        Acos,
        Atan,
        Sinh,
        Cosh,
        Asinh,
        Acosh,
        Atanh,
        /// `alpha` times the tanh of `beta` x.
        ScaledTanh,
        /// 1 above `alpha`, else 0.
        Above,
    }
}

impl UnaryOp {
    /// The function itself.
    #[must_use]
    pub fn apply(self, x: f32, alpha: f32, beta: f32) -> f32 {
        match self {
            Self::Identity => x,
            Self::Relu => max_of(x, 0.0),
            Self::Clip => min_of(max_of(x, alpha), beta),
            Self::Sigmoid => sigmoid(x),
            Self::Tanh => x.tanh(),
            Self::Exp => x.exp(),
            Self::Log => x.ln(),
            Self::Sqrt => x.sqrt(),
            Self::Reciprocal => 1.0 / x,
            Self::Abs => x.abs(),
            Self::Neg => -x,
            Self::Floor => x.floor(),
            Self::Ceil => x.ceil(),
            Self::Erf => erf(x),
            Self::Gelu => gelu(x),
            Self::GeluTanh => gelu_tanh(x),
            Self::LeakyRelu if x >= 0.0 => x,
            Self::LeakyRelu => alpha * x,
            Self::Elu => elu(x, alpha),
            Self::HardSigmoid => (alpha * x + beta).clamp(0.0, 1.0),
            Self::HardSwish => x * (x / 6.0 + 0.5).clamp(0.0, 1.0),
            Self::Softplus => softplus(x),
            Self::Softsign => x / (1.0 + x.abs()),
            Self::Silu => x * sigmoid(x),
            Self::Rsqrt => 1.0 / x.sqrt(),
            Self::Square => x * x,
            Self::Sign if x == 0.0 => 0.0,
            Self::Sign => x.signum(),
            Self::Round => x.round_ties_even(),
            Self::Sin => x.sin(),
            Self::Cos => x.cos(),
            Self::Selu => beta * elu(x, alpha),
            Self::Mish => x * softplus(x).tanh(),
            Self::Swish => x * sigmoid(alpha * x),
            Self::ThresholdedRelu if x > alpha => x,
            Self::ThresholdedRelu => 0.0,
            Self::Celu => max_of(x, 0.0) + alpha * (min_of(x, 0.0) / alpha).exp_m1(),
            Self::Shrink if x < -alpha => x + beta,
            Self::Shrink if x > alpha => x - beta,
            Self::Shrink => 0.0,
            Self::Affine => alpha * x + beta,
            Self::Tan => x.tan(),
            Self::Trunc => x.trunc(),
            Self::Asin => x.asin(),
            Self::Acos => x.acos(),
            Self::Atan => x.atan(),
            Self::Sinh => x.sinh(),
            Self::Cosh => x.cosh(),
            Self::Asinh => x.asinh(),
            Self::Acosh => x.acosh(),
            Self::Atanh => x.atanh(),
            Self::ScaledTanh => alpha * (beta * x).tanh(),
            Self::Above if x > alpha => 1.0,
            Self::Above => 0.0,
        }
    }
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

fn softplus(x: f32) -> f32 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

fn elu(x: f32, alpha: f32) -> f32 {
    if x >= 0.0 { x } else { alpha * x.exp_m1() }
}

/// Series and continued fraction of Abramowitz and Stegun 7.1.5 and 7.1.14, in 64 bits: not
/// the approximation of the shader, so that each checks the other.
fn erf_wide(x: f64) -> f64 {
    if x.abs() >= 2.5 {
        return x.signum() * (1.0 - erfc_tail(x.abs()));
    }
    let (mut term, mut sum) = (x, x);
    for n in 1..60 {
        let n = f64::from(n);
        term *= -x * x / n;
        sum += term / (2.0 * n + 1.0);
    }
    sum * std::f64::consts::FRAC_2_SQRT_PI
}

/// 1 - erf(a) for a >= 2.5.
fn erfc_tail(a: f64) -> f64 {
    let mut tail = 0.0;
    for n in (1..60).rev() {
        tail = f64::from(n) / 2.0 / (a + tail);
    }
    (-a * a).exp() / (a + tail) * std::f64::consts::FRAC_2_SQRT_PI / 2.0
}

#[expect(clippy::cast_possible_truncation, reason = "the result is an f32")]
fn erf(x: f32) -> f32 {
    erf_wide(f64::from(x)) as f32
}

#[expect(clippy::cast_possible_truncation, reason = "the result is an f32")]
fn gelu(x: f32) -> f32 {
    let x = f64::from(x);
    let scaled = x * std::f64::consts::FRAC_1_SQRT_2;
    let share = if scaled <= -2.5 {
        erfc_tail(-scaled)
    } else {
        1.0 + erf_wide(scaled)
    };
    (0.5 * x * share) as f32
}

#[expect(clippy::cast_possible_truncation, reason = "the result is an f32")]
fn gelu_tanh(x: f32) -> f32 {
    let x = f64::from(x);
    let inner = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x * x * x);
    (0.5 * x * (1.0 + inner.tanh())) as f32
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: BinaryParams = dispatch.params();
    let op = UnaryOp::read(dispatch, "OP");
    let x = memory.floats(&dispatch.inputs[0]);
    let at = |i| match dispatch.value_of("SAME") {
        1 => i as usize,
        _ => source(i, params.rank, &params.dims, &params.a),
    };
    let apply = |i| op.apply(x[at(i)], params.alpha, params.beta);
    let y: Vec<f32> = (0..params.count).map(apply).collect();
    put(dispatch, memory, &y);
}
