//! The walk along the free ranges between placed blocks, which most arena planners share;
//! they differ in the order of the buffers and in their fit policy.

use crate::free_space::Fit;
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::strategies::layout::Layout;
use crate::strategies::placed::Placed;
use crate::strategies::records::Record;
use crate::strategies::{Note, Observer, PlanError, Strategy, overflow};

/// Blocks being placed.
pub(super) struct Walk<'a> {
    layout: Layout<'a>,
    lifetimes: &'a Lifetimes,
    records: &'a [Record],
    fit: Fit,
    placed: Placed<'a>,
}

/// Places `records` in `order`; those with a fixed address before all others.
pub(super) fn place_all(
    strategy: Strategy,
    lifetimes: &Lifetimes,
    (records, order): (&[Record], &[usize]),
    fit: Fit,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let mut walk = Walk::new(lifetimes, records, fit, options, observer)?;
    for &index in order {
        walk.place(index)?;
    }
    Ok(walk.into_plan(strategy))
}

impl<'a> Walk<'a> {
    /// Places what has a fixed address.
    pub(super) fn new(
        lifetimes: &'a Lifetimes,
        records: &'a [Record],
        fit: Fit,
        options: &'a Options,
        observer: &'a mut dyn Observer,
    ) -> Result<Self, PlanError> {
        let mut walk = Self {
            layout: Layout::new(lifetimes, options, observer)?,
            lifetimes,
            records,
            fit,
            placed: Placed::new(records),
        };
        for (index, record) in records.iter().enumerate() {
            if let Some(fixed) = walk.layout.fixed(record) {
                walk.put(index, fixed)?;
            }
        }
        Ok(walk)
    }

    /// Places the record at `index` by the fit policy, unless it is fixed, and returns where it
    /// lies.
    pub(super) fn place(&mut self, index: usize) -> Result<u64, PlanError> {
        let record = self.records[index];
        if let Some(fixed) = self.layout.fixed(&record) {
            return Ok(fixed);
        }
        let chosen = self.layout.choose(&mut self.placed, &record, self.fit)?;
        self.put(index, chosen.start)?;
        Ok(chosen.start)
    }

    /// Says that the record at `index` is put where those that take over its bytes, the last
    /// of which is `last`, find room too.
    pub(super) fn note_chain(&mut self, index: usize, last: usize) -> Result<(), PlanError> {
        self.layout.note(&self.records[index], Note::Chain { last })
    }

    /// Puts a buffer that shares the bytes of a placed one.
    pub(super) fn put_on(&mut self, shared: &Record, offset: u64) -> Result<(), PlanError> {
        self.layout.put(shared, offset).map(|_end| ())
    }

    /// The plan.
    pub(super) fn into_plan(self, strategy: Strategy) -> Plan {
        self.layout.into_plan(strategy)
    }

    fn put(&mut self, index: usize, offset: u64) -> Result<(), PlanError> {
        let record = self.records[index];
        let buffer = &self.lifetimes.buffers[record.buffer];
        let end = offset.checked_add(record.size);
        let end = end.ok_or_else(|| overflow(buffer))?;
        self.layout.put(&record, offset)?;
        self.placed.insert(index, (offset, end));
        Ok(())
    }
}
