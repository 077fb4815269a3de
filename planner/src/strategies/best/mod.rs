//! Offsets, the best of several, then searched. Source: by size and skyline, then local search on the order.
//!
//! One pass after the other, until one meets the bound: the skyline in all its orders, then
//! best gaps in several. Then the exact search for a short time, and at last the order that
//! the best skyline came from is changed again and again, as long as the budget lasts.
//! Whenever it is stopped it has the best plan so far. Large problems get the skyline alone.

mod one_pass;
mod proof;
mod random;
mod search;

use super::incumbent::Attempts;
use super::skyline::{self, Blocks, Decoder, Greedy, Measures, bound};
use super::{Observer, PlanError, Strategy};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};

/// Most conflicting pairs with which the order is searched: with more, a move takes too long
/// for a search to get anywhere.
const PAIRS: u64 = 1 << 21;

/// Skyline, one-pass strategies, a short exact search, local search, in this order.
///
/// The observer hears each attempt begin, each better plan, and the decisions of the best
/// plan only.
pub(super) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let blocks = Blocks::new(lifetimes, options)?;
    let mut attempts = Attempts::new(lifetimes, &blocks, observer);
    match improve(lifetimes, options, &blocks, &mut attempts) {
        Ok(()) | Err(PlanError::Cancelled) => attempts.finish_anytime(Strategy::Best),
        Err(error) => Err(error),
    }
}

fn improve(
    lifetimes: &Lifetimes,
    options: &Options,
    blocks: &Blocks,
    attempts: &mut Attempts<'_>,
) -> Result<(), PlanError> {
    let measures = Measures::new(blocks);
    let bound = bound(lifetimes, blocks, &measures);
    let mut greedy = Greedy::new(lifetimes, blocks);
    let mut starts = Vec::new();
    for keys in skyline::orders(blocks.len()) {
        let order = measures.order(blocks, *keys);
        if skyline::attempt(&mut greedy, (*keys, order.clone()), attempts)? {
            starts.push(order);
        }
        if attempts.is_settled(bound) {
            return Ok(());
        }
    }
    one_pass::attempt_all(lifetimes, options, measures.conflicts(), bound, attempts)?;
    if attempts.is_settled(bound) {
        return Ok(());
    }
    drop(greedy);
    proof::attempt(lifetimes, options, attempts)?;
    if attempts.is_settled(bound) {
        return Ok(());
    }
    // The best order first.
    starts.reverse();
    match Decoder::new(lifetimes, blocks, PAIRS) {
        Some(decoder) if !starts.is_empty() => {
            search::search(decoder, &starts, (bound, options.effort.moves), attempts)
        }
        _ => Ok(()),
    }
}
