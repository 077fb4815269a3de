//! Offsets, the best of several, then searched. Source: by size and skyline, then exact and local
//! search.
//!
//! One pass after the other, until one meets the bound: the skyline in all its orders, then
//! best fit in several. Then the exact search for a short time; then the order that the best
//! skyline came from is changed again and again, as long as the budget lasts; at last the
//! exact search once more, longer, from the best plan of all. What is open still is planned by
//! every other strategy that it can afford. Whenever it is stopped it has the best plan so far.

mod one_pass;
mod proof;
mod search;

use alloc::vec::Vec;
use core::ops::ControlFlow;

use super::description::{AboveNaive, Capabilities, Description, Family, Growth, Model};
use super::incumbent::Attempts;
use super::skyline::{self, Blocks, Decoder, Measures, bound};
use super::{Event, Observer, PlanError, SearchStage, Strategy};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::units::{Bytes, Offset};
use proof::Turn;

pub(super) const STRATEGY: Description = Description {
    name: "best",
    source: "by size and skyline, a short exact search, local search on the order, exact again",
    family: Family::Search,
    model: Model::Offsets,
    cost: "effort",
    growth: Growth::Effort,
    capabilities: Capabilities::ALL,
    above_naive: Some(AboveNaive::Padding),
    limit: None,
};

/// Most conflicting pairs with which the order is searched: with more, a move takes too long
/// for a search to get anywhere.
const PAIRS: u64 = 1 << 21;

/// Most buffers for which the skyline alone is tried.
const AT_ONCE: usize = 1 << 10;

/// Skyline, one-pass strategies, a short exact search, local search, a longer exact search, all
/// other strategies, in this order.
///
/// The observer receives each stage and each attempt begin, each better plan, and the decisions
/// of the best plan only.
pub(super) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    searched(lifetimes, options, observer, true)
}

/// The same without the longer search, for one pool of several: it is planned again and again
/// while buffers leave it, and a smaller plan of one pool may be a worse one of all.
pub(super) fn plan_pool(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    searched(lifetimes, options, observer, false)
}

fn searched(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
    longer: bool,
) -> Result<Plan, PlanError> {
    let blocks = Blocks::new(lifetimes, options)?;
    let mut attempts = Attempts::new(lifetimes, &blocks, observer);
    let improved = improve(lifetimes, options, &blocks, &mut attempts);
    let searched = improved.and_then(|pass| {
        if longer && !attempts.is_settled(pass.0) {
            proof::attempt(Turn::Last, lifetimes, options, &mut attempts)?;
        }
        if longer && !attempts.is_settled(pass.0) {
            let (bound, conflicts) = pass;
            one_pass::attempt_rest(lifetimes, options, (conflicts, bound), &mut attempts)?;
        }
        Ok(())
    });
    match searched {
        Ok(()) | Err(PlanError::Cancelled) => attempts.finish(Strategy::Best),
        Err(error) => Err(error),
    }
}

/// The same where the skyline meets the bound in one of its orders; `None` elsewhere, and with
/// so many buffers that finding out takes long.
pub(super) fn plan_at_once(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Option<Result<Plan, PlanError>> {
    if lifetimes.buffers.len() > AT_ONCE {
        return None;
    }
    let blocks = match Blocks::new(lifetimes, options) {
        Ok(blocks) => blocks,
        Err(error) => return Some(Err(error)),
    };
    let mut attempts = Attempts::new(lifetimes, &blocks, observer);
    match orders(lifetimes, &blocks, &mut attempts) {
        Ok(pass) if !attempts.is_settled(pass.bound) => None,
        Ok(_) | Err(PlanError::Cancelled) => Some(attempts.finish(Strategy::Best)),
        Err(error) => Some(Err(error)),
    }
}

/// The best plan of the skyline and the one-pass strategies, without any search: where the
/// exact search begins. Asks the observer only whether to go on, and not before there
/// is a plan.
///
/// # Errors
/// [`PlanError::Overflow`] where sizes and paddings are too large.
pub(super) fn unsearched(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let blocks = Blocks::new(lifetimes, options)?;
    let mut patient = Patient {
        observer,
        begun: false,
    };
    let mut attempts = Attempts::new(lifetimes, &blocks, &mut patient);
    match first_pass(lifetimes, options, &blocks, &mut attempts) {
        Ok(_) | Err(PlanError::Cancelled) => attempts.incumbent().ok_or(PlanError::Cancelled),
        Err(error) => Err(error),
    }
}

/// Asks another observer whether to go on, once there is a plan.
struct Patient<'a> {
    observer: &'a mut dyn Observer,
    begun: bool,
}

impl Observer for Patient<'_> {
    fn observe(&mut self, event: Event) -> ControlFlow<()> {
        match event {
            Event::Progress { .. } if self.begun => self.observer.observe(event),
            _ => ControlFlow::Continue(()),
        }
    }

    fn incumbent(&mut self, _offsets: &[Offset], _arena: Bytes) {
        self.begun = true;
    }
}

/// The skyline in all its orders, then the one-pass strategies, until one meets the bound.
fn first_pass(
    lifetimes: &Lifetimes,
    options: &Options,
    blocks: &Blocks,
    attempts: &mut Attempts<'_>,
) -> Result<FirstPass, PlanError> {
    let pass = orders(lifetimes, blocks, attempts)?;
    if !attempts.is_settled(pass.bound) {
        let (conflicts, bound) = (pass.conflicts, pass.bound);
        one_pass::attempt_all(lifetimes, options, (conflicts, bound), attempts)?;
    }
    Ok(pass)
}

/// The skyline in all its orders, until one meets the bound.
fn orders(
    lifetimes: &Lifetimes,
    blocks: &Blocks,
    attempts: &mut Attempts<'_>,
) -> Result<FirstPass, PlanError> {
    attempts.stage(SearchStage::Orders)?;
    let measures = Measures::new(blocks);
    let bound = bound(lifetimes, blocks, &measures);
    let conflicts = measures.conflicts();
    let starts = skyline::attempt_all(lifetimes, blocks, (&measures, bound), attempts)?;
    Ok(FirstPass {
        starts,
        bound,
        conflicts,
    })
}

/// What is known after the first pass.
struct FirstPass {
    /// The orders that were the best so far, in turn.
    starts: Vec<Vec<u32>>,
    bound: u64,
    conflicts: u64,
}

/// All but the longer search; what no plan is below, and the number of conflicts.
fn improve(
    lifetimes: &Lifetimes,
    options: &Options,
    blocks: &Blocks,
    attempts: &mut Attempts<'_>,
) -> Result<(u64, u64), PlanError> {
    let FirstPass {
        mut starts,
        bound,
        conflicts,
    } = first_pass(lifetimes, options, blocks, attempts)?;
    let known = (bound, conflicts);
    if attempts.is_settled(bound) {
        return Ok(known);
    }
    proof::attempt(Turn::First, lifetimes, options, attempts)?;
    let moves = options.effort.moves;
    let cost = Decoder::cost(blocks.len(), conflicts);
    if attempts.is_settled(bound) || !search::is_affordable(moves, cost) {
        return Ok(known);
    }
    // The best order first.
    starts.reverse();
    if let Some(decoder) = Decoder::new(lifetimes, blocks, PAIRS)
        && !starts.is_empty()
    {
        search::search(decoder, &starts, (bound, moves), attempts)?;
    }
    Ok(known)
}
