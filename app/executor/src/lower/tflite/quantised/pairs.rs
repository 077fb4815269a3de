//! Functions of two quantised elements.

use planner::graph::DType;
use planner::{Message, message};

use super::{Steps, activated, range, steps};
use crate::elements;
use crate::fixed_point::{Factor, high_product, reciprocal, rounded_shift};
use crate::kernels::{QuantisedFacts, QuantisedOp};
use crate::lower::Dispatches;
use crate::lower::call::Call;
use crate::lower::elementwise::quantised_pair;
use crate::lower::table::table;
use planner::operators::Operator;

/// The function of the builtin, if it has one.
pub(super) fn op(operator: Operator) -> Option<QuantisedOp> {
    Some(match operator {
        Operator::Add => QuantisedOp::Add,
        Operator::Sub => QuantisedOp::Sub,
        Operator::Mul => QuantisedOp::Mul,
        Operator::PRelu => QuantisedOp::PRelu,
        Operator::SquaredDifference => QuantisedOp::SquaredDifference,
        Operator::Equal => QuantisedOp::Equal,
        Operator::NotEqual => QuantisedOp::NotEqual,
        Operator::Less => QuantisedOp::Less,
        Operator::LessOrEqual => QuantisedOp::LessEqual,
        Operator::Greater => QuantisedOp::Greater,
        Operator::GreaterOrEqual => QuantisedOp::GreaterEqual,
        _ => return None,
    })
}

/// The power of two that a scale about is (`CheckedLog2`).
pub(super) fn power_of_two(scale: f32) -> Option<i32> {
    let power = scale.log2();
    let whole = (power - power.round()).abs() < 1e-3;
    #[expect(clippy::cast_possible_truncation, reason = "logarithms are small")]
    whole.then_some(power.round() as i32)
}

/// Factors that shift elements which have one place more, and sums that have none.
///
/// # Errors
/// When both elements are shifted, or one is to the left, as LiteRT's `kernels/add.cc` does.
fn shifts(a: i32, b: i32) -> Result<[Factor; 3], Message> {
    if a > 0 || b > 0 || a != 0 && b != 0 {
        return Err(message!(
            "its scales are powers of two that take more than one shift to the right"
        ));
    }
    let by = |shift: i32| Factor {
        mantissa: 1 << 30,
        shift,
    };
    Ok([by(a), by(b), by(1)])
}

/// `rounded_shift`, which there goes on beyond 31 places as processors shift, by 32 places less;
/// what is not negative is one more.
fn far_shift(x: i32, by: i32) -> i32 {
    match u32::try_from(by) {
        Ok(by @ 32..) => x.wrapping_shr(by) + i32::from(x >= 0),
        _ => rounded_shift(x, by),
    }
}

/// Quotients of elements of 8 bits: all of them are worked out before the run, as
/// `kernels/internal/reference/div.h` computes them.
///
/// # Errors
/// When the elements have 16 bits.
pub(super) fn quotient(call: &Call<'_>) -> Dispatches {
    let (a, b, y) = (call.input(0)?, call.input(1)?, call.output(0)?);
    let (of_a, of_b, of_y) = (steps(call, a)?, steps(call, b)?, steps(call, y)?);
    if a.dtype == DType::I16 || [a.dtype, b.dtype] != [y.dtype; 2] {
        return Err(message!("there is no kernel for it on quantised elements"));
    }
    let factor = Factor::of((of_a.scale / (of_b.scale * of_y.scale)).into());
    let [low, high] = activated(call, y, of_y)?;
    let divided = |a: i32, b: i32| {
        let (a, b) = (a - of_a.zero, b - of_b.zero);
        // LiteRT ends the run there; a table of all pairs has an end of the range instead.
        if b == 0 {
            return if a < 0 { low } else { high };
        }
        let a = a * b.signum();
        // Of 31 digits before the point, where it is given for 12.
        let (share, above) = reciprocal(b.abs());
        let headroom = match a {
            0.. => a.leading_zeros(),
            _ => (-2 * a - 1).leading_zeros(),
        };
        let headroom = headroom.cast_signed() - i32::from(a >= 0);
        let whole = high_product(a.wrapping_shl(headroom.cast_unsigned()), share);
        let shift = factor.shift - (above + 19) - headroom;
        let y = far_shift(high_product(whole, factor.mantissa), -shift);
        y.saturating_add(of_y.zero).clamp(low, high)
    };
    let element = |bits: u8| match y.dtype {
        DType::I8 => bits.cast_signed().into(),
        _ => i32::from(bits),
    };
    let all = 0..=u8::MAX;
    let pairs = all.clone().flat_map(|a| all.clone().map(move |b| (a, b)));
    let results = pairs.map(|(a, b)| i64::from(divided(element(a), element(b))));
    let words = elements::words_of_ints(y.dtype, &results.collect::<Vec<i64>>());
    let table = table(y, y.dtype, words);
    Ok(vec![quantised_pair(QuantisedOp::Table, [a, b], &table, y)?])
}

/// With the factors that LiteRT's `kernels/add.cc`, `sub.cc`, `mul.cc`, `activations.cc`,
/// `squared_difference.cc` and `comparisons.cc` prepare.
pub(super) fn pair(call: &Call<'_>, op: QuantisedOp) -> Dispatches {
    let (a, b, y) = (call.input(0)?, call.input(1)?, call.output(0)?);
    let (of_a, of_b) = (steps(call, a)?, steps(call, b)?);
    // A comparison gives no quantised elements.
    let of_y = match y.dtype {
        DType::Bool => Steps {
            scale: 1.0,
            zero: 0,
        },
        _ => steps(call, y)?,
    };
    let [a_scale, b_scale, y_scale] = [of_a, of_b, of_y].map(|it| f64::from(it.scale));
    let none = Factor::default();
    let twice = f64::from(2.0 * of_a.scale.max(of_b.scale));
    let sum = matches!(op, QuantisedOp::Add | QuantisedOp::Sub);
    let wide = a.dtype == DType::I16;
    // Elements of 16 bits are compared as they are.
    let raw = wide && y.dtype == DType::Bool;
    let places = match wide {
        true if sum => 15,
        true => 0,
        false => op.places(),
    };
    let product = Factor::of((of_a.scale * of_b.scale / of_y.scale).into());
    if wide && matches!(op, QuantisedOp::PRelu | QuantisedOp::SquaredDifference) {
        return Err(message!("there is no kernel for it on quantised elements"));
    }
    let unit = 2_f64.powi(i32::try_from(places).unwrap_or_default());
    let factors = match op {
        QuantisedOp::Mul => [none, none, product],
        QuantisedOp::Add | QuantisedOp::Sub => {
            [a_scale / twice, b_scale / twice, twice / (unit * y_scale)].map(Factor::of)
        }
        QuantisedOp::PRelu => [Factor::of((of_a.scale / of_y.scale).into()), product, none],
        QuantisedOp::SquaredDifference => {
            let squared = twice * twice / (unit * unit * y_scale);
            [a_scale / twice, b_scale / twice, squared].map(Factor::of)
        }
        _ if raw => [Factor::of(1.0), Factor::of(1.0), none],
        _ => [Factor::of(a_scale), Factor::of(b_scale), none],
    };
    let powers = [of_a, of_b, of_y].map(|it| power_of_two(it.scale));
    let shifting = wide && sum && call.op.int("pot_scale_int16") != Some(0);
    let (factors, places) = match powers {
        [Some(a), Some(b), Some(y)] if shifting => (shifts(a - y, b - y)?, 1),
        _ => (factors, places),
    };
    let range = match y.dtype {
        DType::Bool => [0, 1],
        _ if matches!(op, QuantisedOp::PRelu | QuantisedOp::SquaredDifference) => range(y),
        _ => activated(call, y, of_y)?,
    };
    let facts = QuantisedFacts {
        zeros: match raw {
            true => [0; 3],
            false => [of_a.zero, of_b.zero, of_y.zero],
        },
        range,
        factors,
        places,
        ..QuantisedFacts::default()
    };
    let table = table(y, DType::I32, facts.words());
    Ok(vec![quantised_pair(op, [a, b], &table, y)?])
}
