//! Protobuf values out of a [`Source`], of which only the needed parts are read.
//!
//! `rten_onnx::protobuf` walks the fields of a message and asks a [`ReadValue`] for each
//! value. Its own readers trust the file: a length is allocated before it is checked, a
//! nested message may reach behind the one around it, one cut short passes for complete,
//! and a varint of ten continuation bytes never ends. So this reader follows the grammar
//! itself (tag, then value or length, then payload) and knows the end of every open
//! message; what it lets through is well-formed. Large `bytes` are stepped over and leave
//! their position behind.

use rten_onnx::protobuf::{ErrorKind, Field, FieldTypes, FieldValue, ProtobufError, ReadValue};

use super::{Fault, LoadError, Source, SourceError};

/// Payloads of `bytes` fields up to this long are copied, longer ones only located.
pub(super) const MAX_INLINE: u64 = 4096;
/// Bytes copied in all: enough for 16384 payloads of the largest size.
const MAX_INLINE_IN_ALL: u64 = 64 << 20;
/// Longest name.
const MAX_TEXT: u64 = 64 << 10;
/// Deepest nesting of messages; a subgraph inside a subgraph takes three levels.
const MAX_DEPTH: usize = 112;
/// First read behind a jump; each read that continues the one before is twice as long.
const FIRST_READ: u64 = 512;
/// Longest read.
const LONGEST_READ: u64 = 256 << 10;

/// Why decoding stopped.
#[derive(Debug)]
pub(super) enum Broken {
    /// The bytes are wrong; the reader knows where.
    Wire(ProtobufError),
    /// The content is wrong.
    Content(Fault, String),
}

impl From<ProtobufError> for Broken {
    fn from(error: ProtobufError) -> Self {
        Self::Wire(error)
    }
}

/// The payload of a `bytes` field.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Blob {
    /// Position of its first byte in the file.
    pub start: u64,
    /// Number of bytes in the file.
    pub len: u64,
    /// The bytes themselves; `None` when there are too many.
    pub bytes: Option<Vec<u8>>,
}

impl AsRef<[u8]> for Blob {
    fn as_ref(&self) -> &[u8] {
        self.bytes.as_deref().unwrap_or_default()
    }
}

/// What fields become.
pub(super) struct Kept;

impl FieldTypes for Kept {
    type String = String;
    type Bytes = Blob;
}

/// What the grammar allows next.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Next {
    /// The number and wire type of a field.
    Tag,
    /// An integer.
    Varint,
    /// The length of a payload.
    Length,
    /// Four or eight bytes.
    Fixed,
    /// A payload up to this position: a message if its first tag is read, else bytes.
    Payload(u64),
}

/// A buffered reader that checks what it reads.
pub(super) struct Reader<'s> {
    source: &'s dyn Source,
    len: u64,
    position: u64,
    buffer: Vec<u8>,
    /// Position of the buffer's first byte.
    start: u64,
    /// Length of the next read.
    ahead: u64,
    /// Ends of the open messages, outermost first.
    ends: Vec<u64>,
    next: Next,
    /// Payloads of `bytes` fields up to this long are copied.
    longest: u64,
    /// Bytes that may still be copied.
    inline: u64,
    /// What stopped the reading.
    fault: Option<LoadError>,
}

impl<'s> Reader<'s> {
    /// A reader at the start of `source`.
    pub(super) fn new(source: &'s dyn Source) -> Self {
        Self {
            source,
            len: source.len(),
            position: 0,
            buffer: Vec::new(),
            start: 0,
            ahead: FIRST_READ,
            ends: Vec::new(),
            next: Next::Tag,
            longest: MAX_INLINE,
            inline: MAX_INLINE_IN_ALL,
            fault: None,
        }
    }

    /// The same for a format whose long `bytes` fields are packed numbers and no weights.
    pub(super) fn copying(source: &'s dyn Source) -> Self {
        Self {
            longest: MAX_INLINE_IN_ALL,
            ..Self::new(source)
        }
    }

    /// What stopped the reading: the fault found here, or else `broken` where it happened.
    pub(super) fn fault(self, broken: Broken) -> LoadError {
        let place = format!("byte {}", self.position);
        let (kind, message) = match broken {
            Broken::Content(kind, message) => (kind, message),
            Broken::Wire(error) => match self.fault {
                Some(fault) => return fault,
                None => (Fault::Malformed, error.to_string()),
            },
        };
        LoadError {
            kind,
            place,
            message,
        }
    }

    fn stop(&mut self, kind: Fault, message: impl Into<String>) -> ProtobufError {
        self.fault = Some(LoadError {
            kind,
            place: format!("byte {}", self.position),
            message: message.into(),
        });
        ProtobufError::new(ErrorKind::LengthMismatch)
    }

    /// Where the innermost open message ends.
    fn end(&self) -> u64 {
        self.ends.last().copied().unwrap_or(self.len)
    }

    /// Refuses to read `count` bytes behind the end of the message or the file.
    fn check(&mut self, count: u64) -> Result<(), ProtobufError> {
        let end = self.end();
        match self.position.checked_add(count) {
            Some(target) if target <= end => Ok(()),
            Some(target) if target <= self.len => Err(self.stop(
                Fault::Malformed,
                format!("{count} bytes reach behind the message around them"),
            )),
            _ => Err(self.stop(
                Fault::Truncated,
                format!("{count} bytes reach behind the end of the file"),
            )),
        }
    }

    /// The next `count` bytes; they must be there.
    fn bytes(&mut self, count: u64) -> Result<&[u8], ProtobufError> {
        if count == 0 {
            return Ok(&[]);
        }
        self.check(count)?;
        let held = self.start + self.buffer.len() as u64;
        if self.position < self.start || self.position + count > held {
            let continues = self.position >= self.start && self.position <= held;
            self.ahead = match continues {
                true if !self.buffer.is_empty() => (self.ahead * 2).min(LONGEST_READ),
                _ => FIRST_READ,
            };
            let wanted = self.ahead.max(count).min(self.len - self.position);
            self.buffer.clear();
            self.buffer.resize(self.size(wanted)?, 0);
            self.start = self.position;
            let read = self.source.read_at(self.position, &mut self.buffer);
            read.map_err(|error| {
                let kind = match error {
                    SourceError::Beyond { .. } => Fault::Truncated,
                    SourceError::Io(_) => Fault::Io,
                };
                self.stop(kind, error.to_string())
            })?;
        }
        let from = self.size(self.position - self.start)?;
        let to = from + self.size(count)?;
        match self.buffer.get(from..to) {
            Some(bytes) => Ok(bytes),
            None => Err(ProtobufError::new(ErrorKind::LengthMismatch)),
        }
    }

    fn size(&self, count: u64) -> Result<usize, ProtobufError> {
        // Everything that is read at once is bounded far below 32 bits.
        usize::try_from(count).map_err(|_error| ProtobufError::new(ErrorKind::LengthMismatch))
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ProtobufError> {
        let mut array = [0; N];
        array.copy_from_slice(self.bytes(N as u64)?);
        self.position += N as u64;
        self.next = Next::Tag;
        Ok(array)
    }

    /// A base-128 number of at most ten bytes, of which the last has one bit.
    fn number(&mut self) -> Result<u64, ProtobufError> {
        let room = self.end().saturating_sub(self.position).min(10);
        let bytes = self.bytes(room)?;
        let mut value = 0;
        for (index, &byte) in bytes.iter().enumerate() {
            if index == 9 && byte > 1 {
                break;
            }
            value |= u64::from(byte & 0x7f) << (7 * index);
            if byte < 0x80 {
                self.position += index as u64 + 1;
                return Ok(value);
            }
        }
        if room < 10 && self.end() == self.len {
            return Err(self.stop(Fault::Truncated, "a number is cut off"));
        }
        Err(self.stop(Fault::Malformed, "a number does not end"))
    }

    /// Opens the message whose first tag is read, and closes those that are over.
    fn enter_and_leave(&mut self) -> Result<(), ProtobufError> {
        if let Next::Payload(end) = self.next
            && self.position < end
        {
            if self.ends.len() >= MAX_DEPTH {
                return Err(self.stop(Fault::Limit, "messages are nested too deep"));
            }
            self.ends.push(end);
        }
        while self.ends.last() == Some(&self.position) {
            self.ends.pop();
        }
        Ok(())
    }

    fn tag(&mut self) -> Result<u64, ProtobufError> {
        self.enter_and_leave()?;
        if self.ends.is_empty() && self.position == self.len {
            return Err(ProtobufError::new(ErrorKind::Eof));
        }
        let tag = self.number()?;
        self.next = match tag & 7 {
            0 => Next::Varint,
            2 => Next::Length,
            1 | 5 => Next::Fixed,
            kind => {
                return Err(self.stop(Fault::Malformed, format!("wire type {kind} of a field")));
            }
        };
        if tag >> 3 == 0 {
            return Err(self.stop(Fault::Malformed, "field number 0"));
        }
        Ok(tag)
    }

    /// Steps over the payload that must come next.
    fn payload(&mut self, len: usize) -> Result<u64, ProtobufError> {
        let count = len as u64;
        self.check(count)?;
        if self.next != Next::Payload(self.position + count) {
            // Lengths reach us as `usize`, which has 32 bits in WebAssembly.
            return Err(self.stop(Fault::Limit, "a field is longer than 4 GiB"));
        }
        self.position += count;
        self.next = Next::Tag;
        Ok(count)
    }
}

impl ReadValue for Reader<'_> {
    type Types = Kept;

    fn read_i32(&mut self) -> Result<i32, ProtobufError> {
        self.array().map(i32::from_le_bytes)
    }

    fn read_i64(&mut self) -> Result<i64, ProtobufError> {
        self.array().map(i64::from_le_bytes)
    }

    fn read_varint(&mut self) -> Result<u64, ProtobufError> {
        match self.next {
            Next::Varint => {
                self.next = Next::Tag;
                self.number()
            }
            Next::Length => {
                let len = self.number()?;
                self.check(len)?;
                self.next = Next::Payload(self.position + len);
                Ok(len)
            }
            Next::Tag | Next::Payload(_) | Next::Fixed => self.tag(),
        }
    }

    fn read_bytes(&mut self, len: usize) -> Result<Blob, ProtobufError> {
        let start = self.position;
        let count = len as u64;
        let copied = count <= self.longest && count <= self.inline;
        let bytes = match copied {
            true => Some(self.bytes(count)?.to_vec()),
            false => None,
        };
        if copied {
            self.inline -= count;
        }
        let len = self.payload(len)?;
        Ok(Blob { start, len, bytes })
    }

    fn read_string(&mut self, len: usize) -> Result<String, ProtobufError> {
        if len as u64 > MAX_TEXT {
            return Err(self.stop(Fault::Limit, format!("a name of {len} bytes")));
        }
        let text = std::str::from_utf8(self.bytes(len as u64)?).map(str::to_owned);
        let text = text.map_err(|_error| self.stop(Fault::Malformed, "a name is not UTF-8"))?;
        self.payload(len)?;
        Ok(text)
    }

    fn skip(&mut self, len: usize) -> Result<(), ProtobufError> {
        self.payload(len).map(|_len| ())
    }

    fn position(&self) -> u64 {
        self.position
    }
}

/// Adds the integers of a repeated field, packed or not, and asks `spend` before each; false
/// when they are too many to be copied.
pub(super) fn integers<R: ReadValue<Types = Kept>>(
    field: &mut Field<'_, R>,
    into: &mut Vec<i64>,
    mut spend: impl FnMut() -> Result<(), Broken>,
) -> Result<bool, Broken> {
    if !matches!(field.value(), FieldValue::Len(_)) {
        spend()?;
        into.push(field.get_int64()?);
        return Ok(true);
    }
    let Some(bytes) = field.read_bytes()?.bytes else {
        return Ok(false);
    };
    let mut value = 0_u64;
    let mut shift = 0;
    for byte in bytes {
        if shift > 63 {
            let message = "a packed number does not end".to_owned();
            return Err(Broken::Content(Fault::Malformed, message));
        }
        value |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 {
            spend()?;
            into.push(value.cast_signed());
            (value, shift) = (0, 0);
        }
    }
    Ok(true)
}

/// The base-128 number in front, and what stands behind it.
pub(super) fn number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0;
    for (index, &byte) in bytes.iter().enumerate().take(10) {
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            return Some((value, bytes.get(index + 1..)?));
        }
    }
    None
}
