//! The evicted storages that can be reached from each one that is there without crossing another
//! that is: downwards what would have to be computed with it, upwards what it would take.
//!
//! They are kept up to date as the prototype of the paper does it, because its figures follow
//! from that: a tensor that is about to be made for the first time counts as evicted only once
//! a region around it is found anew.

use std::collections::BTreeSet;

/// Which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// To what reads it.
    Down,
    /// To what it was made from.
    Up,
}

impl Way {
    pub(super) const BOTH: [Self; 2] = [Self::Down, Self::Up];

    pub(super) fn back(self) -> Self {
        match self {
            Self::Down => Self::Up,
            Self::Up => Self::Down,
        }
    }
}

/// What is reached from one storage in one way.
#[derive(Clone, Debug, Default)]
pub(super) struct Region {
    /// The evicted storages.
    pub(super) inside: BTreeSet<usize>,
    /// The storages around them that are there.
    pub(super) border: BTreeSet<usize>,
    /// What computing all inside costs.
    pub(super) cost: u128,
}

impl Region {
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// A storage of the border was evicted: it is inside now, with all that it reached.
    pub(super) fn absorb(&mut self, storage: usize, own: &Self, cost: impl Fn(usize) -> u64) {
        self.border.remove(&storage);
        self.border.extend(&own.border);
        let mut new: BTreeSet<usize> = own.inside.difference(&self.inside).copied().collect();
        new.insert(storage);
        self.cost += new.iter().map(|it| u128::from(cost(*it))).sum::<u128>();
        self.inside.extend(new);
    }
}
