//! Whether a buffer at the top could lie in a hole instead.

use super::Hole;
use crate::free_space;
use crate::liveness::Lifetimes;
use crate::plan::Plan;
use crate::sorting::Sorting as _;
use crate::space::blocks;
use crate::units::{Bytes, Offset};

/// Enters `top` where it could lie for its whole life, with all others where they are. `holes`
/// is by address.
pub(super) fn fit(
    lifetimes: &Lifetimes,
    plan: &Plan,
    (top, alignment): (usize, Bytes),
    holes: &mut [Hole],
) {
    let it = &lifetimes.buffers[top];
    if plan.objects.is_some() || it.fixed.is_some() {
        return;
    }
    let unit = alignment.max(it.alignment);
    let taken = blocks(lifetimes, plan).filter(|block| block.buffer != top);
    let taken = taken.filter(|block| block.span.overlaps(it.span));
    let mut taken: Vec<(u64, u64, ())> = taken.map(|it| (it.low, it.high, ())).collect();
    taken.order();
    for range in free_space::free_ranges(0, taken.into_iter()) {
        let end = range.end.unwrap_or(u64::MAX);
        let first = holes.partition_point(|hole| hole.high.0 <= range.start);
        for hole in &mut holes[first..] {
            if hole.low.0 >= end {
                break;
            }
            let start = Offset(hole.low.0.max(range.start)).align_up(unit);
            let needed = start.and_then(|start| start.end(it.size));
            if needed.is_some_and(|needed| needed.0 <= end.min(hole.high.0)) {
                hole.fits = Some(top);
            }
        }
    }
}
