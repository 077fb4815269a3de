//! The arenas of two dumps of one program side by side.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::deployed::{Arena, Deployed};
use crate::sorting::Sorting as _;
use crate::units::Bytes;

/// An arena that is in both dumps, or in one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArenaGrowth {
    /// What the files call it; empty where they do not.
    pub name: String,
    /// Which it is in each.
    pub indices: (Option<u32>, Option<u32>),
    /// What it takes: what was reserved for it at its peak where that is known, otherwise its size.
    pub taken: (Bytes, Bytes),
    /// Bytes that a trace never gives back; 0 for other plans.
    pub kept: (Bytes, Bytes),
    /// How many requests failed there.
    pub failed: (u64, u64),
}

impl ArenaGrowth {
    /// Bytes that it grew by, of what it takes and of what is never given back.
    #[must_use]
    pub fn growth(&self) -> (i128, i128) {
        let grew = |(before, after): (Bytes, Bytes)| i128::from(after.0) - i128::from(before.0);
        (grew(self.taken), grew(self.kept))
    }
}

/// Every arena of both, those first in which a request failed, then those that changed most. Those
/// of one name are one, and of those without a name the ones with the same number.
#[must_use]
pub fn arenas(before: &Deployed, after: &Deployed) -> Vec<ArenaGrowth> {
    let mut all: BTreeMap<(String, u32), ArenaGrowth> = BTreeMap::new();
    for (index, arena) in (0..).zip(&before.arenas) {
        let it = all.entry(key(arena, index)).or_default();
        it.name = arena.name.to_string();
        it.indices.0 = Some(index);
        (it.taken.0, it.kept.0) = measured(arena);
        it.failed.0 = arena.refused.len() as u64;
    }
    for (index, arena) in (0..).zip(&after.arenas) {
        let it = all.entry(key(arena, index)).or_default();
        it.name = arena.name.to_string();
        it.indices.1 = Some(index);
        (it.taken.1, it.kept.1) = measured(arena);
        it.failed.1 = arena.refused.len() as u64;
    }
    let mut all: Vec<ArenaGrowth> = all.into_values().collect();
    all.order_by_key(|it| {
        let (taken, kept) = it.growth();
        let failed = it.failed != (0, 0);
        (Reverse((failed, taken.abs().max(kept.abs()))), it.indices)
    });
    all
}

fn key(arena: &Arena, index: u32) -> (String, u32) {
    let number = if arena.name.is_empty() { index } else { 0 };
    (arena.name.to_string(), number)
}

fn measured(arena: &Arena) -> (Bytes, Bytes) {
    let (plan, lifetimes) = (&arena.plan, &arena.lifetimes);
    let taken = plan.reserved.unwrap_or(plan.arena);
    let kept = lifetimes
        .buffers
        .iter()
        .filter(|buffer| plan.segments.is_some() && buffer.span.end == lifetimes.horizon);
    let kept = kept.fold(0, |sum: u64, buffer| sum.saturating_add(buffer.size.0));
    (taken, Bytes(kept))
}
