//! The free bytes at one step: every hole, and for how long it is one.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::{Block, blocks};
use crate::free_space::free_ranges;
use crate::liveness::Lifetimes;
use crate::plan::Plan;
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Offset, Span, Step};

/// The most holes that [`holes`] names.
pub const HOLES_LISTED: usize = 500;

/// Bytes that nobody needs at some step, as high as they are free there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Room {
    /// First byte.
    pub low: Offset,
    /// First byte behind.
    pub high: Offset,
    /// When all of them are free; the step asked about is within.
    pub span: Span,
}

impl Room {
    /// Its height in bytes.
    #[must_use]
    pub fn height(&self) -> Bytes {
        Bytes(self.high.0.saturating_sub(self.low.0))
    }
}

/// The holes of the arena at `step`, largest first, ties by address; at most
/// [`HOLES_LISTED`], and none outside the plan's steps. O(n log n), and for each buffer the
/// holes whose bytes it needs at another time.
#[must_use]
pub fn holes(lifetimes: &Lifetimes, plan: &Plan, step: Step) -> Vec<Room> {
    if step >= lifetimes.horizon {
        return Vec::new();
    }
    let whole = Span {
        start: Step::default(),
        end: lifetimes.horizon,
    };
    let now = blocks(lifetimes, plan).filter(|block| block.span.contains(step));
    let mut held: Vec<(u64, u64)> = now.map(|block| (block.low, block.high)).collect();
    held.order();
    let held = held.into_iter().map(|(low, high)| (low, high, ()));
    let mut rooms: Vec<Room> = free_ranges(0, held)
        .map(|range| Room {
            low: Offset(range.start),
            high: Offset(range.end.unwrap_or(u64::MAX).min(plan.arena.0)),
            span: whole,
        })
        .filter(|room| room.low < room.high)
        .collect();
    rooms.order_by_key(|room| (Reverse(room.height()), room.low));
    rooms.truncate(HOLES_LISTED);
    rooms.order_by_key(|room| room.low);
    for block in blocks(lifetimes, plan) {
        narrow(&mut rooms, block, step);
    }
    rooms.order_by_key(|room| (Reverse(room.height()), room.low));
    rooms
}

/// Ends the holes that `block` reaches into where it begins or ends. `rooms` is by address.
fn narrow(rooms: &mut [Room], block: Block, step: Step) {
    if block.span.contains(step) || block.low >= block.high {
        return;
    }
    let first = rooms.partition_point(|room| room.high.0 <= block.low);
    for room in &mut rooms[first..] {
        if room.low.0 >= block.high {
            break;
        }
        if block.span.end <= step {
            room.span.start = room.span.start.max(block.span.end);
        } else {
            room.span.end = room.span.end.min(block.span.start);
        }
    }
}
