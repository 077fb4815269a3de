//! Buffers that are held at the peak, or where a request failed, and not known to be used there: they
//! could be given back before it, and made again, or fetched, when they are used next. A trace of
//! an allocator tells no uses, see [`parts`].

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::attribution::Phase;
use crate::deployed::Note;
use crate::liveness::{Buffer, Lifetimes};
use crate::plan::Plan;
use crate::query::Field;
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Span, Step};

use super::Shipped;

/// So many groups are tried, those that hold most.
const GROUPS: usize = 12;

/// Buffers of which the same is known, that are held at a step without being used there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// What is known; empty where nothing is.
    pub text: String,
    /// The phase of a training step in which they were allocated, where that is known.
    pub phase: Option<Phase>,
    /// Whether they stay to the end of the trace, as parameters and the state of an optimizer do:
    /// then what could be done is to keep them elsewhere, or in fewer bits.
    pub lasting: bool,
    /// The step.
    pub step: Step,
    /// Bytes that they hold there.
    pub bytes: Bytes,
    /// The buffers, by index.
    pub buffers: Vec<usize>,
}

/// Groups by what `field` says of each buffer, those that hold most first.
pub(super) fn groups(shipped: Shipped<'_>, field: Field) -> Vec<Group> {
    let Shipped {
        lifetimes,
        notes,
        facts,
        decides: step,
        ..
    } = shipped;
    let mut groups: BTreeMap<(&str, &str, bool), Group> = BTreeMap::new();
    for (index, buffer) in lifetimes.buffers.iter().enumerate() {
        let note = notes.get(index);
        let Some((start, end)) = buffer.needed_at(step) else {
            continue;
        };
        let Some(parts) = parts(buffer, note, (step, lifetimes.horizon)) else {
            continue;
        };
        let text = facts.first(field, index);
        let phase = facts.first(Field::Phase, index);
        let lasting = parts == Parts::Gone;
        let group = groups.entry((text, phase, lasting));
        let group = group.or_insert_with(|| Group {
            text: text.to_owned(),
            phase: Phase::named(phase),
            lasting,
            step,
            ..Group::default()
        });
        group.bytes.0 = group.bytes.0.saturating_add(end.0.saturating_sub(start.0));
        group.buffers.push(index);
    }
    let mut groups: Vec<Group> = groups.into_values().collect();
    groups.order_by_key(|group| Reverse(group.bytes));
    groups.truncate(GROUPS);
    groups
}

/// What is left of a buffer that is not held at that step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Parts {
    /// Nothing: it stays to the end, and when it is used nobody knows.
    Gone,
    /// It ends at this step.
    Until(Step),
    /// It ends at the first step and is there again from the second on.
    Around(Step, Step),
    /// An array that a loop fills is not there at all: what is in it can be made again, slice by
    /// slice, where it is read.
    Never,
}

/// `None` for a buffer that is used at `step`.
///
/// Where the file says when it is read, the gap is the one between two uses in which the step
/// is; where it does not, a buffer is used when it is allocated and in the step before it is
/// given back.
fn parts(buffer: &Buffer, note: Option<&Note>, (step, horizon): (Step, Step)) -> Option<Parts> {
    let Span { start, end } = buffer.span;
    if note.is_some_and(|note| note.filled > 0) {
        return Some(Parts::Never);
    }
    let uses = note.map_or(&[][..], |note| &note.uses);
    if uses.is_empty() && end >= horizon {
        return (start < step).then_some(Parts::Gone);
    }
    let given_back = [Step(end.0.saturating_sub(1))];
    let uses = if uses.is_empty() { &given_back } else { uses };
    let after = uses.partition_point(|used| *used < step);
    let before = after.checked_sub(1).and_then(|last| uses.get(last));
    let before = before.copied().unwrap_or(start).max(start);
    if before >= step || !buffer.span.contains(step) {
        return None;
    }
    let until = Step(before.0 + 1);
    match uses.get(after) {
        Some(next) if *next == step => None,
        Some(next) => Some(Parts::Around(until, *next)),
        None => Some(Parts::Until(until)),
    }
}

/// The lifetimes and the plan without what the buffers of `group` hold at its step. A buffer that
/// is there twice is one more in both, at the end.
pub(super) fn without(shipped: Shipped<'_>, group: &Group) -> (Lifetimes, Plan) {
    let (mut lifetimes, mut plan) = (shipped.lifetimes.clone(), shipped.plan.clone());
    let horizon = lifetimes.horizon;
    // An array is handed on, as the state of a loop, from one buffer to another.
    let filled = |index: usize| shipped.notes.get(index).map_or(0, |note| note.filled);
    let arrays: BTreeSet<u32> = group.buffers.iter().map(|&it| filled(it)).collect();
    let all = 0..lifetimes.buffers.len();
    let others = all.filter(|&it| filled(it) > 0 && arrays.contains(&filled(it)));
    let mut buffers: Vec<usize> = others.chain(group.buffers.iter().copied()).collect();
    buffers.order();
    buffers.dedup();
    for index in buffers {
        let note = shipped.notes.get(index);
        let Some(buffer) = lifetimes.buffers.get_mut(index) else {
            continue;
        };
        match parts(buffer, note, (group.step, horizon)) {
            None => {}
            Some(Parts::Gone | Parts::Never) => {
                buffer.size = Bytes::ZERO;
                buffer.span.end = buffer.span.start;
                buffer.pauses.clear();
            }
            Some(Parts::Until(until)) => end(buffer, until),
            Some(Parts::Around(until, again)) => {
                let mut second = buffer.clone();
                end(buffer, until);
                second.span.start = again;
                second.pauses.retain(|pause| pause.span.start >= again);
                let next = lifetimes.buffers.len();
                lifetimes.buffers.push(second);
                let handed = lifetimes.handovers.iter_mut();
                for pair in handed.filter(|pair| pair.before == index) {
                    pair.before = next;
                }
                repeat(&mut plan.offsets, index);
                if let Some(segments) = &mut plan.segments {
                    repeat(&mut segments.of_buffer, index);
                }
            }
        }
    }
    // Both were found for the lifetimes as they were.
    lifetimes.unwaiting = None;
    lifetimes.views.clear();
    (lifetimes, plan)
}

fn end(buffer: &mut Buffer, until: Step) {
    buffer.span.end = until;
    buffer.pauses.retain(|pause| pause.span.end <= until);
}

/// The entry at `index` once more, at the end.
fn repeat<T: Copy>(list: &mut Vec<T>, index: usize) {
    if let Some(&entry) = list.get(index) {
        list.push(entry);
    }
}
