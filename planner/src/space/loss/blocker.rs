//! What keeps a buffer from lying lower.

use serde::{Deserialize, Serialize};

use super::Hole;
use crate::liveness::{Buffer, Lifetimes, Need};
use crate::plan::Plan;
use crate::units::{Bytes, Offset, Span, Step};

/// What keeps a buffer from lying lower.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blocker {
    /// The buffer that does; the one that is kept up itself where the reason is its own.
    pub buffer: usize,
    /// How.
    pub why: Why,
    /// From the first step to the last at which both would need the same bytes, if the kept
    /// one lay one alignment lower; for a reason of its own, and in shared objects, the life
    /// of [`Blocker::buffer`].
    pub span: Span,
}

/// How a buffer is kept from lying lower.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// Another holds the bytes below it at other steps of its life, not at the decisive one.
    Under,
    /// Another holds them at the decisive step too, and ends within an alignment below it:
    /// the hole is what alignment leaves.
    Alignment,
    /// One of both is written over the other: only both together could lie lower.
    Shared,
    /// These bytes are its own; it pauses.
    Itself,
    /// Its address is fixed.
    Fixed,
    /// The largest buffer of the shared object below, which is as large as that.
    Object,
}

/// What keeps the buffer above `hole` from lying lower, at the step of the hole; `None` where
/// nothing does. Of several the one that does at the nearest step, ties by lower index, and
/// one that shares its bytes only where there is no other.
pub(super) fn blocker(
    lifetimes: &Lifetimes,
    plan: &Plan,
    hole: &Hole,
    (step, alignment): (Step, Bytes),
) -> Option<Blocker> {
    let index = hole.above?;
    let (it, at) = (lifetimes.buffers.get(index)?, *plan.offsets.get(index)?);
    let own = |why| Blocker {
        buffer: index,
        why,
        span: it.span,
    };
    if at <= hole.low {
        return Some(own(Why::Itself));
    }
    if it.fixed.is_some() {
        return Some(own(Why::Fixed));
    }
    if let Some(largest) = object_below(lifetimes, plan, hole, alignment) {
        return Some(Blocker {
            buffer: largest,
            why: Why::Object,
            span: lifetimes.buffers.get(largest)?.span,
        });
    }
    let unit = alignment.max(it.alignment).0.max(1);
    let last = at.0.checked_sub(1)?;
    let mut partners = partners(lifetimes, index);
    partners.sort_unstable();
    let moved = Moved {
        it,
        needs: it.needs().collect(),
        to: Offset(last - last % unit),
        partners,
    };
    let placed = lifetimes.buffers.iter().zip(&plan.offsets).enumerate();
    let others = placed.filter(|&(other, _)| other != index);
    let clashes = others.filter_map(|(other, (buffer, &offset))| {
        let (span, away) = moved.clash((other, buffer, offset), step)?;
        let shared = moved.shares((other, offset), at) && meet((it, at), (buffer, offset));
        let blocker = Blocker {
            buffer: other,
            why: match (shared, away) {
                (true, _) => Why::Shared,
                (false, 0) => Why::Alignment,
                (false, _) => Why::Under,
            },
            span,
        };
        Some((shared, away, blocker))
    });
    let nearest = clashes.min_by_key(|&(shared, away, blocker)| (shared, away, blocker.buffer));
    nearest.map(|(_, _, blocker)| blocker)
}

/// The largest buffer, the first of several, of the shared object below the one of which the
/// buffer above `hole` lies at the start. `None` where there are no objects, where the one below
/// is full, so that the hole is what alignment leaves, and where none ends within an alignment.
fn object_below(
    lifetimes: &Lifetimes,
    plan: &Plan,
    hole: &Hole,
    alignment: Bytes,
) -> Option<usize> {
    let index = hole.above?;
    let objects = plan.objects.as_ref()?;
    let start = *plan.offsets.get(index)?;
    let own = *objects.of_buffer.get(index)?;
    let members = |object: u32| {
        let held = lifetimes.buffers.iter().zip(&objects.of_buffer).enumerate();
        let held = held.filter(move |(_, (_, of))| **of == object);
        held.map(|(index, (buffer, _))| (index, buffer))
    };
    let unit = members(own).map(|(_, it)| it.alignment).max()?;
    let unit = unit.max(alignment).0.max(1);
    let ends = objects.offsets.iter().zip(&objects.sizes).zip(0_u32..);
    let ends = ends.filter(|((_, size), _)| **size > Bytes::ZERO);
    let ends = ends.filter_map(|((at, size), object)| Some((at.end(*size)?, object)));
    let (end, below) = ends.filter(|(end, _)| *end <= start).max()?;
    let is_own = objects.offsets.get(own as usize) == Some(&start);
    if !is_own || end <= hole.low || start.0 - end.0 >= unit {
        return None;
    }
    let largest = members(below).reduce(|one, other| match other.1.size > one.1.size {
        true => other,
        false => one,
    });
    largest.map(|(index, _)| index)
}

/// The buffers that may be written over buffer `index`, or be written over by it: which, and
/// how many bytes after its start each begins then.
fn partners(lifetimes: &Lifetimes, index: usize) -> Vec<(usize, i128)> {
    let life = |buffer: usize| lifetimes.buffers.get(buffer).map(|it| it.span);
    let pairs = lifetimes.handovers.iter().filter(|pair| {
        let both = life(pair.before).zip(life(pair.after));
        both.is_some_and(|(before, after)| after.start.0.checked_add(1) == Some(before.end.0))
    });
    let mut found = Vec::new();
    for pair in pairs {
        let shift = i128::from(pair.shift.0);
        if pair.before == index {
            found.push((pair.after, shift));
        } else if pair.after == index {
            found.push((pair.before, -shift));
        }
    }
    found
}

/// A buffer that is tried at a lower address.
struct Moved<'a> {
    it: &'a Buffer,
    /// What is needed of it, by step.
    needs: Vec<Need>,
    to: Offset,
    /// See [`partners`]; in order.
    partners: Vec<(usize, i128)>,
}

impl Moved<'_> {
    /// Whether `other` lies so that it shares its bytes on purpose when the buffer lies at
    /// `at`.
    fn shares(&self, (other, offset): (usize, Offset), at: Offset) -> bool {
        let shift = i128::from(offset.0) - i128::from(at.0);
        self.partners.binary_search(&(other, shift)).is_ok()
    }

    /// From the first to the last step at which `other` and the buffer at its new address need
    /// the same bytes, and how many steps the nearest of them is away from `step`.
    fn clash(
        &self,
        (other, buffer, offset): (usize, &Buffer, Offset),
        step: Step,
    ) -> Option<(Span, u64)> {
        let (low, high) = (self.to.0, self.to.0.saturating_add(self.it.size.0));
        let top = offset.0.saturating_add(buffer.size.0);
        let near = self.it.span.overlaps(buffer.span) && offset.0 < high && low < top;
        if !near || self.shares((other, offset), self.to) {
            return None;
        }
        let mut found: Option<(Span, u64)> = None;
        for need in buffer.needs() {
            let first = self
                .needs
                .partition_point(|own| own.span.end <= need.span.start);
            let own = self.needs[first..].iter();
            for own in own.take_while(|own| own.span.start < need.span.end) {
                let bytes = |at: u64, window: (Bytes, Bytes)| {
                    (at.saturating_add(window.0.0), at.saturating_add(window.1.0))
                };
                let (one, two) = (bytes(low, own.window), bytes(offset.0, need.window));
                if one.0 >= two.1 || two.0 >= one.1 {
                    continue;
                }
                let span = Span {
                    start: own.span.start.max(need.span.start),
                    end: own.span.end.min(need.span.end),
                };
                let away = away(span, step);
                found = Some(found.map_or((span, away), |(all, least)| {
                    let start = all.start.min(span.start);
                    let end = all.end.max(span.end);
                    (Span { start, end }, least.min(away))
                }));
            }
        }
        found
    }
}

/// Whether two buffers reserve a byte in common.
fn meet((it, at): (&Buffer, Offset), (other, offset): (&Buffer, Offset)) -> bool {
    let end = |at: Offset, it: &Buffer| at.0.saturating_add(it.size.0);
    at.0 < end(offset, other) && offset.0 < end(at, it)
}

/// How many steps `span`, which is not empty, is away from `step`.
fn away(span: Span, step: Step) -> u64 {
    let before = span.start.0.saturating_sub(step.0);
    let after = step.0.saturating_sub(span.end.0.saturating_sub(1));
    before.max(after)
}
