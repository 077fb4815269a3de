//! Local search on the order of the skyline's ties.
//!
//! A move swaps two blocks in the order, shifts one, or brings one forward that holds the top
//! up: the highest block, one that it stands on, one below that, and so on. The new order is
//! kept when its arena is no larger. Attempts that get larger are given up half-way.

use super::random::Random;
use crate::strategies::incumbent::Attempts;
use crate::strategies::skyline::{Decoder, ranks};
use crate::strategies::{Event, PlanError};

/// So many moves pass between two times that the observer is asked.
const BREATH: u64 = 64;

/// Steps of work that one move of the budget stands for: few enough that a budget means about
/// the same time for a large problem as for a small one, which then moves less often.
const WORK: u64 = 1 << 15;

/// An order, and what it leads to.
struct Search<'a> {
    decoder: Decoder<'a>,
    /// Blocks by rank, and the rank of each.
    order: Vec<u32>,
    ranks: Vec<u32>,
    arena: u64,
    /// The blocks that hold the top up.
    chain: Vec<u32>,
    random: Random,
}

/// A change to the order: from one rank to another.
#[derive(Clone, Copy)]
struct Move {
    from: usize,
    to: usize,
    swap: bool,
}

/// Improves on `start` until `bound` is met or `moves` are made.
///
/// # Errors
/// [`PlanError::Cancelled`] when the observer breaks off.
pub(super) fn search(
    mut decoder: Decoder<'_>,
    start: Vec<u32>,
    bound: u64,
    moves: u64,
    attempts: &mut Attempts<'_>,
) -> Result<(), PlanError> {
    let ranks = ranks(&start);
    let Some(arena) = decoder.place(&start, &ranks, u64::MAX) else {
        return Ok(());
    };
    let budget = decoder.work.saturating_add(moves.saturating_mul(WORK));
    let mut search = Search {
        decoder,
        order: start,
        ranks,
        arena,
        chain: Vec::new(),
        random: Random::new(1),
    };
    search.find_chain();
    attempts.begin()?;
    for done in 0..moves {
        if attempts.limit() <= bound || search.decoder.work >= budget {
            break;
        }
        if done % BREATH == 0 {
            let total = moves;
            attempts.tell(Event::Progress { done, total })?;
        }
        if search.step() {
            attempts.offer(
                search.arena,
                &search.decoder.offsets,
                &search.decoder.placed,
            )?;
        }
    }
    Ok(())
}

impl Search<'_> {
    /// Tries one move; whether the arena is smaller now.
    fn step(&mut self) -> bool {
        let change = self.choose();
        if change.from == change.to {
            return false;
        }
        self.apply(change);
        let limit = self.arena.saturating_add(1);
        let Some(arena) = self.decoder.place(&self.order, &self.ranks, limit) else {
            self.apply(Move {
                from: change.to,
                to: change.from,
                ..change
            });
            return false;
        };
        let better = arena < self.arena;
        self.arena = arena;
        self.find_chain();
        better
    }

    fn choose(&mut self) -> Move {
        let kind = self.random.index(10);
        if kind < 3 {
            let block = self.chain[self.random.index(self.chain.len())];
            let from = self.ranks[block as usize] as usize;
            let to = self.random.index(from + 1);
            return Move {
                from,
                to,
                swap: false,
            };
        }
        let from = self.random.index(self.order.len());
        let to = self.random.index(self.order.len());
        let swap = kind < 6;
        Move { from, to, swap }
    }

    fn apply(&mut self, Move { from, to, swap }: Move) {
        let (first, last) = (from.min(to), from.max(to));
        let part = &mut self.order[first..=last];
        if swap {
            part.swap(0, last - first);
        } else if from < to {
            part.rotate_left(1);
        } else {
            part.rotate_right(1);
        }
        for (rank, &block) in (first..).zip(part.iter()) {
            self.ranks[block as usize] = u32::try_from(rank).unwrap_or(u32::MAX);
        }
    }

    /// The highest block, one that it stands on, and so on to the bottom: one at random where
    /// there are several.
    fn find_chain(&mut self) {
        self.chain.clear();
        let mut height = self.arena;
        let mut above: Option<u32> = None;
        loop {
            let under = self.decoder.ending_at(height, above);
            let Some(&block) = under.get(self.random.index(under.len())) else {
                break;
            };
            self.chain.push(block);
            above = Some(block);
            height = self.decoder.offsets[block as usize];
        }
    }
}
