//! Times of what is done, move by move: three lanes, one that computes and one for each direction
//! of the link.

use super::link::Link;
use super::run::{Direction, Ran, Run, Stall, Transfer};
use crate::training::{Move, Problem, Walk};
use crate::units::Bytes;

/// The moves so far with their times.
///
/// A node starts when the one before has ended, what it reads has arrived, and all that was given
/// back before has left. A copy starts when its lane is free, not before it is asked for; one that
/// takes bytes not before all that was given back before has left. So the bytes of any moment are
/// no more than those of some place of the walk.
#[derive(Clone)]
pub(in crate::training) struct Lanes<'a> {
    pub(in crate::training) problem: &'a Problem,
    link: Link,
    walk: Walk,
    run: Run,
    there: Vec<bool>,
    /// When each value can be read: when its node, or its copy back, has ended.
    ready: Vec<u64>,
    /// When the last node that reads or writes it ends.
    used: Vec<u64>,
    /// When its copy on the host is whole, if one was begun.
    copied: Vec<Option<u64>>,
    /// When the last node starts, and ends.
    pub(in crate::training) began: u64,
    pub(in crate::training) ended: u64,
    out_free: u64,
    back_free: u64,
    /// When all that was given back has left.
    left: u64,
    /// What the next node waits for at the end of a layer.
    layer: u64,
    live: u64,
}

impl<'a> Lanes<'a> {
    pub(in crate::training) fn new(problem: &'a Problem) -> Self {
        let count = problem.nodes.len();
        Self {
            problem,
            link: problem.link.unwrap_or(Link::NONE),
            walk: Walk::new(),
            run: Run::default(),
            there: vec![false; count],
            ready: vec![0; count],
            used: vec![0; count],
            copied: vec![None; count],
            began: 0,
            ended: 0,
            out_free: 0,
            back_free: 0,
            left: 0,
            layer: 0,
            live: 0,
        }
    }

    /// Whether its copy on the host is whole, or on its way.
    pub(in crate::training) fn is_copied(&self, node: usize) -> bool {
        self.copied[node].is_some()
    }

    pub(in crate::training) fn live(&self) -> u64 {
        self.live
    }

    fn bytes(&self, node: usize) -> u64 {
        self.problem.nodes[node].bytes.0
    }

    /// When the value can be read, of one that is there.
    pub(in crate::training) fn ready(&self, node: usize) -> u64 {
        self.ready[node]
    }

    /// When the value can have left.
    pub(in crate::training) fn leaves(&self, node: usize) -> u64 {
        let copied = self.copied[node].unwrap_or(0);
        copied.max(self.used[node]).max(self.ready[node])
    }

    /// When a node would start now.
    pub(in crate::training) fn next(&self, node: usize) -> u64 {
        let arrival = self.arrival(node);
        self.ended.max(self.layer).max(arrival).max(self.left)
    }

    fn arrival(&self, node: usize) -> u64 {
        let reads = self.problem.nodes[node].reads.iter();
        reads.map(|read| self.ready[*read]).max().unwrap_or(0)
    }

    fn done(&mut self, step: Move, time: u64) {
        self.walk.push(step);
        self.run.times.push(time);
        self.run.peak = self.run.peak.max(Bytes(self.live));
    }

    fn take(&mut self, node: usize) {
        if !std::mem::replace(&mut self.there[node], true) {
            self.live = self.live.saturating_add(self.bytes(node));
        }
    }

    fn give_back(&mut self, step: Move, node: usize) {
        let time = self.leaves(node);
        if std::mem::replace(&mut self.there[node], false) {
            self.live = self.live.saturating_sub(self.bytes(node));
        }
        self.left = self.left.max(time);
        self.done(step, time);
    }

    /// The node runs.
    pub(in crate::training) fn compute(&mut self, node: usize) {
        let problem = self.problem;
        let own = &problem.nodes[node];
        let mut start = self.ended;
        let mut wait = |until: u64| {
            let before = start;
            start = start.max(until);
            start - before
        };
        let stall = Stall {
            layer: wait(self.layer),
            arrival: wait(self.arrival(node)),
            room: wait(self.left),
        };
        let end = start.saturating_add(own.cost);
        self.run.ran.push(Ran {
            at: self.walk.len(),
            node,
            start,
            end,
            stall,
        });
        self.run.stall += stall;
        self.run.time = end;
        (self.began, self.ended) = (start, end);
        for &value in own.reads.iter().chain([&node]) {
            self.used[value] = end;
        }
        self.ready[node] = end;
        self.take(node);
        self.done(Move::Compute(node), start);
    }

    /// The value is given back for good, or until it is computed again.
    pub(in crate::training) fn forget(&mut self, node: usize) {
        self.give_back(Move::Forget(node), node);
    }

    /// A copy to the host begins, at this time or later.
    pub(in crate::training) fn copy_out(&mut self, node: usize, from: u64) {
        let time = self.link.out.time(self.problem.nodes[node].bytes);
        let start = self.out_free.max(self.ready[node]).max(from);
        let end = start.saturating_add(time.unwrap_or(u64::MAX));
        self.out_free = end;
        self.copied[node] = Some(end);
        self.run.transfers.push(Transfer {
            node,
            direction: Direction::Out,
            start,
            end,
        });
    }

    /// The value, of which there is a copy or one on its way, is given back.
    pub(in crate::training) fn swap_out(&mut self, node: usize) {
        self.give_back(Move::SwapOut(node), node);
    }

    /// A copy from the host begins, at this time or later.
    pub(in crate::training) fn swap_in(&mut self, node: usize, from: u64) {
        let time = self.link.back.time(self.problem.nodes[node].bytes);
        let copied = self.copied[node].unwrap_or(u64::MAX);
        let start = self.back_free.max(self.left).max(copied).max(from);
        let end = start.saturating_add(time.unwrap_or(u64::MAX));
        self.back_free = end;
        self.ready[node] = end;
        self.take(node);
        self.run.transfers.push(Transfer {
            node,
            direction: Direction::Back,
            start,
            end,
        });
        self.done(Move::SwapIn(node), start);
    }

    /// The next node waits for all copies so far.
    pub(in crate::training) fn end_layer(&mut self) {
        self.layer = self.out_free.max(self.back_free);
    }

    pub(in crate::training) fn finish(self) -> (Walk, Run) {
        (self.walk, self.run)
    }
}

/// The times of `walk` with every copy as early as its order allows: one to the host when the
/// value is there, in the order in which values leave; one from the host when the node before it
/// in the walk starts. Without a link, or over one that copies nothing, copies never end.
#[must_use]
pub fn earliest(problem: &Problem, walk: &[Move]) -> Run {
    let mut lanes = Lanes::new(problem);
    for step in walk {
        match *step {
            Move::Compute(node) => lanes.compute(node),
            Move::Forget(node) => lanes.forget(node),
            Move::SwapOut(node) => {
                if !lanes.is_copied(node) {
                    lanes.copy_out(node, 0);
                }
                lanes.swap_out(node);
            }
            Move::SwapIn(node) => lanes.swap_in(node, lanes.began),
        }
    }
    lanes.finish().1
}
