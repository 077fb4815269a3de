//! Which of the buffers that lie elsewhere make one plan larger than another.

use crate::plan::Plan;
use crate::space::Loss;

/// The most buffers that decide.
pub const DECIDING_LISTED: usize = 8;

/// The buffers of `worse`, whose `loss` against `better` is known, that lie elsewhere there
/// and decide, see [`Plans::deciding`](super::Plans::deciding).
///
/// What reaches the top of `worse` lies elsewhere in a plan of a lower arena, so that there is
/// one wherever a buffer reaches the end of the larger arena.
pub(super) fn deciding(loss: &Loss, worse: &Plan, better: &Plan) -> Vec<usize> {
    let holes = loss.largest_first().into_iter();
    let around = holes.flat_map(|hole| {
        let blocker = hole.because.map(|because| because.buffer);
        [hole.above, blocker, hole.below].into_iter().flatten()
    });
    let mut deciding: Vec<usize> = Vec::new();
    for buffer in loss.top.iter().copied().chain(around) {
        let moved = worse.offsets.get(buffer) != better.offsets.get(buffer);
        if deciding.len() < DECIDING_LISTED && moved && !deciding.contains(&buffer) {
            deciding.push(buffer);
        }
    }
    deciding
}
