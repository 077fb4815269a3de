//! Elements of every type that a run knows, in and out of words.

use half::{bf16, f16};
use planner::graph::DType;

use crate::recording::Operand;
use crate::small_floats::{self, Rounding};

/// Whether tensors of this type can be in a run at all.
#[must_use]
pub fn runs(dtype: DType) -> bool {
    TYPES.contains(&dtype)
}

/// The number by which shaders know an element type: the constants of `typed.wgsl`.
#[must_use]
pub fn code(dtype: DType) -> u32 {
    let known = TYPES.iter().position(|&known| known == dtype);
    known
        .and_then(|index| u32::try_from(index).ok())
        .unwrap_or(u32::MAX)
}

/// The types of a run, in the order of their codes.
const TYPES: [DType; 23] = [
    DType::F32,
    DType::F16,
    DType::I64,
    DType::U64,
    DType::I32,
    DType::U32,
    DType::I16,
    DType::U16,
    DType::I8,
    DType::U8,
    DType::Bool,
    DType::BF16,
    DType::F64,
    DType::F8E4M3,
    DType::F8E5M2,
    DType::F8E4M3FNUZ,
    DType::F8E5M2FNUZ,
    DType::F8E8M0,
    DType::F4,
    DType::I4,
    DType::U4,
    DType::I2,
    DType::U2,
];

/// Whether elements of this type are floats.
#[must_use]
pub fn is_float(dtype: DType) -> bool {
    let wide = matches!(dtype, DType::F64 | DType::F32 | DType::F16 | DType::BF16);
    wide || small_floats::is_small(dtype)
}

/// Bytes of `count` elements, the last filled in part where elements are narrower than one.
#[must_use]
pub fn bytes_of_count(dtype: DType, count: u64) -> u64 {
    let bits = dtype.bits().unwrap_or(32);
    count.saturating_mul(bits).div_ceil(8)
}

/// The bits of `count` elements, each on its own.
fn raw(dtype: DType, words: &[u32], count: usize) -> Vec<u64> {
    let bits = dtype.bits().unwrap_or(32);
    let word = |at: usize| u64::from(words.get(at).copied().unwrap_or_default());
    let element = |i: usize| match usize::try_from(32 / bits.min(32)).unwrap_or(1) {
        _ if bits == 64 => word(2 * i) | word(2 * i + 1) << 32,
        lanes => {
            let shift = u64::try_from(i % lanes).unwrap_or_default() * bits;
            word(i / lanes) >> shift & ((1 << bits) - 1)
        }
    };
    (0..count).map(element).collect()
}

/// The bits of every element.
#[must_use]
pub fn bits(operand: &Operand, words: &[u32]) -> Vec<u64> {
    raw(operand.dtype, words, operand.len() as usize)
}

/// The bits of one float as an element of `dtype`.
#[must_use]
pub fn bits_of_float(dtype: DType, value: f32) -> u64 {
    let words = words_of_floats(dtype, &[value]);
    raw(dtype, &words, 1).first().copied().unwrap_or_default()
}

/// Words that hold elements of these bits.
#[must_use]
pub fn words_of_bits(dtype: DType, bits: &[u64]) -> Vec<u32> {
    packed(dtype, bits.iter().copied())
}

/// Words of elements of which the low bits count.
fn packed(dtype: DType, elements: impl Iterator<Item = u64>) -> Vec<u32> {
    let bits = dtype.bits().unwrap_or(32);
    let mut words = Vec::new();
    let (mut word, mut filled) = (0_u64, 0);
    #[expect(
        clippy::cast_possible_truncation,
        reason = "words are the low and high halves"
    )]
    let low = |word: u64| word as u32;
    for element in elements {
        if bits == 64 {
            words.extend([low(element), low(element >> 32)]);
            continue;
        }
        word |= (element & ((1 << bits) - 1)) << filled;
        filled += bits;
        if filled == 32 {
            words.push(low(word));
            (word, filled) = (0, 0);
        }
    }
    if filled > 0 {
        words.push(low(word));
    }
    words
}

/// Little-endian bytes as words; what is after the last byte is 0.
#[must_use]
pub fn words(bytes: &[u8]) -> Vec<u32> {
    let word = |chunk: &[u8]| {
        let mut raw = [0; 4];
        raw[..chunk.len()].copy_from_slice(chunk);
        u32::from_le_bytes(raw)
    };
    bytes.chunks(4).map(word).collect()
}

/// The elements as integers, floats truncated.
#[must_use]
pub fn ints(operand: &Operand, words: &[u32]) -> Vec<i64> {
    let dtype = operand.dtype;
    if is_float(dtype) {
        return floats(operand, words).into_iter().map(truncated).collect();
    }
    let raw = raw(dtype, words, operand.len() as usize);
    raw.into_iter().map(|raw| whole(dtype, raw)).collect()
}

/// An integer element of these bits.
fn whole(dtype: DType, raw: u64) -> i64 {
    let signed = matches!(
        dtype,
        DType::I64 | DType::I32 | DType::I16 | DType::I8 | DType::I4 | DType::I2
    );
    let unused = 64 - dtype.bits().unwrap_or(32).min(64);
    match signed {
        true => (raw << unused).cast_signed() >> unused,
        false => raw.cast_signed(),
    }
}

/// `count` elements as integers, each as it is; `None` for floats.
#[must_use]
pub fn integers(dtype: DType, words: &[u32], count: usize) -> Option<Vec<i128>> {
    let integer = |raw: u64| match dtype {
        DType::U64 => i128::from(raw),
        _ => i128::from(whole(dtype, raw)),
    };
    let is_integer = !is_float(dtype);
    is_integer.then(|| raw(dtype, words, count).into_iter().map(integer).collect())
}

/// `count` elements of any type as numbers; integers beyond 2^53 are rounded to nearest.
#[must_use]
pub fn numbers(dtype: DType, words: &[u32], count: usize) -> Vec<f64> {
    let raw = raw(dtype, words, count).into_iter();
    if dtype == DType::F64 {
        return raw.map(f64::from_bits).collect();
    }
    if is_float(dtype) {
        return raw.map(|raw| float(dtype, raw).into()).collect();
    }
    #[expect(clippy::cast_precision_loss, reason = "they are rounded")]
    let number = |raw: u64| match dtype {
        DType::U64 => raw as f64,
        _ => whole(dtype, raw) as f64,
    };
    raw.map(number).collect()
}

/// The elements as floats, integers rounded to nearest.
#[must_use]
pub fn floats(operand: &Operand, words: &[u32]) -> Vec<f32> {
    if operand.dtype == DType::F32 {
        return words.iter().map(|&word| f32::from_bits(word)).collect();
    }
    if !is_float(operand.dtype) {
        return ints(operand, words).into_iter().map(rounded).collect();
    }
    let raw = raw(operand.dtype, words, operand.len() as usize);
    raw.into_iter()
        .map(|raw| float(operand.dtype, raw))
        .collect()
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "elements are wider than what they hold"
)]
fn float(dtype: DType, raw: u64) -> f32 {
    match dtype {
        DType::F16 => f16::from_bits(raw as u16).to_f32(),
        DType::BF16 => bf16::from_bits(raw as u16).to_f32(),
        DType::F64 => f64::from_bits(raw) as f32,
        DType::F32 => f32::from_bits(raw as u32),
        _ => small_floats::decoded(dtype, raw as u32),
    }
}

/// Words that hold `values` in the elements of `dtype`.
#[must_use]
pub fn words_of_floats(dtype: DType, values: &[f32]) -> Vec<u32> {
    words_of_rounded(dtype, values, Rounding::default())
}

/// Words that hold `values` in the elements of `dtype`, small floats rounded as asked.
#[must_use]
pub fn words_of_rounded(dtype: DType, values: &[f32], rounding: Rounding) -> Vec<u32> {
    if dtype == DType::F32 {
        return values.iter().map(|value| value.to_bits()).collect();
    }
    if !is_float(dtype) {
        let ints: Vec<i64> = values.iter().copied().map(truncated).collect();
        return words_of_ints(dtype, &ints);
    }
    let element = |&value: &f32| match dtype {
        DType::F16 => u64::from(f16::from_f32(value).to_bits()),
        DType::BF16 => u64::from(bf16::from_f32(value).to_bits()),
        DType::F64 => f64::from(value).to_bits(),
        _ => u64::from(small_floats::encoded(dtype, value, rounding)),
    };
    packed(dtype, values.iter().map(element))
}

/// Words that hold `values` in the elements of `dtype`, narrow ones wrapped.
#[must_use]
pub fn words_of_ints(dtype: DType, values: &[i64]) -> Vec<u32> {
    if is_float(dtype) {
        let floats: Vec<f32> = values.iter().copied().map(rounded).collect();
        return words_of_floats(dtype, &floats);
    }
    packed(dtype, values.iter().map(|value| value.cast_unsigned()))
}

#[expect(clippy::cast_possible_truncation, reason = "casts of tensors truncate")]
fn truncated(value: f32) -> i64 {
    value as i64
}

#[expect(clippy::cast_precision_loss, reason = "rounding is what a cast does")]
fn rounded(value: i64) -> f32 {
    value as f32
}
