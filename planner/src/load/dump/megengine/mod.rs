//! MegEngine's static memory: `StaticMemoryInfo.json`, the intervals that its debug builds
//! dump, and the allocation that these print. Intervals are half-open everywhere.

mod info;
mod intervals;
mod overwrites;
mod result;

use crate::load::text::{self, BYTE_ORDER_MARK};
use crate::load::{Document, LoadError, Source, Warning};

pub(in crate::load) use intervals::sniff as sniff_intervals;

/// Whether a file that begins with `head` holds a plan.
pub(in crate::load) fn sniff(head: &[u8]) -> bool {
    let head = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
    info::sniff(head) || result::sniff(head)
}

/// Reads it, or the intervals.
///
/// # Errors
/// See [`LoadError`].
pub(in crate::load) fn read(source: &dyn Source) -> Result<(Document, Vec<Warning>), LoadError> {
    let text = text::read(source)?;
    if sniff_intervals(text.as_bytes()) {
        return intervals::read(&text);
    }
    let (deployed, warnings) = match text.trim_start().starts_with('{') {
        true => info::read(&text)?,
        false => result::read(&text)?,
    };
    Ok((Document::Deployed(deployed), warnings))
}
