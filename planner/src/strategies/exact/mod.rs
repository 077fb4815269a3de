//! Offsets, searched until no plan can be smaller. Source: MiniMalloc (Moffitt 2023), branch and
//! bound.
//!
//! | question | door |
//! |---|---|
//! | what is the smallest arena? | [`search`]: optimal where `proved` equals the arena |
//! | is there a plan of so many bytes? | [`fits`] |
//!
//! Buffers are placed one after the other, each as low as those already placed let it, and
//! taken up again where a rule of [`Rules`] says that the rest cannot fit. Groups that share
//! no step are searched apart. In each, three preorders and several capacities between bound
//! and best plan take turns with node limits that double, so that no bad start is waited for;
//! from the fourth round on each preorder also takes turns changed a little, in another way at
//! each restart. A block whose place failed is postponed until another lifts it (the postponed
//! activities of Le Pape and others 1994), and what it then needs is looked at in its sections.
//! A node is one buffer tried at one place. A search that fails everywhere proves the least
//! capacity at which any of its branches would have gone on.
//!
//! Everything lies in flat arrays; a node costs the buffers that are live together with the
//! placed one, the unplaced ones of its group, and one look at each section. The search goes
//! down from the best plan of the one-pass strategies. More than [`BUFFERS`] buffers or
//! [`PAIRS`] pairs live together are not searched: that plan comes back, with the live bytes
//! for its bound. The same two limits make [`fits`] answer that it does not know.
//!
//! Alignment, fixed addresses and pauses are kept. Where buffers may be handed over, or pauses
//! leave windows that may interleave, plans exist that the search never looks at: only bounds
//! that hold without it are called proved then, and
//! [`Plan::unsearched`](crate::plan::Plan::unsearched) says why.

mod field;
mod problem;
mod rules;
mod sections;
mod state;
mod tree;
mod group;
mod report;
#[cfg(feature = "internals")]
mod fit;
mod drive;

use alloc::vec::Vec;

#[cfg(feature = "internals")]
pub use drive::Outcome;
pub use drive::search;
#[cfg(feature = "internals")]
pub use fit::{Answer, Fit, fits};
#[cfg(feature = "internals")]
pub use problem::{BUFFERS, PAIRS};
pub use rules::Rules;

use super::description::{AboveNaive, Capabilities, Description, Family, Growth, Model};
use super::{Observer, PlanError, Strategy};
use crate::liveness::Lifetimes;
use crate::message;
use crate::plan::{Options, Plan};
use crate::units::{Bytes, Offset};

pub(super) const STRATEGY: Description = Description {
    name: "exact",
    source: "MiniMalloc (Moffitt 2023), branch and bound",
    family: Family::Search,
    model: Model::Offsets,
    cost: "exponential, up to its budget",
    growth: Growth::Effort,
    // The search keeps handed over buffers and windows apart; its first plan need not.
    capabilities: Capabilities::ALL,
    above_naive: Some(AboveNaive::Padding),
    limit: None,
};

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
            what: message!("pools, such as {}", format_args!("{:?}", pool.name)),
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
