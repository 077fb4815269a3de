//! What finds no room beside blocks with fixed addresses.
//!
//! Of what is live at a step, let `top` be the end of the highest fixed block. A block that
//! may move lies wholly above `top` or wholly inside one free range between the fixed blocks,
//! and a range smaller than the smallest of them holds none. So with `rest` bytes that may move
//! and free ranges of `free_below` bytes, the arena ends at `top + rest - free_below` or higher,
//! and never below `top`.
//!
//! Steps with a handover, at which a block may lie over another, are passed over.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;
use alloc::vec::Vec;

use super::{Bound, BoundKind, at_step};
use crate::liveness::{Lifetimes, savings};
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Step};

/// After so many visits of fixed blocks the rest of the steps is passed over; what was
/// found until then holds all the same.
const VISITS: u64 = 1 << 26;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Block {
    /// Addresses of a fixed block, and its buffer.
    Fixed(u64, u64, usize),
    /// Bytes of one that may move.
    Movable(u64),
    /// A handover takes place.
    Handover,
}

/// The bound, if any address is fixed.
pub(super) fn fixed(lifetimes: &Lifetimes) -> Option<Bound> {
    let tops = lifetimes.buffers.iter().enumerate().rev();
    let tops = tops.filter_map(|(index, it)| Some((it.fixed?.0.saturating_add(it.size.0), index)));
    let (top, highest) = tops.max_by_key(|&(top, _)| top)?;
    // Wherever the others are, the arena reaches to the highest of them.
    let alone = Bound {
        kind: BoundKind::Fixed {
            top: Bytes(top),
            free_below: Bytes::ZERO,
        },
        bytes: Bytes(top),
        step: Some(lifetimes.buffers[highest].span.start),
        witness: vec![highest],
        shared: Bytes::ZERO,
    };
    let crowded = crowded(lifetimes).filter(|bound| bound.bytes > alone.bytes);
    Some(crowded.unwrap_or(alone))
}

/// What is live, kept from step to step.
#[derive(Default)]
struct Live {
    fixed: BTreeSet<(u64, u64, usize)>,
    sizes: BTreeMap<u64, u64>,
    rest: u128,
    handovers: u64,
}

impl Live {
    fn change(&mut self, block: Block, begins: bool) {
        match (block, begins) {
            (Block::Handover, true) => self.handovers += 1,
            (Block::Handover, false) => self.handovers -= 1,
            (Block::Fixed(start, end, buffer), true) => {
                self.fixed.insert((start, end, buffer));
            }
            (Block::Fixed(start, end, buffer), false) => {
                self.fixed.remove(&(start, end, buffer));
            }
            (Block::Movable(bytes), true) => {
                self.rest += u128::from(bytes);
                *self.sizes.entry(bytes).or_default() += 1;
            }
            (Block::Movable(bytes), false) => {
                self.rest -= u128::from(bytes);
                if let Some(count) = self.sizes.get_mut(&bytes) {
                    *count -= 1;
                    if *count == 0 {
                        self.sizes.remove(&bytes);
                    }
                }
            }
        }
    }

    /// Top of the fixed blocks and the bytes of the free ranges below that can hold something.
    fn room(&self) -> (u64, u64) {
        let smallest = self.sizes.first_key_value().map_or(1, |(&size, _)| size);
        let (mut top, mut free_below) = (0_u64, 0);
        for &(start, end, _) in &self.fixed {
            let free = start.saturating_sub(top);
            if free >= smallest {
                free_below += free;
            }
            top = top.max(end);
        }
        (top, free_below)
    }
}

fn crowded(lifetimes: &Lifetimes) -> Option<Bound> {
    let changes = changes(lifetimes);
    let mut live = Live::default();
    let mut visits = 0;
    let mut best: Option<(u128, Step, (u64, u64))> = None;
    for together in changes.chunk_by(|a, b| a.0 == b.0) {
        for &(_, begins, block) in together {
            live.change(block, begins);
        }
        if live.fixed.is_empty() || live.handovers > 0 {
            continue;
        }
        visits += live.fixed.len() as u64;
        if visits > VISITS {
            break;
        }
        let (top, free_below) = live.room();
        let needed = u128::from(top) + live.rest.saturating_sub(u128::from(free_below));
        if best.is_none_or(|(known, _, _)| needed > known) {
            best = Some((needed, together[0].0, (top, free_below)));
        }
    }
    let (bytes, step, (top, free_below)) = best?;
    let bytes = Bytes(u64::try_from(bytes).unwrap_or(u64::MAX));
    let kind = BoundKind::Fixed {
        top: Bytes(top),
        free_below: Bytes(free_below),
    };
    Some(at_step(lifetimes, kind, (bytes, step)))
}

/// Step, whether the block begins, and the block; at each step ends come first.
fn changes(lifetimes: &Lifetimes) -> Vec<(Step, bool, Block)> {
    let mut changes = Vec::with_capacity(2 * lifetimes.buffers.len());
    let mut add = |start, end, block| changes.extend([(start, true, block), (end, false, block)]);
    for (index, buffer) in lifetimes.buffers.iter().enumerate() {
        for need in buffer.needs() {
            let block = match buffer.fixed {
                None => Block::Movable(need.bytes().0),
                Some(offset) => {
                    let address = |byte: Bytes| offset.0.saturating_add(byte.0);
                    Block::Fixed(address(need.window.0), address(need.window.1), index)
                }
            };
            add(need.span.start, need.span.end, block);
        }
    }
    for (step, _, _) in savings(lifetimes) {
        add(step, Step(step.0 + 1), Block::Handover);
    }
    changes.order();
    changes
}
