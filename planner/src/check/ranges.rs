//! Ranges of addresses that must not share bytes: objects, and pools.

use crate::units::{Bytes, Offset};
use alloc::vec::Vec;

/// The pairs of neighbours, by ascending index, that share bytes when sorted by address: none
/// exactly when no two ranges do. Ranges of no bytes share none.
pub(super) fn sharing(starts: &[Offset], sizes: &[Bytes]) -> Vec<(usize, usize)> {
    let places = starts.iter().zip(sizes).enumerate();
    let taken = places.filter(|(_, (_, size))| size.0 > 0);
    let mut ranges: Vec<(u64, u64, usize)> = taken
        .map(|(index, (start, size))| (start.0, start.0.saturating_add(size.0), index))
        .collect();
    ranges.sort_unstable();
    let overlap = |pair: &&[(u64, u64, usize)]| pair[0].1 > pair[1].0;
    let pairs = ranges.windows(2).filter(overlap);
    pairs
        .map(|pair| (pair[0].2.min(pair[1].2), pair[0].2.max(pair[1].2)))
        .collect()
}

/// Those ranges, by index, that end beyond `arena` or beyond 64 bits.
pub(super) fn outside(
    starts: &[Offset],
    sizes: &[Bytes],
    arena: Bytes,
) -> impl Iterator<Item = usize> {
    let places = starts.iter().zip(sizes).enumerate();
    let outside = places
        .filter(move |(_, (start, size))| start.end(**size).is_none_or(|end| end.0 > arena.0));
    outside.map(|(index, _)| index)
}
