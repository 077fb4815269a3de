//! Text files, which are read whole.

use super::{Fault, LoadError, Source};
use crate::message;

/// The most bytes of a text file: four million rows of 64 characters.
const MAX_TEXT: u64 = 256 << 20;

/// Refuses a file of more than `most` bytes, and returns how many it has.
///
/// # Errors
/// [`Fault::Limit`].
pub(super) fn limited(source: &dyn Source, most: u64) -> Result<u64, LoadError> {
    let len = source.len();
    if len > most {
        return Err(Fault::Limit.in_file(message!(
            "{} bytes of text, of which we read at most {}",
            len,
            most
        )));
    }
    Ok(len)
}

/// The text in `source` without its byte order mark.
///
/// # Errors
/// [`Fault::Limit`] beyond 256 MiB, [`Fault::Malformed`] when it is not UTF-8.
pub fn read(source: &dyn Source) -> Result<String, LoadError> {
    let len = limited(source, MAX_TEXT)?;
    let mut bytes = vec![0; usize::try_from(len).unwrap_or_default()];
    source.read_at(0, &mut bytes)?;
    if let Some(rest) = bytes.strip_prefix(BYTE_ORDER_MARK) {
        bytes = rest.to_vec();
    }
    // Lines that end as they did on old machines, and in the logs of some consoles.
    if !bytes.contains(&b'\n') {
        let ends = bytes.iter_mut().filter(|byte| **byte == b'\r');
        ends.for_each(|byte| *byte = b'\n');
    }
    String::from_utf8(bytes).map_err(|error| {
        Fault::Malformed.at(
            message!("byte {}", error.utf8_error().valid_up_to()),
            message!("the text is not UTF-8"),
        )
    })
}

/// What some programs put before UTF-8 text.
pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
