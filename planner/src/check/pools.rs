//! Pools against what was asked for, the arena, each other and the buffers in them.

use super::Violation;
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan, Pools};

/// All rules of pools.
pub(super) fn check_pools(
    lifetimes: &Lifetimes,
    plan: &Plan,
    options: &Options,
    found: &mut Vec<Violation>,
) {
    let asked = options.pools.len();
    let Some(pools) = &plan.pools else {
        if asked > 0 {
            found.push(Violation::NoPools { asked });
        }
        return;
    };
    let (bases, sizes, assigned) = (pools.bases.len(), pools.sizes.len(), pools.of_buffer.len());
    let buffers = lifetimes.buffers.len();
    if bases != asked || sizes != asked || assigned != buffers {
        found.push(Violation::PoolCount {
            asked,
            bases,
            sizes,
            assigned,
        });
        return;
    }
    check_places(plan, pools, options, found);
    for (buffer, &pool) in pools.of_buffer.iter().enumerate() {
        check_holder(lifetimes, plan, pools, (buffer, pool), found);
    }
}

/// Pools against their capacities, the arena and each other.
fn check_places(plan: &Plan, pools: &Pools, options: &Options, found: &mut Vec<Violation>) {
    let mut ranges = Vec::new();
    for (pool, (&base, &size)) in pools.bases.iter().zip(&pools.sizes).enumerate() {
        if let Some(capacity) = options.pools[pool].capacity
            && size > capacity
        {
            found.push(Violation::PoolTooLarge {
                pool,
                size,
                capacity,
            });
        }
        match base.end(size) {
            Some(end) if end.0 <= plan.arena.0 => {}
            _ => found.push(Violation::PoolBehindArena {
                pool,
                arena: plan.arena,
            }),
        }
        if size.0 > 0 {
            ranges.push((base.0, base.0.saturating_add(size.0), pool));
        }
    }
    ranges.sort_unstable();
    for pair in ranges.windows(2) {
        if pair[0].1 > pair[1].0 {
            found.push(Violation::PoolsOverlap {
                first: pair[0].2.min(pair[1].2),
                second: pair[0].2.max(pair[1].2),
            });
        }
    }
}

/// One buffer against its pool.
fn check_holder(
    lifetimes: &Lifetimes,
    plan: &Plan,
    pools: &Pools,
    (buffer, pool): (usize, u32),
    found: &mut Vec<Violation>,
) {
    let place = pool as usize;
    let (Some(&base), Some(&size)) = (pools.bases.get(place), pools.sizes.get(place)) else {
        found.push(Violation::NoSuchPool { buffer, pool });
        return;
    };
    let known = &lifetimes.buffers[buffer];
    if !known.pools.is_empty() && !known.pools.contains(&pool) {
        found.push(Violation::WrongPool { buffer, pool });
    }
    let offset = plan.offsets[buffer];
    let inside = match (offset.end(known.size), base.end(size)) {
        (Some(end), Some(pool_end)) => base <= offset && end <= pool_end,
        _ => false,
    };
    if !inside {
        found.push(Violation::OutsidePool { buffer, pool });
    }
}
