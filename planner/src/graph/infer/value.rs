//! The elements of small tensors.

use super::MAX_ELEMENTS;
use crate::graph::DType;

/// The elements of a small integer, boolean or float tensor, known before the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// Dimensions, outermost first; empty for a scalar.
    pub dims: Vec<u64>,
    /// The elements in row-major order.
    pub elements: Elements,
}

/// Elements of a [`Value`].
#[derive(Clone, Debug, PartialEq)]
pub enum Elements {
    /// Integers of any width, and booleans as 0 and 1.
    Ints(Vec<i64>),
    /// Numbers.
    Floats(Vec<f64>),
}

impl Value {
    /// A vector of integers.
    #[must_use]
    pub fn ints(elements: Vec<i64>) -> Self {
        Self {
            dims: vec![elements.len() as u64],
            elements: Elements::Ints(elements),
        }
    }

    /// One integer without dimensions.
    #[must_use]
    pub fn int(element: i64) -> Self {
        Self {
            dims: Vec::new(),
            elements: Elements::Ints(vec![element]),
        }
    }

    /// Number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.elements {
            Elements::Ints(elements) => elements.len(),
            Elements::Floats(elements) => elements.len(),
        }
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements as integers; `None` when they are floats.
    #[must_use]
    pub fn as_ints(&self) -> Option<&[i64]> {
        match &self.elements {
            Elements::Ints(elements) => Some(elements),
            Elements::Floats(_) => None,
        }
    }

    /// The elements as floats; integers are converted.
    #[must_use]
    pub fn to_floats(&self) -> Vec<f64> {
        match &self.elements {
            Elements::Ints(elements) => elements.iter().map(|&x| float(x)).collect(),
            Elements::Floats(elements) => elements.clone(),
        }
    }

    /// The only integer; `None` when there are more, none, or floats.
    #[must_use]
    pub fn single(&self) -> Option<i64> {
        match self.as_ints()? {
            [element] => Some(*element),
            _ => None,
        }
    }

    /// Decodes raw little-endian elements. `None` when there are more than
    /// 4096, when `bytes` has not exactly as many as `dims` say, and for
    /// element types that are neither integer, boolean nor plain float.
    #[must_use]
    pub fn from_bytes(dtype: DType, dims: &[u64], bytes: &[u8]) -> Option<Self> {
        let count = dims.iter().try_fold(1_u64, |n, &dim| n.checked_mul(dim))?;
        let width = dtype.bits()? / 8;
        if count > MAX_ELEMENTS || width == 0 || count.checked_mul(width)? != bytes.len() as u64 {
            return None;
        }
        let chunks = bytes.chunks_exact(usize::try_from(width).ok()?);
        let elements = match dtype {
            DType::F64 | DType::F32 | DType::F16 | DType::BF16 => {
                Elements::Floats(chunks.map(|raw| decode_float(dtype, raw)).collect())
            }
            DType::I64 | DType::I32 | DType::I16 | DType::I8 => {
                Elements::Ints(chunks.map(|raw| decode_int(raw, true)).collect())
            }
            DType::U32 | DType::U16 | DType::U8 | DType::Bool => {
                Elements::Ints(chunks.map(|raw| decode_int(raw, false)).collect())
            }
            // Beyond i64 nothing can be a dimension, so such tensors stay unknown.
            DType::U64 => {
                let ints: Vec<i64> = chunks.map(|raw| decode_int(raw, false)).collect();
                if ints.iter().any(|&x| x < 0) {
                    return None;
                }
                Elements::Ints(ints)
            }
            _ => return None,
        };
        Some(Self {
            dims: dims.to_vec(),
            elements,
        })
    }
}

/// Integers become floats as everywhere: rounded to nearest.
#[expect(
    clippy::cast_precision_loss,
    reason = "rounding is what the operators themselves do"
)]
pub(in crate::graph) fn float(x: i64) -> f64 {
    x as f64
}

fn decode_int(raw: &[u8], signed: bool) -> i64 {
    let negative = signed && raw.last().is_some_and(|&top| top >= 0x80);
    let mut wide = [if negative { 0xff } else { 0 }; 8];
    for (to, from) in wide.iter_mut().zip(raw) {
        *to = *from;
    }
    i64::from_le_bytes(wide)
}

fn decode_float(dtype: DType, raw: &[u8]) -> f64 {
    let mut wide = [0_u8; 8];
    for (to, from) in wide.iter_mut().zip(raw) {
        *to = *from;
    }
    let half = u16::from_le_bytes([wide[0], wide[1]]);
    match dtype {
        DType::F64 => f64::from_le_bytes(wide),
        DType::F32 => f64::from(f32::from_le_bytes([wide[0], wide[1], wide[2], wide[3]])),
        DType::BF16 => f64::from(f32::from_bits(u32::from(half) << 16)),
        _ => half_to_double(half),
    }
}

/// IEEE 754 binary16: 1 sign bit, 5 exponent bits with bias 15, 10 fraction bits.
fn half_to_double(half: u16) -> f64 {
    let sign = if half & 0x8000 == 0 { 1.0 } else { -1.0 };
    let fraction = f64::from(half & 0x3ff);
    let exponent = i32::from((half >> 10) & 0x1f);
    match exponent {
        0 => sign * fraction * 2_f64.powi(-24),
        31 if half & 0x3ff == 0 => sign * f64::INFINITY,
        31 => f64::NAN,
        _ => sign * (1024.0 + fraction) * 2_f64.powi(exponent - 25),
    }
}
