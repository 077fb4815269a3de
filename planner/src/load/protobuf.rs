//! Protobuf messages out of a [`Source`], field by field, every access checked.
//!
//! A message is a list of fields; a field is a tag (its number and wire type), then a number
//! or a length and a payload. Nothing is trusted: a field must end inside its message, a
//! varint within ten bytes, and what a file could multiply is limited. Payloads that are not
//! needed are never read, so that a model costs as many bytes as its graph.
//!
//! The wire format: <https://protobuf.dev/programming-guides/encoding/>.

use super::{Fault, LoadError, Source, SourceError};
use crate::message;

/// Payloads of `bytes` fields up to this long are copied, longer ones only located.
const MAX_INLINE: u64 = 4096;
/// Bytes copied in all: enough for 16384 payloads of the largest size.
const MAX_INLINE_IN_ALL: u64 = 64 << 20;
/// Longest name.
const MAX_TEXT: u64 = 64 << 10;
/// Deepest nesting of messages; a subgraph inside a subgraph takes three levels.
const MAX_DEPTH: u32 = 112;
/// Longest varint: nine bytes of seven bits, and one bit.
const MAX_VARINT: usize = 10;
/// First read after a jump; each read that continues the one before is twice as long.
const FIRST_READ: u64 = 512;
/// Longest read.
const LONGEST_READ: u64 = 256 << 10;

/// Why decoding stopped; the reader knows where.
#[derive(Debug)]
pub(super) struct Broken {
    pub kind: Fault,
    pub message: crate::Message,
}

impl Broken {
    pub(super) fn new(kind: Fault, message: crate::Message) -> Self {
        Self { kind, message }
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

/// A file that is read from its start to its end, in as few reads as its jumps allow.
pub(super) struct Reader<'s> {
    source: &'s dyn Source,
    /// Where the next access begins, and where a fault is.
    position: u64,
    buffer: Vec<u8>,
    /// Position of the buffer's first byte.
    start: u64,
    /// Length of the last read.
    ahead: u64,
    /// Payloads of `bytes` fields up to this long are copied.
    longest: u64,
    /// Bytes that may still be copied.
    inline: u64,
}

impl<'s> Reader<'s> {
    /// A reader at the start of `source`.
    pub(super) fn new(source: &'s dyn Source) -> Self {
        Self {
            source,
            position: 0,
            buffer: Vec::new(),
            start: 0,
            ahead: FIRST_READ,
            longest: MAX_INLINE,
            inline: MAX_INLINE_IN_ALL,
        }
    }

    /// The same for a format whose long `bytes` fields are packed numbers and no weights.
    pub(super) fn copying(source: &'s dyn Source) -> Self {
        Self {
            longest: MAX_INLINE_IN_ALL,
            ..Self::new(source)
        }
    }

    /// The message of the schema's type `name` that the whole file is.
    pub(super) fn root(&mut self, name: &'static str) -> Message<'_, 's> {
        Message {
            name,
            at: 0,
            end: self.source.len(),
            depth: 0,
            reader: self,
        }
    }

    /// The error for what stopped the reading, with the place where that was.
    pub(super) fn fault(&self, broken: Broken) -> LoadError {
        broken
            .kind
            .at(message!("byte {}", self.position), broken.message)
    }

    /// The next `count` bytes, which are known to be in the file.
    fn bytes(&mut self, count: u64) -> Result<&[u8], Broken> {
        if count == 0 {
            return Ok(&[]);
        }
        let held = self.start + self.buffer.len() as u64;
        let inside = (self.start..=held).contains(&self.position);
        if !inside || self.position + count > held {
            self.ahead = match inside && !self.buffer.is_empty() {
                true => (self.ahead * 2).min(LONGEST_READ),
                false => FIRST_READ,
            };
            let rest = self.source.len() - self.position;
            self.buffer.clear();
            self.buffer
                .resize(size(self.ahead.max(count).min(rest))?, 0);
            self.start = self.position;
            let read = self.source.read_at(self.position, &mut self.buffer);
            read.map_err(|error| match error {
                SourceError::Beyond { .. } => Broken::new(Fault::Truncated, error.message()),
                SourceError::Io(_) => Broken::new(Fault::Io, error.message()),
            })?;
        }
        let from = size(self.position - self.start)?;
        let bytes = self.buffer.get(from..from + size(count)?);
        bytes.ok_or_else(|| Broken::new(Fault::Truncated, message!("the file became shorter")))
    }
}

/// A number of bytes that are held at once, which the limits above keep far below 32 bits.
fn size(count: u64) -> Result<usize, Broken> {
    let limit = |_| Broken::new(Fault::Limit, message!("{} bytes at once", count));
    usize::try_from(count).map_err(limit)
}

/// A message, of which the fields are read one after the other.
pub(super) struct Message<'r, 's> {
    reader: &'r mut Reader<'s>,
    /// Its type in the schema, for errors.
    name: &'static str,
    /// Where its next field begins.
    at: u64,
    /// Where it ends.
    end: u64,
    depth: u32,
}

/// How a field's value is written, by the names of the specification.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wire {
    Varint,
    I64,
    /// A payload, whose length stands before it.
    Len,
    I32,
}

/// A field of a message. What is not read of it is skipped.
pub(super) struct Field<'r, 's> {
    /// At the first byte of the value.
    reader: &'r mut Reader<'s>,
    /// Its number in the schema.
    pub(super) number: u64,
    wire: Wire,
    /// Bytes of the value, which are all inside the message.
    len: u64,
    /// The type of the message that it is in.
    within: &'static str,
    depth: u32,
}

impl<'s> Message<'_, 's> {
    /// The next field; `None` at the end of the message.
    pub(super) fn next(&mut self) -> Result<Option<Field<'_, 's>>, Broken> {
        self.reader.position = self.at;
        if self.at == self.end {
            return Ok(None);
        }
        let (tag, len) = self.varint()?;
        self.reader.position += len;
        let number = tag >> 3;
        let (wire, len) = match tag & 7 {
            _ if number == 0 => return Err(self.malformed(message!("field number 0"))),
            0 => (Wire::Varint, self.varint()?.1),
            1 => (Wire::I64, 8),
            2 => {
                let (payload, len) = self.varint()?;
                self.reader.position += len;
                (Wire::Len, payload)
            }
            5 => (Wire::I32, 4),
            // Groups (3 and 4) are older than any of these formats.
            kind => return Err(self.malformed(message!("a field of wire type {}", kind))),
        };
        self.at = self.after(len)?;
        Ok(Some(Field {
            reader: self.reader,
            number,
            wire,
            len,
            within: self.name,
            depth: self.depth,
        }))
    }

    fn malformed(&self, what: crate::Message) -> Broken {
        let message = message!("{} in {}", what, self.name);
        Broken::new(Fault::Malformed, message)
    }

    /// Where the next `count` bytes end, which must be inside the message.
    fn after(&self, count: u64) -> Result<u64, Broken> {
        let (kind, what) = match self.reader.position.checked_add(count) {
            Some(after) if after <= self.end => return Ok(after),
            Some(after) if after <= self.reader.source.len() => {
                (Fault::Malformed, crate::Message::verbatim(self.name))
            }
            _ => (Fault::Truncated, message!("the file")),
        };
        let message = message!("{} bytes reach beyond the end of {}", count, what);
        Err(Broken::new(kind, message))
    }

    /// The varint that comes next, and how long it is.
    fn varint(&mut self) -> Result<(u64, u64), Broken> {
        let room = (self.end - self.reader.position).min(MAX_VARINT as u64);
        if let Some((value, rest)) = varint(self.reader.bytes(room)?) {
            return Ok((value, room - rest.len() as u64));
        }
        match room < MAX_VARINT as u64 && self.end == self.reader.source.len() {
            true => Err(Broken::new(
                Fault::Truncated,
                message!("a number is cut off"),
            )),
            false => Err(self.malformed(message!("a number that does not end"))),
        }
    }
}

impl<'s> Field<'_, 's> {
    fn expect(&self, wire: Wire) -> Result<(), Broken> {
        match self.wire == wire {
            true => Ok(()),
            false => Err(self.malformed(message!(
                "its wire type is {}, not {}",
                format_args!("{:?}", self.wire),
                format_args!("{wire:?}")
            ))),
        }
    }

    fn malformed(&self, what: crate::Message) -> Broken {
        let message = message!("field {} of {}: {}", self.number, self.within, what);
        Broken::new(Fault::Malformed, message)
    }

    /// The first number of the value.
    fn scalar<T>(
        &mut self,
        wire: Wire,
        first: impl Fn(&[u8]) -> Option<(T, &[u8])>,
    ) -> Result<T, Broken> {
        self.expect(wire)?;
        let found = first(self.reader.bytes(self.len)?).map(|(value, _)| value);
        found.ok_or_else(|| self.malformed(message!("a number is cut off")))
    }

    /// An integer, a truth value or an enum's number.
    pub(super) fn integer(&mut self) -> Result<i64, Broken> {
        self.scalar(Wire::Varint, integer)
    }

    /// A number of 32 bits.
    pub(super) fn float(&mut self) -> Result<f32, Broken> {
        self.scalar(Wire::I32, float)
    }

    /// A name.
    pub(super) fn text(&mut self) -> Result<String, Broken> {
        self.expect(Wire::Len)?;
        if self.len > MAX_TEXT {
            let message = message!("a name of {} bytes", self.len);
            return Err(Broken::new(Fault::Limit, message));
        }
        let text = std::str::from_utf8(self.reader.bytes(self.len)?).map(str::to_owned);
        text.map_err(|_error| self.malformed(message!("a name is not UTF-8")))
    }

    /// Start and length of the payload when it is too long to be copied.
    pub(super) fn long(&self) -> Option<(u64, u64)> {
        (self.len > self.reader.longest).then_some((self.reader.position, self.len))
    }

    /// Where the payload is, and its bytes where they are few.
    pub(super) fn blob(&mut self) -> Result<Blob, Broken> {
        self.expect(Wire::Len)?;
        let (start, len) = (self.reader.position, self.len);
        let mut bytes = None;
        if len <= self.reader.longest.min(self.reader.inline) {
            bytes = Some(self.reader.bytes(len)?.to_vec());
            self.reader.inline -= len;
        }
        Ok(Blob { start, len, bytes })
    }

    /// A message of the schema's type `name`.
    pub(super) fn message(&mut self, name: &'static str) -> Result<Message<'_, 's>, Broken> {
        self.expect(Wire::Len)?;
        if self.depth == MAX_DEPTH {
            return Err(Broken::new(
                Fault::Limit,
                message!("messages are nested too deep"),
            ));
        }
        Ok(Message {
            name,
            at: self.reader.position,
            end: self.reader.position + self.len,
            depth: self.depth + 1,
            reader: self.reader,
        })
    }

    /// Adds the integers of a repeated field, packed or not, and asks `spend` before each.
    /// Of those that are too long to be copied it gives only start and length.
    pub(super) fn integers(
        &mut self,
        into: &mut Vec<i64>,
        spend: impl FnMut() -> Result<(), Broken>,
    ) -> Result<Option<(u64, u64)>, Broken> {
        self.repeated(Wire::Varint, integer, into, spend)
    }

    /// The same for numbers of 32 bits.
    pub(super) fn floats(
        &mut self,
        into: &mut Vec<f32>,
        spend: impl FnMut() -> Result<(), Broken>,
    ) -> Result<Option<(u64, u64)>, Broken> {
        self.repeated(Wire::I32, float, into, spend)
    }

    fn repeated<T>(
        &mut self,
        wire: Wire,
        first: impl Fn(&[u8]) -> Option<(T, &[u8])>,
        into: &mut Vec<T>,
        mut spend: impl FnMut() -> Result<(), Broken>,
    ) -> Result<Option<(u64, u64)>, Broken> {
        if self.wire != Wire::Len {
            self.expect(wire)?;
        }
        let long = self.long();
        if long.is_some() {
            return Ok(long);
        }
        let mut rest = self.reader.bytes(self.len)?;
        while !rest.is_empty() {
            let Some((value, after)) = first(rest) else {
                return Err(self.malformed(message!("a packed number does not end")));
            };
            spend()?;
            into.push(value);
            rest = after;
        }
        Ok(None)
    }
}

/// The number of 32 bits that `bytes` begin with, and the bytes after it.
fn float(bytes: &[u8]) -> Option<(f32, &[u8])> {
    let (bytes, rest) = bytes.split_first_chunk()?;
    Some((f32::from_le_bytes(*bytes), rest))
}

fn integer(bytes: &[u8]) -> Option<(i64, &[u8])> {
    varint(bytes).map(|(value, rest)| (value.cast_signed(), rest))
}

/// The varint that `bytes` begin with, and the bytes after it; `None` when it does not end
/// or has more than 64 bits.
pub(super) fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0;
    for (index, &byte) in bytes.iter().enumerate().take(MAX_VARINT) {
        if index + 1 == MAX_VARINT && byte > 1 {
            break;
        }
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            return Some((value, bytes.get(index + 1..)?));
        }
    }
    None
}
