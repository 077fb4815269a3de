//! A strategy plans what is not kept.

use serde::{Deserialize, Serialize};

use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::strategies::{self, Capability, Observer, PlanError, Strategy};
use crate::units::Offset;

/// A buffer that stays where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// Its index.
    pub buffer: usize,
    /// Where it starts, from the start of its pool, or of the arena where there are none.
    pub at: Offset,
    /// Its pool, where there are pools.
    pub pool: Option<u32>,
}

/// The strategies that can plan around buffers that stay where they are, with everything else
/// that `lifetimes` and `options` ask for.
#[must_use]
pub fn finishers(lifetimes: &Lifetimes, options: &Options) -> Vec<Strategy> {
    let can = |strategy: &Strategy| {
        strategy.description().capabilities.fixed == Capability::Yes
            && strategies::admits(*strategy, lifetimes, options).is_ok()
    };
    Strategy::ALL.into_iter().filter(can).collect()
}

/// `buffers` as they lie in `plan`.
#[must_use]
pub fn kept(plan: &Plan, buffers: impl IntoIterator<Item = usize>) -> Vec<Kept> {
    let kept = buffers.into_iter().filter_map(|buffer| {
        let at = *plan.offsets.get(buffer)?;
        let Some(pools) = &plan.pools else {
            let pool = None;
            return Some(Kept { buffer, at, pool });
        };
        let pool = *pools.of_buffer.get(buffer)?;
        let base = pools.bases.get(pool as usize)?;
        Some(Kept {
            buffer,
            at: Offset(at.0.checked_sub(base.0)?),
            pool: Some(pool),
        })
    });
    kept.collect()
}

/// Plans `lifetimes` with `strategy` around what is `kept`. With pools, what is kept stays at
/// its place in its pool; the pools themselves may begin elsewhere, for they are memories of
/// their own.
///
/// # Errors
/// See [`PlanError`].
pub fn finish(
    strategy: Strategy,
    lifetimes: &Lifetimes,
    kept: &[Kept],
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let mut lifetimes = lifetimes.clone();
    if !options.pools.is_empty() {
        // What the problem fixes counts from the start of the first pool, where it lies.
        let fixed = lifetimes.buffers.iter_mut().filter(|it| it.fixed.is_some());
        for buffer in fixed.filter(|it| it.pools.contains(&0)) {
            buffer.pools = vec![0];
        }
    }
    for one in kept {
        if let Some(buffer) = lifetimes.buffers.get_mut(one.buffer) {
            buffer.fixed = Some(one.at);
            if let Some(pool) = one.pool {
                buffer.pools = vec![pool];
            }
        }
    }
    let plan = strategies::plan_within_pools(strategy, &lifetimes, options, observer)?;
    Ok(Plan {
        origin: plan.origin.edited(),
        // All three say something of the problem in which the kept ones are fixed.
        proved: None,
        unsearched: None,
        reserved: None,
        ..plan
    })
}
