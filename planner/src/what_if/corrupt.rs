//! Corrupts a plan on purpose: shifts one tensor onto another that is live at the same time, as
//! a wrong planner would. A confirmation must then name the buffer that was overwritten.

use std::cmp::Reverse;

use crate::liveness::{Buffer, Lifetimes};
use crate::plan::Plan;
use crate::sorting::Sorting as _;
use crate::units::Offset;

/// A run reads and writes whole words, in bytes.
pub(super) const WORD: u64 = 4;

/// A corrupted plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Corrupted {
    /// The plan with one offset changed.
    pub plan: Plan,
    /// The buffer that was moved.
    pub moved: usize,
    /// How far, in bytes.
    pub by: i64,
    /// Every buffer that is overwritten while it is live, in order: the earlier born of each
    /// overlapping pair, the first of two that are born in the same step.
    pub victims: Vec<usize>,
}

/// How the moved buffer lies on the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OverlapKind {
    /// Over the other's end, in at most so many words.
    End(u64),
    /// Over its start.
    Start(u64),
    /// Inside it, or around it.
    Nested,
}

/// In the order in which seeds take them: neighbours differ in place and in size.
const KINDS: [OverlapKind; 7] = [
    OverlapKind::End(u64::MAX),
    OverlapKind::Start(16),
    OverlapKind::Nested,
    OverlapKind::End(1),
    OverlapKind::Start(u64::MAX),
    OverlapKind::End(16),
    OverlapKind::Start(1),
];

/// Moves one tensor so that it overlaps another one. Seed 0 takes those that share most bytes
/// for most steps; every other seed another place of the run, spread over all of it, and
/// another kind of overlap. `None` when no two tensors are ever live together, or none can be
/// moved onto another inside the arena.
#[must_use]
pub fn corrupt(lifetimes: &Lifetimes, plan: &Plan, seed: u64) -> Option<Corrupted> {
    let pairs = pairs(lifetimes, seed);
    let kinds = KINDS.len();
    let turn = usize::try_from(seed % kinds as u64).ok()?;
    let start = spread(seed, pairs.len());
    for index in 0..pairs.len() {
        let (moved, target) = pairs[(start + index) % pairs.len()];
        for choice in 0..kinds {
            let kind = KINDS[(turn + choice) % kinds];
            let found = onto(lifetimes, plan, (moved, target), kind);
            let corrupted = found.and_then(|offset| corrupt_by(lifetimes, plan, moved, offset));
            let corrupted = corrupted.filter(|x| !x.victims.is_empty());
            if let Some(corrupted) = corrupted.filter(|x| !lies_in_place(lifetimes, x)) {
                return Some(corrupted);
            }
        }
    }
    None
}

/// An index below `len`: multiples of the golden ratio are spread evenly, however many are
/// taken (Knuth, The Art of Computer Programming, volume 3, section 6.4).
fn spread(seed: u64, len: usize) -> usize {
    let share = u128::from(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    usize::try_from((share * len as u128) >> 64).unwrap_or_default()
}

/// Moves `buffer` to `offset`, wherever it was dragged. `None` when that is where it is, is no
/// multiple of four, or goes beyond the arena.
#[must_use]
pub fn corrupt_by(
    lifetimes: &Lifetimes,
    plan: &Plan,
    buffer: usize,
    offset: Offset,
) -> Option<Corrupted> {
    let old = *plan.offsets.get(buffer)?;
    let payload = payload(lifetimes.buffers.get(buffer)?);
    let end = offset.0.checked_add(payload)?;
    if offset == old || !offset.0.is_multiple_of(WORD) || end > plan.arena.0 {
        return None;
    }
    let mut plan = plan.clone();
    plan.offsets[buffer] = offset;
    // Its objects are no more what they were.
    plan.objects = None;
    plan.origin = format!("{}, spoiled", plan.origin).into();
    let victims = victims(lifetimes, &plan);
    let by = i64::try_from(i128::from(offset.0) - i128::from(old.0)).ok()?;
    Some(Corrupted {
        plan,
        moved: buffer,
        by,
        victims,
    })
}

/// Every buffer that a plan overwrites while it is live, in order.
#[must_use]
pub fn victims(lifetimes: &Lifetimes, plan: &Plan) -> Vec<usize> {
    let buffers = &lifetimes.buffers;
    let mut victims = Vec::new();
    for (index, (first, a)) in buffers.iter().zip(&plan.offsets).enumerate() {
        let others = buffers.iter().zip(&plan.offsets).enumerate();
        for (other, (second, b)) in others.skip(index + 1) {
            let apart = a.0.saturating_add(payload(first)) <= b.0
                || b.0.saturating_add(payload(second)) <= a.0;
            if !apart && first.span.overlaps(second.span) {
                let earlier = first.span.start <= second.span.start;
                victims.push(if earlier { index } else { other });
            }
        }
    }
    victims.sort_unstable();
    victims.dedup();
    victims
}

/// Bytes that a run reads and writes: whole words.
fn payload(buffer: &Buffer) -> u64 {
    let bytes = buffer.payload.0;
    bytes.checked_next_multiple_of(WORD).unwrap_or(bytes)
}

/// Ordered pairs of buffers that hold something at the same time. Those that are live in the
/// whole run come last: inputs and outputs that are pinned hold nothing for a part of it.
/// Pairs that are born together are left out: which one wins depends on the operator.
fn pairs(lifetimes: &Lifetimes, seed: u64) -> Vec<(usize, usize)> {
    let buffers = &lifetimes.buffers;
    let whole = |buffer: &Buffer| buffer.span.start.0 == 0 && buffer.span.end == lifetimes.horizon;
    let mut pairs = Vec::new();
    let mut pinned = Vec::new();
    for (index, first) in buffers.iter().enumerate() {
        for (other, second) in buffers.iter().enumerate() {
            let together = first.span.overlaps(second.span)
                && first.span.start != second.span.start
                && payload(first) > 0
                && payload(second) > 0;
            if together && (whole(first) || whole(second)) {
                pinned.push((index, other));
            } else if together {
                pairs.push((index, other));
            }
        }
    }
    let mut pairs = if pairs.is_empty() { pinned } else { pairs };
    if seed > 0 {
        // By the step at which the later of both is written.
        pairs.order_by_key(|&(first, second)| {
            buffers[first].span.start.max(buffers[second].span.start)
        });
        return pairs;
    }
    // The largest overlaps that there can be come first: they are seen best.
    pairs.order_by_key(|&(first, second)| {
        let (first, second) = (&buffers[first], &buffers[second]);
        let steps =
            first.span.end.0.min(second.span.end.0) - first.span.start.0.max(second.span.start.0);
        let bytes = payload(first).min(payload(second));
        Reverse(u128::from(steps) * u128::from(bytes))
    });
    pairs
}

/// Where `moved` lies on `target` as `kind` says, if it can.
fn onto(
    lifetimes: &Lifetimes,
    plan: &Plan,
    (moved, target): (usize, usize),
    kind: OverlapKind,
) -> Option<Offset> {
    let [size, other] = [moved, target].map(|index| payload(&lifetimes.buffers[index]));
    let at = plan.offsets.get(target)?.0;
    let shared = |words: u64| words.saturating_mul(WORD).min(size).min(other);
    let start = match kind {
        OverlapKind::End(words) => at.checked_add(other)?.checked_sub(shared(words))?,
        OverlapKind::Start(words) => at.checked_add(shared(words))?.checked_sub(size)?,
        // Half of what the larger has beyond the smaller on either side.
        OverlapKind::Nested => {
            let beyond = size.abs_diff(other) / 2 / WORD * WORD;
            if beyond == 0 {
                return None;
            }
            match size < other {
                true => at.checked_add(beyond)?,
                false => at.checked_sub(beyond)?,
            }
        }
    };
    Some(Offset(start))
}

/// Whether the moved buffer lies exactly on one where an element-wise operator may write.
fn lies_in_place(lifetimes: &Lifetimes, corrupted: &Corrupted) -> bool {
    let moved = &lifetimes.buffers[corrupted.moved];
    let offset = corrupted.plan.offsets[corrupted.moved];
    let mut others = lifetimes.buffers.iter().zip(&corrupted.plan.offsets);
    others.any(|(other, at)| *at == offset && maybe_in_place(moved, other))
}

/// Whether one of two as large as each other is read last where the other is born: an
/// element-wise operator may write the one over the other.
pub(super) fn maybe_in_place(one: &Buffer, other: &Buffer) -> bool {
    let last = |buffer: &Buffer| buffer.span.end.0.saturating_sub(1);
    let meets = last(other) == one.span.start.0 || last(one) == other.span.start.0;
    payload(one) == payload(other) && meets
}
