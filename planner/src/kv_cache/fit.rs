//! How many requests run at once in a cache of one size after another.

use super::{Placement, Workload, replay};
use crate::units::Bytes;

/// Caches of so many sizes are tried.
pub const SIZES: u64 = 16;

/// What fits in one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fit {
    /// Bytes of the cache.
    pub capacity: Bytes,
    /// The most requests that run at once under each placement; `None` where one of them is too
    /// large by itself.
    pub running: Vec<(Placement, Option<u64>)>,
}

/// Bytes that the cache needs for every request to run as soon as it arrives, with one block of the
/// longest each.
#[must_use]
pub fn whole(workload: &Workload) -> Bytes {
    let free = Workload {
        capacity: None,
        ..workload.clone()
    };
    replay(&free, Placement::Longest).map_or(Bytes::ZERO, |found| found.high_water())
}

/// Caches of a sixteenth, two sixteenths, … of [`whole`], one after the other; each replays the
/// workload under every placement.
pub fn fits(workload: &Workload, whole: Bytes) -> impl Iterator<Item = Fit> {
    let workload = workload.clone();
    (1..=SIZES).map(move |part| {
        let capacity = Bytes(whole.0 / SIZES * part);
        let limited = Workload {
            capacity: Some(capacity),
            ..workload.clone()
        };
        let running = limited.placements().map(|placement| {
            let found = replay(&limited, placement).ok();
            (placement, found.map(|it| it.most_running))
        });
        Fit {
            capacity,
            running: running.collect(),
        }
    })
}
