//! Writes a pattern into a range of the arena or of its shadow.

use super::{ProbeParams, Sight};

pub(super) fn reference(params: &ProbeParams, sight: &mut Sight<'_>) {
    let range = params.first as usize..(params.first + params.words) as usize;
    let target = if params.into == 0 {
        &mut sight.arena[range]
    } else {
        &mut sight.shadow[range]
    };
    target.fill(params.pattern);
}
