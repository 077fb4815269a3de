//! Compares a range of the arena with its shadow, which then follows the arena.

use super::{ProbeParams, Sight};

pub(super) fn reference(params: &ProbeParams, sight: &mut Sight<'_>) {
    let slot = params.slot as usize;
    let Some([outside, stray, unwritten, gap, high]) = sight.results[slot..].first_chunk_mut::<5>()
    else {
        return;
    };
    let range = params.first as usize..(params.first + params.words) as usize;
    let shadow = sight.shadow[range.clone()].iter_mut();
    let words = sight.arena[range].iter_mut().zip(shadow);
    for (w, (now, before)) in (params.first..).zip(words) {
        let kind = params.declared(sight.table, w);
        if kind == 1 && *now == params.pattern {
            *now = *before;
            *unwritten += 1;
            *gap = (*gap).max(!w);
        } else if kind == 1 || now != before {
            *before = *now;
            *high = (*high).max(w + 1);
            if kind == 0 {
                *outside += 1;
                *stray = (*stray).max(!w);
            }
        }
    }
}
