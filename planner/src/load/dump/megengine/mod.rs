//! MegEngine's static memory: `StaticMemoryInfo.json`, the intervals that its debug builds
//! dump, and the allocation that these print. Intervals are half-open everywhere.

mod info;
mod intervals;
mod overwrites;
mod result;

use super::Dump;
use crate::load::Source;
use crate::load::text::BYTE_ORDER_MARK;

pub(super) use intervals::{read as read_intervals, sniff as sniff_intervals};

/// Whether a file that begins with `head` holds a plan.
pub(super) fn sniff(head: &[u8]) -> bool {
    let head = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
    info::sniff(head) || result::sniff(head)
}

/// Reads it.
///
/// # Errors
/// See [`LoadError`](crate::load::LoadError).
pub(super) fn read(source: &dyn Source) -> Dump {
    let text = crate::load::text::read(source)?;
    match text.trim_start().starts_with('{') {
        true => info::read(&text),
        false => result::read(&text),
    }
}
