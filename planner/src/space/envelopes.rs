//! What an allocator holds for each pool and stream. Free blocks are only shared inside of one, and
//! a private pool gives nothing back as long as it is used, so what it held at most is what it
//! keeps from all others.

use std::collections::BTreeMap;

use super::SegmentAt;
use crate::plan::{Plan, Segment};
use crate::units::{Bytes, Step};

/// A pool on a stream at a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Envelope {
    /// The pool, (0, 0) for that of everybody.
    pub pool: (i64, i64),
    /// The stream.
    pub stream: i64,
    /// Bytes taken from the device for it.
    pub reserved: Bytes,
    /// Bytes of these that are free.
    pub free: Bytes,
    /// The most that was taken for it up to then.
    pub most: Bytes,
}

/// The pools of which something was taken up to `step`, by pool and stream; `rows` are the segments
/// of that step. O(n log n).
#[must_use]
pub fn envelopes(plan: &Plan, rows: &[SegmentAt], step: Step) -> Vec<Envelope> {
    let Some(segments) = &plan.segments else {
        return Vec::new();
    };
    let key = |segment: &Segment| (segment.pool, segment.stream);
    let mut changes: BTreeMap<_, Vec<(Step, bool, u64)>> = BTreeMap::new();
    for segment in &segments.list {
        let mapped = segment.mapped.iter().filter(|it| it.span.start <= step);
        let own = mapped.flat_map(|it| {
            let bytes = it.high.0.saturating_sub(it.low.0);
            // What is given back at a step is gone before anything is taken at it.
            [(it.span.end, false, bytes), (it.span.start, true, bytes)]
        });
        let own: Vec<_> = own.filter(|(at, ..)| *at <= step).collect();
        if !own.is_empty() {
            changes.entry(key(segment)).or_default().extend(own);
        }
    }
    let mut found = BTreeMap::new();
    for (place, mut changes) in changes {
        changes.sort_unstable();
        let (mut now, mut most) = (0_u64, 0);
        for (_, takes, bytes) in changes {
            now = match takes {
                true => now.saturating_add(bytes),
                false => now.saturating_sub(bytes),
            };
            most = most.max(now);
        }
        let (pool, stream) = place;
        found.insert(
            place,
            Envelope {
                pool,
                stream,
                reserved: Bytes(now),
                free: Bytes::ZERO,
                most: Bytes(most),
            },
        );
    }
    for row in rows {
        let segment = segments.list.get(row.segment as usize);
        if let Some(it) = segment.and_then(|segment| found.get_mut(&key(segment))) {
            it.free.0 = it.free.0.saturating_add(row.free.0);
        }
    }
    found.into_values().collect()
}
