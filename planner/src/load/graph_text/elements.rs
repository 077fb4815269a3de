//! Elements of constants as text, both ways.

use crate::graph::{DType, Dialect, Dim};

/// A number of the text.
#[derive(Clone, Copy)]
pub(super) struct Number<'t> {
    pub(super) text: &'t str,
    pub(super) column: usize,
}

impl Number<'_> {
    /// Whether it need not be whole.
    pub(super) fn is_float(self) -> bool {
        self.whole().is_none()
    }

    /// The whole number that it is.
    pub(super) fn whole(self) -> Option<i128> {
        match self.text {
            "true" => Some(1),
            "false" => Some(0),
            text => text.parse().ok(),
        }
    }
}

/// How many elements a shape has that is known from the file alone.
pub(crate) fn element_count(declared: &[Dim]) -> Option<u64> {
    declared.iter().try_fold(1_u64, |count, dim| match dim {
        Dim::Fixed(size) => count.checked_mul(*size),
        Dim::Symbol(_) | Dim::AtMost(..) | Dim::Unknown => None,
    })
}

/// Number types with their little-endian bytes.
macro_rules! bytes {
    ($whole:expr, $kind:ty) => {
        <$kind>::try_from($whole?)
            .ok()
            .map(|it| it.to_le_bytes().to_vec())
    };
}

/// The bytes of `number` as an element of `dtype`; `None` where it is none.
pub(super) fn encoded(dtype: DType, number: Number<'_>) -> Option<Vec<u8>> {
    let whole = number.whole();
    match dtype {
        DType::I64 => bytes!(whole, i64),
        DType::I32 => bytes!(whole, i32),
        DType::I16 => bytes!(whole, i16),
        DType::I8 => bytes!(whole, i8),
        DType::U64 => bytes!(whole, u64),
        DType::U32 => bytes!(whole, u32),
        DType::U16 => bytes!(whole, u16),
        DType::U8 => bytes!(whole, u8),
        DType::Bool => bytes!(whole.filter(|it| matches!(it, 0 | 1)), u8),
        DType::F64 => float::<f64>(number).map(|it| it.to_le_bytes().to_vec()),
        DType::F32 => float::<f32>(number).map(|it| it.to_le_bytes().to_vec()),
        _ => None,
    }
}

/// The number nearest to what is written.
pub(super) fn float<F: std::str::FromStr>(number: Number<'_>) -> Option<F> {
    number.text.parse().ok()
}

/// Whether elements of `dtype` can be written.
pub(super) fn is_writable(dtype: DType) -> bool {
    encoded(
        dtype,
        Number {
            text: "0",
            column: 0,
        },
    )
    .is_some()
}

/// The elements in `bytes` as text; `None` where they cannot be written so that they are read
/// again to the bit.
pub(crate) fn decoded(dtype: DType, bytes: &[u8]) -> Option<Vec<String>> {
    let width = usize::try_from(dtype.bits()?.div_ceil(8)).ok()?;
    let element = |raw: &[u8]| {
        let text = written(dtype, raw)?;
        let number = Number {
            text: &text,
            column: 0,
        };
        let same = encoded(dtype, number).as_deref() == Some(raw);
        same.then_some(text)
    };
    bytes.chunks(width).map(element).collect()
}

fn written(dtype: DType, raw: &[u8]) -> Option<String> {
    Some(match dtype {
        DType::I64 => i64::from_le_bytes(raw.try_into().ok()?).to_string(),
        DType::I32 => i32::from_le_bytes(raw.try_into().ok()?).to_string(),
        DType::I16 => i16::from_le_bytes(raw.try_into().ok()?).to_string(),
        DType::I8 => i8::from_le_bytes(raw.try_into().ok()?).to_string(),
        DType::U64 => u64::from_le_bytes(raw.try_into().ok()?).to_string(),
        DType::U32 => u32::from_le_bytes(raw.try_into().ok()?).to_string(),
        DType::U16 => u16::from_le_bytes(raw.try_into().ok()?).to_string(),
        DType::U8 => raw.first()?.to_string(),
        DType::Bool => (*raw.first()? != 0).to_string(),
        DType::F64 => number(f64::from_le_bytes(raw.try_into().ok()?)),
        DType::F32 => number(f32::from_le_bytes(raw.try_into().ok()?)),
        _ => return None,
    })
}

/// A float as it is read again to the bit, but for what a NaN carries.
fn number(value: impl std::fmt::Debug) -> String {
    // `NaN` is the only one with capitals that is no exponent; those are small here.
    format!("{value:?}").to_ascii_lowercase()
}

/// The type of elements of which the text does not say it.
pub(crate) fn natural(dialect: Dialect, floats: bool) -> DType {
    match (floats, dialect) {
        (true, _) => DType::F32,
        (false, Dialect::Onnx { .. }) => DType::I64,
        (false, Dialect::Tflite) => DType::I32,
    }
}
