//! The header of a GGUF file: its keys and its tensors, and nothing behind them.
//!
//! As `docs/gguf.md` of ggml has it: magic, version, numbers of tensors and of keys, the keys with
//! their values, then of each tensor name, dimensions, type and offset; all little-endian.

use std::collections::BTreeMap;

use super::blocks::{TensorType, tensor_type};
use crate::load::{Fault, LoadError, Source, SourceError};
use crate::{Message, message};

/// What a file begins with.
pub(super) const MAGIC: [u8; 4] = *b"GGUF";
/// Bytes that are read at once.
const CHUNK: u64 = 256 << 10;
/// The most keys, tensors, and bytes of a name or a text.
const MAX_KEYS: u64 = 1 << 16;
const MAX_TENSORS: u64 = 1 << 16;
const MAX_TEXT: u64 = 1 << 24;
/// The most elements of all arrays, and how deep they may be nested.
const MAX_ELEMENTS: u64 = 1 << 26;
const MAX_DEPTH: u32 = 4;
/// The most dimensions of a tensor.
const MAX_DIMS: u32 = 8;

/// A value that is kept: numbers and short texts.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Number(u64),
    Negative(i64),
    Real(f64),
    Flag(bool),
    Text(String),
    /// Whole numbers, one for each layer.
    Numbers(Vec<u64>),
    /// Anything else, of which so many elements were passed over.
    Other(u64),
}

/// A tensor of the file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TensorInfo {
    pub(super) name: String,
    /// The fastest dimension first, as ggml has them.
    pub(super) dims: Vec<u64>,
    pub(super) kind: &'static TensorType,
    pub(super) bytes: u64,
}

impl TensorInfo {
    /// How many elements it has.
    pub(super) fn elements(&self) -> u64 {
        self.dims
            .iter()
            .fold(1, |all, dim| all.saturating_mul(*dim))
    }
}

/// What stands before the elements.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Header {
    pub(super) keys: BTreeMap<String, Value>,
    pub(super) tensors: Vec<TensorInfo>,
}

/// The bytes of a file from the beginning on.
struct Cursor<'a> {
    source: &'a dyn Source,
    at: u64,
    held: Vec<u8>,
    /// Position of the first byte held.
    start: u64,
    /// Elements of arrays that may still be passed over.
    elements: u64,
}

/// Reads the header.
///
/// # Errors
/// [`LoadError`] with the byte, the key or the tensor at fault.
pub(super) fn header(source: &dyn Source) -> Result<Header, LoadError> {
    let mut cursor = Cursor {
        source,
        at: 4,
        held: Vec::new(),
        start: 0,
        elements: MAX_ELEMENTS,
    };
    let version = cursor.u32()?;
    if version.swap_bytes() < 1 << 16 && version >= 1 << 16 {
        let why = message!("it is big-endian, which is not read");
        return Err(Fault::Unsupported.at(message!("byte {}", 4_u64), why));
    }
    if !(2..=3).contains(&version) {
        let why = message!("version {} of GGUF is not read: 2 and 3 are", version);
        return Err(Fault::Unsupported.at(message!("byte {}", 4_u64), why));
    }
    let tensors = cursor.count(MAX_TENSORS, "tensors")?;
    let keys = cursor.count(MAX_KEYS, "keys")?;
    let mut header = Header::default();
    for _ in 0..keys {
        let key = cursor.text()?;
        let kind = cursor.u32()?;
        let value = cursor.value(kind, 0)?;
        if header.keys.insert(key.clone(), value).is_some() {
            let why = message!("it is there twice");
            return Err(Fault::Duplicate.at(message!("key \"{}\"", key), why));
        }
    }
    let mut names = std::collections::BTreeSet::new();
    for _ in 0..tensors {
        let tensor = cursor.tensor()?;
        if !names.insert(tensor.name.clone()) {
            let why = message!("it is there twice");
            return Err(Fault::Duplicate.at(message!("tensor \"{}\"", tensor.name), why));
        }
        header.tensors.push(tensor);
    }
    Ok(header)
}

impl Cursor<'_> {
    fn fault(&self, kind: Fault, why: Message) -> LoadError {
        kind.at(message!("byte {}", self.at), why)
    }

    /// The next bytes.
    fn take(&mut self, count: u64) -> Result<&[u8], LoadError> {
        let len = self.source.len();
        if self.at.checked_add(count).is_none_or(|end| end > len) {
            let why = message!(
                "{} bytes reach beyond the end of {}",
                count,
                message!("the file")
            );
            return Err(self.fault(Fault::Truncated, why));
        }
        let end = self.start + self.held.len() as u64;
        if self.at < self.start || self.at + count > end {
            let wanted = CHUNK.max(count).min(len - self.at);
            let Ok(wanted) = usize::try_from(wanted) else {
                let why = message!("{} bytes at once", count);
                return Err(self.fault(Fault::Limit, why));
            };
            self.held.resize(wanted, 0);
            self.start = self.at;
            let read = self.source.read_at(self.at, &mut self.held);
            read.map_err(|error| {
                let kind = match error {
                    SourceError::Beyond { .. } => Fault::Truncated,
                    SourceError::Io(_) => Fault::Io,
                };
                self.fault(kind, error.message())
            })?;
        }
        let from = usize::try_from(self.at - self.start).unwrap_or(usize::MAX);
        self.at += count;
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        let short = Fault::Truncated.in_file(message!("the file became shorter"));
        self.held.get(from..from.saturating_add(count)).ok_or(short)
    }

    /// Passes over bytes without reading them.
    fn skip(&mut self, count: Option<u64>) -> Result<(), LoadError> {
        let end = count.and_then(|count| self.at.checked_add(count));
        match end.filter(|end| *end <= self.source.len()) {
            Some(end) => {
                self.at = end;
                Ok(())
            }
            None => {
                let why = message!("an array reaches beyond the end of the file");
                Err(self.fault(Fault::Truncated, why))
            }
        }
    }

    fn number<const N: usize>(&mut self) -> Result<[u8; N], LoadError> {
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.take(N as u64)?);
        Ok(bytes)
    }

    fn u32(&mut self) -> Result<u32, LoadError> {
        self.number().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, LoadError> {
        self.number().map(u64::from_le_bytes)
    }

    fn count(&mut self, most: u64, what: &'static str) -> Result<u64, LoadError> {
        let count = self.u64()?;
        match count <= most {
            true => Ok(count),
            false => {
                let why = message!("{} {}, more than {}", count, what, most);
                Err(self.fault(Fault::Limit, why))
            }
        }
    }

    fn text(&mut self) -> Result<String, LoadError> {
        let length = self.count(MAX_TEXT, "bytes of a text")?;
        let text = std::str::from_utf8(self.take(length)?).map(str::to_owned);
        text.map_err(|error| {
            let at = error.valid_up_to();
            let why = message!("a text that is no UTF-8, from its byte {} on", at);
            self.fault(Fault::Malformed, why)
        })
    }

    fn value(&mut self, kind: u32, depth: u32) -> Result<Value, LoadError> {
        let signed = |value: i64| match u64::try_from(value) {
            Ok(value) => Value::Number(value),
            Err(_) => Value::Negative(value),
        };
        Ok(match kind {
            0 => Value::Number(u64::from(self.number::<1>()?[0])),
            1 => signed(i64::from(i8::from_le_bytes(self.number()?))),
            2 => Value::Number(u64::from(u16::from_le_bytes(self.number()?))),
            3 => signed(i64::from(i16::from_le_bytes(self.number()?))),
            4 => Value::Number(u64::from(self.u32()?)),
            5 => signed(i64::from(i32::from_le_bytes(self.number()?))),
            6 => Value::Real(f64::from(f32::from_le_bytes(self.number()?))),
            7 => Value::Flag(self.number::<1>()?[0] != 0),
            8 => Value::Text(self.text()?),
            9 => self.array(depth)?,
            10 => Value::Number(self.u64()?),
            11 => signed(i64::from_le_bytes(self.number()?)),
            12 => Value::Real(f64::from_le_bytes(self.number()?)),
            other => {
                let why = message!("{} is no type of a value", other);
                return Err(self.fault(Fault::Malformed, why));
            }
        })
    }

    /// Of an array short ones of whole numbers are kept: what each layer has of its own.
    fn array(&mut self, depth: u32) -> Result<Value, LoadError> {
        const KEPT: u64 = 1 << 12;
        if depth == MAX_DEPTH {
            let why = message!("arrays in arrays, deeper than {}", MAX_DEPTH);
            return Err(self.fault(Fault::Limit, why));
        }
        let kind = self.u32()?;
        let count = self.u64()?;
        let Some(left) = self.elements.checked_sub(count) else {
            let why = message!(
                "{} {}, more than {}",
                count,
                "elements of arrays",
                MAX_ELEMENTS
            );
            return Err(self.fault(Fault::Limit, why));
        };
        self.elements = left;
        let width = match kind {
            0 | 1 | 7 => 1,
            2 | 3 => 2,
            4..=6 => 4,
            10..=12 => 8,
            _ => 0,
        };
        let whole = !matches!(kind, 6 | 12);
        if width > 0 && (count > KEPT || !whole) {
            self.skip(count.checked_mul(width))?;
            return Ok(Value::Other(count));
        }
        let mut numbers = Vec::new();
        for _ in 0..count {
            match self.value(kind, depth + 1)? {
                Value::Number(number) => numbers.push(number),
                Value::Flag(flag) => numbers.push(u64::from(flag)),
                _ => {}
            }
        }
        Ok(match numbers.len() as u64 == count {
            true => Value::Numbers(numbers),
            false => Value::Other(count),
        })
    }

    fn tensor(&mut self) -> Result<TensorInfo, LoadError> {
        let name = self.text()?;
        let at = |kind: Fault, why| kind.at(message!("tensor \"{}\"", name), why);
        let count = self.u32()?;
        if count > MAX_DIMS {
            let why = message!("{} {}, more than {}", count, "dimensions", MAX_DIMS);
            return Err(at(Fault::Limit, why));
        }
        let dims: Result<Vec<u64>, LoadError> = (0..count).map(|_| self.u64()).collect();
        let (dims, number) = (dims?, self.u32()?);
        // Where its elements are: nothing reads them.
        self.u64()?;
        let Some(kind) = tensor_type(number) else {
            let why = message!("{} is no type of a tensor that is known here", number);
            return Err(at(Fault::Unsupported, why));
        };
        let elements = dims
            .iter()
            .try_fold(1_u64, |all, dim| all.checked_mul(*dim));
        let row = dims.first().copied().unwrap_or(1);
        if row % kind.block != 0 {
            let why = message!("rows of {} elements are no blocks of {}", row, kind.block);
            return Err(at(Fault::Malformed, why));
        }
        let bytes = elements.and_then(|it| (it / kind.block).checked_mul(kind.bytes));
        let Some(bytes) = bytes else {
            return Err(at(Fault::Limit, message!("its bytes are beyond 64 bits")));
        };
        Ok(TensorInfo {
            name,
            dims,
            kind,
            bytes,
        })
    }
}
