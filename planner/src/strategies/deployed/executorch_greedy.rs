//! Offsets inside shared objects as ExecuTorch gives them. Source: ExecuTorch, exir/memory_planning.py, greedy.
//!
//! The largest first; of equal ones the one that is made last. Each tensor joins the first
//! shared object of which nothing is live with it, at its start; else the first in which it
//! fits behind all that is live with it; else it opens an object of its own size. Objects are
//! never resized and lie end to end. The spaces between what an object holds are never
//! looked at.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Bound;

use super::rounded::rounded;
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::sorting::Sorting as _;
use crate::strategies::description::{
    AboveNaive, Capabilities, Description, Family, Growth, Model,
};
use crate::strategies::layout::Layout;
use crate::strategies::records::Record;
use crate::strategies::{Note, Observer, PlanError, Strategy, overflow};
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
    plan,
};

/// More buffers than this are refused: where most are live together, the time grows with
/// their square.
const LIMIT: usize = 1 << 17;

/// A shared object: a range of the arena, and how far it is filled at each step.
struct Object {
    base: u64,
    behind: u64,
    /// From each of these steps to the next: the highest block. Whoever joins is put behind
    /// all that is live with it, and so is the highest for as long as it lives.
    tops: BTreeMap<u64, Option<Top>>,
}

#[derive(Clone, Copy)]
struct Top {
    behind: u64,
    buffer: usize,
}

/// What an object offers to a record.
enum Offer {
    /// Nothing in it is live with the record, which would start here.
    Free(u64),
    /// The record would start here, behind all that is live with it.
    Behind(u64),
    /// The room behind what is live with the record is too small.
    Full(u64),
}

/// Places the largest first. Sizes are rounded up to the alignment, as ExecuTorch realigns
/// them. What has a fixed address lies below the objects, which start behind all of it.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let mut records = rounded(lifetimes, options)?;
    if records.len() > LIMIT {
        return Err(PlanError::Unsupported {
            what: format!("more than {LIMIT} buffers in shared objects"),
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
        layout.note_size(record)?;
        let (chosen, offset) = match join(&mut layout, record, &objects)? {
            Some(found) => found,
            None => {
                let base = layout.align(record, end)?;
                end = behind(lifetimes, record, base)?;
                let (range, from, size) = (objects.len(), Offset(base), Bytes(end - base));
                layout.note(record, Note::Opened { range, from, size })?;
                objects.push(Object {
                    base,
                    behind: end,
                    tops: BTreeMap::new(),
                });
                (objects.len() - 1, base)
            }
        };
        layout.put(record, offset)?;
        let top = Top {
            behind: behind(lifetimes, record, offset)?,
            buffer: record.buffer,
        };
        objects[chosen].fill(record, top);
    }
    Ok(layout.into_plan(Strategy::ExecutorchGreedy))
}

fn behind(lifetimes: &Lifetimes, record: &Record, offset: u64) -> Result<u64, PlanError> {
    let behind = offset.checked_add(record.size);
    behind.ok_or_else(|| overflow(&lifetimes.buffers[record.buffer]))
}

/// The object that `record` joins and its address there; tells which objects were passed.
fn join(
    layout: &mut Layout<'_>,
    record: &Record,
    objects: &[Object],
) -> Result<Option<(usize, u64)>, PlanError> {
    let mut roomy = None;
    let mut free = None;
    for (index, object) in objects.iter().enumerate() {
        match object.offer(layout, record)? {
            Offer::Free(offset) => {
                free = Some((index, offset));
                break;
            }
            Offer::Behind(offset) => roomy = roomy.or(Some((index, offset))),
            Offer::Full(_) => {}
        }
    }
    let chosen = free.or(roomy);
    if layout.wants_reasons() {
        let passed = chosen.map_or(objects.len(), |(index, _)| index);
        for (range, object) in objects[..passed].iter().enumerate() {
            object.tell(layout, record, (range, free.is_some()))?;
        }
        if let Some((range, offset)) = chosen {
            let joined = objects[range].joined(record, (range, offset));
            layout.note(record, joined)?;
        }
    }
    Ok(chosen)
}

impl Object {
    /// The highest blocks at the steps of `record`.
    fn live(&self, record: &Record) -> impl Iterator<Item = Top> {
        let first = self.tops.range(..=record.start).next_back();
        let rest = self
            .tops
            .range((Bound::Excluded(record.start), Bound::Excluded(record.end)));
        first.into_iter().chain(rest).filter_map(|(_, &top)| top)
    }

    /// Puts a block over all others at the steps of `record`.
    fn fill(&mut self, record: &Record, top: Top) {
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
        let top = self.live(record).map(|top| top.behind).max();
        let offset = layout.align(record, top.unwrap_or(self.base))?;
        let fits = offset <= self.behind && self.behind - offset >= record.size;
        Ok(match (fits, top) {
            (true, None) => Offer::Free(offset),
            (true, Some(_)) => Offer::Behind(offset),
            (false, _) => Offer::Full(offset),
        })
    }

    /// Says why `record` did not join: somebody is in the way of the whole object where a
    /// free one was found, else the room behind is too small.
    fn tell(
        &self,
        layout: &mut Layout<'_>,
        record: &Record,
        (range, free): (usize, bool),
    ) -> Result<(), PlanError> {
        let busy = self.live(record).next().map(|top| top.buffer);
        if let (true, Some(by)) = (free, busy) {
            return layout.note(record, Note::InUse { range, by });
        }
        let (Offer::Free(from) | Offer::Behind(from) | Offer::Full(from)) =
            self.offer(layout, record)?;
        let left = Bytes(self.behind.saturating_sub(from));
        let live = busy.is_some();
        layout.note(record, Note::Full { range, left, live })
    }

    /// What `record` finds below it when it joins at `offset`.
    fn joined(&self, record: &Record, (range, offset): (usize, u64)) -> Note {
        let tops = self.live(record).map(|top| top.behind);
        let top = tops.max().unwrap_or(self.base);
        Note::Joined {
            range,
            below: Bytes(top - self.base),
            padding: Bytes(offset.saturating_sub(top)),
        }
    }
}
