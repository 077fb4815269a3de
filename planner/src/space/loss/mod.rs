//! Why a plan is larger than a bound: which bytes are empty at the decisive step, what bounds
//! them, and what keeps the buffers above from coming down.
//!
//! The decisive step is the one at which the arena can least be helped: among the steps at
//! which a buffer that reaches its top is live, the one with the most bytes held. What is
//! empty there lies below the top while the arena is as high as it ever is. With
//!
//! | bytes | are |
//! |---|---|
//! | empty | arena − held: the holes at that step |
//! | apart | held − live: held twice, though one buffer may be written over another |
//! | idle | bound − live: holes that no plan has to fill, because less is live than the bound |
//!
//! the bytes add up, whatever the plan and the bound: `arena − bound = empty + apart − idle`.

mod blocker;
mod fit;

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::{Block, FreePoint, blocks, free};
use crate::free_space;
use crate::liveness::{Buffer, Lifetimes, savings};
use crate::plan::{Plan, Pools};
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Offset, Span, Step};

pub use blocker::{Blocker, Why};

/// The most holes that [`Loss::holes`] names.
pub const HOLES_LISTED: usize = 64;

/// Why a plan is larger than a bound.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loss {
    /// The decisive step, the first of several that are as full.
    pub step: Step,
    /// The buffers live then that reach highest, by ascending index.
    pub top: Vec<usize>,
    /// How many reach as high at any step: the arena is lower only when all of them are.
    pub reaching: u64,
    /// The bound.
    pub bound: Bytes,
    /// Bytes of the arena beyond the bound, at least one.
    pub bytes: Bytes,
    /// Bytes that some buffer holds at the step; what two of them share counts once.
    pub held: Bytes,
    /// Bytes that any plan needs at the step: the profile of live bytes there.
    pub live: Bytes,
    /// The empty bytes at the step, by ascending address: the [`HOLES_LISTED`] largest holes.
    pub holes: Vec<Hole>,
    /// How many holes there are beside these.
    pub more: u64,
    /// Bytes of those.
    pub more_bytes: Bytes,
}

/// Bytes that no buffer needs at the decisive step, as high as they are empty then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hole {
    /// First byte.
    pub low: Offset,
    /// End, exclusive.
    pub high: Offset,
    /// When all of them are empty; the decisive step is within.
    pub span: Span,
    /// The buffer that ends where it begins at that step; `None` for the arena's floor.
    pub below: Option<usize>,
    /// The buffer that begins where it ends at that step; `None` for the arena's end.
    pub above: Option<usize>,
    /// A buffer that holds some of these bytes just before the span.
    pub before: Option<usize>,
    /// A buffer that holds some of these bytes just after the span.
    pub after: Option<usize>,
    /// What keeps the buffer above from coming down. `None` where nothing lies above, and
    /// where nothing keeps it: it could lie lower with all others where they are.
    pub because: Option<Blocker>,
    /// The first buffer of [`Loss::top`] that could lie in here for its whole life, sharing no
    /// byte, with all others where they are. Not said of shared objects and fixed addresses.
    pub fits: Option<usize>,
}

impl Hole {
    /// Its height in bytes.
    #[must_use]
    pub fn height(&self) -> Bytes {
        Bytes(self.high.0.saturating_sub(self.low.0))
    }
}

impl Loss {
    /// Bytes of all holes, listed or not.
    #[must_use]
    pub fn empty(&self) -> Bytes {
        let arena = self.bound.0.saturating_add(self.bytes.0);
        Bytes(arena.saturating_sub(self.held.0))
    }

    /// Bytes held twice at the step although one buffer may be written over another. Below
    /// zero only for a plan whose buffers overlap against the rules.
    #[must_use]
    pub fn apart(&self) -> i128 {
        i128::from(self.held.0) - i128::from(self.live.0)
    }

    /// Bytes of holes that no plan has to fill, because fewer bytes are live at the step than
    /// the bound counts. Below zero only where the bound is less than what is live.
    #[must_use]
    pub fn idle(&self) -> i128 {
        i128::from(self.bound.0) - i128::from(self.live.0)
    }

    /// The holes, largest first, ties by address.
    #[must_use]
    pub fn largest_first(&self) -> Vec<&Hole> {
        let mut holes: Vec<&Hole> = self.holes.iter().collect();
        holes.order_by_key(|hole| (Reverse(hole.height()), hole.low));
        holes
    }
}

/// Why `plan` is larger than `bound`. Blocks start at multiples of `alignment`, and each as
/// its buffer asks for.
///
/// `None` for a plan that is not larger, for one that lies in several pools, where a lower
/// place may be in another memory, and where nothing lies in the arena. It speaks of the
/// arena, never of what an allocator reserved for it, and takes a plan's word that it is
/// valid: of one that is not, the bytes still add up.
///
/// O(n log n), and for each hole that is listed one look at every buffer.
#[must_use]
pub fn loss(lifetimes: &Lifetimes, plan: &Plan, bound: Bytes, alignment: Bytes) -> Option<Loss> {
    if !is_explained(plan, bound) {
        return None;
    }
    let free = free(lifetimes, plan);
    loss_with(lifetimes, plan, &free, (bound, alignment))
}

/// The same as [`loss`] where the free bytes over time are known, see [`free`], which take most
/// of its time.
#[must_use]
pub fn loss_with(
    lifetimes: &Lifetimes,
    plan: &Plan,
    free: &[FreePoint],
    (bound, alignment): (Bytes, Bytes),
) -> Option<Loss> {
    if !is_explained(plan, bound) {
        return None;
    }
    let reaching = reaching(lifetimes, plan);
    let step = decisive(lifetimes, &reaching, free)?;
    let is_live = |index: &usize| lifetimes.buffers[*index].span.contains(step);
    let top = reaching.iter().copied().filter(is_live).collect();
    let mut holes = holes(lifetimes, plan, step);
    let sum = |holes: &[Hole]| holes.iter().map(|hole| hole.height().0).sum::<u64>();
    let (empty, count) = (sum(&holes), holes.len());
    holes.order_by_key(|hole| (Reverse(hole.height()), hole.low));
    holes.truncate(HOLES_LISTED);
    holes.order_by_key(|hole| hole.low);
    let mut loss = Loss {
        step,
        top,
        reaching: reaching.len() as u64,
        bound,
        bytes: Bytes(plan.arena.0 - bound.0),
        held: Bytes(plan.arena.0 - empty),
        live: live(lifetimes, step),
        more: (count - holes.len()) as u64,
        more_bytes: Bytes(empty - sum(&holes)),
        holes,
    };
    for block in blocks(lifetimes, plan) {
        narrow(&mut loss.holes, block, step);
    }
    for hole in &mut loss.holes {
        hole.because = blocker::blocker(lifetimes, plan, hole, (step, alignment));
    }
    for &top in loss.top.iter().rev() {
        fit::fit(lifetimes, plan, (top, alignment), &mut loss.holes);
    }
    Some(loss)
}

/// Whether it is larger than `bound` and lies in one pool.
fn is_explained(plan: &Plan, bound: Bytes) -> bool {
    let several = |pools: &Pools| pools.bases.len() > 1;
    plan.arena > bound && !plan.pools.as_ref().is_some_and(several)
}

/// The buffers that reach highest, by index.
fn reaching(lifetimes: &Lifetimes, plan: &Plan) -> Vec<usize> {
    let placed = lifetimes.buffers.iter().zip(&plan.offsets).enumerate();
    let placed = placed.filter(|(_, (buffer, _))| buffer.is_needed());
    let ends = placed.map(|(index, (buffer, at))| (index, at.0.saturating_add(buffer.size.0)));
    let highest = ends.clone().map(|(_, end)| end).max();
    ends.filter(|&(_, end)| Some(end) == highest)
        .map(|(index, _)| index)
        .collect()
}

/// Of the steps at which one of `reaching` needs its last byte, the one at which the fewest
/// bytes are free, the first of several; where none ever does, of the steps of their lives.
fn decisive(lifetimes: &Lifetimes, reaching: &[usize], free: &[FreePoint]) -> Option<Step> {
    let buffers = reaching.iter().map(|&index| &lifetimes.buffers[index]);
    let last = |buffer: &Buffer| {
        let size = buffer.size;
        let needs = buffer.needs().filter(move |need| need.window.1 >= size);
        needs.map(|need| need.span).collect::<Vec<_>>()
    };
    let mut spans: Vec<Span> = buffers.clone().flat_map(last).collect();
    if spans.is_empty() {
        spans = buffers.map(|buffer| buffer.span).collect();
    }
    spans.order();
    let mut fullest: Option<(Bytes, Step)> = None;
    let mut from = Step::default();
    for span in spans {
        // No step is looked at twice.
        let start = span.start.max(from);
        from = from.max(span.end);
        let first = free.partition_point(|point| point.step <= start);
        let here = &free[first.saturating_sub(1)..];
        for point in here.iter().take_while(|point| point.step < span.end) {
            let step = point.step.max(start);
            let fuller = fullest.is_none_or(|(least, _)| point.free < least);
            if fuller && step < span.end {
                fullest = Some((point.free, step));
            }
        }
    }
    fullest.map(|(_, step)| step)
}

/// What the profile of live bytes has at `step`. Sums beyond 64 bits are the largest number.
fn live(lifetimes: &Lifetimes, step: Step) -> Bytes {
    let needed = lifetimes.buffers.iter().filter_map(|it| it.needed_at(step));
    let needed: u128 = needed.map(|(start, end)| u128::from(end.0 - start.0)).sum();
    let saved = savings(lifetimes).into_iter();
    let saved = saved.filter(|saving| saving.0 == step);
    let saved: u128 = saved.map(|(_, _, bytes)| u128::from(bytes.0)).sum();
    let live = needed.saturating_sub(saved);
    Bytes(u64::try_from(live).unwrap_or(u64::MAX))
}

/// The holes of the arena at `step` by ascending address, with what bounds them.
fn holes(lifetimes: &Lifetimes, plan: &Plan, step: Step) -> Vec<Hole> {
    let arena = plan.arena.0;
    let now = blocks(lifetimes, plan).filter(|block| block.span.contains(step));
    let mut held: Vec<(u64, u64, usize)> = now
        .map(|block| (block.low, block.high, block.buffer))
        .collect();
    held.order();
    let ranges = free_space::free_ranges(0, held.into_iter());
    let holes = ranges.map(|range| {
        let end = range.end.unwrap_or(u64::MAX);
        Hole {
            low: Offset(range.start),
            high: Offset(end.min(arena)),
            span: Span {
                start: Step::default(),
                end: lifetimes.horizon,
            },
            below: range.below,
            above: range.above.filter(|_| end <= arena),
            before: None,
            after: None,
            because: None,
            fits: None,
        }
    });
    holes.filter(|hole| hole.low < hole.high).collect()
}

/// Ends the holes that `block` reaches into where it begins or ends. `holes` is by address.
fn narrow(holes: &mut [Hole], block: Block, step: Step) {
    if block.span.contains(step) {
        return;
    }
    let first = holes.partition_point(|hole| hole.high.0 <= block.low);
    for hole in &mut holes[first..] {
        if hole.low.0 >= block.high {
            break;
        }
        if block.span.end <= step && block.span.end > hole.span.start {
            hole.span.start = block.span.end;
            hole.before = Some(block.buffer);
        } else if block.span.start > step && block.span.start < hole.span.end {
            hole.span.end = block.span.start;
            hole.after = Some(block.buffer);
        }
    }
}
