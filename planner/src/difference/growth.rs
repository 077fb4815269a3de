//! What grew at the peak, or of what is never given back, by the stack that asked for it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::pairs::{Pair, Traced};
use super::traces::same_stacks;
use crate::attribution::{called, callers};
use crate::deployed::Arena;
use crate::sorting::Sorting as _;
use crate::units::Bytes;

/// A stack that holds more, or fewer, bytes at a moment of one dump than of the other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Growth {
    /// The line of the program, as [`called`] has it; empty for a stack without Python.
    pub caller: String,
    /// The operator; empty where the stack names none.
    pub operator: String,
    /// The stack in each file; `None` where no buffer of it is live then.
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
    all.retain(|it| it.growth() != 0);
    all.order_by_key(|it| Reverse(it.growth()));
    all
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

/// What one dump holds at a moment, by stack, as if it were the first of both.
fn held(
    (arena, stacks): Traced<'_>,
    same: &[usize],
    of: impl Fn(usize) -> Bytes,
) -> BTreeMap<usize, Growth> {
    let callers = callers(stacks);
    let mut held: BTreeMap<usize, Growth> = BTreeMap::new();
    for index in 0..arena.lifetimes.buffers.len() {
        let bytes = of(index);
        if bytes == Bytes::ZERO {
            continue;
        }
        let stack = arena.notes.get(index).map_or(0, |note| note.stack);
        let key = same.get(stack as usize).copied().unwrap_or(0);
        let growth = held.entry(key).or_insert_with(|| {
            let caller = callers.get(stack as usize);
            let frame = caller.and_then(|it| stacks.frames.get(it.frame? as usize));
            Growth {
                caller: frame.map(called).unwrap_or_default(),
                operator: caller.map(|it| it.operator.clone()).unwrap_or_default(),
                stacks: (Some(stack), None),
                bytes: (Bytes::ZERO, Bytes::ZERO),
            }
        });
        growth.bytes.0.0 = growth.bytes.0.0.saturating_add(bytes.0);
    }
    held
}
