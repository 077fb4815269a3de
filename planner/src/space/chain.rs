//! What a buffer rests on: the chain of buffers, each directly under the next, down to the
//! floor of the arena.

use serde::{Deserialize, Serialize};

use crate::liveness::Lifetimes;
use crate::plan::Plan;
use crate::units::Bytes;

/// One link of the chain, from the top down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rest {
    /// The buffer.
    pub buffer: usize,
    /// Bytes between it and what it rests on, which its alignment asks for; or all bytes
    /// down to the highest buffer below it, which would let it lie lower.
    pub air: Bytes,
    /// Whether it could lie lower: nothing that is live with it ends within an alignment
    /// below it. Always false for one that lies on the floor.
    pub loose: bool,
}

/// The chain that holds `buffer` up: below each link the buffer that reaches highest under it
/// among those that are live with it, ties by lower index. It ends at the floor, of the arena or
/// of the segment, or at a
/// link that nothing holds up. O(n) for each link; a chain of offsets that fall has no circle.
#[must_use]
pub fn chain(lifetimes: &Lifetimes, plan: &Plan, buffer: usize) -> Vec<Rest> {
    let mut chain = Vec::new();
    let mut next = Some(buffer);
    let segments = plan.segments.as_ref();
    let segment = |index: usize| segments.and_then(|it| it.of_buffer.get(index));
    let own = segment(buffer);
    let ground = segments
        .and_then(|it| it.of(buffer))
        .map_or(0, |it| it.low.0);
    while let Some(index) = next.take() {
        let (Some(it), Some(offset)) = (lifetimes.buffers.get(index), plan.offsets.get(index))
        else {
            break;
        };
        let below = lifetimes.buffers.iter().zip(&plan.offsets).enumerate();
        let below = below.filter(|&(other, (below, at))| {
            let end = at.end(below.size);
            other != index
                && segment(other) == own
                && below.is_needed()
                && below.span.overlaps(it.span)
                && at < offset
                && end.is_some_and(|end| end <= *offset)
        });
        let ends = below.filter_map(|(other, (below, at))| Some((at.end(below.size)?, other)));
        let highest = ends.max_by_key(|&(end, other)| (end, std::cmp::Reverse(other)));
        let floor = highest.map_or(ground, |(end, _)| end.0);
        let air = offset.0.saturating_sub(floor);
        let loose = air >= it.alignment.0.max(1);
        chain.push(Rest {
            buffer: index,
            air: Bytes(air),
            loose,
        });
        if !loose {
            next = highest.map(|(_, other)| other);
        }
    }
    chain
}
