//! Places that a frame leaves out, and why.

use super::{Listener, Lowest, Members, PlaceableBlock, Tree};
use crate::strategies::{Rule, Stop};
use crate::units::Bytes;

/// A place that is left out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Skipped {
    pub(super) rule: Rule,
    pub(super) block: u32,
    pub(super) low: u64,
    /// The block that makes it needless, and where that one would end.
    pub(super) other: Option<u32>,
    pub(super) needed: u64,
}

impl Skipped {
    pub(super) fn new(rule: Rule, block: u32, low: u64) -> Self {
        let (other, needed) = (None, 0);
        Self {
            rule,
            block,
            low,
            other,
            needed,
        }
    }
}

impl Tree<'_> {
    /// Leaves out the candidates from `begin` on, of a task with `members`, below which the
    /// block with the lowest top fits wholly; returns the first of them.
    pub(super) fn drop_dominated(
        &mut self,
        begin: usize,
        members: Members,
        lowest: Lowest,
    ) -> Option<Skipped> {
        let mut kept = begin;
        let mut dropped = None;
        for place in begin..self.candidates.len() {
            if self.candidates[place].address < lowest.top {
                self.candidates[kept] = self.candidates[place];
                kept += 1;
            } else {
                dropped = dropped.or(Some(self.candidates[place]));
            }
        }
        self.candidates.truncate(kept);
        let PlaceableBlock { address, rank } = dropped?;
        let block = self.members[members.start + rank as usize];
        Some(Skipped {
            other: lowest.block,
            needed: lowest.top,
            ..Skipped::new(Rule::Dominance, block, address)
        })
    }

    /// Reports the first place that the last frame leaves out.
    pub(super) fn report_skipped(&self, skipped: Skipped, to: &mut dyn Listener) -> bool {
        let buffer = |block: u32| self.state.field.blocks[block as usize].buffer;
        let stop = || match skipped.rule {
            Rule::Canonical | Rule::Dominance => Stop {
                other: skipped.other.map(buffer),
                needed: Bytes(skipped.needed),
                ..self.state.skip(skipped.block, skipped.low)
            },
            _ => self.state.stop(skipped.block, skipped.low),
        };
        to.pruned(skipped.rule, self.frames.len() - 1, &stop)
    }
}
