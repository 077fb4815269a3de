//! Floats of 8 and 4 bits, as ONNX defines them. They are found by comparing with all that
//! there are, which is not how the shaders do it, so that each checks the other.

use planner::graph::DType;

/// How a type of small floats is made.
#[derive(Clone, Copy)]
struct Format {
    /// Bits of an element.
    bits: u32,
    /// Bits after the point.
    digits: u32,
    /// The exponent that stands for 1.
    bias: i32,
    /// Elements that are no numbers, without their sign; at most one is infinite.
    nan: fn(u32) -> bool,
    infinity: Option<u32>,
    /// Whether the one element that is not a number is where minus zero would be.
    unsigned_zero: bool,
}

fn format(dtype: DType) -> Option<Format> {
    let format = |bits, digits, bias, nan| Format {
        bits,
        digits,
        bias,
        nan,
        infinity: None,
        unsigned_zero: false,
    };
    let unsigned_zero = |format| Format {
        unsigned_zero: true,
        ..format
    };
    Some(match dtype {
        DType::F8E4M3 => format(8, 3, 7, |size| size == 0x7f),
        DType::F8E5M2 => Format {
            infinity: Some(0x7c),
            ..format(8, 2, 15, |size| size > 0x7c)
        },
        DType::F8E4M3FNUZ => unsigned_zero(format(8, 3, 8, |_| false)),
        DType::F8E5M2FNUZ => unsigned_zero(format(8, 2, 16, |_| false)),
        DType::F4 => format(4, 1, 1, |_| false),
        _ => return None,
    })
}

/// Whether it is a type of small floats.
#[must_use]
pub fn is_small(dtype: DType) -> bool {
    dtype == DType::F8E8M0 || format(dtype).is_some()
}

/// The float that an element stands for.
#[must_use]
pub fn decoded(dtype: DType, bits: u32) -> f32 {
    let Some(format) = format(dtype) else {
        return power(bits);
    };
    let sign = 1 << (format.bits - 1);
    let size = bits & (sign - 1);
    if (format.nan)(size) || format.unsigned_zero && bits == sign {
        return f32::NAN;
    }
    let y = match format.infinity {
        Some(infinity) if infinity == size => f32::INFINITY,
        _ => size_of(format, size),
    };
    if bits & sign == 0 { y } else { -y }
}

#[expect(clippy::cast_precision_loss, reason = "elements have few bits")]
fn size_of(format: Format, size: u32) -> f32 {
    let exponent = (size >> format.digits).cast_signed();
    let rest = (size & ((1 << format.digits) - 1)) as f32 / (1 << format.digits) as f32;
    match exponent {
        0 => rest * 2_f32.powi(1 - format.bias),
        _ => (1.0 + rest) * 2_f32.powi(exponent - format.bias),
    }
}

/// 2^(bits - 127).
fn power(bits: u32) -> f32 {
    match bits {
        0xff => f32::NAN,
        _ => 2_f32.powi(bits.cast_signed() - 127),
    }
}

/// What becomes of numbers that an element cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rounding {
    /// Whether what is too large becomes the largest number, rather than infinite or none.
    pub saturate: bool,
    /// Of powers of two: 0 to nearest, 1 up, 2 down.
    pub powers: u32,
}

impl Default for Rounding {
    fn default() -> Self {
        Self {
            saturate: true,
            powers: 1,
        }
    }
}

/// The element nearest to `x`, ties to even.
#[must_use]
pub fn encoded(dtype: DType, x: f32, rounding: Rounding) -> u32 {
    let Some(format) = format(dtype) else {
        return power_of(x, rounding);
    };
    let top = 1 << (format.bits - 1);
    let sign = if x.is_sign_negative() { top } else { 0 };
    let none = match format.infinity {
        _ if format.unsigned_zero => top,
        Some(_) => sign | 0x7e,
        None => sign | 0x7f,
    };
    if x.is_nan() {
        return if dtype == DType::F4 { top } else { none };
    }
    let finite = (0..top).filter(|&size| !(format.nan)(size) && format.infinity != Some(size));
    let sizes: Vec<f64> = finite
        .map(|size| f64::from(size_of(format, size)))
        .collect();
    let x = f64::from(x.abs());
    let last = sizes.len() - 1;
    // Half a step beyond the largest, where one more number would be.
    let beyond = sizes[last] + (sizes[last] - sizes[last - 1]) / 2.0;
    let is_beyond = x > beyond || x >= beyond && last % 2 == 1;
    if is_beyond && !rounding.saturate {
        return format.infinity.map_or(none, |infinity| sign | infinity);
    }
    let above = sizes.partition_point(|&size| size < x).min(last);
    let below = above.saturating_sub(1);
    let (up, down) = (sizes[above] - x, x - sizes[below]);
    let nearer = up < down || up <= down && above.is_multiple_of(2) || x >= sizes[last];
    let found = u32::try_from(if nearer { above } else { below }).unwrap_or_default();
    match found {
        0 if format.unsigned_zero => 0,
        _ => sign | found,
    }
}

/// The power of two of a number above zero.
fn power_of(x: f32, rounding: Rounding) -> u32 {
    if x.is_nan() || x < 0.0 {
        return 0xff;
    }
    let largest = if rounding.saturate { 0xfe } else { 0xff };
    if x.is_infinite() {
        return largest;
    }
    let below = (0..0xfe).rev().find(|&bits| power(bits) <= x);
    let Some(below) = below else {
        return 0;
    };
    let (low, high) = (power(below), f64::from(power(below)) * 2.0);
    let up = match rounding.powers {
        0 => f64::from(x) - f64::from(low) >= high - f64::from(x),
        1 => x > low,
        _ => false,
    };
    if up && below == 0xfe {
        largest
    } else {
        below + u32::from(up)
    }
}
