//! The plan that a change by hand gives.

use crate::liveness::{Buffer, LIMIT, Lifetimes};
use crate::plan::{Options, Plan, Pools};
use crate::units::{Bytes, Offset};

/// The highest address at which any buffer may be put by hand: with it, sizes, paddings and
/// addresses stay below [`LIMIT`], so that every strategy can plan around it and every file
/// can be read again.
#[must_use]
pub fn highest(lifetimes: &Lifetimes, options: &Options) -> Offset {
    let needed = lifetimes.buffers.iter().map(|buffer| {
        let padding = buffer.alignment.max(options.alignment).0;
        buffer.size.0.saturating_add(padding)
    });
    let needed = needed.fold(0, u64::saturating_add);
    Offset((LIMIT.0 - 1).saturating_sub(needed))
}

/// `plan` with the buffers of `places` where they say. The arena follows; so do the pools:
/// each buffer lives where its address is. Shared objects, and what the strategy proved of
/// its own plan, are gone. Places of buffers that do not exist are ignored.
#[must_use]
pub fn moved(
    lifetimes: &Lifetimes,
    plan: &Plan,
    options: &Options,
    places: &[(usize, Offset)],
) -> Plan {
    let mut changed = Plan {
        objects: None,
        proved: None,
        unsearched: None,
        reserved: None,
        ..plan.clone()
    };
    for &(buffer, to) in places {
        if let Some(offset) = changed.offsets.get_mut(buffer) {
            *offset = to;
        }
    }
    changed.arena = arena(lifetimes, &changed.offsets, options);
    if let Some(mut pools) = changed.pools.take() {
        refit(lifetimes, &changed, &mut pools, places);
        let ends = pools.bases.iter().zip(&pools.sizes);
        let ends = ends.map(|(base, size)| base.0.saturating_add(size.0));
        changed.arena = changed.arena.max(Bytes(ends.max().unwrap_or(0)));
        changed.pools = Some(pools);
    }
    changed
}

/// Moves the buffers of `places` to the pools where they lie now, and measures the pools that
/// they left or came to.
fn refit(lifetimes: &Lifetimes, plan: &Plan, pools: &mut Pools, places: &[(usize, Offset)]) {
    let mut touched = vec![false; pools.bases.len()];
    let mut touch = |pool: u32| {
        if let Some(touched) = touched.get_mut(pool as usize) {
            *touched = true;
        }
    };
    for &(buffer, to) in places {
        let Some(known) = lifetimes.buffers.get(buffer) else {
            continue;
        };
        let pool = holder(known, pools, buffer, to);
        if let Some(held) = pools.of_buffer.get_mut(buffer) {
            touch(*held);
            touch(pool);
            *held = pool;
        }
    }
    let mut top = 0;
    for (pool, touched) in touched.into_iter().enumerate() {
        if touched {
            let base = pools.bases[pool].0;
            let members = pools.of_buffer.iter().enumerate();
            let members = members.filter(|(_, held)| **held as usize == pool);
            let ends = members.filter_map(|(buffer, _)| {
                let size = lifetimes.buffers.get(buffer)?.size.0;
                Some(plan.offsets.get(buffer)?.0.saturating_add(size))
            });
            let end = ends.max().unwrap_or(base);
            pools.sizes[pool] = Bytes(end.saturating_sub(base));
        }
        let size = pools.sizes[pool].0;
        if size == 0 {
            // Nothing keeps an empty pool where it was.
            pools.bases[pool] = pools.bases[pool].min(Offset(top));
        }
        top = top.max(pools.bases[pool].0.saturating_add(size));
    }
}

/// The pool that holds a buffer which starts at `at`: the highest that begins there or below;
/// of several that begin at one address its own, else the first that it may live in.
pub(super) fn holder(known: &Buffer, pools: &Pools, buffer: usize, at: Offset) -> u32 {
    let base = pools.bases.iter().filter(|base| **base <= at).max();
    let begins = (0_u32..).zip(&pools.bases);
    let begins = begins.filter(|(_, start)| Some(*start) == base);
    let group: Vec<u32> = begins.map(|(pool, _)| pool).collect();
    let own = pools.of_buffer.get(buffer);
    let allowed = |pool: &&u32| known.pools.is_empty() || known.pools.contains(pool);
    let found = group.iter().find(|pool| Some(*pool) == own);
    let found = found.or_else(|| group.iter().find(allowed));
    found.or(group.last()).copied().unwrap_or(0)
}

/// The two places of `one` and `other` in `offsets` the other way round; none where one of
/// them does not exist.
#[must_use]
pub fn swapped(offsets: &[Offset], one: usize, other: usize) -> Vec<(usize, Offset)> {
    match (offsets.get(one), offsets.get(other)) {
        (Some(&place), Some(&second)) => vec![(one, second), (other, place)],
        _ => Vec::new(),
    }
}

/// The arena that `offsets` need: the end of the highest buffer, rounded up to the alignment
/// where that is below 2^64.
#[must_use]
pub fn arena(lifetimes: &Lifetimes, offsets: &[Offset], options: &Options) -> Bytes {
    arena_with(lifetimes, offsets, options, None)
}

/// The same with one buffer elsewhere.
pub(super) fn arena_with(
    lifetimes: &Lifetimes,
    offsets: &[Offset],
    options: &Options,
    held: Option<(usize, Offset)>,
) -> Bytes {
    let places = lifetimes.buffers.iter().zip(offsets).enumerate();
    let ends = places.map(|(index, (buffer, &offset))| {
        let held = held.filter(|(held, _)| *held == index);
        let start = held.map_or(offset, |(_, at)| at);
        start.0.saturating_add(buffer.size.0)
    });
    let top = Bytes(ends.max().unwrap_or(0));
    top.align_up(options.alignment).unwrap_or(top)
}
