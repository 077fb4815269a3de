//! The largest live sum when blocks start only at multiples of a number.
//!
//! Let every block live at a step start at a multiple of g. By address, each but the highest
//! is followed by another that starts at the next multiple or later, so it takes its size
//! rounded up to g. Whichever is the highest, no more than the largest padding is saved.
//!
//! Steps at which a block need not start so (a fixed address, the window of a pause) or may lie
//! over another (a handover) are passed over: the plain sum holds there.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::{Bound, BoundKind, at_step};
use crate::liveness::{Lifetimes, savings};
use crate::units::{Bytes, Step};

/// One change of what is live: a block begins or ends.
struct Change {
    step: Step,
    begins: bool,
    /// Bytes rounded up, and how much that adds; `None` for what spoils the step.
    block: Option<(u64, u64)>,
}

/// The bound, where it says more than the live bytes would.
pub(super) fn aligned(lifetimes: &Lifetimes, alignment: Bytes) -> Option<Bound> {
    let unit = common_alignment(lifetimes, alignment);
    if unit <= 1 {
        return None;
    }
    let mut changes = changes(lifetimes, unit);
    if !changes
        .iter()
        .any(|it| it.block.is_some_and(|(_, padding)| padding > 0))
    {
        return None;
    }
    changes.sort_by_key(|change| change.step);
    let (mut sum, mut spoilt) = (0_u128, 0_u64);
    let mut paddings: BTreeMap<u64, u64> = BTreeMap::new();
    let mut peak = (0, Step::default());
    for together in changes.chunk_by(|a, b| a.step == b.step) {
        for change in together.iter().filter(|change| change.begins) {
            match change.block {
                None => spoilt += 1,
                Some((bytes, padding)) => {
                    sum += u128::from(bytes);
                    *paddings.entry(padding).or_default() += 1;
                }
            }
        }
        for change in together.iter().filter(|change| !change.begins) {
            match change.block {
                None => spoilt -= 1,
                Some((bytes, padding)) => {
                    sum -= u128::from(bytes);
                    remove(&mut paddings, padding);
                }
            }
        }
        let saved = paddings.last_key_value().map_or(0, |(&padding, _)| padding);
        let needed = sum - u128::from(saved);
        if spoilt == 0 && needed > peak.0 {
            peak = (needed, together[0].step);
        }
    }
    let bytes = Bytes(u64::try_from(peak.0).unwrap_or(u64::MAX));
    let kind = BoundKind::Aligned {
        alignment: Bytes(unit),
    };
    (bytes > Bytes::ZERO).then(|| at_step(lifetimes, kind, (bytes, peak.1)))
}

fn remove(paddings: &mut BTreeMap<u64, u64>, padding: u64) {
    if let Some(count) = paddings.get_mut(&padding) {
        *count -= 1;
        if *count == 0 {
            paddings.remove(&padding);
        }
    }
}

fn changes(lifetimes: &Lifetimes, unit: u64) -> Vec<Change> {
    let mut changes = Vec::with_capacity(2 * lifetimes.buffers.len());
    let mut add = |start, end, block| {
        let change = |step, begins| Change {
            step,
            begins,
            block,
        };
        changes.extend([change(start, true), change(end, false)]);
    };
    for buffer in &lifetimes.buffers {
        let start = buffer.fixed.map_or(0, |offset| offset.0 % unit);
        for need in buffer.needs() {
            let (size, first) = (need.bytes(), need.window.0.0 % unit);
            // A sum beyond 64 bits is no padding worth counting.
            let rounded = size.align_up(Bytes(unit)).filter(|_| {
                (u128::from(start) + u128::from(first)).is_multiple_of(u128::from(unit))
            });
            let block = rounded.map(|rounded| (rounded.0, rounded.0 - size.0));
            add(need.span.start, need.span.end, block);
        }
    }
    for (step, _, _) in savings(lifetimes) {
        add(step, Step(step.0 + 1), None);
    }
    changes
}

/// The largest number that divides what every buffer without a fixed address is aligned to.
fn common_alignment(lifetimes: &Lifetimes, alignment: Bytes) -> u64 {
    let movable = lifetimes.buffers.iter();
    let movable = movable.filter(|it| it.fixed.is_none() && it.is_needed());
    movable.fold(0, |common, buffer| {
        let (mut a, mut b) = (common, buffer.alignment.max(alignment).max(Bytes(1)).0);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    })
}
