//! The smallest arena by exhaustion.
//!
//! Why stacking is enough. Take any valid plan and its buffers by ascending offset. Put them
//! down again in this order, each directly on the highest of those before it that it meets in
//! time, or on the floor. None comes to lie higher than before: those before it that it meets
//! lay below it, their ends were at most its offset, and none of them has risen. So the arena
//! has not grown, and no two overlap. Done again and again this ends, since offsets only fall,
//! at a plan that it leaves as it is: stacked in the order of its own offsets. So it is enough
//! to look at all orders in which every buffer, stacked on those before it, lies no lower than
//! the one before it. Sizes that are multiples of an alignment keep all offsets at multiples.

use super::problem::Buffer;

/// The most buffers that are looked at.
pub(crate) const MOST: usize = 13;

/// The smallest arena of buffers of which `peak` bytes are live at once; `None` for too many.
pub(crate) fn smallest(buffers: &[Buffer], peak: u64) -> Option<u64> {
    if buffers.len() > MOST {
        return None;
    }
    // Two buffers that meet do so where the later begins: no other step needs a look.
    let mut steps: Vec<u64> = buffers.iter().map(|it| it.first).collect();
    steps.sort_unstable();
    steps.dedup();
    let mut left: Vec<&Buffer> = buffers.iter().collect();
    // The largest first: good plans come early, and more of the others need no look.
    left.sort_by_key(|it| std::cmp::Reverse(it.size));
    let all: u64 = left.iter().map(|it| it.size).sum();
    let mut search = Search {
        steps: &steps,
        peak,
        best: all,
    };
    search.descend(&left, &vec![0; steps.len()], (0, 0));
    Some(search.best)
}

struct Search<'s> {
    steps: &'s [u64],
    peak: u64,
    /// The smallest arena so far; end to end to begin with.
    best: u64,
}

impl Search<'_> {
    /// Stacks what is left on `heights`, the highest end at each of the steps, in every order
    /// that goes on after the offset `last.0`; of equal offsets only in one order, because they
    /// never meet: from the place `last.1` on.
    fn descend(&mut self, left: &[&Buffer], heights: &[u64], last: (u64, usize)) {
        if left.is_empty() {
            let arena = heights.iter().copied().max().unwrap_or(0);
            self.best = self.best.min(arena);
            return;
        }
        if self.is_hopeless(left, heights, last.0) {
            return;
        }
        for (place, buffer) in left.iter().enumerate() {
            let own = self.steps.iter().zip(heights);
            let under = own.filter(|(step, _)| buffer.is_live(**step));
            let at = under.map(|(_, height)| *height).max().unwrap_or(0);
            let top = at + buffer.size;
            if (at, place) < last || top >= self.best || self.best == self.peak {
                continue;
            }
            let mut higher = heights.to_vec();
            for (step, height) in self.steps.iter().zip(&mut higher) {
                if buffer.is_live(*step) {
                    *height = top;
                }
            }
            let mut others = left.to_vec();
            others.remove(place);
            // What stood behind it has moved up by one place.
            self.descend(&others, &higher, (at, place));
        }
    }

    /// Whether the steps do not have room for all that is left below the best arena so far:
    /// nothing that is to come lies lower than `last`.
    fn is_hopeless(&self, left: &[&Buffer], heights: &[u64], last: u64) -> bool {
        self.steps.iter().zip(heights).any(|(step, height)| {
            let waiting = left.iter().filter(|it| it.is_live(*step));
            let waiting: u64 = waiting.map(|it| it.size).sum();
            waiting > 0 && last.max(*height) + waiting >= self.best
        })
    }
}
