//! Offsets inside shared objects as ExecuTorch gives them. Source: ExecuTorch,
//! exir/memory_planning.py, greedy.
//!
//! The largest first; of equal ones the one that is made last. Each tensor joins the first
//! shared object of which nothing is live with it, at its start; else the first in which it
//! fits after all that is live with it; else it opens an object of its own size. Objects are
//! never resized and lie end to end. The spaces between what an object holds are never
//! looked at.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::ops::Bound;

use super::rounded::rounded;
use crate::liveness::Lifetimes;
use crate::message;
use crate::plan::{Options, Plan};
use crate::sorting::Sorting as _;
use crate::strategies::description::{
    AboveNaive, Capabilities, Description, Family, Growth, Model,
};
use crate::strategies::layout::Layout;
use crate::strategies::records::Record;
use crate::strategies::{Note, Observer, PlanError, Search, Strategy, Taken, overflow};
use crate::units::{Bytes, Offset};

pub(in crate::strategies) const STRATEGY: Description = Description {
    name: "executorch_greedy",
    source: "ExecuTorch, memory_planning greedy",
    family: Family::Deployed,
    model: Model::Offsets,
    cost: "O(n · objects · log n)",
    growth: Growth::Square,
    capabilities: Capabilities::WHOLE,
    above_naive: Some(AboveNaive::Padding),
    limit: Some(LIMIT),
};

/// More buffers than this are refused: where most are live together, the time grows with
/// their square.
const LIMIT: usize = 1 << 17;

/// A shared object: a range of the arena, and how far it is filled at each step.
struct Object {
    base: u64,
    end: u64,
    /// From each of these steps to the next: the end of the highest block. A buffer that joins is
    /// put above all that is live with it, and so is the highest for as long as it lives.
    tops: BTreeMap<u64, Option<u64>>,
}

/// What an object offers to a record.
enum Offer {
    /// Nothing in it is live with the record, which would start here.
    Free(u64),
    /// The record would start here, above all that is live with it.
    Above(u64),
    /// Too few bytes are left above what is live with the record.
    Full,
}

/// Places the largest first. Sizes are rounded up to the alignment, as ExecuTorch realigns
/// them. What has a fixed address lies below the objects, which start after all of it.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let mut records = rounded(lifetimes, options)?;
    if records.len() > LIMIT {
        return Err(PlanError::Unsupported {
            what: message!("more than {} buffers in shared objects", LIMIT),
        });
    }
    // By what the tensors hold before they are realigned; of equal ones the last made first.
    records.order_by_key(|record| record.start);
    records.reverse();
    records.order_by_key(|record| Reverse(lifetimes.buffers[record.buffer].size));
    let mut layout = Layout::new(lifetimes, options, observer)?;
    let mut end = 0;
    for record in &records {
        if let Some(fixed) = layout.fixed(record) {
            end = layout.put(record, fixed)?.max(end);
        }
    }
    let mut objects: Vec<Object> = Vec::new();
    for record in &records {
        if layout.fixed(record).is_some() {
            continue;
        }
        let joined = join(&layout, record, &objects)?;
        let taken = joined.map_or(Taken::Open, |(index, _)| Taken::Object(index));
        layout.chosen(record, Search::OpenedRanges, taken)?;
        let (chosen, offset) = match joined {
            Some(found) => found,
            None => {
                let base = layout.align(record, end)?;
                end = end_of(lifetimes, record, base)?;
                let (range, from, size) = (objects.len(), Offset(base), Bytes(end - base));
                layout.note(record, Note::Opened { range, from, size })?;
                objects.push(Object {
                    base,
                    end,
                    tops: BTreeMap::new(),
                });
                (objects.len() - 1, base)
            }
        };
        layout.put(record, offset)?;
        let top = end_of(lifetimes, record, offset)?;
        objects[chosen].fill(record, top);
    }
    Ok(layout.into_plan(Strategy::ExecutorchGreedy))
}

fn end_of(lifetimes: &Lifetimes, record: &Record, offset: u64) -> Result<u64, PlanError> {
    let end = offset.checked_add(record.size);
    end.ok_or_else(|| overflow(&lifetimes.buffers[record.buffer]))
}

/// The object that `record` joins, and its address there.
fn join(
    layout: &Layout<'_>,
    record: &Record,
    objects: &[Object],
) -> Result<Option<(usize, u64)>, PlanError> {
    let mut roomy = None;
    for (index, object) in objects.iter().enumerate() {
        match object.offer(layout, record)? {
            Offer::Free(offset) => return Ok(Some((index, offset))),
            Offer::Above(offset) => roomy = roomy.or(Some((index, offset))),
            Offer::Full => {}
        }
    }
    Ok(roomy)
}

impl Object {
    /// The highest blocks at the steps of `record`.
    fn live(&self, record: &Record) -> impl Iterator<Item = u64> {
        let first = self.tops.range(..=record.start).next_back();
        let rest = self
            .tops
            .range((Bound::Excluded(record.start), Bound::Excluded(record.end)));
        first.into_iter().chain(rest).filter_map(|(_, &top)| top)
    }

    /// Puts a block over all others at the steps of `record`.
    fn fill(&mut self, record: &Record, top: u64) {
        let last = self.tops.range(..=record.end).next_back();
        let after = last.and_then(|(_, &top)| top);
        let within = self.tops.range(record.start..record.end);
        let within: Vec<u64> = within.map(|(&step, _)| step).collect();
        for step in within {
            self.tops.remove(&step);
        }
        self.tops.insert(record.start, Some(top));
        self.tops.insert(record.end, after);
    }

    fn offer(&self, layout: &Layout<'_>, record: &Record) -> Result<Offer, PlanError> {
        let top = self.live(record).max();
        let offset = layout.align(record, top.unwrap_or(self.base))?;
        let fits = offset <= self.end && self.end - offset >= record.size;
        Ok(match (fits, top) {
            (true, None) => Offer::Free(offset),
            (true, Some(_)) => Offer::Above(offset),
            (false, _) => Offer::Full,
        })
    }
}
