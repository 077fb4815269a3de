//! Local search on the order of the skyline's ties.
//!
//! A move swaps two blocks in the order, shifts one, or brings one forward that holds the top
//! up: the highest block, one that it stands on, one below that, and so on. The new order is
//! kept when its arena is no larger. Attempts that get larger are given up half-way. After
//! many moves in vain the search starts anew, from the next order that it was given.

use crate::random::Random;
use crate::strategies::incumbent::Attempts;
use crate::strategies::skyline::{Decoder, ranks};
use crate::strategies::{Event, PlanError, SearchStage, Trial};
use crate::units::narrow;
use alloc::vec::Vec;

/// Steps of work that one move of the budget stands for: few enough that a budget means about
/// the same time for a large problem as for a small one, which then moves less often.
const WORK: u64 = 1 << 15;

/// After so many moves without a smaller arena, this order is given up.
const VAIN: u64 = 15_000;

/// The search is worth its while where its budget is enough for so many moves.
const MOVES: u64 = 16;

/// Whether a budget of `moves` is enough for a search where one takes `cost` steps of work.
pub(super) fn is_affordable(moves: u64, cost: u64) -> bool {
    moves.saturating_mul(WORK) >= cost.saturating_mul(MOVES)
}

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

/// Asked from time to time whether to go on, with what was placed and worked.
type Tick<'a> = dyn FnMut(usize, u64) -> Result<(), PlanError> + 'a;

/// A change to the order: from one rank to another.
#[derive(Clone, Copy)]
struct Move {
    from: usize,
    to: usize,
    swap: bool,
}

/// Improves on `starts`, one after the other, until `bound` is met or `moves` are made.
///
/// # Errors
/// [`PlanError::Cancelled`] when the observer breaks off.
pub(super) fn search(
    decoder: Decoder<'_>,
    starts: &[Vec<u32>],
    (bound, moves): (u64, u64),
    attempts: &mut Attempts<'_>,
) -> Result<(), PlanError> {
    let budget = moves.saturating_mul(WORK);
    let mut search = Search {
        decoder,
        order: Vec::new(),
        ranks: Vec::new(),
        arena: u64::MAX,
        chain: Vec::new(),
        random: Random::new(1),
    };
    let mut starts = starts.iter().cycle();
    let mut vain = VAIN;
    attempts.stage(SearchStage::Moves)?;
    for done in 0..moves {
        if attempts.is_settled(bound) || search.decoder.work() >= budget {
            break;
        }
        let fresh = (vain >= VAIN).then(|| starts.next()).flatten();
        if fresh.is_some() {
            attempts.begin(Trial::Moves { most: moves })?;
        }
        // Of moves or work, that counts of which more is done.
        let mut tick = |_, work: u64| {
            let done = done.max(work / WORK);
            attempts.emit(Event::Progress { done, total: moves })
        };
        if let Some(start) = fresh {
            tick(0, search.decoder.work())?;
            search.start(start, &mut tick)?;
            vain = 0;
        }
        vain += 1;
        if search.step(&mut tick)? {
            vain = 0;
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
    /// Starts anew from `order`.
    fn start(&mut self, order: &[u32], tick: &mut Tick<'_>) -> Result<(), PlanError> {
        self.order = order.to_vec();
        self.ranks = ranks(order);
        let arena = self.decoder.place(order, &self.ranks, u64::MAX, tick)?;
        self.arena = arena.unwrap_or(u64::MAX);
        self.find_chain();
        Ok(())
    }

    /// Tries one move; whether the arena is smaller now.
    fn step(&mut self, tick: &mut Tick<'_>) -> Result<bool, PlanError> {
        let change = self.choose();
        if change.from == change.to {
            return Ok(false);
        }
        self.apply(change);
        let limit = self.arena.saturating_add(1);
        let placed = self.decoder.place(&self.order, &self.ranks, limit, tick)?;
        let Some(arena) = placed else {
            self.apply(Move {
                from: change.to,
                to: change.from,
                ..change
            });
            return Ok(false);
        };
        let better = arena < self.arena;
        self.arena = arena;
        self.find_chain();
        Ok(better)
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
            self.ranks[block as usize] = narrow(rank);
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
