//! Elements of every type that a run knows, in and out of words.

use half::f16;
use planner::graph::DType;

use crate::recording::Operand;

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
const TYPES: [DType; 11] = [
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
];

/// Whether elements of this type are floats.
#[must_use]
pub fn is_float(dtype: DType) -> bool {
    matches!(dtype, DType::F32 | DType::F16)
}

fn bytes_of(dtype: DType, words: &[u32], count: usize) -> Vec<u8> {
    let width = usize::try_from(dtype.bits().unwrap_or(32) / 8).unwrap_or(4);
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.resize(count * width, 0);
    bytes
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
    let count = operand.len() as usize;
    let bytes = bytes_of(operand.dtype, words, count);
    let wide = |raw: &[u8], signed: bool| {
        let fill = if signed && raw.last().is_some_and(|&top| top >= 0x80) {
            0xff
        } else {
            0
        };
        let mut wide = [fill; 8];
        wide[..raw.len()].copy_from_slice(raw);
        i64::from_le_bytes(wide)
    };
    match operand.dtype {
        DType::I64 | DType::U64 => bytes.chunks_exact(8).map(|raw| wide(raw, true)).collect(),
        DType::I32 => bytes.chunks_exact(4).map(|raw| wide(raw, true)).collect(),
        DType::U32 => bytes.chunks_exact(4).map(|raw| wide(raw, false)).collect(),
        DType::I16 => bytes.chunks_exact(2).map(|raw| wide(raw, true)).collect(),
        DType::U16 => bytes.chunks_exact(2).map(|raw| wide(raw, false)).collect(),
        DType::I8 => bytes.chunks_exact(1).map(|raw| wide(raw, true)).collect(),
        DType::U8 | DType::Bool => bytes.chunks_exact(1).map(|raw| wide(raw, false)).collect(),
        _ => floats(operand, words).into_iter().map(truncated).collect(),
    }
}

/// The elements as floats, integers rounded to nearest.
#[must_use]
pub fn floats(operand: &Operand, words: &[u32]) -> Vec<f32> {
    match operand.dtype {
        DType::F32 => words.iter().map(|&word| f32::from_bits(word)).collect(),
        DType::F16 => {
            let bytes = bytes_of(DType::F16, words, operand.len() as usize);
            let half = |raw: &[u8]| f16::from_le_bytes([raw[0], raw[1]]).to_f32();
            bytes.chunks_exact(2).map(half).collect()
        }
        _ => ints(operand, words).into_iter().map(rounded).collect(),
    }
}

/// Words that hold `values` in the elements of `dtype`.
#[must_use]
pub fn words_of_floats(dtype: DType, values: &[f32]) -> Vec<u32> {
    match dtype {
        DType::F32 => values.iter().map(|value| value.to_bits()).collect(),
        DType::F16 => {
            let halves = values
                .iter()
                .flat_map(|&value| f16::from_f32(value).to_le_bytes());
            words(&halves.collect::<Vec<u8>>())
        }
        _ => {
            let ints: Vec<i64> = values.iter().copied().map(truncated).collect();
            words_of_ints(dtype, &ints)
        }
    }
}

/// Words that hold `values` in the elements of `dtype`, narrow ones wrapped.
#[must_use]
pub fn words_of_ints(dtype: DType, values: &[i64]) -> Vec<u32> {
    if matches!(dtype, DType::F32 | DType::F16) {
        let floats: Vec<f32> = values.iter().copied().map(rounded).collect();
        return words_of_floats(dtype, &floats);
    }
    let width = usize::try_from(dtype.bits().unwrap_or(32) / 8).unwrap_or(4);
    let narrow = |value: &i64| value.to_le_bytes().into_iter().take(width);
    words(&values.iter().flat_map(narrow).collect::<Vec<u8>>())
}

#[expect(clippy::cast_possible_truncation, reason = "casts of tensors truncate")]
fn truncated(value: f32) -> i64 {
    value as i64
}

#[expect(clippy::cast_precision_loss, reason = "rounding is what a cast does")]
fn rounded(value: i64) -> f32 {
    value as f32
}
