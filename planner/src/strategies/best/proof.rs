//! The exact search, with a part of its budget: it settles most problems that a search on the
//! order cannot, or proves that nothing is left to be found. It comes twice: for a short time
//! before the order is searched, because it is quick where it finds anything, and again for
//! longer where that search has ended above the bound.

use core::ops::ControlFlow;

use crate::liveness::Lifetimes;
use crate::plan::{Effort, Options};
use crate::strategies::exact::{self, Rules};
use crate::strategies::incumbent::Attempts;
use crate::strategies::{Event, Observer, PlanError, SearchStage, Trial};
use crate::units::{Bytes, Offset};

/// Most buffers for which it is tried.
const BUFFERS: usize = 1000;

/// Of the budget of nodes one in so many is spent the first time, and no more than [`MOST`].
const SHARE: u64 = 16;

/// Most nodes of the first time, so that all is done within a second in a page. The second time
/// gets as many from a smaller budget too.
const MOST: u64 = 1 << 17;

/// Of the budget one in so many is spent the second time.
const LAST_SHARE: u64 = 8;

/// With more than this many buffers the second time gets fewer nodes, because each costs more:
/// up to 0.9 µs with 400 buffers, and up to 6 µs with 1,000.
const USUAL_BUFFERS: u64 = 512;

/// Which of the two times it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// Before the order is searched.
    First,
    /// After it.
    Last,
}

impl Turn {
    /// The most nodes, of a budget of `nodes`, for so many buffers.
    fn nodes(self, nodes: u64, buffers: usize) -> u64 {
        let first = (nodes / SHARE).min(MOST);
        match self {
            Self::First => first,
            Self::Last => {
                let most = (nodes / LAST_SHARE).max(MOST).min(nodes - first);
                let buffers = USUAL_BUFFERS.max(buffers as u64);
                // What overflows here no search would live to see.
                most.saturating_mul(USUAL_BUFFERS) / buffers
            }
        }
    }
}

/// Searches down from the best plan so far.
///
/// # Errors
/// [`PlanError::Cancelled`] when the observer breaks off.
pub(super) fn attempt(
    turn: Turn,
    lifetimes: &Lifetimes,
    options: &Options,
    attempts: &mut Attempts<'_>,
) -> Result<(), PlanError> {
    let nodes = turn.nodes(options.effort.nodes, lifetimes.buffers.len());
    let Some(incumbent) = attempts.incumbent() else {
        return Ok(());
    };
    if nodes == 0 || lifetimes.buffers.len() > BUFFERS {
        return Ok(());
    }
    let effort = Effort {
        nodes,
        ..options.effort
    };
    let options = Options {
        effort,
        ..options.clone()
    };
    attempts.stage(SearchStage::Proof)?;
    attempts.begin(Trial::Proof { most: nodes })?;
    let mut relay = Relay {
        attempts,
        result: Ok(()),
    };
    let found = exact::search(lifetimes, &options, Some(incumbent), Rules::ALL, &mut relay);
    relay.result?;
    if let Ok(found) = found {
        attempts.prove(found.plan.proved);
    }
    Ok(())
}

/// Passes better plans and bounds on.
struct Relay<'a, 'b> {
    attempts: &'a mut Attempts<'b>,
    result: Result<(), PlanError>,
}

impl Observer for Relay<'_, '_> {
    fn observe(&mut self, event: Event) -> ControlFlow<()> {
        if matches!(event, Event::Progress { .. } | Event::Proved { .. }) && self.result.is_ok() {
            self.result = self.attempts.emit(event);
        }
        match self.result {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }

    fn incumbent(&mut self, offsets: &[Offset], arena: Bytes) {
        if self.result.is_ok() {
            self.result = self.attempts.offer_by_address(arena.0, offsets);
        }
    }
}
