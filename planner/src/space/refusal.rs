//! Why an allocator had no memory for a request although bytes were free.

use serde::{Deserialize, Serialize};

use super::free_ranges::everywhere;
use super::{segments, segments_at};
use crate::liveness::Lifetimes;
use crate::plan::{Plan, Segment};
use crate::units::{Bytes, Step};

/// The free bytes of an allocator's segments at one step, for a request of one stream and
/// one private pool, or none: free blocks are shared inside of these only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FreeFor {
    /// All free bytes.
    pub free: Bytes,
    /// In how many pieces.
    pub pieces: u64,
    /// The largest of them, whatever its stream and pool.
    pub largest: Bytes,
    /// The largest in segments of the stream and pool; a request takes no other.
    pub largest_for_it: Bytes,
    /// Bytes of segments in which no block is.
    pub unused: Bytes,
    /// All free bytes in segments of the stream and pool.
    pub free_for_it: Bytes,
}

/// A request that an allocator had no memory for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// When.
    pub step: Step,
    /// Bytes that were asked for.
    pub asked: Bytes,
    /// Bytes that the device had left.
    pub device_free: Bytes,
    /// Bytes that the allocator held from it.
    pub reserved: Bytes,
    /// Bytes of blocks in use, with those that another stream still used.
    pub live: Bytes,
    /// What was reserved but free.
    pub free: FreeFor,
    /// Why it did not fit.
    pub why: Misfit,
}

/// Why a request did not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Misfit {
    /// It is larger than all memory that the program can have.
    Device,
    /// With what was in use it is more than that.
    Live,
    /// The device had room for it: a limit of the program's own forbade it.
    Limit,
    /// Enough was free in all, but much of it in other pools or for other streams, which share no
    /// free blocks.
    Elsewhere,
    /// Enough was free in all, but in segments that cannot go back to the device while blocks lie in
    /// them.
    Pieces,
}

impl Failure {
    /// What the program can have of the device.
    #[must_use]
    pub fn capacity(&self) -> Bytes {
        Bytes(self.reserved.0.saturating_add(self.device_free.0))
    }
}

/// What is known of a request for `asked` bytes that failed at `step` for a stream and a private
/// pool, (0, 0) for none, or one of which nobody knows which, when the device had `device_free` bytes left. O(n log n).
#[must_use]
pub fn failure(
    (lifetimes, plan): (&Lifetimes, &Plan),
    (step, owner): (Step, (i64, Option<(i64, i64)>)),
    (asked, device_free): (Bytes, Bytes),
) -> Failure {
    let free = free_for(lifetimes, plan, step, owner);
    let rows = segments_at(lifetimes, plan, step);
    let reserved = rows
        .iter()
        .fold(0_u64, |sum, row| sum.saturating_add(row.bytes.0));
    let mut failure = Failure {
        step,
        asked,
        device_free,
        reserved: Bytes(reserved),
        live: Bytes(reserved.saturating_sub(free.free.0)),
        free,
        why: Misfit::Pieces,
    };
    let capacity = failure.capacity();
    let reachable = free.free_for_it.0.saturating_add(device_free.0);
    failure.why = if asked > capacity {
        Misfit::Device
    } else if Segment::has_room(asked, device_free) {
        Misfit::Limit
    } else if failure.live.0.saturating_add(asked.0) > capacity.0 {
        Misfit::Live
    } else if reachable < asked.0 || free.largest_for_it >= asked {
        // What is large enough was of another pool, where the file does not say of which it is.
        Misfit::Elsewhere
    } else {
        Misfit::Pieces
    };
    failure
}

/// What was free at `step` for a request of a stream and a private pool, (0, 0) for none; where the
/// pool is not known, for that of any. O(n log n).
#[must_use]
pub fn free_for(
    lifetimes: &Lifetimes,
    plan: &Plan,
    step: Step,
    (stream, pool): (i64, Option<(i64, i64)>),
) -> FreeFor {
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
        if segment.is_some_and(|it| it.stream == stream && pool.is_none_or(|pool| it.pool == pool))
        {
            found.largest_for_it = found.largest_for_it.max(bytes);
            found.free_for_it.0 = found.free_for_it.0.saturating_add(bytes.0);
        }
    }
    found
}
