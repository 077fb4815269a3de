//! What differs between two plans: of the same buffers, and of two dumps of one program.

mod arenas;
mod deciding;
mod dumps;
mod growth;
mod pairs;
mod subsequence;
mod traces;

use serde::{Deserialize, Serialize};

use crate::liveness::Lifetimes;
use crate::plan::Plan;
use crate::space::{Loss, loss};
use crate::units::{Bytes, Offset};

pub use arenas::{ArenaGrowth, arenas};
pub use deciding::DECIDING_LISTED;
pub use dumps::{Change, Dumps, Failed, Only, Side, dumps};
pub use growth::Growth;
pub use pairs::{How, Pair, Traced, pairs};

/// Two plans of the same buffers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plans {
    /// The arena that is compared with, and the other one: how high each reaches.
    pub arenas: (Bytes, Bytes),
    /// What each takes: what was reserved at its peak where that counts, otherwise the arena.
    pub taken: (Bytes, Bytes),
    /// Buffers that lie where they were.
    pub same: u64,
    /// Bytes of these.
    pub same_bytes: Bytes,
    /// Buffers that moved, by index, with where they were and where they are.
    pub moved: Vec<Move>,
    /// Bytes of these.
    pub moved_bytes: Bytes,
    /// Why the plan with the larger arena is larger than the other one, whose arena is the
    /// bound; `None` where both are as large, and where [`loss`] explains nothing.
    pub loss: Option<Loss>,
    /// Of the buffers that moved those that decide, the most decisive first; at most
    /// [`DECIDING_LISTED`]. In the larger plan they reach the top at the decisive step; then,
    /// hole by hole there, the largest first, they lie above it, keep that one up, or lie
    /// below it. None where they take fewer bytes than what the plans differ by: without reuse
    /// every tensor decides.
    pub deciding: Vec<usize>,
}

/// A buffer that lies elsewhere in the other plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    /// Its index.
    pub buffer: usize,
    /// Where it was.
    pub from: Offset,
    /// Where it is.
    pub to: Offset,
}

impl Plans {
    /// The same where `taken` is what each plan takes, see
    /// [`Metrics::taken`](crate::metrics::Metrics::taken).
    #[must_use]
    pub fn taking(mut self, taken: (Bytes, Bytes)) -> Self {
        self.taken = taken;
        self
    }

    /// Bytes that the other plan takes less; below zero where it takes more.
    #[must_use]
    pub fn saved(&self) -> i128 {
        i128::from(self.taken.0.0) - i128::from(self.taken.1.0)
    }

    /// What of that which moved is to be pointed at: what decides, where that is known; otherwise,
    /// or if `all` is asked for, everything.
    #[must_use]
    pub fn pointed(&self, all: bool) -> Vec<Move> {
        let all = all || self.deciding.is_empty();
        let moved = self.moved.iter().copied();
        moved
            .filter(|it| all || self.deciding.contains(&it.buffer))
            .collect()
    }

    /// The same as a share of what the first takes; 0 where that has no bytes.
    #[must_use]
    pub fn saved_share(&self) -> f64 {
        match self.taken.0 {
            Bytes::ZERO => 0.0,
            Bytes(arena) => self.saved() as f64 / arena as f64,
        }
    }
}

/// What moves from `from` to `to`, two plans of `lifetimes` whose blocks start at multiples of
/// `alignment`. Buffers without bytes or time are nowhere and do not count. As long as
/// [`loss`] takes, where one is larger.
#[must_use]
pub fn plans(lifetimes: &Lifetimes, from: &Plan, to: &Plan, alignment: Bytes) -> Plans {
    let (worse, better) = match from.arena > to.arena {
        true => (from, to),
        false => (to, from),
    };
    let loss = loss(lifetimes, worse, better.arena, alignment);
    let size = |index: &usize| lifetimes.buffers.get(*index).map_or(0, |it| it.size.0);
    // Few tensors do not account for more than they take: without reuse all of them decide.
    let accounts = |few: &Vec<usize>| {
        let bytes = few.iter().map(size).fold(0, u64::saturating_add);
        bytes >= worse.arena.0 - better.arena.0
    };
    let decide = |loss: &Loss| {
        let few = deciding::deciding(loss, worse, better);
        Some(few).filter(accounts).unwrap_or_default()
    };
    let mut plans = Plans {
        arenas: (from.arena, to.arena),
        taken: (from.arena, to.arena),
        deciding: loss.as_ref().map(decide).unwrap_or_default(),
        loss,
        ..Plans::default()
    };
    let offsets = from.offsets.iter().zip(&to.offsets);
    let placed = lifetimes.buffers.iter().zip(offsets).enumerate();
    for (buffer, (it, (&from, &to))) in placed.filter(|(_, (it, _))| it.is_needed()) {
        let bytes = if from == to {
            plans.same += 1;
            &mut plans.same_bytes
        } else {
            plans.moved.push(Move { buffer, from, to });
            &mut plans.moved_bytes
        };
        bytes.0 = bytes.0.saturating_add(it.size.0);
    }
    plans
}
