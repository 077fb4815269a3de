//! Fixed-point arithmetic on integers as LiteRT's reference kernels have it (its
//! `kernels/internal/common.h` and gemmlowp's `fixedpoint.h`), bit for bit.

/// A factor as a multiplier of 31 binary places and a power of two: `mantissa` · 2^(`shift` − 31).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Factor {
    /// From 2^30 up to 2^31, or 0.
    pub mantissa: i32,
    /// The power of two.
    pub shift: i32,
}

impl Factor {
    /// The nearest to `real`, which is not negative (`QuantizeMultiplier`).
    #[must_use]
    pub fn of(real: f64) -> Self {
        if !(real > 0.0 && real.is_finite()) {
            return Self::default();
        }
        let (fraction, mut shift) = split(real);
        #[expect(clippy::cast_possible_truncation, reason = "it is at most 2^31")]
        let mut mantissa = (fraction * 2_f64.powi(31)).round() as i64;
        if mantissa == 1 << 31 {
            mantissa /= 2;
            shift += 1;
        }
        if shift < -31 {
            return Self::default();
        }
        Self {
            mantissa: i32::try_from(mantissa).unwrap_or(i32::MAX),
            shift,
        }
    }

    /// x times the factor, rounded twice (`MultiplyByQuantizedMultiplier`).
    #[must_use]
    pub fn times(self, x: i32) -> i32 {
        let left = x.wrapping_shl(self.shift.max(0).cast_unsigned());
        rounded_shift(high_product(left, self.mantissa), (-self.shift).max(0))
    }

    /// A wide x times the factor with 15 of its places, rounded once
    /// (`MultiplyByQuantizedMultiplier` of 64 bits).
    #[must_use]
    pub fn times_wide(self, x: i64) -> i32 {
        let reduced = match self.mantissa < 0x7fff_0000 {
            true => (self.mantissa + (1 << 15)) >> 16,
            false => 0x7fff,
        };
        rounded_once(
            x.wrapping_mul(reduced.into()),
            15_i32.saturating_sub(self.shift),
        )
    }

    /// x times the factor, rounded once (`MultiplyByQuantizedMultiplier` where
    /// `TFLITE_SINGLE_ROUNDING` is set, as it is for fully connected layers).
    #[must_use]
    pub fn times_once(self, x: i64) -> i32 {
        let product = x.wrapping_mul(self.mantissa.into());
        rounded_once(product, 31_i32.saturating_sub(self.shift))
    }

    /// The factor over `number`, rounded down (`reference_integer_ops::Mean`).
    #[must_use]
    pub fn divided(self, number: u32) -> Self {
        let bits = i32::try_from(number.max(1).ilog2()).unwrap_or_default();
        let places = bits.min(31 + self.shift).max(0);
        let mantissa = (i64::from(self.mantissa) << places) / i64::from(number.max(1));
        Self {
            mantissa: i32::try_from(mantissa).unwrap_or(i32::MAX),
            shift: self.shift - places,
        }
    }

    /// Both numbers, as shaders read them.
    #[must_use]
    pub fn words(self) -> [u32; 2] {
        [self.mantissa.cast_unsigned(), self.shift.cast_unsigned()]
    }
}

/// A positive number as a fraction from a half up to 1 and a power of two (`frexp`).
fn split(real: f64) -> (f64, i32) {
    let (mut fraction, mut power) = (real, 0);
    while fraction >= 1.0 {
        (fraction, power) = (fraction / 2.0, power + 1);
    }
    while fraction < 0.5 {
        (fraction, power) = (fraction * 2.0, power - 1);
    }
    (fraction, power)
}

/// a·b / 2^31 to nearest (`SaturatingRoundingDoublingHighMul`).
#[must_use]
pub fn high_product(a: i32, b: i32) -> i32 {
    if a == i32::MIN && b == i32::MIN {
        return i32::MAX;
    }
    let product = i64::from(a) * i64::from(b);
    let nudge = if product >= 0 { 1 << 30 } else { 1 - (1 << 30) };
    i32::try_from((product + nudge) / (1 << 31)).unwrap_or(i32::MAX)
}

/// The low half of x / 2^by to nearest, ties up.
fn rounded_once(x: i64, by: i32) -> i32 {
    let by = by.clamp(1, 62);
    let scaled = x.wrapping_add(1 << (by - 1)) >> by;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "what is above is cut off there, too"
    )]
    let low = scaled as i32;
    low
}

/// x / 2^by to nearest, ties away from zero (`RoundingDivideByPOT`).
#[must_use]
pub fn rounded_shift(x: i32, by: i32) -> i32 {
    if by <= 0 {
        return x;
    }
    let by = by.min(31);
    let mask = i32::try_from((1_i64 << by) - 1).unwrap_or(i32::MAX);
    let rest = x & mask;
    let threshold = (mask >> 1) + i32::from(x < 0);
    (x >> by) + i32::from(rest > threshold)
}

/// x · 2^by, as far as there is room (`SaturatingRoundingMultiplyByPOT`).
#[must_use]
pub fn saturating_shift(x: i32, by: u32) -> i32 {
    let wide = i64::from(x) << by;
    i32::try_from(wide).unwrap_or(if wide < 0 { i32::MIN } else { i32::MAX })
}

/// e^x for x from −1/4 up to 0, both of 31 binary places.
fn exp_near_zero(a: i32) -> i32 {
    const EXP_OF_AN_EIGHTH: i32 = 1_895_147_668;
    const THIRD: i32 = 715_827_883;
    // A Taylor series around -1/8.
    let x = a.wrapping_add(1 << 28);
    let x2 = high_product(x, x);
    let x3 = high_product(x2, x);
    let x4 = high_product(x2, x2);
    let cubic = high_product(rounded_shift(x4, 2).wrapping_add(x3), THIRD);
    let rest = rounded_shift(cubic.wrapping_add(x2), 1);
    EXP_OF_AN_EIGHTH.wrapping_add(high_product(EXP_OF_AN_EIGHTH, x.wrapping_add(rest)))
}

/// e^-(2^n) for n from -2, with 31 binary places.
pub const EXPS: [i32; 7] = [
    1_672_461_947,
    1_302_514_674,
    790_015_084,
    290_630_308,
    39_332_535,
    720_401,
    242,
];

/// e^x for a negative x of 26 binary places, with 31 of them (`exp_on_negative_values`).
#[must_use]
pub fn exp_of_negative(x: i32) -> i32 {
    const QUARTER: i32 = 1 << 24;
    if x == 0 {
        return i32::MAX;
    }
    let rest = (x & (QUARTER - 1)) - QUARTER;
    let mut result = exp_near_zero(saturating_shift(rest, 5));
    let quarters = rest.wrapping_sub(x);
    for (power, of) in EXPS.into_iter().enumerate() {
        if quarters & (QUARTER << power) != 0 {
            result = high_product(result, of);
        }
    }
    result
}

/// 1 / x for a positive x of 19 binary places: a number of 31 binary places and how many of its
/// bits are above 1 (`GetReciprocal` with 12 integer digits).
#[must_use]
pub fn reciprocal(x: i32) -> (i32, i32) {
    let zeros = x.cast_unsigned().leading_zeros();
    let above = 12 - i32::try_from(zeros).unwrap_or_default();
    let fraction = x.cast_unsigned().wrapping_shl(zeros).wrapping_sub(1 << 31);
    (one_over_one_plus(fraction.cast_signed()), above)
}

/// 1 / (1 + x), both of 31 binary places (`one_over_one_plus_x_for_x_in_0_1`).
fn one_over_one_plus(x: i32) -> i32 {
    const FORTY_EIGHT_17THS: i32 = 1_515_870_810;
    const MINUS_THIRTY_TWO_17THS: i32 = -1_010_580_540;
    // Half of 1 + x, to nearest; the sum is not negative.
    let sum = i64::from(x) + i64::from(i32::MAX);
    let half = i32::try_from((sum + 1) / 2).unwrap_or(i32::MAX);
    let mut guess = FORTY_EIGHT_17THS.wrapping_add(high_product(half, MINUS_THIRTY_TWO_17THS));
    for _ in 0..3 {
        let missing = (1_i32 << 29).wrapping_sub(high_product(half, guess));
        guess = guess.wrapping_add(saturating_shift(high_product(guess, missing), 2));
    }
    saturating_shift(guess, 1)
}

/// The natural logarithm, in 26 binary places, of x from 1 on in 19 of them
/// (`log_x_for_x_greater_than_or_equal_to_1`).
#[must_use]
pub fn logarithm(x: i32) -> i32 {
    const LN_2: i32 = 1_488_522_236;
    const HALF_ROOT: i32 = 1_518_500_250;
    const HALF_FOURTH_ROOT: i32 = 1_805_811_301;
    const QUARTER: i32 = 1 << 23;
    // A power of two times a number around the fourth root of a half, found in two ways.
    let power = |zeros: u32| saturating_shift(12 - zeros.cast_signed(), 25);
    let zeros = x.leading_zeros();
    let first = saturating_shift(x, zeros.saturating_sub(1));
    let first = saturating_shift(high_product(first, HALF_ROOT), 1);
    let headroom = high_product(x, HALF_ROOT).leading_zeros().saturating_sub(1);
    let rest = first.min(saturating_shift(x, headroom));
    let power = (power(zeros).saturating_add(QUARTER)).max(power(headroom) - QUARTER);
    // A quotient of polynomials of twice the distance.
    let middle = (i64::from(rest) + i64::from(HALF_FOURTH_ROOT) + 1) / 2;
    let middle = i32::try_from(middle).unwrap_or(i32::MAX);
    let far = rest.wrapping_sub(HALF_FOURTH_ROOT).wrapping_mul(2);
    let square = high_product(far, far);
    let cubic = high_product(high_product(far, square), 117_049_297);
    let above = high_product(far, rest).wrapping_add(cubic);
    let inner = 1_057_819_769_i32.wrapping_add(far);
    let inner = inner.wrapping_add(high_product(127_690_142, square));
    let below = high_product(middle, inner).wrapping_add(high_product(638_450_708, far));
    let quotient = high_product(rounded_shift(above, 6), one_over_one_plus(below));
    saturating_shift(high_product(power, LN_2).wrapping_add(quotient), 1)
}

/// 1 / √x for x from 2 on, else 1: a number of 31 binary places and the power of two that it is
/// multiplied by (`GetInvSqrtQuantizedMultiplierExp`).
#[must_use]
pub fn inverse_root(x: i32) -> (i32, i32) {
    const HALF_ROOT_2: i32 = 1_518_500_250;
    if x <= 1 {
        return (i32::MAX, 0);
    }
    let (mut x, mut shift) = (x, 11);
    while x >= 1 << 29 {
        (x, shift) = (x / 4, shift + 1);
    }
    let pairs = (x.leading_zeros() - 1) / 2 - 1;
    shift -= pairs.cast_signed();
    let half = rounded_shift((x << (2 * pairs)) >> 1, 1);
    let mut root = 1 << 28;
    for _ in 0..5 {
        let cube = saturating_shift(high_product(high_product(root, root), root), 6);
        let most = high_product((1 << 28) + (1 << 27), root);
        root = saturating_shift(most.wrapping_sub(high_product(half, cube)), 3);
    }
    let root = high_product(root, HALF_ROOT_2);
    (
        root.wrapping_shl((-shift).max(0).cast_unsigned()),
        -shift.max(0),
    )
}
