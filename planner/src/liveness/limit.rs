//! How large lifetimes may be, so that no address goes beyond 64 bits.

use alloc::string::String;

use serde::{Deserialize, Serialize};

use super::Lifetimes;
use crate::units::Bytes;
use crate::{Message, impl_message, message};

/// Why lifetimes cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TooLarge {
    /// The tensor at which the sum of all sizes reaches [`LIMIT`].
    pub tensor: String,
}

impl TooLarge {
    /// The sentence.
    #[must_use]
    pub fn message(&self) -> Message {
        let name = Message::verbatim(&self.tensor);
        message!("with {} all sizes together reach 2^62 bytes", name)
    }
}

impl_message!(TooLarge);
impl core::error::Error for TooLarge {}

/// The sum of all sizes and paddings stays below this, so that no address that any strategy
/// can think of goes beyond 64 bits.
pub const LIMIT: Bytes = Bytes(1 << 62);

/// Checks that `lifetimes` can be planned with blocks aligned to `alignment` bytes: every
/// size and one whole alignment per buffer add up to less than [`LIMIT`].
///
/// # Errors
/// [`TooLarge`] when they do not.
pub(crate) fn admit(lifetimes: &Lifetimes, alignment: Bytes) -> Result<(), TooLarge> {
    let mut sum = 0_u64;
    for buffer in &lifetimes.buffers {
        let padding = buffer.alignment.max(alignment);
        sum = sum.saturating_add(buffer.size.0).saturating_add(padding.0);
        let end = buffer.fixed.unwrap_or_default().0;
        if sum.saturating_add(end) >= LIMIT.0 {
            return Err(TooLarge {
                tensor: buffer.name.clone(),
            });
        }
    }
    Ok(())
}
