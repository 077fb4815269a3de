//! A deployed program at one look: what each of its arenas takes and what of that a better plan
//! could save.
//!
//! Separate allocations are counted, but no plan could make them smaller together: nothing of
//! them is avoidable.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use crate::Message;
use crate::bounds::bounds;
use crate::deployed::{Arena, Deployed, LaneKind};
use crate::sorting::Sorting as _;
use crate::units::Bytes;

/// What one arena takes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// What the file calls it; empty where it has only one.
    pub name: Message,
    /// What it takes: what was reserved for it at its peak where that is known, otherwise its
    /// size.
    pub bytes: Bytes,
    /// What any plan of its buffers takes at least.
    pub bound: Bytes,
    /// All its buffers end to end.
    pub naive: Bytes,
    /// How many buffers share it.
    pub buffers: u64,
    /// Whether these are separate allocations, see [`Arena::separate`].
    pub separate: bool,
    /// Whether it is the memory of a device, of which a running allocator took what it needed.
    #[serde(default)]
    pub device: bool,
    /// How many requests failed there.
    #[serde(default)]
    pub failed: u64,
}

impl Row {
    fn of(arena: &Arena) -> Self {
        let plan = &arena.plan;
        let bytes = plan.reserved.unwrap_or(plan.arena);
        let sizes = arena.lifetimes.buffers.iter().map(|buffer| buffer.size.0);
        Self {
            name: arena.name.clone(),
            bytes,
            // Of what is not listed nothing is known.
            bound: match arena.separate && !plan.partial {
                true => bytes,
                false => bounds(&arena.lifetimes).offsets,
            },
            naive: Bytes(sizes.fold(0, u64::saturating_add)),
            buffers: arena.lifetimes.buffers.len() as u64,
            separate: arena.separate,
            device: arena.lanes.iter().any(|it| it.kind == LaneKind::Reserved),
            failed: arena.refused.len() as u64,
        }
    }

    /// Whether buffers share bytes over time, or could: not so where all are live at once, as
    /// constants are.
    fn shares(&self) -> bool {
        !self.separate && self.naive > self.bound
    }

    /// Bytes beyond the bound. None of a plan that is below it, which breaks a rule, and none of
    /// separate allocations.
    #[must_use]
    pub fn avoidable(&self) -> Bytes {
        if self.separate {
            return Bytes::ZERO;
        }
        Bytes(self.bytes.0.saturating_sub(self.bound.0))
    }
}

/// Every arena, in the file's order. O(n log n) in its buffers.
#[must_use]
pub fn overview(deployed: &Deployed) -> Vec<Row> {
    deployed.arenas.iter().map(Row::of).collect()
}

/// The sums over `rows`: what all take and what of it is avoidable. Sums beyond 64 bits are
/// the largest number.
#[must_use]
pub fn total(rows: &[Row]) -> (Bytes, Bytes) {
    rows.iter()
        .fold(Default::default(), |(all, avoidable), row| {
            let add = |sum: Bytes, more: Bytes| Bytes(sum.0.saturating_add(more.0));
            (add(all, row.bytes), add(avoidable, row.avoidable()))
        })
}

/// The positions in `rows`, in the order in which they are worth a look: first those in which a
/// request failed; of devices then those that most was taken from; of other arenas those with the
/// most avoidable bytes; of equals those in which buffers share bytes, then the largest, then the
/// file's order. Separate allocations come last.
#[must_use]
pub fn worst_first(rows: &[Row]) -> Vec<u32> {
    let mut order: Vec<(u32, &Row)> = (0..).zip(rows).collect();
    order.order_by_key(|(_, row)| {
        let taken = row.bytes.0 * u64::from(row.device);
        let worst = (row.avoidable(), row.shares(), row.bytes);
        (row.separate, Reverse((row.failed > 0, taken, worst)))
    });
    order.into_iter().map(|(index, _)| index).collect()
}
