//! Raw arrays as inputs: NumPy's `.npy` files, and little-endian elements without a header.

use planner::graph::DType;
use planner::{Message, message};
use serde::{Deserialize, Serialize};

pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";

/// Why a file is not the input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ArrayError {
    /// The header cannot be read; why.
    Header(Message),
    /// The elements are of another type, or not little-endian.
    Type {
        /// What NumPy calls it.
        found: String,
        /// What is needed.
        wanted: DType,
    },
    /// The elements lie column by column.
    Fortran,
    /// Another shape.
    Shape {
        /// That of the file.
        found: Vec<u64>,
        /// That of the input.
        wanted: Vec<u64>,
    },
    /// Another number of bytes.
    Size {
        /// Bytes of the file, without its header.
        found: u64,
        /// Bytes of the input.
        wanted: u64,
    },
}

impl ArrayError {
    /// The sentence.
    #[must_use]
    pub fn message(&self) -> Message {
        match self {
            Self::Header(why) => message!("the .npy header cannot be read: {}", why),
            Self::Type { found, wanted } => {
                message!("elements are {}, {} is needed", found, wanted.name())
            }
            Self::Fortran => message!("elements lie column by column (fortran_order)"),
            Self::Shape { found, wanted } => {
                message!(
                    "the shape is {}, {} is needed",
                    format_args!("{found:?}"),
                    format_args!("{wanted:?}")
                )
            }
            Self::Size { found, wanted } => {
                message!("{} B of elements, {} B needed", found, wanted)
            }
        }
    }
}

planner::impl_message!(ArrayError);
impl std::error::Error for ArrayError {}

/// The bytes of a tensor; `None` when they are beyond 64 bits or its elements have no size.
#[must_use]
pub fn bytes_of(dtype: DType, dims: &[u64]) -> Option<u64> {
    let count = dims.iter().try_fold(1_u64, |n, &dim| n.checked_mul(dim))?;
    Some(count.checked_mul(dtype.bits()?)?.div_ceil(8))
}

/// Little-endian bytes as words; the last is filled up with zeros.
#[must_use]
pub fn words(bytes: &[u8]) -> Vec<u32> {
    let word = |chunk: &[u8]| {
        let mut raw = [0; 4];
        raw[..chunk.len()].copy_from_slice(chunk);
        u32::from_le_bytes(raw)
    };
    bytes.chunks(4).map(word).collect()
}

/// The little-endian elements of a file of `dtype` elements with shape `dims`: an `.npy` file,
/// or bare elements of exactly the right number of bytes. Dimensions of one do not count.
///
/// # Errors
/// [`ArrayError`] says what does not fit.
pub fn elements<'a>(file: &'a [u8], dtype: DType, dims: &[u64]) -> Result<&'a [u8], ArrayError> {
    let elements = match file.strip_prefix(MAGIC) {
        Some(rest) => {
            let (header, elements) = split(rest).map_err(ArrayError::Header)?;
            check(header, dtype, dims)?;
            elements
        }
        None => file,
    };
    let found = elements.len() as u64;
    let wanted = bytes_of(dtype, dims).unwrap_or(u64::MAX);
    if found != wanted {
        return Err(ArrayError::Size { found, wanted });
    }
    Ok(elements)
}

/// What follows the magic: the header's text and the elements after it. Versions 1 to 3
/// differ in the width of the header's length.
fn split(rest: &[u8]) -> Result<(&str, &[u8]), Message> {
    let short = || message!("the file ends inside it");
    let (version, rest) = rest.split_first_chunk::<2>().ok_or_else(short)?;
    let (len, rest) = match version[0] {
        1 => {
            let (len, rest) = rest.split_first_chunk::<2>().ok_or_else(short)?;
            (usize::from(u16::from_le_bytes(*len)), rest)
        }
        2 | 3 => {
            let (len, rest) = rest.split_first_chunk::<4>().ok_or_else(short)?;
            let len = usize::try_from(u32::from_le_bytes(*len));
            (
                len.map_err(|error| Message::verbatim(error.to_string()))?,
                rest,
            )
        }
        other => return Err(message!("version {} is not known", other)),
    };
    let (header, elements) = rest.split_at_checked(len).ok_or_else(short)?;
    let header =
        std::str::from_utf8(header).map_err(|error| Message::verbatim(error.to_string()))?;
    Ok((header, elements))
}

/// Checks what the header, the text of a Python dictionary, says.
fn check(header: &str, dtype: DType, dims: &[u64]) -> Result<(), ArrayError> {
    let missing = |key: &str| ArrayError::Header(message!("there is no {}", key));
    let descr = value(header, "descr").ok_or_else(|| missing("descr"))?;
    let descr = descr.trim_start_matches(['\'', '"']);
    let descr = descr.split(['\'', '"']).next().unwrap_or_default();
    if !descriptions(dtype).contains(&descr) {
        let found = descr.to_owned();
        let wanted = dtype;
        return Err(ArrayError::Type { found, wanted });
    }
    let order = value(header, "fortran_order").ok_or_else(|| missing("fortran_order"))?;
    let shape = value(header, "shape").ok_or_else(|| missing("shape"))?;
    let shape = shape
        .strip_prefix('(')
        .and_then(|text| text.split_once(')'));
    let (shape, _) = shape.ok_or_else(|| missing("shape"))?;
    let numbers = shape
        .split(',')
        .map(str::trim)
        .filter(|text| !text.is_empty());
    let found: Result<Vec<u64>, _> = numbers.map(str::parse).collect();
    let found = found.map_err(|error| ArrayError::Header(Message::verbatim(error.to_string())))?;
    let without_ones = |dims: &[u64]| -> Vec<u64> {
        let dims = dims.iter().copied();
        dims.filter(|&dim| dim != 1).collect()
    };
    if order.starts_with("True") && without_ones(&found).len() > 1 {
        return Err(ArrayError::Fortran);
    }
    if without_ones(&found) != without_ones(dims) {
        let wanted = dims.to_vec();
        return Err(ArrayError::Shape { found, wanted });
    }
    Ok(())
}

/// What follows a key of the dictionary.
fn value<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let quoted = [format!("'{key}'"), format!("\"{key}\"")];
    let after = quoted.iter().find_map(|key| {
        let (_, after) = header.split_once(key.as_str())?;
        Some(after)
    })?;
    Some(after.trim_start().strip_prefix(':')?.trim_start())
}

/// What NumPy calls little-endian elements of this type.
pub(crate) fn descriptions(dtype: DType) -> &'static [&'static str] {
    match dtype {
        DType::F64 => &["<f8"],
        DType::F32 => &["<f4"],
        DType::F16 => &["<f2"],
        DType::I64 => &["<i8"],
        DType::U64 => &["<u8"],
        DType::I32 => &["<i4"],
        DType::U32 => &["<u4"],
        DType::I16 => &["<i2"],
        DType::U16 => &["<u2"],
        DType::I8 => &["|i1", "<i1"],
        DType::U8 => &["|u1", "<u1"],
        DType::Bool => &["|b1", "?"],
        _ => &[],
    }
}
