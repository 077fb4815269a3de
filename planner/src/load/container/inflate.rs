//! Deflated bytes (RFC 1951), and gzip around them (RFC 1952).

use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZError, MZFlush, MZStatus};

use super::{read, take};
use crate::load::{Fault, LoadError, Source};
use crate::message;

/// So many bytes are read and inflated at a time.
const CHUNK: usize = 64 * 1024;

/// The most bytes of a name or a comment in a gzip header.
const MOST_TEXT: u64 = 64 * 1024;

/// What a gzip file holds: its members, one after the other.
///
/// # Errors
/// See [`super::unpack`].
pub(super) fn gzip(source: &dyn Source, left: &mut u64) -> Result<Vec<u8>, LoadError> {
    let (mut at, mut bytes) = (0, Vec::new());
    while at < source.len() {
        let magic = read(source, at, 2.min(source.len() - at))?;
        if at > 0 && magic.iter().all(|byte| *byte == 0) {
            // Padding, as tapes have it.
            break;
        }
        if magic != [0x1f, 0x8b] {
            let message = message!("behind the end of the gzip data are bytes that are none");
            return Err(Fault::Malformed.at(message!("byte {}", at), message));
        }
        let begin = bytes.len();
        let end = inflated(
            source,
            after_header(source, at)?,
            source.len(),
            left,
            &mut bytes,
        )?;
        let trailer = read(source, end, 8)?;
        let (_, sum) = number(&trailer, 0, 4);
        if sum != u64::from(checksum(bytes.get(begin..).unwrap_or_default())) {
            return Err(damaged(end));
        }
        at = end + 8;
    }
    Ok(bytes)
}

/// Where the deflated bytes of the gzip member at `at` begin.
fn after_header(source: &dyn Source, at: u64) -> Result<u64, LoadError> {
    let header = read(source, at, 10)?;
    let (method, flags) = (header.get(2), header.get(3).copied().unwrap_or_default());
    if method != Some(&8) {
        let message = message!("the gzip data is packed in a way that is not deflate");
        return Err(Fault::Unsupported.at(message!("byte {}", at), message));
    }
    let mut next = at + 10;
    if flags & 4 != 0 {
        let (_, extra) = number(&read(source, next, 2)?, 0, 2);
        next += 2 + extra;
    }
    // Name and comment, each ended by a zero.
    for flag in [8, 16] {
        if flags & flag == 0 {
            continue;
        }
        next = after_zero(source, next)?;
    }
    Ok(next + if flags & 2 != 0 { 2 } else { 0 })
}

/// Where the text that begins at `start` ends, with the zero behind it.
fn after_zero(source: &dyn Source, start: u64) -> Result<u64, LoadError> {
    let left = source.len().saturating_sub(start);
    let text = read(source, start, left.min(MOST_TEXT))?;
    let place = message!("byte {}", start);
    match text.iter().zip(1..).find(|(byte, _)| **byte == 0) {
        Some((_, len)) => Ok(start + len),
        None if left > MOST_TEXT => {
            let message = message!(
                "the gzip header has a name or comment of more than {} bytes",
                MOST_TEXT
            );
            Err(Fault::Limit.at(place, message))
        }
        None => Err(Fault::Truncated.at(place, message!("the gzip header ends too early"))),
    }
}

/// Inflates what begins at `start` onto `bytes`, and returns where it ends, before `end`.
///
/// # Errors
/// See [`super::unpack`].
pub(super) fn inflated(
    source: &dyn Source,
    start: u64,
    end: u64,
    left: &mut u64,
    bytes: &mut Vec<u8>,
) -> Result<u64, LoadError> {
    let mut state = InflateState::new_boxed(DataFormat::Raw);
    let mut output = vec![0; CHUNK];
    let mut at = start;
    loop {
        let chunk = read(source, at, end.saturating_sub(at).min(CHUNK as u64))?;
        let mut input = chunk.as_slice();
        loop {
            let done = inflate(&mut state, input, &mut output, MZFlush::None);
            take(left, done.bytes_written as u64)?;
            bytes.extend(output.iter().take(done.bytes_written));
            input = input.get(done.bytes_consumed..).unwrap_or_default();
            at += done.bytes_consumed as u64;
            match done.status {
                Ok(MZStatus::StreamEnd) => return Ok(at),
                Ok(_) if done.bytes_written > 0 || !input.is_empty() => {}
                // It wants more.
                Ok(_) | Err(MZError::Buf) if at < end && !chunk.is_empty() => break,
                Ok(_) | Err(MZError::Buf) => {
                    let message = message!("the packed bytes end too early");
                    return Err(Fault::Truncated.at(message!("byte {}", at), message));
                }
                Err(_) => return Err(damaged(at)),
            }
        }
    }
}

/// That what was packed is not what comes out.
pub(super) fn damaged(at: u64) -> LoadError {
    let message = message!("the packed bytes are damaged");
    Fault::Malformed.at(message!("byte {}", at), message)
}

/// The number of `len` bytes at `at`, least first, and where it ends; 0 beyond the end.
pub(super) fn number(bytes: &[u8], at: usize, len: usize) -> (usize, u64) {
    let bytes = bytes.get(at..at + len).unwrap_or_default();
    let number = bytes.iter().rev();
    let number = number.fold(0, |number, byte| number << 8 | u64::from(*byte));
    (at + len, number)
}

/// CRC-32 as gzip and zip have it (RFC 1952, section 8).
pub(super) fn checksum(bytes: &[u8]) -> u32 {
    let mut table = [0_u32; 256];
    for (entry, byte) in table.iter_mut().zip(0_u32..) {
        *entry = (0..8).fold(byte, |rest, _| match rest & 1 {
            0 => rest >> 1,
            _ => rest >> 1 ^ 0xedb8_8320,
        });
    }
    !bytes.iter().fold(!0, |sum: u32, byte| {
        let [low, ..] = sum.to_le_bytes();
        let place = usize::from(low ^ byte);
        sum >> 8 ^ table.get(place).copied().unwrap_or_default()
    })
}
