//! XLA's dumps: `*-buffer-assignment.txt` and `*-live-range.txt` together, or `*.hlo.pb`.

use super::{Dump, unread};
use crate::load::Part;

/// Whether a file that begins with `head` is a part of such a dump.
pub(super) fn sniff(_head: &[u8]) -> bool {
    false
}

/// Reads the parts of one dump.
///
/// # Errors
/// See [`LoadError`](crate::load::LoadError).
pub(super) fn read(_parts: &[Part<'_>]) -> Dump {
    Err(unread())
}
