//! One group of blocks that shares no step with any other: its fields, its bounds, and its
//! best places so far.

use super::field::{Field, Order, Preorder};
use super::problem::Problem;
use super::report::Reporter;
use super::rules::Rules;
use super::tree::{End, Tree};
use crate::strategies::Trial;
use crate::units::{Bytes, Offset};
use alloc::vec::Vec;

/// A group on its way to the optimum.
pub(super) struct Group<'a> {
    problem: &'a Problem<'a>,
    rules: Rules,
    /// Its blocks, by index in the problem.
    members: Vec<usize>,
    /// The group in each preorder.
    fields: Vec<Field>,
    /// No plan of it is lower.
    pub(super) bound: u64,
    /// Its height in the best plan so far.
    pub(super) height: u64,
    /// Whether no plan that the search can find is lower than `height`.
    pub(super) done: bool,
}

/// From this round on each restart changes the orders.
const CHANGED: u32 = 3;

impl<'a> Group<'a> {
    /// The blocks `members` of `problem`, as `offsets` place them, or nowhere.
    pub(super) fn new(problem: &'a Problem<'a>, members: Vec<usize>, rules: Rules) -> Self {
        let preorders = match rules.round_robin {
            true => &Preorder::ALL[..],
            false => &Preorder::ALL[..1],
        };
        let fields = preorders.iter().map(|&preorder| {
            let restart = 0;
            Field::new(problem, &members, Order { preorder, restart })
        });
        let fields: Vec<Field> = fields.collect();
        Self {
            bound: fields.first().map_or(0, Field::bound),
            fields,
            problem,
            rules,
            members,
            height: u64::MAX,
            done: false,
        }
    }

    /// Changes the orders for `round`: a search that was unlucky in one order seldom needs as
    /// many nodes in the next.
    pub(super) fn restart(&mut self, round: u32) {
        if round < CHANGED || !self.rules.round_robin || self.done {
            return;
        }
        self.fields.truncate(Preorder::ALL.len());
        for preorder in Preorder::ALL {
            let order = Order {
                preorder,
                restart: round,
            };
            self.fields
                .push(Field::new(self.problem, &self.members, order));
        }
    }

    /// Number of preorders.
    pub(super) fn preorders(&self) -> usize {
        self.fields.len()
    }

    /// Takes the places of `offsets`, one for each buffer.
    pub(super) fn take(&mut self, offsets: &[Offset]) {
        let blocks = self.fields.first().map_or(&[][..], |field| &field.blocks);
        let tops = blocks.iter().map(|b| offsets[b.buffer].0 + b.size);
        self.height = tops.max().unwrap_or(0);
    }

    /// Writes the places of this group in `from` to `offsets`.
    pub(super) fn give(&self, from: &[Offset], offsets: &mut [Offset]) {
        for block in self.fields.first().map_or(&[][..], |field| &field.blocks) {
            offsets[block.buffer] = from[block.buffer];
        }
    }

    /// How many places a preorder may try in one turn.
    pub(super) fn limit(&self, round: u32) -> u64 {
        let blocks = self.fields.first().map_or(0, Field::len) as u64;
        match self.rules.round_robin {
            true => (2 * blocks).saturating_mul(1 << round.min(40)),
            false => u64::MAX,
        }
    }

    /// Searches a plan of at most `capacity` in rounds until it is found, there is none, or
    /// the budget is spent.
    #[cfg(feature = "internals")]
    pub(super) fn solve(
        &mut self,
        capacity: u64,
        offsets: &mut [Offset],
        reporter: &mut Reporter<'_>,
    ) -> End {
        for round in 0.. {
            self.restart(round);
            let limit = self.limit(round);
            for preorder in 0..self.preorders() {
                let end = self.walk(preorder, capacity, limit, offsets, reporter);
                if end != End::Stopped || reporter.stopped || reporter.nodes >= reporter.budget {
                    return end;
                }
            }
        }
        End::Stopped
    }

    /// Searches a plan of at most `capacity`, trying so many places in a preorder. Places of
    /// a plan that is found are written to `offsets`.
    pub(super) fn walk(
        &mut self,
        preorder: usize,
        capacity: u64,
        limit: u64,
        offsets: &mut [Offset],
        reporter: &mut Reporter<'_>,
    ) -> End {
        let field = &self.fields[preorder];
        let trial = Trial::Walk {
            capacity: Bytes(capacity),
            bound: Bytes(self.bound),
            order: field.order.preorder.keys(),
            buffers: field.len(),
            most: (limit < u64::MAX).then_some(limit),
        };
        if !reporter.attempt(trial) {
            return End::Stopped;
        }
        let Some(mut tree) = Tree::new(field, self.rules, capacity) else {
            reporter.ended(End::Never(field.bound()), capacity);
            return End::Never(field.bound());
        };
        let end = tree.walk(limit, reporter);
        reporter.ended(end, capacity);
        if end == End::Found {
            let mut arena = 0;
            for (block, &at) in field.blocks.iter().zip(&tree.state.at) {
                offsets[block.buffer] = Offset(at);
                arena = arena.max(at + block.size);
            }
            reporter.found(arena);
        }
        end
    }
}
