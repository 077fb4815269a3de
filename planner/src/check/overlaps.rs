//! Buffers that need the same bytes at the same step.
//!
//! A sweep says whether any two collide, fast for plans of any size; only when it finds
//! something are the pairs listed.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use super::needs::{Handovers, Rectangle, collision, is_needed, needs};
use super::{LISTED, Violation};
use crate::liveness::{Buffer, Lifetimes};
use crate::plan::Plan;

/// Pairs of buffers that collide, except those that share an object: these break another
/// rule already.
pub(super) fn check_overlaps(
    lifetimes: &Lifetimes,
    plan: &Plan,
    handovers: &Handovers,
    found: &mut Vec<Violation>,
) {
    let mut pieces = Vec::with_capacity(lifetimes.buffers.len());
    let known = covered(lifetimes, plan, handovers, &mut pieces);
    pieces.sort_by_key(|piece| piece.steps.0);
    if known && !any_overlap(&pieces) {
        return;
    }
    let buffers = &lifetimes.buffers;
    let mut order: Vec<usize> = (0..buffers.len()).collect();
    order.retain(|&buffer| is_needed(&buffers[buffer]));
    order.sort_by_key(|&buffer| buffers[buffer].span.start);
    let object = |buffer: usize| {
        let objects = plan.objects.as_ref()?;
        objects.of_buffer.get(buffer).copied()
    };
    for (place, &one) in order.iter().enumerate() {
        let later = order[place + 1..].iter();
        let end = buffers[one].span.end;
        for &other in later.take_while(|&&other| buffers[other].span.start < end) {
            let same_object = object(one).is_some() && object(one) == object(other);
            if !same_object {
                found.extend(pair(buffers, plan, handovers, (one, other)));
            }
            if found.len() >= LISTED {
                return;
            }
        }
    }
}

/// What two buffers whose spans overlap do wrong, if anything.
fn pair(
    buffers: &[Buffer],
    plan: &Plan,
    handovers: &Handovers,
    (one, other): (usize, usize),
) -> Option<Violation> {
    let range = |buffer: usize| {
        let start = plan.offsets[buffer].0;
        (start, start.saturating_add(buffers[buffer].size.0))
    };
    let (a, b) = (range(one), range(other));
    if a.0.max(b.0) >= a.1.min(b.1) || handovers.keeps(one, other) {
        return None;
    }
    let (first, second) = (one.min(other), one.max(other));
    let whole = buffers[one].pauses.is_empty() && buffers[other].pauses.is_empty();
    if !whole {
        let step = collision(&needs(&buffers[one], a.0), &needs(&buffers[other], b.0))?;
        if handovers.allowed(one, other).is_none() {
            return Some(Violation::NeededTwice {
                first,
                second,
                step,
            });
        }
    }
    Some(match handovers.allowed(one, other) {
        Some((before, after, shift)) => Violation::HandoverMissed {
            before,
            after,
            shift,
        },
        None => Violation::Overlap { first, second },
    })
}

/// Lists in `pieces` which addresses are taken when. What a buffer hands over at its last
/// step is taken by the buffer that it is handed to and by no other.
///
/// False where buffers are handed on in more than pairs: then the pieces do not show
/// whether the plan is valid.
fn covered(
    lifetimes: &Lifetimes,
    plan: &Plan,
    handovers: &Handovers,
    pieces: &mut Vec<Rectangle>,
) -> bool {
    let buffers = &lifetimes.buffers;
    let mut after: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut heirs = BTreeSet::new();
    let mut only_pairs = true;
    for (giver, heir) in handovers.kept() {
        after.entry(giver).or_default().push(heir);
        only_pairs &= heirs.insert(heir);
    }
    for (buffer, known) in buffers.iter().enumerate() {
        let mut needed = needs(known, plan.offsets[buffer].0);
        if let Some(after) = after.get(&buffer) {
            only_pairs &= !(heirs.contains(&buffer) && known.span.len() == 1);
            let heirs = after.iter().map(|&heir| &buffers[heir]);
            let offsets = after.iter().map(|&heir| plan.offsets[heir].0);
            hand_over(&mut needed, known, heirs.zip(offsets));
        }
        pieces.append(&mut needed);
    }
    only_pairs
}

/// Takes out of `pieces`, what `giver` needs, the bytes that its heirs need at its last step.
fn hand_over<'a>(
    pieces: &mut Vec<Rectangle>,
    giver: &Buffer,
    heirs: impl Iterator<Item = (&'a Buffer, u64)>,
) {
    let end = giver.span.end.0;
    let Some(last) = pieces.pop_if(|piece| piece.steps.1 == end) else {
        return;
    };
    let step = end - 1;
    if last.steps.0 < step {
        let steps = (last.steps.0, step);
        pieces.push(Rectangle { steps, ..last });
    }
    let mut taken: Vec<(u64, u64)> = heirs
        .flat_map(|(heir, offset)| needs(heir, offset))
        .filter(|piece| piece.steps.0 <= step && step < piece.steps.1)
        .map(|piece| piece.bytes)
        .collect();
    taken.sort_unstable();
    let (mut from, to) = last.bytes;
    let steps = (step, end);
    for (first, last) in taken {
        if from < first.min(to) {
            let bytes = (from, first.min(to));
            pieces.push(Rectangle { steps, bytes });
        }
        from = from.max(last);
    }
    if from < to {
        let bytes = (from, to);
        pieces.push(Rectangle { steps, bytes });
    }
}

/// Whether any two rectangles, by first step, overlap. Sweeps over the steps with the live
/// address ranges at hand: as long as they are disjoint, a new one can only hit the one below
/// or above it.
fn any_overlap(rectangles: &[Rectangle]) -> bool {
    let mut live: BTreeMap<u64, u64> = BTreeMap::new();
    let mut ends: BTreeSet<(u64, u64)> = BTreeSet::new();
    for rectangle in rectangles {
        while let Some(&(end, offset)) = ends.first() {
            if end > rectangle.steps.0 {
                break;
            }
            ends.pop_first();
            live.remove(&offset);
        }
        let (start, end) = rectangle.bytes;
        let below = live.range(..end).next_back();
        if below.is_some_and(|(_, &below_end)| below_end > start) {
            return true;
        }
        live.insert(start, end);
        ends.insert((rectangle.steps.1, start));
    }
    false
}
