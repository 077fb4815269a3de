//! Which buffer is written over which: an interval may take a part of another's bytes at the step
//! that is the first of the one and the last of the other.

use std::collections::BTreeMap;

use crate::liveness::Handover;
use crate::units::{Bytes, Span};

/// How many intervals that end in time are looked at for each that begins.
const NEAREST: usize = 8;

/// An interval at its place.
#[derive(Clone, Copy)]
pub(super) struct Placed {
    /// Those of one group may be written over each other.
    pub(super) group: u64,
    pub(super) span: Span,
    pub(super) offset: u64,
    pub(super) size: u64,
}

/// The pairs among `placed`, by index: at most one before each.
pub(super) fn overwrites(placed: &[Placed]) -> Vec<Handover> {
    let mut ends = BTreeMap::new();
    for (index, it) in placed.iter().enumerate() {
        ends.insert((it.group, it.span.end.0, it.offset, index), it);
    }
    let mut pairs = Vec::new();
    for (after, it) in placed.iter().enumerate() {
        let end = it.span.start.0 + 1;
        let below = (it.group, end, 0, 0)..=(it.group, end, it.offset, usize::MAX);
        let mut below = ends.range(below).rev().take(NEAREST);
        let before = below.find(|&(&(_, _, offset, before), other)| {
            let holds = offset + other.size >= it.offset + it.size;
            before != after && holds && other.span.start < it.span.start
        });
        if let Some((&(_, _, offset, before), _)) = before {
            pairs.push(Handover {
                before,
                after,
                shift: Bytes(it.offset - offset),
            });
        }
    }
    pairs
}
