//! Finds what was written of a declared range; the shadow follows the arena.

use super::{ProbeParams, Sight};

pub(super) fn reference(params: &ProbeParams, sight: &mut Sight<'_>) {
    let slot = params.slot as usize;
    let Some([_, _, unwritten, gap, high]) = sight.results[slot..].first_chunk_mut::<5>() else {
        return;
    };
    let range = params.first as usize..(params.first + params.words) as usize;
    let shadow = sight.shadow[range.clone()].iter_mut();
    let words = sight.arena[range].iter_mut().zip(shadow);
    for (w, (now, before)) in (params.first..).zip(words) {
        let written = match params.into {
            1 => now != before,
            _ => *now != params.pattern,
        };
        if written {
            *high = (*high).max(w + 1);
        } else if params.into == 0 {
            *now = *before;
            *unwritten += 1;
            *gap = (*gap).max(!w);
        }
        *before = *now;
    }
}
