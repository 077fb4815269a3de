//! Where the parameters of each dispatch lie in one buffer: offsets of bindings have 32 bits.

use planner::Bytes;

use super::RunError;
use crate::recording::{UNIFORM_WORDS, WORD};

/// The bytes of one dispatch. WebGPU aligns dynamic offsets of uniforms to as much.
pub(super) const EACH: u64 = UNIFORM_WORDS as u64 * WORD;
/// The largest number of dispatches whose parameters every offset can reach.
pub const MOST: u64 = (u32::MAX as u64 + 1) / EACH;

/// The size of a buffer for `count` dispatches.
///
/// # Errors
/// [`RunError::TooLong`] above [`MOST`], where an offset could not say which bytes are meant.
pub fn size(count: usize) -> Result<Bytes, RunError> {
    match count as u64 {
        count @ 0..=MOST => Ok(Bytes(count.max(1) * EACH)),
        count => Err(RunError::TooLong(count)),
    }
}

/// The offset of one of the dispatches that [`size`] was asked about.
pub(super) fn offset(number: u64) -> u32 {
    u32::try_from(number * EACH).expect("a run of more dispatches was refused")
}
