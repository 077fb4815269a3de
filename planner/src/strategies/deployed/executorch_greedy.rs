//! Offsets inside shared objects as ExecuTorch gives them. Source: ExecuTorch, exir/memory_planning.py, greedy.
//!
//! The largest first; of equal ones the one that is made last. Each tensor joins the first
//! shared object of which nothing is live with it, at its start; else the first in which it
//! fits behind all that is live with it; else it opens an object of its own size. Objects are
//! never resized and lie end to end. The spaces between what an object holds are never
//! looked at.

use std::cmp::Reverse;

use super::rounded::rounded;
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::strategies::layout::Layout;
use crate::strategies::records::Record;
use crate::strategies::{Observer, PlanError, Refusal, Strategy, overflow};

/// More buffers than this are refused: the time grows with their square.
const LIMIT: usize = 1 << 17;

/// A shared object: a range of the arena, and what lies in it.
struct Object {
    base: u64,
    behind: u64,
    held: Vec<Held>,
}

struct Held {
    buffer: usize,
    behind: u64,
    start: u64,
    end: u64,
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
    records.sort_by_key(|record| record.start);
    records.reverse();
    records.sort_by_key(|record| Reverse(lifetimes.buffers[record.buffer].size));
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
        let (chosen, offset) = match join(&mut layout, record, &objects)? {
            Some(found) => found,
            None => {
                let base = layout.align(record, end)?;
                end = behind(lifetimes, record, base)?;
                objects.push(Object {
                    base,
                    behind: end,
                    held: Vec::new(),
                });
                (objects.len() - 1, base)
            }
        };
        layout.put(record, offset)?;
        objects[chosen].held.push(Held {
            buffer: record.buffer,
            behind: behind(lifetimes, record, offset)?,
            start: record.start,
            end: record.end,
        });
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
        for object in &objects[..passed] {
            object.tell(layout, record, free.is_some())?;
        }
    }
    Ok(chosen)
}

impl Object {
    /// What is live with `record`.
    fn live<'a>(&'a self, record: &'a Record) -> impl Iterator<Item = &'a Held> {
        let live = |held: &&Held| held.start < record.end && record.start < held.end;
        self.held.iter().filter(live)
    }

    fn offer(&self, layout: &Layout<'_>, record: &Record) -> Result<Offer, PlanError> {
        let top = self.live(record).map(|held| held.behind).max();
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
    fn tell(&self, layout: &mut Layout<'_>, record: &Record, free: bool) -> Result<(), PlanError> {
        let busy = self.live(record).next().map(|held| held.buffer);
        if let (true, Some(by)) = (free, busy) {
            let whole = (self.base, self.behind - self.base);
            return layout.refuse(record, whole, Refusal::Busy { by });
        }
        let (Offer::Free(from) | Offer::Behind(from) | Offer::Full(from)) =
            self.offer(layout, record)?;
        match self.behind.checked_sub(from) {
            Some(room @ 1..) => layout.refuse(record, (from, room), Refusal::TooSmall),
            _ => Ok(()),
        }
    }
}
