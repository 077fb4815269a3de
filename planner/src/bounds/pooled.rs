//! What pools need together: a buffer that may live in one pool alone needs its bytes there,
//! whatever is free in another.

use super::moved::part;
use super::{Bound, BoundKind, Bounds, aligned};
use crate::liveness::Lifetimes;
use crate::units::Bytes;
use alloc::vec::Vec;

/// The sum over `pools` pools of what the buffers need that may live nowhere else; `None` where
/// `known`, the bounds of one arena, says as much. Sums beyond 64 bits are the largest number.
#[must_use]
pub fn pooled(lifetimes: &Lifetimes, pools: usize, known: &Bounds) -> Option<Bound> {
    let alignment = known.list.iter().find_map(|bound| match bound.kind {
        BoundKind::Aligned { alignment } => Some(alignment),
        _ => None,
    });
    let (mut bytes, mut witness) = (0_u64, Vec::new());
    for pool in (0..).take(if pools > 1 { pools } else { 0 }) {
        let buffers = lifetimes.buffers.iter().enumerate();
        let members = buffers.filter(|(_, it)| it.pools == [pool] && it.is_needed());
        let members: Vec<usize> = members.map(|(index, _)| index).collect();
        let mut own = part(lifetimes, &members);
        for buffer in &mut own.buffers {
            // An address counts from the first pool's start.
            buffer.fixed = None;
        }
        let found = aligned(&own, alignment.unwrap_or(Bytes(1)));
        bytes = bytes.saturating_add(found.offsets.0);
        witness.extend(found.witness.iter().map(|&index| members[index]));
    }
    (bytes > known.offsets.0).then_some(Bound {
        kind: BoundKind::Pools,
        bytes: Bytes(bytes),
        step: None,
        witness,
        shared: Bytes::ZERO,
    })
}
