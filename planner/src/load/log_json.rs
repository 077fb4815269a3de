//! A log of an eager runtime, see [`crate::training::dtr`]: one JSON object a line.

use super::{Document, Fault, LoadError, Source, Warning, text};
use crate::message;
use crate::training::dtr;

/// Whether a file that begins with `head` is a log.
pub(super) fn sniff(head: &[u8]) -> bool {
    dtr::is_log(&String::from_utf8_lossy(head))
}

/// Reads the log in `source`.
///
/// # Errors
/// [`LoadError`] with the line.
pub(super) fn read(source: &dyn Source) -> Result<(Document, Vec<Warning>), LoadError> {
    let log = dtr::read(&text::read(source)?)
        .map_err(|error| Fault::Malformed.at(message!("line {}", error.line), error.message))?;
    Ok((Document::Log(log), Vec::new()))
}
