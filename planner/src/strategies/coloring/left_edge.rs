//! Objects as colours, one object filled after the other. Source: A. Hashimoto and
//! J. Stevens, "Wire routing by optimizing channel assignment within large apertures", 1971;
//! F. Kurdahi and A. Parker brought it to registers, 1987.

use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::strategies::description::{
    AboveNaive, Capabilities, Description, Family, Growth, Model,
};
use crate::strategies::objects::Assignment;
use crate::strategies::records::in_order;
use crate::strategies::{Match, Observer, PlanError, Strategy};
use alloc::vec::Vec;

pub(in crate::strategies) const STRATEGY: Description = Description {
    name: "coloring_left_edge",
    source: "Hashimoto and Stevens 1971, left edge",
    family: Family::Coloring,
    model: Model::Objects,
    cost: "O(n log n)",
    growth: Growth::Linear,
    capabilities: Capabilities::OBJECTS,
    above_naive: Some(AboveNaive::Padding),
    limit: None,
};

/// Fills one object at a time: with the buffer that starts first, then always with the next
/// that starts when the last has ended, until none does. Equal starts in the buffers' order.
///
/// Needs as few objects as there can be: the first buffer of the last object did not fit
/// into any other, so all of them were taken at its start. They are the objects of
/// `coloring_first_use`, found in another order.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let records = in_order(lifetimes);
    let mut waiting = Waiting::new(records.len());
    let mut objects = Assignment::new(lifetimes, observer)?;
    while let Some(first) = waiting.next(0) {
        let mut next = Some(first);
        let mut object = None;
        while let Some(index) = next {
            let record = &records[index];
            objects.chosen(record, Match::BeingFilled, object)?;
            object = Some(objects.give(record, object)?);
            waiting.take(index);
            let after = records.partition_point(|later| later.start < record.end);
            next = waiting.next(after);
        }
    }
    objects.into_plan(Strategy::ColoringLeftEdge, options)
}

/// The records without an object, by position: a forest of pointers to later positions.
struct Waiting {
    next: Vec<usize>,
}

impl Waiting {
    fn new(count: usize) -> Self {
        Self {
            next: (0..=count).collect(),
        }
    }

    /// The first waiting position from `from` on.
    fn next(&mut self, from: usize) -> Option<usize> {
        let mut at = from;
        while self.next[at] != at {
            // Every other pointer is moved on to where the next one leads.
            self.next[at] = self.next[self.next[at]];
            at = self.next[at];
        }
        (at + 1 < self.next.len()).then_some(at)
    }

    /// The record at `at` waits no more.
    fn take(&mut self, at: usize) {
        self.next[at] = at + 1;
    }
}
