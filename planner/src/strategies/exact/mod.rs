//! Offsets, searched until no plan can be smaller. Source: MiniMalloc (Moffitt 2023), branch and bound.

mod field;
mod problem;
mod rules;
mod sections;
mod state;
mod tree;
mod group;
mod told;
mod fit;
mod drive;

pub use drive::{Outcome, search};
pub use fit::{Answer, Fit, fits};
pub use problem::{BUFFERS, PAIRS};
pub use rules::Rules;

use super::{Observer, PlanError, Strategy};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::units::{Bytes, Offset};

/// Searches with all rules.
pub(super) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    search(lifetimes, options, None, Rules::ALL, observer).map(|outcome| outcome.plan)
}

/// Several pools are for the one who calls.
fn refuse(options: &Options) -> Result<(), PlanError> {
    match options.pools.first() {
        None => Ok(()),
        Some(pool) => Err(PlanError::Unsupported {
            what: format!("pools, such as {:?}", pool.name),
        }),
    }
}

/// Every buffer at its fixed address or at 0: where those stay that need no memory.
fn resting(lifetimes: &Lifetimes) -> Vec<Offset> {
    let buffers = lifetimes.buffers.iter();
    buffers
        .map(|buffer| buffer.fixed.unwrap_or_default())
        .collect()
}

fn plan_of(lifetimes: &Lifetimes, offsets: Vec<Offset>) -> Plan {
    let ends = lifetimes.buffers.iter().zip(&offsets);
    let ends = ends.map(|(buffer, offset)| offset.0 + buffer.size.0);
    Plan {
        origin: Strategy::Exact.name().into(),
        arena: Bytes(ends.max().unwrap_or(0)),
        offsets,
        ..Plan::default()
    }
}
