//! Why an allocator had no memory for a request although bytes were free.

use serde::{Deserialize, Serialize};

use super::free_ranges::everywhere;
use super::segments;
use crate::liveness::Lifetimes;
use crate::plan::Plan;
use crate::units::{Bytes, Step};

/// The free bytes of an allocator's segments at one step, for a request of one stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FreeFor {
    /// All free bytes.
    pub free: Bytes,
    /// In how many pieces.
    pub pieces: u64,
    /// The largest of them, whatever its stream.
    pub largest: Bytes,
    /// The largest in segments of the stream; a request takes no other.
    pub largest_of_stream: Bytes,
    /// Bytes of segments in which no block is.
    pub unused: Bytes,
}

/// What was free at `step` for a request of `stream`. O(n log n).
#[must_use]
pub fn free_for(lifetimes: &Lifetimes, plan: &Plan, step: Step, stream: i64) -> FreeFor {
    let mut found = FreeFor::default();
    for range in everywhere(lifetimes, plan, step) {
        let bytes = range.height();
        found.free.0 = found.free.0.saturating_add(bytes.0);
        found.pieces += 1;
        found.largest = found.largest.max(bytes);
        let Some((segment, whole)) = range.segment else {
            continue;
        };
        if whole {
            found.unused.0 = found.unused.0.saturating_add(bytes.0);
        }
        let segment = segments(plan).get(segment as usize);
        if segment.is_some_and(|segment| segment.stream == stream) {
            found.largest_of_stream = found.largest_of_stream.max(bytes);
        }
    }
    found
}
