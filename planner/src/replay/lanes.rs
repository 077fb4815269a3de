//! The bytes that blocks take over time.

use super::lives::Life;
use crate::deployed::{Lane, LaneKind};
use crate::units::{Bytes, Step};

/// Bytes handed out, bytes handed out or still in use, and bytes asked for, over `horizon`
/// steps. All sizes together are below 2^62.
pub(super) fn lanes(lives: &[Life], horizon: u64) -> [Lane; 3] {
    let lane = |kind: LaneKind, of: fn(&Life) -> (u64, u64)| {
        let mut changes = vec![0_i64; usize::try_from(horizon).unwrap_or_default()];
        for life in lives {
            let (end, bytes) = of(life);
            let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
            for (step, change) in [(life.start, bytes), (end, -bytes)] {
                let slot = usize::try_from(step).ok();
                if let Some(slot) = slot.and_then(|step| changes.get_mut(step)) {
                    *slot += change;
                }
            }
        }
        let mut now = 0;
        let mut points = Vec::new();
        for (step, change) in changes.into_iter().enumerate() {
            now += change;
            if change != 0 || step == 0 {
                let bytes = u64::try_from(now).unwrap_or_default();
                points.push((Step(step as u64), Bytes(bytes)));
            }
        }
        Lane { kind, points }
    };
    [
        lane(LaneKind::Allocated, |life| (life.given_back, life.size)),
        lane(LaneKind::Active, |life| (life.end, life.size)),
        lane(LaneKind::Requested, |life| {
            (life.end, life.requested.min(life.size))
        }),
    ]
}
