//! Counts the words of one live tensor that were written, and finds the first of them.

use super::{ProbeParams, Sight};

pub(super) fn reference(params: &ProbeParams, sight: &mut Sight<'_>) {
    let slot = params.slot as usize;
    for w in params.first..params.first + params.words {
        let (now, before) = (sight.arena[w as usize], sight.shadow[w as usize]);
        let written = if params.declared(sight.table, w) == 1 {
            now != params.pattern
        } else {
            now != before
        };
        if written {
            sight.results[slot] += 1;
            sight.results[slot + 1] = sight.results[slot + 1].max(!w);
        }
    }
}
