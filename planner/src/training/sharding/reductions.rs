//! Gradients of weights that replicas add up.
//!
//! ```text
//! part B   gradients ▁▃▅▇███       ▁ as they are computed
//!          reduced         ████████████      until the next part's are put together
//! part A   gradients            ▁▃▅▇███
//!          reduced                    █████
//! ```
//!
//! Where each replica keeps a share alone, the gradients of a part are copied into one block that is
//! reduced and scattered, as PyTorch's FSDP2 does (`fully_shard` of 2.15): one such block is there at
//! a time, through the computation of the next part. Where gradients stay whole they are reduced in
//! place once all micro-batches have added to them, or in buckets that are copied.

use std::collections::BTreeMap;

use super::communication::{Collective, Communication};
use super::pipeline::Slot;
use super::runtime::Run;
use crate::schedule::Phase;
use crate::training::{Move, Node};
use crate::units::Bytes;

/// The gradients of all parts.
#[derive(Default)]
pub(super) struct Reductions {
    /// Of the parts whose gradients are being computed, the nodes that hold them.
    computed: BTreeMap<usize, Vec<usize>>,
    /// Of the parts whose gradients wait to be reduced.
    waiting: Vec<(usize, Vec<usize>)>,
    /// The block that was reduced last.
    block: Option<usize>,
}

impl Run<'_> {
    /// A node of a micro-batch, at its place, has computed gradients of weights.
    pub(super) fn hold_gradients(&mut self, slot: Slot, (node, place): (usize, usize)) {
        let own = &self.problem.nodes[node];
        // Gradients of weights that are computed apart read that of what their operator writes.
        let of = |at: usize| self.problem.nodes[at].gradient_of;
        let read = || own.reads.iter().rev().find_map(|it| of(*it));
        let of = own.gradient_of.or_else(read);
        let Some(of) = of.filter(|_| own.weights > 0) else {
            return;
        };
        let part = self.divided.group(self.problem.nodes[of].part);
        let bytes = Bytes(own.weights.saturating_mul(self.divided.each.1));
        let holds = self.divided.sharding.zero > 1;
        let holder = holds.then(|| {
            let name = format!("{}.weights.grad", self.problem.nodes[of].name);
            let told = Communication {
                sent: Bytes::ZERO,
                ..self.told(Collective::ReduceScatter, bytes)
            };
            self.add(Node {
                name: self.named(slot, name),
                phase: Phase::Backward,
                reads: vec![place],
                bytes,
                communicates: Some(told),
                ..Node::default()
            })
        });
        self.walk.extend(holder.map(Move::Compute));
        self.holders.extend(holder.map(|it| (node, it)));
        let held = self.reductions.computed.entry(part).or_default();
        held.extend(holder);
    }

    /// The gradients of a part are complete.
    pub(super) fn reduce_part(&mut self, slot: Slot, part: usize) {
        if let Some(held) = self.reductions.computed.remove(&part) {
            self.reductions.waiting.push((part, held));
            let most = u64::from(self.divided.sharding.bucket) << 20;
            self.reduce(slot, most);
        }
    }

    /// The backward pass is over.
    pub(super) fn reduce_rest(&mut self, slot: Slot) {
        self.reduce(slot, 0);
        let block = self.reductions.block.take();
        self.walk.extend(block.map(Move::Forget));
    }

    /// Reduces the gradients that wait, once there are so many bytes of them.
    fn reduce(&mut self, slot: Slot, least: u64) {
        let waiting = self.reductions.waiting.iter();
        let bytes = waiting.map(|it| self.divided.gradients(it.0));
        let bytes = bytes.fold(0, u64::saturating_add);
        let Some((first, _)) = self.reductions.waiting.first() else {
            return;
        };
        if bytes < least {
            return;
        }
        let name = format!("{}.gradients.reduced", self.divided.parts[*first].name);
        let waiting = std::mem::take(&mut self.reductions.waiting);
        let held: Vec<usize> = waiting.into_iter().flat_map(|it| it.1).collect();
        let own = self.divided.sharding;
        // Whole gradients are added up over the micro-batches first.
        let now = own.zero > 1 || slot.micro == self.last;
        if own.replicas() > 1 && now {
            self.put_together(slot, name, (bytes, &held));
        }
        self.walk.extend(held.into_iter().map(Move::Forget));
    }

    /// Copies gradients into one block, in place of the one before, and reduces it.
    fn put_together(&mut self, slot: Slot, name: String, (bytes, held): (u64, &[usize])) {
        let own = self.divided.sharding;
        let before = self.reductions.block.take();
        self.walk.extend(before.map(Move::Forget));
        let collective = match own.zero {
            0 => Collective::AllReduce,
            _ => Collective::ReduceScatter,
        };
        let copied = own.zero > 1 || own.bucket > 0;
        let node = self.add(Node {
            name: self.named(slot, name),
            phase: Phase::Backward,
            reads: held.to_vec(),
            bytes: Bytes(if copied { bytes } else { 0 }),
            communicates: Some(self.told(collective, Bytes(bytes))),
            ..Node::default()
        });
        self.walk.push(Move::Compute(node));
        self.reductions.block = Some(node);
    }
}
