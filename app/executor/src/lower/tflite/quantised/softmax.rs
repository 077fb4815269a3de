//! Softmax of quantised elements, with the exponential functions of all distances worked out
//! before the run (`kernels/internal/reference/softmax.h`).

use planner::graph::DType;

use super::stretches::Stretches;
use super::{Steps, range, steps};
use crate::elements;
use crate::fixed_point::{Factor, exp_of_negative, high_product};
use crate::kernels::{Kernel, QuantisedSoftmaxParams, typed_grid};
use crate::lower::call::Call;
use crate::lower::table::table;
use crate::recording::{Dispatch, Operand};

/// # Errors
/// When the output has not the scale that the operator gives it.
pub(super) fn softmax(call: &Call<'_>) -> Result<Dispatch, String> {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let (of_x, of_y) = (steps(call, x)?, steps(call, y)?);
    let wide = x.dtype == DType::I16;
    let (scale, zero) = match wide {
        true => (1.0_f32 / 32_768.0, 0),
        false => (1.0 / 256.0, range(y)[0]),
    };
    let given = of_y.scale.to_bits() == scale.to_bits() && of_y.zero == zero;
    if x.dtype != y.dtype || x.len() != y.len() || !given {
        return Err(format!("{} has not the scale of a softmax", y.name));
    }
    let beta = call.float_attribute("beta").unwrap_or(1.0);
    let params = QuantisedSoftmaxParams {
        count: y.len(),
        size: x.dims.last().copied().unwrap_or(1),
        range: if wide { [0, i16::MAX.into()] } else { range(y) },
        ..QuantisedSoftmaxParams::default()
    };
    let tables = match wide {
        true => of_16_bits(of_x.scale * beta, y),
        false => vec![exps(f64::from(beta) * f64::from(of_x.scale), y)],
    };
    let dispatch = Dispatch::new(Kernel::QuantisedSoftmax, &params, typed_grid(y));
    Ok(dispatch
        .reads([x].into_iter().chain(&tables))
        .writes(y)
        .constant("KIND", elements::code(y.dtype)))
}

/// e^-d for every distance d, times `scale`.
fn exps(scale: f64, y: &Operand) -> Operand {
    // 5 binary digits before the point, 26 after.
    let real = (scale * 2_f64.powi(26)).min(2_f64.powi(31) - 1.0);
    let Factor { mantissa, shift } = Factor::of(real);
    let shift = shift.max(0);
    #[expect(clippy::cast_possible_truncation, reason = "it is below 2^31")]
    let farthest = (31.0 * 2_f64.powi(26) / 2_f64.powi(shift)).floor() as i32;
    let exp = |distance: i32| {
        if distance > farthest {
            return 0;
        }
        let left = (-distance).wrapping_shl(shift.cast_unsigned());
        exp_of_negative(high_product(left, mantissa))
    };
    let exps = (0..256).map(|distance| exp(distance).cast_unsigned());
    table(y, DType::I32, exps.collect())
}

/// The same down to e^-10, and 1 / (1 + x) at the ends of stretches.
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
