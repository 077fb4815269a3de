//! What grew at the peak, or of what is never given back, by the stack that asked for it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::pairs::{Pair, Traced};
use super::traces::same_stacks;
use crate::attribution::{AUTOGRAD, BEFORE_RECORDING, Phase, called, callers};
use crate::deployed::Arena;
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Step};

/// A line of the program that holds more, or fewer, bytes at a moment of one dump than of the
/// other, whatever called it; where no line is known, a stack.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Growth {
    /// The line of the program, as [`called`] has it; that it was there before the recording, or
    /// that autograd made it; empty where none of these is known.
    pub caller: String,
    /// The operator; empty where the stack names none.
    pub operator: String,
    /// The stack in each file, of several that lead to the line one; `None` where no buffer of it is live then.
    pub stacks: (Option<u32>, Option<u32>),
    /// Bytes of its buffers at that moment of each.
    pub bytes: (Bytes, Bytes),
}

impl Growth {
    /// Bytes that it grew by.
    #[must_use]
    pub fn growth(&self) -> i128 {
        i128::from(self.bytes.1.0) - i128::from(self.bytes.0.0)
    }
}

/// What grew, the most first, and what shrank; `bytes` says what each buffer has at the moments.
/// Nothing where neither dump has a stack, otherwise it sums to what all have then. Where
/// `pairs` have a new stack in place of another one, as lines of an edited program, both count
/// as that one.
pub(super) fn growth(
    before: Traced<'_>,
    after: Traced<'_>,
    pairs: &[Pair],
    bytes: (impl Fn(usize) -> Bytes, impl Fn(usize) -> Bytes),
) -> Vec<Growth> {
    let traced = |(arena, _): Traced<'_>| arena.notes.iter().any(|note| note.stack != 0);
    if !traced(before) && !traced(after) {
        return Vec::new();
    }
    let mut same = same_stacks(before.1, after.1, |frame| frame);
    let moved = moved((before.0, &same.0), (after.0, &same.1), pairs);
    for stack in &mut same.1 {
        *stack = moved.get(stack).copied().unwrap_or(*stack);
    }
    let before = held(before, &same.0, bytes.0);
    let mut after = held(after, &same.1, bytes.1);
    let mut all = Vec::new();
    for (stack, mut growth) in before {
        if let Some(other) = after.remove(&stack) {
            growth = Growth {
                stacks: (growth.stacks.0, other.stacks.0),
                bytes: (growth.bytes.0, other.bytes.0),
                ..other
            };
        }
        all.push(growth);
    }
    all.extend(after.into_values().map(|it| Growth {
        stacks: (None, it.stacks.0),
        bytes: (Bytes::ZERO, it.bytes.0),
        ..it
    }));
    let mut all = by_line(all);
    all.retain(|it| it.growth() != 0);
    all.order_by_key(|it| Reverse(it.growth()));
    all
}

/// What the stacks of one line and operator hold together.
fn by_line(all: Vec<Growth>) -> Vec<Growth> {
    let mut places: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut lines: Vec<Growth> = Vec::new();
    for growth in all {
        if growth.caller.is_empty() {
            lines.push(growth);
            continue;
        }
        let place = (growth.caller.clone(), growth.operator.clone());
        let at = *places.entry(place).or_insert(lines.len());
        let Some(known) = lines.get_mut(at) else {
            lines.push(growth);
            continue;
        };
        known.bytes.0.0 = known.bytes.0.0.saturating_add(growth.bytes.0.0);
        known.bytes.1.0 = known.bytes.1.0.saturating_add(growth.bytes.1.0);
        known.stacks.0 = known.stacks.0.or(growth.stacks.0);
        known.stacks.1 = known.stacks.1.or(growth.stacks.1);
    }
    lines
}

/// The stack of the first that each new stack of the second stands for.
fn moved(
    before: (&Arena, &[usize]),
    after: (&Arena, &[usize]),
    pairs: &[Pair],
) -> BTreeMap<usize, usize> {
    let known: BTreeSet<usize> = before.1.iter().copied().collect();
    let stack = |(arena, same): (&Arena, &[usize]), buffer: usize| {
        let stack = arena.notes.get(buffer)?.stack;
        same.get(stack as usize).copied()
    };
    let mut moved = BTreeMap::new();
    for pair in pairs {
        let stacks = (stack(before, pair.before), stack(after, pair.after));
        if let (Some(old), Some(new)) = stacks
            && !known.contains(&new)
        {
            moved.entry(new).or_insert(old);
        }
    }
    moved
}

/// What one dump holds at a moment, by stack, as if it were the first of both; apart what was
/// there before the recording and has none.
fn held(
    (arena, stacks): Traced<'_>,
    same: &[usize],
    of: impl Fn(usize) -> Bytes,
) -> BTreeMap<(usize, bool), Growth> {
    let callers = callers(stacks);
    let mut held: BTreeMap<(usize, bool), Growth> = BTreeMap::new();
    for index in 0..arena.lifetimes.buffers.len() {
        let bytes = of(index);
        if bytes == Bytes::ZERO {
            continue;
        }
        let note = arena.notes.get(index);
        let stack = note.map_or(0, |note| note.stack);
        let key = same.get(stack as usize).copied().unwrap_or(0);
        let buffer = arena.lifetimes.buffers.get(index);
        // What a compiler laid out is no recording.
        let recorded = note.is_none_or(|it| it.value.is_none());
        let before = stack == 0 && recorded && buffer.is_some_and(|it| it.span.start == Step(0));
        let growth = held.entry((key, before)).or_insert_with(|| {
            let caller = callers.get(stack as usize);
            let frame = caller.and_then(|it| stacks.frames.get(it.frame? as usize));
            let backward = caller.is_some_and(|it| it.phase == Some(Phase::Backward));
            Growth {
                caller: match frame {
                    Some(frame) => called(frame),
                    None if before => BEFORE_RECORDING.to_owned(),
                    None if backward => AUTOGRAD.to_owned(),
                    None => String::new(),
                },
                operator: caller.map(|it| it.operator.clone()).unwrap_or_default(),
                stacks: (Some(stack), None),
                bytes: (Bytes::ZERO, Bytes::ZERO),
            }
        });
        growth.bytes.0.0 = growth.bytes.0.0.saturating_add(bytes.0);
    }
    held
}
