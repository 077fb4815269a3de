//! How many bytes a block and a segment take, as PyTorch's caching allocator has it.
//!
//! A request is rounded up to 512 bytes, or to a fraction of a power of two where this is
//! configured. The block is cut off the start of a free one; what is left stays with it when
//! it is too little to be of use: less than 512 bytes in a segment for small blocks or an
//! expandable one, at most 1 MiB in others, any rest when the request reaches the largest
//! size that is split. Free neighbours are joined at once, so what lies free after a block
//! is one block up to the next that is in use or to the end of the segment.

use super::AllocatorSettings;

const MIB: u64 = 1 << 20;

/// Sizes are rounded up to a multiple of this.
pub(crate) const GRANULE: u64 = 512;
/// The largest request of the small pool.
pub(crate) const MOST_SMALL: u64 = MIB;
/// The segments of the small pool, and the pages of an expandable one.
pub(crate) const SMALL_SEGMENT: u64 = 2 * MIB;
/// Requests of the large pool from here on have segments of their own size.
pub(crate) const OWN_SEGMENT: u64 = 10 * MIB;
/// The segments of other requests of the large pool, and the pages of an expandable one.
pub(crate) const LARGE_SEGMENT: u64 = 20 * MIB;
/// What segments of a request's own size are rounded up to.
pub(crate) const SEGMENT_GRANULE: u64 = 2 * MIB;

impl AllocatorSettings {
    /// The bytes that a block for a request of `requested` bytes has at least.
    pub(crate) fn rounded(&self, requested: u64) -> u64 {
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

    /// Whether `rest` bytes are cut off behind a block of `size` bytes; `fine` in segments for
    /// small blocks and in expandable ones.
    pub(crate) fn splits(&self, fine: bool, size: u64, rest: u64) -> bool {
        match fine {
            true => rest >= GRANULE,
            false => size < self.max_split && rest > MOST_SMALL,
        }
    }
}

/// The bytes of the segment that is taken for a block of `size` bytes.
pub(super) fn segment(size: u64) -> u64 {
    match size {
        _ if size <= MOST_SMALL => SMALL_SEGMENT,
        0..OWN_SEGMENT => LARGE_SEGMENT,
        _ => size
            .div_ceil(SEGMENT_GRANULE)
            .saturating_mul(SEGMENT_GRANULE),
    }
}

/// The bytes in which an expandable segment grows and shrinks.
pub(super) fn page(small: bool) -> u64 {
    if small { SMALL_SEGMENT } else { LARGE_SEGMENT }
}
