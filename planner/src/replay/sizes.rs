//! How many bytes a block takes for a request, as PyTorch's caching allocator has it.
//!
//! A request is rounded up to 512 bytes, or to a fraction of a power of two where this is
//! configured. The block is cut off the start of a free one; what is left stays with it when
//! it is too little to be of use: less than 512 bytes in a segment for small blocks or an
//! expandable one, at most 1 MiB in others, any rest when the request reaches the largest
//! size that is split. Free neighbours are joined at once, so what lies free after a block
//! is one block up to the next that is in use or to the end of the segment.

use super::Home;

const GRANULE: u64 = 512;
const MIB: u64 = 1 << 20;

/// How an allocator is configured to round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rounding {
    /// Requests from here on are never split off a larger block.
    pub max_split: u64,
    /// Into how many parts the way from one power of two to the next is divided for requests
    /// from 1 MiB, 2 MiB, and so on; 0 and 1 for multiples of 512 bytes.
    pub divisions: [u64; 16],
}

impl Default for Rounding {
    fn default() -> Self {
        Self {
            max_split: u64::MAX,
            divisions: [0; 16],
        }
    }
}

impl Rounding {
    /// The bytes that a block for a request of `requested` bytes has at least.
    pub(super) fn rounded(&self, requested: u64) -> u64 {
        let power = requested.checked_ilog2().unwrap_or(0);
        let class = power.saturating_sub(MIB.ilog2()).min(15);
        let divisions = self.divisions.get(class as usize).copied().unwrap_or(0);
        let granule = if divisions > 1 && requested > GRANULE.saturating_mul(divisions) {
            // The next power of two where that many parts would be less than a byte.
            ((1_u64 << power) >> divisions.ilog2()).max(1)
        } else {
            GRANULE
        };
        let up = requested.max(1).checked_next_multiple_of(granule);
        up.unwrap_or(requested)
    }

    /// The bytes of the block that a request gets when `free` bytes are free from its address
    /// on, in a segment that is used as `home` says.
    pub(super) fn taken(&self, requested: u64, free: u64, home: Home) -> u64 {
        let size = self.rounded(requested);
        let Some(rest) = free.checked_sub(size) else {
            return size;
        };
        let split = if home.small || home.expandable {
            rest >= GRANULE
        } else {
            size < self.max_split && rest > MIB
        };
        if split { size } else { free }
    }
}
