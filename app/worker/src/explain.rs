//! Why a plan is as large as it is: its bytes by reason, its free ranges, its free bytes over time.

use planner::bounds::Bounds;
use planner::deployed::{Lane, LaneKind};
use planner::space::{FreePoint, FreeRange, Loss, Relief};
use planner::waste::Waste;
use planner::{Bytes, Plan, Sorting as _, Step, Subject, space, waste};
use serde::{Deserialize, Serialize};

/// So many buffers are named that would lower the peak most.
pub const RELIEFS: usize = 10;

/// Why a plan is as large as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Explained {
    /// The arena, split; the parts sum to it. In an allocator's trace, what was reserved.
    pub waste: Waste,
    /// The free ranges at the step where the arena is highest, or most is reserved, largest first;
    /// none where the plan is no larger than the bound.
    pub free_ranges: Vec<FreeRange>,
    /// What is empty while the arena is highest and fullest, and why it is larger than the
    /// bound: its [`Loss::bytes`] are those of fragmentation. `None` where it is no
    /// larger, where what was reserved counts and not the arena, for separate allocations and
    /// several pools.
    pub loss: Option<Loss>,
    /// Free bytes over time.
    pub free: Vec<FreePoint>,
    /// The buffers without which the peak would fall most.
    pub reliefs: Vec<Relief>,
}

/// Explains `plan`. `bounds` are those of the subject's lifetimes under `alignment`, for which
/// the plan was made. O(n log n), but for few buffers that share bytes on purpose, and some
/// looks at every buffer for what is empty.
#[must_use]
pub fn explain(subject: &Subject, bounds: &Bounds, plan: &Plan, alignment: Bytes) -> Explained {
    let lifetimes = &subject.lifetimes;
    let waste = waste::waste(lifetimes, &subject.notes, plan, bounds);
    let waste = waste.counting_reserved(plan.reserved.filter(|_| subject.is_trace()));
    let beyond = waste.free();
    let is_arena = !waste.reserved && !subject.separate;
    let free = space::free(lifetimes, plan);
    let known = (bounds.offsets, alignment);
    let loss = is_arena.then(|| space::loss_with(lifetimes, plan, &free, known));
    Explained {
        loss: loss.flatten(),
        free_ranges: beyond.map_or_else(Vec::new, |part| {
            space::free_ranges(lifetimes, plan, part.step)
        }),
        free,
        reliefs: space::reliefs(lifetimes, RELIEFS),
        waste,
    }
}

/// Bytes that the allocator holds and has not handed out, over time; `None` where the
/// file does not say both.
#[must_use]
pub fn reserved_but_free(lanes: &[Lane]) -> Option<Vec<(Step, Bytes)>> {
    let of = |kind: LaneKind| lanes.iter().find(|lane| lane.kind == kind);
    let reserved = &of(LaneKind::Reserved)?.points;
    let handed = &of(LaneKind::Active)
        .or_else(|| of(LaneKind::Allocated))?
        .points;
    let mut steps: Vec<Step> = reserved.iter().chain(handed).map(|point| point.0).collect();
    steps.order();
    steps.dedup();
    let mut points: Vec<(Step, Bytes)> = Vec::with_capacity(steps.len());
    for step in steps {
        let free = lane_at(reserved, step)
            .0
            .saturating_sub(lane_at(handed, step).0);
        if points.last().is_none_or(|last| last.1.0 != free) {
            points.push((step, Bytes(free)));
        }
    }
    Some(points)
}

/// What a lane is at `step`: 0 before its first point.
#[must_use]
pub fn lane_at(points: &[(Step, Bytes)], step: Step) -> Bytes {
    let after = points.partition_point(|point| point.0 <= step);
    let point = after.checked_sub(1).and_then(|last| points.get(last));
    point.map_or(Bytes::ZERO, |point| point.1)
}
