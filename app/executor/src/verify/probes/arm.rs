//! Compares a range of the arena with its shadow, which then follows, and fills the range.

use super::{ProbeParams, Sight};

pub(super) fn reference(params: &ProbeParams, sight: &mut Sight<'_>) {
    let range = params.first as usize..(params.first + params.words) as usize;
    let shadow = sight.shadow[range.clone()].iter_mut();
    let changed = &mut sight.results[params.slot as usize];
    for (now, before) in sight.arena[range].iter_mut().zip(shadow) {
        *changed += u32::from(now != before);
        *before = *now;
        if params.into == 0 {
            *now = params.pattern;
        }
    }
}
