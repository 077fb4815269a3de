//! Onto which buffers one can be moved so that this overlap is all that is wrong, and a run fails.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::corrupt::{WORD, maybe_in_place};
use super::start_ranges::{Barred, alignment, barred, meetings, windows};
use crate::liveness::{Buffer, Lifetimes};
use crate::plan::{Options, Plan};
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Offset};

/// A buffer that another one can be moved onto.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Which one.
    pub buffer: usize,
    /// Where the other starts then.
    pub at: Offset,
    /// How many bytes of content they share then.
    pub bytes: Bytes,
}

/// Every buffer that `moved` can be moved onto inside the arena of `plan`, which is valid: at
/// [`Target::at`] the judge finds this one overlap and nothing else, and what is written later
/// overwrites what is still needed. The largest overlaps in bytes and steps come first.
/// O(n log n).
#[must_use]
pub fn targets(lifetimes: &Lifetimes, plan: &Plan, options: &Options, moved: usize) -> Vec<Target> {
    let buffers = &lifetimes.buffers;
    let both = buffers.get(moved).zip(plan.offsets.get(moved));
    let Some((held, old)) = both.filter(|(held, _)| held.fixed.is_none()) else {
        return Vec::new();
    };
    let mut best: BTreeMap<usize, Target> = BTreeMap::new();
    for (buffer, at) in lone_overlaps(lifetimes, plan, options, (moved, held)) {
        let target = &buffers[buffer];
        let place = plan.offsets[buffer];
        let end = |at: Offset, bytes: Bytes| at.0.saturating_add(bytes.0);
        let top = end(at, held.payload).min(end(place, target.payload));
        let bytes = Bytes(top.saturating_sub(at.0.max(place.0)));
        let known = best.get(&buffer);
        if at != *old
            && known.is_none_or(|known| (known.bytes, Reverse(known.at)) < (bytes, Reverse(at)))
            && bytes > Bytes::ZERO
            && held.span.start != target.span.start
            && !(at == place && maybe_in_place(held, target))
        {
            best.insert(buffer, Target { buffer, at, bytes });
        }
    }
    let mut found: Vec<Target> = best.into_values().collect();
    found.order_by_key(|target| {
        let span = buffers[target.buffer].span;
        let steps = span.end.min(held.span.end).0 - span.start.max(held.span.start).0;
        Reverse(u128::from(steps) * u128::from(target.bytes.0))
    });
    found
}

/// Places for `held` at which one buffer alone is in the way, and which: of each stretch of such
/// places both ends, and what is next to them where the ends themselves will not do.
fn lone_overlaps(
    lifetimes: &Lifetimes,
    plan: &Plan,
    options: &Options,
    (moved, held): (usize, &Buffer),
) -> Vec<(usize, Offset)> {
    let barred: Vec<Barred> = barred(lifetimes, &plan.offsets, moved)
        .filter(|one| one.from < one.to)
        .collect();
    let alone = Alone::of(&barred);
    // A run reads and writes whole words.
    let (own, word) = (alignment(held, options), i128::from(WORD));
    let mut grids = (1..=word).map(|times| own * times);
    let grid = grids.find(|it| it % word == 0).unwrap_or(word);
    let size = i128::from(held.size.0);
    let handed: Vec<i128> = meetings(lifetimes, &plan.offsets, moved)
        .map(|(_, at)| i128::from(at.0))
        .collect();
    // The arena bounds every pool.
    let windows = windows(held, plan, moved).into_iter().map(|(first, last)| {
        let arena = i128::from(plan.arena.0) - size;
        (first, last.map_or(arena, |last| last.min(arena)))
    });
    let windows: Vec<(i128, i128)> = windows.collect();
    let ends = barred
        .iter()
        .flat_map(|one| [one.from, one.from + size, one.to - size, one.to]);
    let ends = ends.chain(windows.iter().flat_map(|&(first, last)| [first, last]));
    let starts = ends.chain(handed.iter().copied()).flat_map(|at| {
        let below = at.div_euclid(grid) * grid;
        [below - grid, below, below + grid]
    });
    let inside = |at: &i128| windows.iter().any(|it| it.0 <= *at && *at <= it.1);
    let free = starts.filter(|at| inside(at) && !handed.contains(at));
    free.filter_map(|at| Some((alone.at(at)?, Offset(u64::try_from(at).ok()?))))
        .collect()
}

/// The buffers that can be moved onto another, the largest first; only the `most` largest of all
/// are looked at.
#[must_use]
pub fn movable(lifetimes: &Lifetimes, plan: &Plan, options: &Options, most: usize) -> Vec<usize> {
    let mut all: Vec<usize> = (0..lifetimes.buffers.len()).collect();
    all.order_by_key(|&index| Reverse(lifetimes.buffers[index].size));
    all.truncate(most);
    all.retain(|&index| !targets(lifetimes, plan, options, index).is_empty());
    all
}

/// Answers which buffer alone is in the way at an address.
struct Alone {
    /// Where what is barred begins, ascending, with what reaches highest of all up to there.
    from: Vec<(i128, Barred)>,
    /// Where it ends, ascending.
    to: Vec<i128>,
}

impl Alone {
    fn of(barred: &[Barred]) -> Self {
        let mut sorted = barred.to_vec();
        sorted.order();
        let mut highest: Option<Barred> = None;
        let from = sorted.into_iter().map(|one| {
            let high = highest.filter(|high| high.to >= one.to).unwrap_or(one);
            highest = Some(high);
            (one.from, high)
        });
        let from = from.collect();
        let mut to: Vec<i128> = barred.iter().map(|one| one.to).collect();
        to.order();
        Self { from, to }
    }

    /// The one in the way of a start at `at`, if it is one.
    fn at(&self, at: i128) -> Option<usize> {
        let begun = self.from.partition_point(|(from, _)| *from < at);
        let ended = self.to.partition_point(|to| *to <= at);
        // Of those that have begun, the one that has not ended reaches highest.
        let (_, high) = self.from.get(begun.checked_sub(1)?)?;
        (begun == ended + 1).then_some(high.by)
    }
}
