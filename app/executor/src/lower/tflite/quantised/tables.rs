//! Functions of one quantised element: the results of all elements are worked out before the run.

use super::stretches::{Logistic, Stretches};
use super::{Steps, range, steps};
use crate::fixed_point::{Factor, inverse_root, rounded_shift};
use crate::kernels::UnaryOp;
use crate::lower::Dispatches;
use crate::lower::call::{Call, axis_of};
use crate::lower::rows::elements;
use crate::lower::table::{by_parts, entries, lookup};
use crate::recording::Dispatch;
use planner::graph::DType;
use planner::operators::Operator;
use planner::{Message, message};

/// Functions that are the same of elements of 16 bits.
const SCALED: [Operator; 6] = [
    Operator::Quantize,
    Operator::Relu,
    Operator::Relu6,
    Operator::LeakyRelu,
    Operator::Abs,
    Operator::Sqrt,
];

/// A function of one element.
///
/// # Errors
/// When there is no such function.
pub(super) fn unary(call: &Call<'_>) -> Result<Dispatch, Message> {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let (of_x, of_y) = (steps(call, x)?, steps(call, y)?);
    let function = Function {
        of_x,
        of_y,
        range: range(y),
    };
    let wide = x.dtype == DType::I16;
    let made: Box<dyn Fn(i32) -> i32> = match call.op.operator {
        Operator::Quantize => Box::new(|x| function.scaled(x)),
        Operator::Relu => Box::new(|x| function.above(x, of_y.zero)),
        Operator::Relu6 => Box::new(|x| function.clipped(x, [0.0, 6.0])),
        Operator::ReluN1To1 => Box::new(|x| function.clipped(x, [-1.0, 1.0])),
        Operator::Relu0To1 => Box::new(|x| function.clipped(x, [0.0, 1.0])),
        Operator::LeakyRelu => {
            let alpha = call.float_attribute("alpha").unwrap_or_default();
            Box::new(move |x| function.leaky(x, alpha))
        }
        Operator::Sigmoid if wide => {
            let logistic = Logistic::of(of_x.scale, 0);
            Box::new(move |x| logistic.at(x))
        }
        Operator::Tanh if wide => {
            let logistic = Logistic::of(of_x.scale, 1);
            Box::new(move |x| logistic.tanh(x))
        }
        Operator::Exp if wide => {
            let stretches = Stretches::of(of_x, of_y, f32::exp);
            Box::new(move |x| stretches.at(x))
        }
        Operator::Log if wide => Box::new(stretched(of_x, of_y, |x, least| match x {
            x if x > 0.0 => x.ln(),
            _ => least,
        })),
        Operator::Rsqrt if wide => Box::new(stretched(of_x, of_y, |x, least| match x {
            x if x > 0.0 => 1.0 / x.sqrt(),
            // The largest element.
            _ => least / -32_768.0 * 32_767.0,
        })),
        operator if wide && !SCALED.contains(&operator) => {
            return Err(message!("there is no kernel for it on quantised elements"));
        }
        Operator::Sigmoid => Box::new(|x| function.real(x, |x| 1.0 / (1.0 + (-x).exp()))),
        Operator::Tanh => Box::new(|x| function.real(x, f32::tanh)),
        Operator::Gelu => {
            let op = match call.op.int("approximate") {
                Some(1..) => UnaryOp::GeluTanh,
                _ => UnaryOp::Gelu,
            };
            Box::new(move |x| function.real(x, |x| op.apply(x, 0.0, 0.0)))
        }
        // What has no logarithm is the least there is.
        Operator::Log => Box::new(|x| {
            let log = |x: f32| if x > 0.0 { x.ln() } else { f32::MIN };
            function.real(x, log)
        }),
        Operator::Rsqrt => Box::new(|x| function.inverse_root(x)),
        Operator::Sqrt => Box::new(|x| function.root(x)),
        Operator::Elu => Box::new(|x| function.real(x, |x| if x < 0.0 { x.exp_m1() } else { x })),
        Operator::Abs => Box::new(|x| function.size(x)),
        Operator::Exp => Box::new(|x| function.real(x, f32::exp)),
        Operator::HardSwish => {
            let swish = HardSwish::of(of_x, of_y);
            Box::new(move |x| swish.at(x))
        }
        _ if !call.op.domain.is_empty() => return Err(message!("there is no kernel for it")),
        _ => return Err(message!("there is no kernel for it on quantised elements")),
    };
    let [lowest, highest] = function.range;
    lookup(x, y, &|x| made(x).clamp(lowest, highest))
}

/// Pieces of unsigned elements of 8 bits, each of which may have a scale of its own
/// (`ConcatenationWithScaling`): those that differ from y's are looked up once they lie in y.
///
/// # Errors
/// When the shapes do not fit.
pub(super) fn joined(call: &Call<'_>) -> Dispatches {
    let y = call.output(0)?;
    let of_y = steps(call, y)?;
    let axis = axis_of(call.op.int("axis").unwrap_or_default(), y.dims.len())?;
    let inner = elements(&y.dims[axis + 1..]);
    let (mut ends, mut tables, mut end) = (Vec::new(), Vec::new(), 0_u32);
    for x in call.inputs.iter().flatten() {
        let of_x = steps(call, x)?;
        let side = x.dims.get(axis).copied().unwrap_or_default();
        end = end.saturating_add(side.saturating_mul(inner));
        ends.push(end);
        let scale = of_x.scale * (1.0 / of_y.scale);
        #[expect(clippy::cast_precision_loss, reason = "they have 8 bits")]
        let real = |x: i32| x as f32 * scale + -(of_x.zero as f32) * scale;
        #[expect(clippy::cast_possible_truncation, reason = "float casts saturate")]
        let element = |x: i32| match of_x == of_y {
            true => x,
            false => (real(x).round() as i32)
                .saturating_add(of_y.zero)
                .clamp(0, 255),
        };
        tables.extend(entries(x.dtype, &element));
    }
    let mut dispatches = crate::lower::tflite::found(call)?;
    dispatches.push(by_parts(y, ends, &tables));
    Ok(dispatches)
}

/// A function of floats, of which the least that y has is given, too.
fn stretched(of_x: Steps, of_y: Steps, of: fn(f32, f32) -> f32) -> impl Fn(i32) -> i32 {
    let least = -32_768.0 * of_y.scale;
    let stretches = Stretches::of(of_x, of_y, |x| of(x, least));
    move |x| stretches.at(x)
}

/// What a function knows of its operands.
#[derive(Clone, Copy)]
struct Function {
    of_x: Steps,
    of_y: Steps,
    range: [i32; 2],
}

impl Function {
    /// x in the quantisation of y (`Requantize`).
    fn scaled(self, x: i32) -> i32 {
        let ratio = f64::from(self.of_x.scale) / f64::from(self.of_y.scale);
        Factor::of(ratio).times(x - self.of_x.zero) + self.of_y.zero
    }

    /// x in the quantisation of y by a ratio of fewer places (`ReluPrepare`).
    fn above(self, x: i32, low: i32) -> i32 {
        let factor = Factor::of((self.of_x.scale / self.of_y.scale).into());
        (factor.times(x - self.of_x.zero) + self.of_y.zero).max(low)
    }

    fn clipped(self, x: i32, [low, high]: [f32; 2]) -> i32 {
        let (low, high) = (self.element(low), self.element(high));
        self.above(x, low).min(high)
    }

    /// The element that stands for a number.
    fn element(self, real: f32) -> i32 {
        #[expect(clippy::cast_possible_truncation, reason = "float casts saturate")]
        let nearest = (real / self.of_y.scale).round() as i32;
        nearest.saturating_add(self.of_y.zero)
    }

    /// The distance from the zero point, in the quantisation of y.
    fn size(self, x: i32) -> i32 {
        let factor = Factor::of((self.of_x.scale / self.of_y.scale).into());
        factor.times((x - self.of_x.zero).abs()) + self.of_y.zero
    }

    /// Negative elements by another factor (`QuantizeLeakyRelu`).
    fn leaky(self, x: i32, alpha: f32) -> i32 {
        let x = x - self.of_x.zero;
        let slope = if x >= 0 { 1.0 } else { alpha };
        let factor = Factor::of((self.of_x.scale * slope / self.of_y.scale).into());
        factor.times(x) + self.of_y.zero
    }

    /// √x, rounded down.
    fn root(self, x: i32) -> i32 {
        #[expect(clippy::cast_precision_loss, reason = "it has 17 bits")]
        let distance = (x - self.of_x.zero).max(0) as f32;
        let y = (self.of_x.scale * distance).sqrt() / self.of_y.scale;
        #[expect(clippy::cast_possible_truncation, reason = "float casts saturate")]
        let whole = y as i32;
        whole.saturating_add(self.of_y.zero)
    }

    /// 1 / √x in 20 more places (`RsqrtEvalQuantizedInt8`).
    fn inverse_root(self, x: i32) -> i32 {
        const PLACES: i32 = 20;
        let x = x - self.of_x.zero;
        if x <= 0 {
            return self.range[1];
        }
        let (mantissa, shift) = inverse_root(x);
        let fine = Factor {
            mantissa,
            shift: shift + PLACES,
        };
        let scale = 1.0 / f64::from(self.of_x.scale.sqrt() * self.of_y.scale);
        let Factor { mantissa, shift } = Factor::of(scale);
        let scaled = Factor {
            mantissa,
            shift: shift - PLACES,
        };
        scaled.times(fine.times(1)) + self.of_y.zero
    }

    /// A function of floats (`LUTPopulate`).
    fn real(self, x: i32, of: impl Fn(f32) -> f32) -> i32 {
        #[expect(clippy::cast_precision_loss, reason = "it has 9 bits")]
        let distance = (x - self.of_x.zero) as f32;
        let y = of(self.of_x.scale * distance);
        #[expect(clippy::cast_possible_truncation, reason = "float casts saturate")]
        let nearest = (y * (1.0 / self.of_y.scale)).round() as i32;
        let [low, high] = self.range;
        nearest.saturating_add(self.of_y.zero).clamp(low, high)
    }
}

/// Hard-swish in 16 bits (`kernels/internal/reference/hard_swish.h`).
#[derive(Clone, Copy)]
struct HardSwish {
    zeros: [i32; 2],
    /// The input with 7 more places, as an element of the output.
    output: (i32, i32),
    /// The input as a number from −1 to 1 that stands for −3 to 3.
    gate: (i32, i32),
}

impl HardSwish {
    fn of(x: Steps, y: Steps) -> Self {
        let fine = x.scale * (1.0 / 128.0);
        let factor = |to: f32| {
            let Factor { mantissa, shift } = Factor::of(f64::from(fine / to));
            let most = i32::from(i16::MAX);
            // 15 of its 31 places.
            let narrow = match mantissa >= i32::MAX - (1 << 15) {
                true => most,
                false => (mantissa + (1 << 15)) >> 16,
            };
            (narrow, shift)
        };
        Self {
            zeros: [x.zero, y.zero],
            output: factor(y.scale),
            gate: factor(3.0 / 32768.0),
        }
    }

    fn at(self, x: i32) -> i32 {
        let fine = (x - self.zeros[0]) * 128;
        let before_shift = product(fine, self.output.0, true);
        let (mantissa, shift) = self.gate;
        let mut gate = fine;
        if shift > 0 {
            gate = saturated(gate << (shift - 1).min(15));
        }
        gate = product(gate, mantissa, true);
        if shift > 0 {
            gate = saturated(gate << 1);
        }
        if shift < 0 {
            gate = rounded_shift(gate, -shift);
        }
        let gate = (gate + (1 << 15)) >> 1;
        let y = rounded_shift(product(gate, before_shift, false), -self.output.1);
        saturated(y + self.zeros[1])
    }
}

/// As far as 16 bits go.
pub(super) fn saturated(x: i32) -> i32 {
    x.clamp(i16::MIN.into(), i16::MAX.into())
}

/// a·b / 2^15 of 16 bits each, to nearest or towards zero.
pub(super) fn product(a: i32, b: i32, rounded: bool) -> i32 {
    let product = a * b;
    let nudge = match (rounded, product >= 0) {
        (false, _) => 0,
        (true, true) => 1 << 14,
        (true, false) => 1 - (1 << 14),
    };
    saturated((product + nudge) / (1 << 15))
}
