//! How much of a buffer is needed when: all of it, or less during its pauses; and how many
//! bytes a handover can save.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::{Buffer, Handover, Lifetimes};
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Span, Step};

/// Steps during which the same bytes of a buffer are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// When.
    pub span: Span,
    /// The bytes, from the buffer's own start: start, end.
    pub window: (Bytes, Bytes),
}

impl Need {
    /// Number of bytes.
    #[must_use]
    pub fn bytes(self) -> Bytes {
        Bytes(self.window.1.0.saturating_sub(self.window.0.0))
    }
}

impl Buffer {
    /// Whether it needs memory at all: it has bytes and is live for at least one step.
    #[must_use]
    pub fn is_needed(&self) -> bool {
        self.size > Bytes::ZERO && !self.span.is_empty()
    }

    /// What is needed of it when, by ascending step, none overlapping; steps at which nothing
    /// is needed are left out.
    pub fn needs(&self) -> impl Iterator<Item = Need> {
        let whole = Some((Bytes::ZERO, self.size));
        let end = self.span.end;
        let mut from = self.span.start;
        let mut pauses = self.pauses.iter().peekable();
        let pieces = core::iter::from_fn(move || {
            while let Some(&pause) = pauses.peek() {
                let start = pause.span.start.clamp(from, end.max(from));
                if from < start {
                    let span = Span {
                        start: from,
                        end: start,
                    };
                    from = start;
                    return Some((span, whole));
                }
                pauses.next();
                let until = pause.span.end.min(end);
                if from < until {
                    let span = Span {
                        start: from,
                        end: until,
                    };
                    from = until;
                    return Some((span, pause.window));
                }
            }
            let span = Span { start: from, end };
            from = end.max(from);
            (!span.is_empty()).then_some((span, whole))
        });
        let needs = pieces.filter_map(|(span, window)| {
            Some(Need {
                span,
                window: window?,
            })
        });
        needs.filter(|need| need.bytes() > Bytes::ZERO)
    }

    /// The bytes of it that are needed at `step`: start, end; `None` for none.
    #[must_use]
    pub fn needed_at(&self, step: Step) -> Option<(Bytes, Bytes)> {
        if !self.span.contains(step) {
            return None;
        }
        let window = match self.pauses.iter().find(|pause| pause.span.contains(step)) {
            None => Some((Bytes::ZERO, self.size)),
            Some(pause) => pause.window,
        };
        window.filter(|(start, end)| start < end)
    }

    /// How much of the `bytes` that it takes at a step was not asked for; a part of it that is
    /// needed while it pauses has no padding.
    #[must_use]
    pub fn padding_in(&self, bytes: Bytes) -> Bytes {
        match bytes == self.size {
            true => Bytes(self.size.0.saturating_sub(self.payload.0)),
            false => Bytes::ZERO,
        }
    }
}

/// What the handovers of `lifetimes` can save at most: step, index of the buffer that is
/// written over another, and bytes, in that order; only where it is more than nothing.
///
/// A buffer written over another shares with it what both need at their common step when it
/// starts `shift` bytes after. Where several are read for the last time, whole buffers that
/// reach the first byte of the new one cannot all lie there, and the largest overlap counts;
/// windows of pauses can, and their overlaps add up, up to what the new buffer needs itself.
#[must_use]
pub(crate) fn savings(lifetimes: &Lifetimes) -> Vec<(Step, usize, Bytes)> {
    let mut overlaps: BTreeMap<usize, BTreeMap<usize, u64>> = BTreeMap::new();
    for handover in &lifetimes.handovers {
        if let Some(bytes) = overlap(lifetimes, handover) {
            let known = overlaps.entry(handover.after).or_default();
            let known = known.entry(handover.before).or_default();
            *known = bytes.max(*known);
        }
    }
    let mut savings = Vec::with_capacity(overlaps.len());
    for (after, befores) in overlaps {
        let step = lifetimes.buffers[after].span.start;
        let in_pause = |&before: &usize| {
            let pauses = &lifetimes.buffers[before].pauses;
            pauses.iter().any(|pause| pause.span.contains(step))
        };
        let bytes = if befores.keys().any(in_pause) {
            let sum = befores
                .values()
                .fold(0_u64, |sum, &it| sum.saturating_add(it));
            sum.min(need_bytes(&lifetimes.buffers[after], step))
        } else {
            befores.into_values().max().unwrap_or(0)
        };
        if bytes > 0 {
            savings.push((step, after, Bytes(bytes)));
        }
    }
    savings.order();
    savings
}

/// The bytes that both buffers of `handover` need at their common step when they lie as it
/// says; `None` when it allows nothing.
fn overlap(lifetimes: &Lifetimes, handover: &Handover) -> Option<u64> {
    let before = lifetimes.buffers.get(handover.before)?;
    let after = lifetimes.buffers.get(handover.after)?;
    let step = after.span.start;
    let meets = step.0.checked_add(1) == Some(before.span.end.0);
    if handover.before == handover.after || !meets {
        return None;
    }
    let (low, high) = before.needed_at(step)?;
    let (start, end) = after.needed_at(step)?;
    let shift = handover.shift.0;
    let (start, end) = (start.0.saturating_add(shift), end.0.saturating_add(shift));
    Some(end.min(high.0).saturating_sub(start.max(low.0)))
}

/// Bytes of `buffer` that are needed at `step`.
pub(super) fn need_bytes(buffer: &Buffer, step: Step) -> u64 {
    let window = buffer.needed_at(step);
    window.map_or(0, |(start, end)| end.0 - start.0)
}
