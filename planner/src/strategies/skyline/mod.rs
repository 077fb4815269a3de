//! Offsets, always the buffer that can lie lowest. Source: greedy of MiniMalloc (Moffitt 2023),
//! first descent, best of 13 orders.
//!
//! Until all are placed: of the waiting buffers take the one that can start lowest, above
//! everything placed that is live at the same time, and put it there. Ties go to the first
//! in a static order; several orders are tried and the smallest arena wins, the first on
//! ties.

mod blocks;
mod preorders;
mod within;
mod lines;
mod pairs;
mod cliques;
mod constraints;
mod least;
mod decoder;
mod greedy;

use super::description::{AboveNaive, Capabilities, Description, Family, Growth, Model};
use super::incumbent::Attempts;
use super::{Ended, Event, Observer, PlanError, Strategy, Trial};
use crate::liveness::{Lifetimes, profile};
use crate::plan::{Options, Plan};
use crate::units::Bytes;
use alloc::vec::Vec;

pub(in crate::strategies) use blocks::Blocks;
pub(in crate::strategies) use decoder::Decoder;
use greedy::Greedy;
pub(in crate::strategies) use greedy::ranks;
pub(in crate::strategies) use preorders::Measures;

pub use preorders::Key;
use preorders::PREORDERS;

pub(super) const STRATEGY: Description = Description {
    name: "skyline",
    source: "greedy of MiniMalloc (Moffitt 2023), first descent, best of 13 orders",
    family: Family::Packing,
    model: Model::Offsets,
    cost: "O(n log² n) per order",
    growth: Growth::Linear,
    capabilities: Capabilities::ALL,
    above_naive: Some(AboveNaive::Padding),
    limit: None,
};

/// Tries the orders one after the other until one meets the largest live sum.
///
/// All 13 for up to 2^15 buffers, 3 for up to 2^17, and 1 beyond: a large problem has so
/// many ties that its orders differ little, and each costs the same time again.
///
/// The observer receives each attempt begin, and the decisions of the best one only.
pub(super) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let blocks = Blocks::new(lifetimes, options)?;
    let mut attempts = Attempts::new(lifetimes, &blocks, observer);
    match portfolio(lifetimes, &blocks, &mut attempts) {
        Ok(()) | Err(PlanError::Cancelled) => attempts.finish(Strategy::Skyline),
        Err(error) => Err(error),
    }
}

fn portfolio(
    lifetimes: &Lifetimes,
    blocks: &Blocks,
    attempts: &mut Attempts<'_>,
) -> Result<(), PlanError> {
    let measures = Measures::new(blocks);
    let bound = bound(lifetimes, blocks, &measures);
    attempt_all(lifetimes, blocks, (&measures, bound), attempts)?;
    Ok(())
}

/// Tries the orders one after the other until one meets `bound`; those that made a smaller
/// plan than all before, the best last.
///
/// # Errors
/// [`PlanError::Cancelled`] when the observer breaks off.
pub(in crate::strategies) fn attempt_all(
    lifetimes: &Lifetimes,
    blocks: &Blocks,
    (measures, bound): (&Measures, u64),
    attempts: &mut Attempts<'_>,
) -> Result<Vec<Vec<u32>>, PlanError> {
    let orders = orders(blocks.len());
    let all = blocks.len() as u64;
    let total = all * orders.len() as u64;
    attempts.emit(Event::Progress { done: 0, total })?;
    let mut greedy = Greedy::new(lifetimes, blocks);
    let mut better = Vec::new();
    for (before, keys) in (0_u64..).map(|tried| tried * all).zip(orders) {
        let done = before;
        attempts.emit(Event::Progress { done, total })?;
        let order = measures.order(blocks, *keys);
        if attempt(&mut greedy, (*keys, &order), (before, total), attempts)? {
            better.push(order);
        }
        if attempts.is_settled(bound) {
            break;
        }
    }
    Ok(better)
}

/// What no arena is smaller than: the most bytes that are needed at one step, with every
/// block but the highest rounded up to the grid where all are needed whole.
pub(in crate::strategies) fn bound(
    lifetimes: &Lifetimes,
    blocks: &Blocks,
    measures: &Measures,
) -> u64 {
    let needed = match greedy::constrained(lifetimes, blocks) {
        false => measures.bound(),
        true => {
            let points = profile::profile(lifetimes).points;
            points.iter().map(|point| point.1.0).max().unwrap_or(0)
        }
    };
    needed.max(blocks.floor)
}

/// Tries `order`, which is by `keys`, and offers what comes out of it; whether it is the best so
/// far. So many blocks of so many were placed before, in other orders.
fn attempt(
    greedy: &mut Greedy<'_>,
    (keys, order): ([Key; 3], &[u32]),
    (before, total): (u64, u64),
    attempts: &mut Attempts<'_>,
) -> Result<bool, PlanError> {
    attempts.begin(Trial::Skyline(keys))?;
    let limit = attempts.limit();
    let mut tick = |placed: usize| {
        let done = before + placed as u64;
        attempts.emit(Event::Progress { done, total })
    };
    let Some(arena) = greedy.place(order, limit, &mut tick)? else {
        let best = Bytes(limit);
        attempts.emit(Event::Ended {
            how: Ended::GivenUp { best },
        })?;
        return Ok(false);
    };
    attempts.offer(arena, greedy.offsets(), greedy.placed())?;
    Ok(true)
}

/// The orders that are tried for so many buffers.
fn orders(buffers: usize) -> &'static [[Key; 3]] {
    match buffers {
        0..=0x8000 => &PREORDERS,
        0x8001..=0x2_0000 => &PREORDERS[..3],
        _ => &PREORDERS[..1],
    }
}
