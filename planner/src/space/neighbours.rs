//! The buffers around one in memory and time.

use crate::liveness::{Buffer, Lifetimes};
use crate::plan::Plan;

/// The buffers around one, each list by ascending index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Neighbours {
    /// Begin where it ends in space, live at the same time.
    pub above: Vec<usize>,
    /// End where it begins in space, live at the same time.
    pub below: Vec<usize>,
    /// Had some of its bytes last before it: those that end last, not after it begins.
    pub before: Vec<usize>,
    /// Have some of its bytes first after it: those that begin first, not before it ends.
    pub after: Vec<usize>,
}

/// The neighbours of buffer `index` in space and time, by whole spans; none beyond the last. O(n).
#[must_use]
pub fn neighbours(lifetimes: &Lifetimes, plan: &Plan, index: usize) -> Neighbours {
    let mut found = Neighbours::default();
    let placed = lifetimes.buffers.iter().zip(&plan.offsets);
    let bytes = |(buffer, offset): (&Buffer, &crate::units::Offset)| {
        (offset.0, offset.0.saturating_add(buffer.size.0))
    };
    let Some(own) = placed.clone().nth(index) else {
        return found;
    };
    let (span, (low, high)) = (own.0.span, bytes(own));
    let (mut last_end, mut first_start) = (0, u64::MAX);
    // Other segments touch it only in the picture.
    let segment = |index: usize| plan.segments.as_ref()?.of_buffer.get(index);
    let own = segment(index);
    let others = placed.enumerate();
    let others = others.filter(|&(number, _)| number != index && segment(number) == own);
    for (number, other) in others {
        let (theirs, (bottom, top)) = (other.0.span, bytes(other));
        if span.overlaps(theirs) {
            if bottom == high {
                found.above.push(number);
            }
            if top == low {
                found.below.push(number);
            }
        } else if low < top && bottom < high {
            if theirs.end <= span.start {
                keep(
                    &mut found.before,
                    theirs.end.0 > last_end,
                    theirs.end.0 >= last_end,
                    number,
                );
                last_end = last_end.max(theirs.end.0);
            } else if theirs.start >= span.end {
                let start = theirs.start.0;
                keep(
                    &mut found.after,
                    start < first_start,
                    start <= first_start,
                    number,
                );
                first_start = first_start.min(start);
            }
        }
    }
    found
}

/// Keeps the nearest: a nearer one alone, an equally near one beside those that are kept.
fn keep(kept: &mut Vec<usize>, is_nearer: bool, is_near: bool, index: usize) {
    if is_nearer {
        kept.clear();
    }
    if is_near {
        kept.push(index);
    }
}
