//! Softmax of quantised elements and its kin, with the exponential functions of all distances worked out
//! before the run (`kernels/internal/reference/softmax.h`).

use planner::graph::DType;
use planner::{Message, message};

use super::stretches::Stretches;
use super::{Steps, activated, range, steps};
use crate::elements;
use crate::fixed_point::{Factor, exp_of_negative, high_product};
use crate::kernels::{Kernel, QuantisedSoftmaxMode, QuantisedSoftmaxParams, typed_grid};
use crate::lower::call::Call;
use crate::lower::table::table;
use crate::recording::{Dispatch, Operand};

/// # Errors
/// When the output has not the scale that the operator gives it.
pub(super) fn softmax(call: &Call<'_>) -> Result<Dispatch, Message> {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let (of_x, of_y) = (steps(call, x)?, steps(call, y)?);
    let wide = x.dtype == DType::I16;
    let (scale, zero) = match y.dtype {
        DType::I16 if wide => (1.0_f32 / 32_768.0, 0),
        DType::I16 => (1.0 / 65_536.0, range(y)[0]),
        _ => (1.0 / 256.0, range(y)[0]),
    };
    let given = of_y.scale.to_bits() == scale.to_bits() && of_y.zero == zero;
    let alike = x.dtype == y.dtype || y.dtype == DType::I16;
    if !alike || x.len() != y.len() || !given {
        return Err(message!("{} has not the scale of a softmax", y.name));
    }
    let beta = call.float_attribute("beta").unwrap_or(1.0);
    let params = QuantisedSoftmaxParams {
        range: if wide { [0, i16::MAX.into()] } else { range(y) },
        ..rows(x, y)
    };
    let tables = match wide {
        true => of_16_bits(of_x.scale * beta, y),
        false => vec![Distances::of(f64::from(beta) * f64::from(of_x.scale)).exps(y)],
    };
    Ok(made(&params, x, &tables, y))
}

/// Along the last axis (`reference_integer_ops::LogSoftmax` and `reference_ops::LogSoftmax`).
///
/// # Errors
/// When the output has not the scale that the operator gives it.
pub(super) fn logarithm(call: &Call<'_>) -> Result<Dispatch, Message> {
    let (x, y) = (call.input(0)?, call.output(0)?);
    given(call, 1.0 / 16.0, range(y)[1])?;
    let distances = Distances::of(steps(call, x)?.scale.into());
    // What makes 26 places steps of x.
    let Factor { mantissa, shift } = distances.factor;
    let back = Factor::of(2_f64.powi(31 - shift) / f64::from(mantissa));
    let params = QuantisedSoftmaxParams {
        back: [back.mantissa, back.shift.min(0)],
        least: -distances.farthest(),
        ..rows(x, y)
    };
    let places = (0..256).map(|distance| distances.at(distance).cast_unsigned());
    let places = table(y, DType::I32, places.collect());
    let tables = [&distances.exps(y), &places];
    let mode = QuantisedSoftmaxMode::Logarithm.code();
    Ok(made(&params, x, tables, y).constant("MODE", mode))
}

/// Along the last axis (`reference_integer_ops::L2Normalization` and
/// `reference_ops::L2Normalization`).
///
/// # Errors
/// When the output has not the scale that the operator gives it.
pub(super) fn normalized(call: &Call<'_>) -> Result<Dispatch, Message> {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let unsigned = x.dtype == DType::U8;
    let zero = if unsigned { 128 } else { 0 };
    given(call, 1.0 / 128.0, zero)?;
    if activated(call, y, steps(call, y)?)? != range(y) {
        return Err(message!("an activation on quantised elements"));
    }
    let params = QuantisedSoftmaxParams {
        zero,
        x_zero: steps(call, x)?.zero,
        places: if unsigned { 7 } else { 0 },
        ..rows(x, y)
    };
    let mode = QuantisedSoftmaxMode::Norm.code();
    Ok(made(&params, x, [], y).constant("MODE", mode))
}

/// Refuses an output of 8 bits that has another scale than the operator gives it.
fn given(call: &Call<'_>, scale: f32, zero: i32) -> Result<(), Message> {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let of_y = steps(call, y)?;
    let alike = x.dtype == y.dtype && x.dtype != DType::I16 && x.len() == y.len();
    match alike && of_y == (Steps { scale, zero }) {
        true => Ok(()),
        false => Err(message!("{} has not the scale that it is given", y.name)),
    }
}

/// Rows along the last axis.
fn rows(x: &Operand, y: &Operand) -> QuantisedSoftmaxParams {
    QuantisedSoftmaxParams {
        count: y.len(),
        size: x.dims.last().copied().unwrap_or(1),
        range: range(y),
        ..QuantisedSoftmaxParams::default()
    }
}

fn made<'a>(
    params: &QuantisedSoftmaxParams,
    x: &Operand,
    tables: impl IntoIterator<Item = &'a Operand>,
    y: &Operand,
) -> Dispatch {
    Dispatch::new(Kernel::QuantisedSoftmax, params, typed_grid(y))
        .reads([x])
        .reads(tables)
        .writes(y)
        .constant("KIND", elements::code(x.dtype))
        .constant("TO", elements::code(y.dtype))
}

/// Distances of elements of 8 bits, with 5 binary digits before the point and 26 after.
struct Distances {
    factor: Factor,
}

impl Distances {
    /// Of elements in such steps.
    fn of(scale: f64) -> Self {
        let real = (scale * 2_f64.powi(26)).min(2_f64.powi(31) - 1.0);
        let Factor { mantissa, shift } = Factor::of(real);
        let shift = shift.max(0);
        Self {
            factor: Factor { mantissa, shift },
        }
    }

    /// The largest distance that counts.
    fn farthest(&self) -> i32 {
        #[expect(clippy::cast_possible_truncation, reason = "it is below 2^31")]
        let farthest = (31.0 * 2_f64.powi(26) / 2_f64.powi(self.factor.shift)).floor() as i32;
        farthest
    }

    /// The negative of a distance.
    fn at(&self, distance: i32) -> i32 {
        let left = (-distance).wrapping_shl(self.factor.shift.cast_unsigned());
        high_product(left, self.factor.mantissa)
    }

    /// e^-d for every distance d.
    fn exps(&self, y: &Operand) -> Operand {
        let exp = |distance: i32| match distance > self.farthest() {
            true => 0,
            false => exp_of_negative(self.at(distance)),
        };
        let exps = (0..256).map(|distance| exp(distance).cast_unsigned());
        table(y, DType::I32, exps.collect())
    }
}

/// e^-d for distances down to e^-10, and 1 / (1 + x) at the ends of stretches.
fn of_16_bits(scale: f32, y: &Operand) -> Vec<Operand> {
    const WAY: f32 = 65_535.0;
    let steps = |scale: f32, zero: i32| Steps { scale, zero };
    let result = steps(2.0 / WAY, 0);
    let exp = Stretches::of(steps(10.0 / WAY, i16::MAX.into()), result, f32::exp);
    let share = |x: f32| 1.0 / (1.0 + x);
    let shares = Stretches::of(steps(1.0 / WAY, i16::MIN.into()), result, share);
    let factor = Factor::of(f64::from(scale) / (10.0 / 65_535.0));
    let [low, high] = range(y);
    let exp = |distance: i32| {
        let place = factor.times(-distance).saturating_add(high);
        i64::from(exp.at(place.clamp(low, high)))
    };
    let exps: Vec<i64> = (0..1 << 16).map(exp).collect();
    let shares = shares.0.into_iter().map(i32::cast_unsigned).collect();
    vec![
        table(y, DType::I16, elements::words_of_ints(DType::I16, &exps)),
        table(y, DType::I32, shares),
    ]
}
