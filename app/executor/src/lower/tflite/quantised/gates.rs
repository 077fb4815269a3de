//! The logistic function and tanh of fixed-point numbers of 16 bits, as gemmlowp's `fixedpoint.h`
//! computes them and as the gates of quantised recurrent layers use them, bit for bit.

use super::tables::{product, saturated};
use crate::fixed_point::{EXPS, rounded_shift};

/// 1.
const ONE: i32 = i16::MAX as i32;

/// A constant of 31 places with 15 of them.
fn constant(wide: i32) -> i32 {
    rounded_shift(wide, 16)
}

/// What is left of a sum in 16 bits.
fn wrapped(x: i32) -> i32 {
    x << 16 >> 16
}

/// The logistic function, in 15 places, of a number of 12 places.
pub(super) fn logistic(x: i32) -> i32 {
    let size = 2 * newton(exp_of_negative(-x.abs(), 3));
    match x.signum() {
        1 => saturated(size),
        0 => 1 << 14,
        _ => ONE - saturated(size),
    }
}

/// tanh, in 15 places, of a number with `digits` binary digits before the point and 15 − `digits`
/// after it.
pub(super) fn tanh(x: i32, digits: u32) -> i32 {
    let size = saturated((newton(exp_of_negative(-x.abs(), digits + 1)) - (1 << 13)) * 4);
    x.signum() * size
}

/// e^x for x from −1/4 up to 0, both of 15 places.
fn exp_near_zero(x: i32) -> i32 {
    let (eighth, third) = (constant(1_895_147_668), constant(715_827_883));
    // A Taylor series around -1/8.
    let x = x + (1 << 12);
    let x2 = product(x, x, true);
    let (x3, x4) = (product(x2, x, true), product(x2, x2, true));
    let cubic = product(rounded_shift(x4, 2) + x3, third, true);
    let rest = x + rounded_shift(cubic + x2, 1);
    saturated(eighth + product(eighth, rest, true))
}

/// e^x, in 15 places, for a negative x with `digits` binary digits before the point.
fn exp_of_negative(x: i32, digits: u32) -> i32 {
    let quarter = 1 << (13 - digits);
    // Beyond -32 nothing is left.
    let too_far = digits > 5 && x < constant(-(1 << (36 - digits)));
    if x == 0 || too_far {
        return if x == 0 { ONE } else { 0 };
    }
    let rest = (x & (quarter - 1)) - quarter;
    let quarters = wrapped(rest - x);
    let powers = EXPS.into_iter().enumerate().take(digits as usize + 2);
    let found = powers.filter(|(power, _)| quarters & (quarter << power) != 0);
    let start = exp_near_zero(saturated(rest << digits));
    found.fold(start, |result, (_, of)| product(result, constant(of), true))
}

/// 1 / (1 + x) for x from 0 to 1: half of it in 14 places less one, from a guess and three steps
/// of Newton's method.
fn newton(x: i32) -> i32 {
    let half = i32::midpoint(x, ONE + 1);
    let guess = constant(1_515_870_810) + product(half, constant(-1_010_580_540), true);
    (0..3).fold(guess, |guess, _| {
        let missing = wrapped((1 << 13) - product(half, guess, true));
        wrapped(guess + saturated(product(guess, missing, true) * 4))
    })
}
