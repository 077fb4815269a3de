//! One layer of STAlloc: a range of the arena, and how far it is filled at each event.

use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

use super::{Life, Turn};

/// A range of the arena.
#[derive(Clone)]
pub(super) struct Layer {
    pub(super) base: u64,
    pub(super) size: u64,
    /// From each of these events to the next: the end of the highest block.
    tops: Vec<(u64, u64)>,
}

impl Layer {
    /// A layer without anything in it.
    pub(super) fn empty((base, size): (u64, u64)) -> Self {
        Self {
            base,
            size,
            tops: vec![(0, 0)],
        }
    }

    /// A layer for `blocks`, each with its end above the start of the layer, in order of these
    /// ends; up to `floor` it is in use at all times.
    pub(super) fn of(
        lives: &[Life],
        blocks: impl Iterator<Item = (usize, u64)>,
        (base, size): (u64, u64),
        floor: u64,
    ) -> Self {
        let mut layer = Self::empty((base, size));
        layer.tops = vec![(0, floor)];
        for (block, end) in blocks.filter(|it| it.1 > floor) {
            // One event earlier than it is requested, and not when it is released.
            let life = lives[block];
            layer.fill((life.start - 1, life.end - 1), end);
        }
        layer
    }

    /// The end of the highest block during `life`, where `size` bytes are left above it.
    pub(super) fn top(&self, life: Life, size: u64) -> Option<u64> {
        let most = self.size.checked_sub(size)?;
        let after = self.tops.partition_point(|&(from, _)| from <= life.start);
        let mut top = 0;
        for &(from, height) in &self.tops[after - 1..] {
            if from > life.end {
                break;
            }
            if height > most {
                return None;
            }
            top = height.max(top);
        }
        Some(top)
    }

    /// Puts `size` bytes above everything during `life`: how far above the start of the layer;
    /// `None` where too few are left.
    pub(super) fn add(&mut self, life: Life, size: u64) -> Option<u64> {
        let top = self.top(life, size)?;
        self.fill((life.start, life.end), top + size);
        Some(top)
    }

    /// From the first event to the last everything up to `top` is in use.
    pub(super) fn fill(&mut self, (first, last): (u64, u64), top: u64) {
        let low = self.tops.partition_point(|&(from, _)| from < first);
        let high = self.tops.partition_point(|&(from, _)| from <= last + 1);
        let after = self.tops[high - 1].1;
        self.tops
            .splice(low..high, [(first, top), (last + 1, after)]);
    }
}

/// Shares blocks of one size, which are in order of start, out among layers.
pub(super) fn form_layers(lives: &[Life], class: &[usize], turn: Option<Turn>) -> Vec<Vec<usize>> {
    let mut layers: Vec<Vec<usize>> = Vec::new();
    // What each layer holds once more, a turn later.
    let mut again: Vec<Vec<Life>> = Vec::new();
    // The end of each layer's last block; of equal ones the first layer is tried first.
    let mut tails: BTreeSet<(u64, Reverse<usize>)> = BTreeSet::new();
    for &block in class {
        let life = lives[block];
        let ended = tails.range(..=(life.start, Reverse(0))).rev().copied();
        let mut ended = ended.filter(|&(_, Reverse(layer))| !meets(&again[layer], life));
        let found = ended.next();
        drop(ended);
        let layer = match found {
            Some(tail) => {
                tails.remove(&tail);
                tail.1.0
            }
            None => {
                layers.push(Vec::new());
                again.push(Vec::new());
                layers.len() - 1
            }
        };
        layers[layer].push(block);
        tails.insert((life.end, Reverse(layer)));
        again[layer].extend(turn.and_then(|turn| turn.again(life)));
    }
    layers
}

/// Whether one of `lives`, which follow each other, goes on during `life`.
pub(super) fn meets(lives: &[Life], life: Life) -> bool {
    let next = lives.partition_point(|other| other.end <= life.start);
    lives.get(next).is_some_and(|other| other.start < life.end)
}
