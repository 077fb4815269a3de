//! The exact search, with a small budget: it settles most problems that a search on the order
//! cannot, or proves that nothing is left to be found.

use std::ops::ControlFlow;

use crate::liveness::Lifetimes;
use crate::plan::{Effort, Options};
use crate::strategies::exact::{self, Rules};
use crate::strategies::incumbent::Attempts;
use crate::strategies::{Event, Observer, PlanError, Stage, Trial};
use crate::units::{Bytes, Offset};

/// Most buffers for which it is tried.
const BUFFERS: usize = 1000;

/// Of the budget of nodes one in so many is spent here, and no more than [`MOST`].
const SHARE: u64 = 16;

/// Most nodes, so that all is done within a second in a page.
const MOST: u64 = 1 << 17;

/// Searches down from the best plan so far.
///
/// # Errors
/// [`PlanError::Cancelled`] when the observer breaks off.
pub(super) fn attempt(
    lifetimes: &Lifetimes,
    options: &Options,
    attempts: &mut Attempts<'_>,
) -> Result<(), PlanError> {
    let nodes = (options.effort.nodes / SHARE).min(MOST);
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
    attempts.stage(Stage::Proof)?;
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
