//! PyTorch memory snapshots.

use super::{Dump, unread};
use crate::load::Source;

/// Whether a file that begins with `head` is one.
pub(super) fn sniff(_head: &[u8]) -> bool {
    false
}

/// Reads it.
///
/// # Errors
/// See [`LoadError`](crate::load::LoadError).
pub(super) fn read(_source: &dyn Source) -> Dump {
    Err(unread())
}
