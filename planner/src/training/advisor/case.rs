//! A way to run a step that was looked at, and what it comes to.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::clock::Time;
use super::kind::{Kind, Kinds};
use crate::caching_allocator::AllocatorSettings;
use crate::settings::{PassSet, Training};
use crate::training::cost::Needs;
use crate::training::estimate::Allocator;
use crate::training::{Recipe, Sharding};
use crate::units::Bytes;

/// A way to run a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// The passes that rewrite the model before.
    pub passes: PassSet,
    /// The policy, the samples of a micro-batch of a device, the budget and what a step is made of.
    pub training: Training,
    /// Who is asked for memory.
    pub by: Allocator,
    /// What is changed.
    pub changes: Kinds,
    /// What the schedule of a device needs.
    pub needs: Needs,
    /// How long a step takes.
    pub time: Time,
    /// What the device has to have, with the driver's own. Where it does not fit, at least so much.
    pub reserved: Bytes,
    /// What is missing; nothing where it fits.
    pub missing: Bytes,
}

impl Case {
    /// Whether every request is met with the device's memory.
    #[must_use]
    pub fn fits(&self) -> bool {
        self.missing == Bytes::ZERO
    }

    /// What it changes, as far as that decides between cases that take as long: how many kinds, those
    /// that cost less to make first, and in how many micro-batches.
    pub(super) fn price(&self) -> Price {
        price(self.changes, self.training.recipe)
    }

    /// Which of two is better, of those that fit: less time, fewer changes, those that cost less to
    /// make, fewer micro-batches, fewer bytes.
    #[must_use]
    pub fn compare(&self, other: &Self) -> Ordering {
        let all = |it: &Self| (it.time.sum(), it.price(), it.reserved);
        all(self).cmp(&all(other))
    }

    /// Whether its time and its bytes are both no more than those of another, and one of them less.
    #[must_use]
    pub fn dominates(&self, other: &Self) -> bool {
        let both = |it: &Self| (it.time.sum(), it.reserved);
        let (own, its) = (both(self), both(other));
        own.0 <= its.0 && own.1 <= its.1 && own != its
    }
}

/// What is changed, by what decides between two that take as long.
pub(super) type Price = (u32, Kinds, u32);

pub(super) fn price(changes: Kinds, recipe: Recipe) -> Price {
    (changes.count(), changes, recipe.sharding.micro)
}

/// The cases that no other one dominates, by time; of equals the first.
#[must_use]
pub fn front(cases: &[Case]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..cases.len()).collect();
    order.sort_by_key(|at| (cases[*at].time.sum(), cases[*at].reserved, *at));
    let mut least = None;
    order.retain(|at| {
        let own = cases[*at].reserved;
        let better = least.is_none_or(|least| own < least);
        if better {
            least = Some(own);
        }
        better
    });
    order
}

/// What is changed where a step that is made in one way is made in another.
pub(super) fn changes((before, after): (Recipe, Recipe)) -> Kinds {
    let (one, other) = (before.sharding, after.sharding);
    let parts = |it: Sharding| (it.tensor, it.context, it.expert, it.pipeline, it.chunks);
    let packs = |it: Recipe| (it.gist.signs, it.gist.sparse.is_some());
    let changed = [
        (before.set_to_none != after.set_to_none, Kind::SetToNone),
        (before.in_place != after.in_place, Kind::InPlace),
        (before.rule != after.rule, Kind::Compile),
        (packs(before) != packs(after), Kind::Pack),
        (before.gist.bits != after.gist.bits, Kind::Bits),
        (one.micro != other.micro, Kind::Micro),
        (one.zero != other.zero, Kind::Zero),
        (parts(one) != parts(other), Kind::Divide),
        (one.offload != other.offload, Kind::Offload),
    ];
    let changed = changed.into_iter().filter(|(is, _)| *is);
    changed.fold(Kinds::NONE, |all, (_, kind)| all.with(kind))
}

/// What is changed where this one is asked for memory.
pub(super) fn by_allocator(by: Allocator) -> Kinds {
    match by {
        Allocator::Caching(settings) => {
            let others = settings != AllocatorSettings::default();
            Kinds::NONE.with_if(others, Kind::Settings)
        }
        Allocator::Planned(_) => Kinds::NONE.with(Kind::Arena),
    }
}
