//! Pools against what was asked for, the arena, each other and the buffers in them.

use super::Violation;
use super::ranges::{outside, sharing};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan, Pool, Pools};
use alloc::vec::Vec;

/// All rules of pools.
pub(super) fn check_pools(
    lifetimes: &Lifetimes,
    plan: &Plan,
    options: &Options,
    found: &mut Vec<Violation>,
) {
    let asked = options.pools.len();
    let Some(pools) = &plan.pools else {
        match options.pools.as_slice() {
            [] => {}
            [only] => check_only(lifetimes, plan, only, found),
            _ => found.push(Violation::NoPools { asked }),
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

/// A plan that says nothing of pools in the only one that there is: all of it lies there.
fn check_only(lifetimes: &Lifetimes, plan: &Plan, pool: &Pool, found: &mut Vec<Violation>) {
    let size = plan.arena;
    if let Some(capacity) = pool.capacity.filter(|&it| size > it) {
        found.push(Violation::PoolTooLarge {
            pool: 0,
            size,
            capacity,
        });
    }
    let buffers = lifetimes.buffers.iter().enumerate();
    let elsewhere = buffers.filter(|(_, it)| !it.pools.is_empty() && !it.pools.contains(&0));
    found.extend(elsewhere.map(|(buffer, _)| Violation::WrongPool { buffer, pool: 0 }));
}

/// Pools against their capacities, the arena and each other.
fn check_places(plan: &Plan, pools: &Pools, options: &Options, found: &mut Vec<Violation>) {
    let (bases, sizes, arena) = (&pools.bases, &pools.sizes, plan.arena);
    for (pool, (&size, asked)) in sizes.iter().zip(&options.pools).enumerate() {
        if let Some(capacity) = asked.capacity
            && size > capacity
        {
            found.push(Violation::PoolTooLarge {
                pool,
                size,
                capacity,
            });
        }
    }
    let outside = outside(bases, sizes, arena);
    found.extend(outside.map(|pool| Violation::PoolBehindArena { pool, arena }));
    let pairs = sharing(bases, sizes).into_iter();
    found.extend(pairs.map(|(first, second)| Violation::PoolsOverlap { first, second }));
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
