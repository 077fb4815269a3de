//! Weights that are gathered before they are used, where replicas divide them.
//!
//! ```text
//!             enter A      enter B             pass ends    enter B          enter A
//! A gathered  ████████████████                              ·····████████████
//! A weights       ████████                                                ██████████
//! B gathered              ████████████████████              ████
//! B weights                   ████████                          █████████
//! ```
//!
//! As PyTorch's FSDP2 does (`fully_shard` of 2.15): what is gathered lies in one block, and is copied
//! from there into the weights. Forward, that block stays until the next part is copied; backward it
//! goes at once, and the part that will run next is gathered meanwhile. Of one rank alone nothing is
//! known of the time between.

use std::collections::{BTreeMap, BTreeSet};

use super::communication::{Collective, Communication};
use super::pipeline::Slot;
use super::runtime::Run;
use crate::schedule::Phase;
use crate::training::{Move, Node};
use crate::units::Bytes;

/// The weights of all parts.
#[derive(Default)]
pub(super) struct Gathers {
    parts: BTreeMap<usize, Gathered>,
    /// The part whose block stays until the next one is copied.
    flat: Option<usize>,
}

/// Those of one.
#[derive(Default)]
struct Gathered {
    /// The node that gathers them, and whether its value is there.
    block: Option<usize>,
    gathered: bool,
    /// The node that copies them, and whether its value is there.
    weights: Option<usize>,
    there: bool,
    /// The micro-batches that have them from the forward pass.
    held_by: BTreeSet<u32>,
}

impl Gathers {
    /// The node whose value a part's operators read.
    pub(super) fn node(&self, part: usize) -> Option<usize> {
        self.parts.get(&part)?.weights
    }
}

impl Run<'_> {
    /// Gathers the weights of the part that runs next, and what is gathered ahead of time.
    pub(super) fn enter(&mut self, slot: Slot, runs: &[usize]) {
        if self.divided.sharding.zero < 3 {
            return;
        }
        let own = runs[0];
        let there = self.gathers.parts.get(&own).is_some_and(|it| it.there);
        if !there {
            self.gather(slot, own);
            self.drop_flat();
            self.copy(slot, own);
            self.gathers.flat = Some(own);
            if slot.backward {
                self.drop_flat();
            }
        }
        let stays = !slot.backward && self.divided.stays(own);
        if stays {
            let held_by = &mut self.gathers.parts.entry(own).or_default().held_by;
            held_by.insert(slot.micro);
        }
        let ahead = usize::from(self.divided.sharding.prefetch);
        let ahead = if slot.backward { ahead.max(1) } else { ahead };
        for part in runs.iter().skip(1).take(ahead) {
            let it = self.gathers.parts.get(part);
            if !it.is_some_and(|it| it.there) {
                self.gather(slot, *part);
            }
        }
    }

    fn gather(&mut self, slot: Slot, part: usize) {
        let bytes = Bytes(self.divided.gathered(part));
        let told = self.told(Collective::AllGather, bytes);
        let known = self.gathers.parts.get(&part).and_then(|it| it.block);
        let node = known.unwrap_or_else(|| self.of_weights(slot, (part, "gathered"), told, &[]));
        let it = self.gathers.parts.entry(part).or_default();
        it.block = Some(node);
        if !std::mem::replace(&mut it.gathered, true) {
            self.walk.push(Move::Compute(node));
        }
    }

    fn copy(&mut self, slot: Slot, part: usize) {
        let it = self.gathers.parts.get(&part);
        let (known, block) = it.map_or((None, None), |it| (it.weights, it.block));
        let told = Communication {
            sent: Bytes::ZERO,
            ..self.told(Collective::AllGather, Bytes::ZERO)
        };
        let block: Vec<usize> = block.into_iter().collect();
        let node = known.unwrap_or_else(|| self.of_weights(slot, (part, "weights"), told, &block));
        let it = self.gathers.parts.entry(part).or_default();
        it.weights = Some(node);
        it.there = true;
        self.walk.push(Move::Compute(node));
    }

    /// A node whose value has the size of a part's weights.
    fn of_weights(
        &mut self,
        slot: Slot,
        (part, name): (usize, &str),
        told: Communication,
        reads: &[usize],
    ) -> usize {
        let phase = match slot.backward {
            true => Phase::Backward,
            false => Phase::Forward,
        };
        self.add(Node {
            name: format!("{}.{name}", self.divided.parts[part].name),
            phase,
            reads: reads.to_vec(),
            bytes: Bytes(self.divided.gathered(part)),
            early: true,
            communicates: Some(told),
            ..Node::default()
        })
    }

    /// The block that was copied last goes.
    pub(super) fn drop_flat(&mut self) {
        let part = self.gathers.flat.take();
        let Some(it) = part.and_then(|it| self.gathers.parts.get_mut(&it)) else {
            return;
        };
        if std::mem::take(&mut it.gathered) {
            self.walk.extend(it.block.map(Move::Forget));
        }
    }

    /// A part's weights go, unless a micro-batch has them until its backward pass `ends`.
    pub(super) fn give_back(&mut self, slot: Slot, part: usize, ends: bool) {
        let Some(it) = self.gathers.parts.get_mut(&part) else {
            return;
        };
        if ends {
            it.held_by.remove(&slot.micro);
        }
        if it.held_by.is_empty() && std::mem::take(&mut it.there) {
            self.walk.extend(it.weights.map(Move::Forget));
        }
    }
}
