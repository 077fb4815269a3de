//! Which bytes a buffer needs when: its whole size, or less during its pauses; and which pairs
//! may share bytes because the one is handed over to the other.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use crate::liveness::{Buffer, Handover, Lifetimes};
use crate::plan::Plan;

/// Steps and addresses of what is needed of a buffer: first and last, the last exclusive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rectangle {
    /// Steps.
    pub(super) steps: (u64, u64),
    /// Bytes, from the start of the buffer or as addresses.
    pub(super) bytes: (u64, u64),
}

/// Whether `buffer` needs memory at all.
pub(super) fn is_needed(buffer: &Buffer) -> bool {
    buffer.size.0 > 0 && buffer.span.start < buffer.span.end
}

/// What `buffer` needs when it starts at `offset`, by ascending step, none overlapping.
pub(super) fn needs(buffer: &Buffer, offset: u64) -> Vec<Rectangle> {
    let mut pieces = Vec::with_capacity(1);
    if !is_needed(buffer) {
        return pieces;
    }
    let mut add = |from: u64, to: u64, (from_byte, to_byte): (u64, u64)| {
        if from < to && from_byte < to_byte {
            let bytes = (
                offset.saturating_add(from_byte),
                offset.saturating_add(to_byte),
            );
            let steps = (from, to);
            pieces.push(Rectangle { steps, bytes });
        }
    };
    let whole = (0, buffer.size.0);
    let (mut from, end) = (buffer.span.start.0, buffer.span.end.0);
    for pause in &buffer.pauses {
        let start = pause.span.start.0.clamp(from, end);
        let pause_end = pause.span.end.0.clamp(start, end);
        if start == pause_end {
            continue;
        }
        add(from, start, whole);
        if let Some((first, last)) = pause.window {
            add(start, pause_end, (first.0, last.0));
        }
        from = pause_end;
    }
    add(from, end, whole);
    pieces
}

/// The first step at which two buffers, given by what they need, both need the same byte.
pub(super) fn collision(one: &[Rectangle], other: &[Rectangle]) -> Option<u64> {
    let (mut ones, mut others) = (one.iter().peekable(), other.iter().peekable());
    while let (Some(a), Some(b)) = (ones.peek(), others.peek()) {
        let step = a.steps.0.max(b.steps.0);
        let share_steps = step < a.steps.1.min(b.steps.1);
        let share_bytes = a.bytes.0.max(b.bytes.0) < a.bytes.1.min(b.bytes.1);
        if share_steps && share_bytes {
            return Some(step);
        }
        if a.steps.1 <= b.steps.1 {
            ones.next();
        } else {
            others.next();
        }
    }
    None
}

/// The pairs that may be handed over, and those that a plan does hand over.
pub(super) struct Handovers {
    /// Shifts by pair, the earlier buffer first, of all that can be handed over at all.
    shifts: BTreeMap<(usize, usize), Vec<u64>>,
    /// The pairs that lie exactly as one of their shifts says.
    kept: BTreeSet<(usize, usize)>,
}

impl Handovers {
    /// Those of `lifetimes`, which name buffers that exist, need memory and share exactly the
    /// last step of the one and the first of the other; and which of them `plan` keeps to.
    pub(super) fn of(lifetimes: &Lifetimes, plan: &Plan) -> Self {
        let mut shifts: BTreeMap<_, Vec<u64>> = BTreeMap::new();
        let mut kept = BTreeSet::new();
        for &Handover {
            before,
            after,
            shift,
        } in &lifetimes.handovers
        {
            let buffers = &lifetimes.buffers;
            let (Some(one), Some(other)) = (buffers.get(before), buffers.get(after)) else {
                continue;
            };
            let meets = other.span.start.0.checked_add(1) == Some(one.span.end.0);
            if before == after || !meets || !is_needed(one) || !is_needed(other) {
                continue;
            }
            let pair = (before, after);
            shifts.entry(pair).or_default().push(shift.0);
            let offset = |buffer: usize| plan.offsets.get(buffer).map(|offset| offset.0);
            let start = offset(before).and_then(|start| start.checked_add(shift.0));
            if start.is_some() && start == offset(after) {
                kept.insert(pair);
            }
        }
        Self { shifts, kept }
    }

    /// Whether the plan lays one of the two buffers exactly over the other as allowed.
    pub(super) fn keeps(&self, one: usize, other: usize) -> bool {
        self.kept.contains(&(one, other)) || self.kept.contains(&(other, one))
    }

    /// Whether one of the two buffers may start exactly where the other starts.
    pub(super) fn allows_no_shift(&self, one: usize, other: usize) -> bool {
        let pairs = [(one, other), (other, one)];
        let mut shifts = pairs.iter().filter_map(|pair| self.shifts.get(pair));
        shifts.any(|shifts| shifts.contains(&0))
    }

    /// The pair as it may be handed over, the earlier buffer first, and its first shift.
    pub(super) fn allowed(&self, one: usize, other: usize) -> Option<(usize, usize, u64)> {
        let pairs = [(one, other), (other, one)];
        let mut known = pairs
            .into_iter()
            .filter_map(|pair| Some((pair, self.shifts.get(&pair)?)));
        let ((before, after), shifts) = known.next()?;
        Some((before, after, shifts.first().copied().unwrap_or(0)))
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.shifts.is_empty()
    }

    /// The pairs that the plan keeps to, the earlier buffer first.
    pub(super) fn kept(&self) -> impl Iterator<Item = (usize, usize)> {
        self.kept.iter().copied()
    }
}
