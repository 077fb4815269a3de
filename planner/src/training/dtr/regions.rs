//! The evicted storages that can be reached from each one that is there without crossing another
//! that is: downwards what would have to be computed with it, upwards what it would take.
//!
//! They are kept up to date as the prototype of the paper does it, because its figures follow
//! from that: a tensor that is about to be made for the first time counts as evicted only once
//! a region around it is found anew.

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

/// Storages that have been met, to be forgotten all at once.
#[derive(Clone, Debug, Default)]
pub(super) struct Met {
    rounds: Vec<u32>,
    round: u32,
}

impl Met {
    /// None of so many has been met.
    pub(super) fn begin(&mut self, count: usize) {
        self.rounds.resize(count, 0);
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.rounds.fill(0);
            self.round = 1;
        }
    }

    /// Meets one; whether for the first time.
    pub(super) fn meet(&mut self, storage: usize) -> bool {
        std::mem::replace(&mut self.rounds[storage], self.round) != self.round
    }
}

/// What is reached from one storage in one way, each once, in any order.
#[derive(Clone, Debug, Default)]
pub(super) struct Region {
    /// The evicted storages.
    pub(super) inside: Vec<usize>,
    /// The storages around them that are there.
    pub(super) border: Vec<usize>,
    /// What computing all inside costs.
    pub(super) cost: u128,
}

impl Region {
    pub(super) fn clear(&mut self) {
        self.inside.clear();
        self.border.clear();
        self.cost = 0;
    }

    /// A storage of the border was evicted: it is inside now, with all that it reached. `met` is
    /// of `count` storages.
    pub(super) fn absorb(
        &mut self,
        storage: usize,
        own: &Self,
        (met, count): (&mut Met, usize),
        cost: impl Fn(usize) -> u64,
    ) {
        met.begin(count);
        for &it in &self.border {
            met.meet(it);
        }
        let border = own.border.iter().filter(|it| met.meet(**it));
        self.border.extend(border);
        self.border
            .retain(|it| *it != storage || own.border.contains(it));
        met.begin(count);
        for &it in &self.inside {
            met.meet(it);
        }
        let is_new = met.meet(storage);
        self.cost += u128::from(cost(storage));
        if is_new {
            self.inside.push(storage);
        }
        for &it in own.inside.iter().filter(|it| **it != storage) {
            if met.meet(it) {
                self.cost += u128::from(cost(it));
                self.inside.push(it);
            }
        }
    }
}
