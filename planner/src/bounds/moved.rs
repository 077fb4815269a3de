//! What cannot stay in the pools that it prefers: the least that any plan for these pools has
//! to move.
//!
//! In each stretch of time that no buffer of a pool connects, what is needed at one step
//! beyond the pool's capacity has to go elsewhere, and at least one whole buffer with it; so
//! does every buffer that is larger than the pool. The sum over stretches and pools holds for
//! every plan, because no buffer is in two of them. What others bring into the pool, and what
//! a packing wastes, is not counted.

use crate::liveness::profile::profile;
use crate::liveness::{Buffer, Handover, Lifetimes};
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Span};
use alloc::vec::Vec;

/// Bytes that any plan for pools with these capacities, `None` for no limit, has to move out of
/// the pool that they prefer: the first of a buffer's candidates, else the first of all.
#[must_use]
pub fn must_move(lifetimes: &Lifetimes, capacities: &[Option<Bytes>]) -> Bytes {
    let limited = (0..).zip(capacities);
    let limited = limited.filter_map(|(pool, capacity)| Some((pool, (*capacity)?)));
    let moved = limited.map(|(pool, capacity)| of_pool(lifetimes, pool, capacity));
    Bytes(moved.fold(0, u64::saturating_add))
}

fn of_pool(lifetimes: &Lifetimes, pool: u32, capacity: Bytes) -> u64 {
    let prefers =
        |buffer: &Buffer| buffer.is_needed() && buffer.pools.first().copied().unwrap_or(0) == pool;
    let mut too_large = 0_u64;
    let mut members = Vec::new();
    for (index, buffer) in lifetimes.buffers.iter().enumerate() {
        if prefers(buffer) && buffer.size > capacity {
            too_large = too_large.saturating_add(buffer.size.0);
        } else if prefers(buffer) {
            members.push(index);
        }
    }
    let own = part(lifetimes, &members);
    let mut stretches = stretches(&own.buffers);
    let mut at = 0;
    for (step, live) in profile(&own).points {
        while stretches.get(at).is_some_and(|it| it.span.end <= step) {
            at += 1;
        }
        if let Some(stretch) = stretches.get_mut(at) {
            stretch.peak = stretch.peak.max(live);
        }
    }
    stretches.iter().fold(too_large, |sum, stretch| {
        let excess = stretch.peak.0.saturating_sub(capacity.0);
        let whole = if excess > 0 { stretch.smallest.0 } else { 0 };
        sum.saturating_add(excess.max(whole))
    })
}

/// Time during which something is live, and nothing just before and after.
struct Stretch {
    span: Span,
    smallest: Bytes,
    /// The most bytes that are needed at one step.
    peak: Bytes,
}

fn stretches(buffers: &[Buffer]) -> Vec<Stretch> {
    let mut by_start: Vec<&Buffer> = buffers.iter().collect();
    by_start.order_by_key(|buffer| buffer.span.start);
    let mut stretches: Vec<Stretch> = Vec::new();
    for buffer in by_start {
        match stretches.last_mut() {
            Some(last) if buffer.span.start < last.span.end => {
                last.span.end = last.span.end.max(buffer.span.end);
                last.smallest = last.smallest.min(buffer.size);
            }
            _ => stretches.push(Stretch {
                span: buffer.span,
                smallest: buffer.size,
                peak: Bytes::ZERO,
            }),
        }
    }
    stretches
}

/// The lifetimes of `members` alone; both buffers of a handover share bytes only in one pool.
pub(super) fn part(lifetimes: &Lifetimes, members: &[usize]) -> Lifetimes {
    let buffers = members
        .iter()
        .map(|&index| lifetimes.buffers[index].clone());
    let mut own = Lifetimes::of(buffers);
    let inside = lifetimes.handovers.iter().filter_map(|it| {
        Some(Handover {
            before: members.binary_search(&it.before).ok()?,
            after: members.binary_search(&it.after).ok()?,
            shift: it.shift,
        })
    });
    own.handovers = inside.collect();
    own
}
