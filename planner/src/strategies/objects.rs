//! Shared objects: which holds which buffer, and how they are laid end to end.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use super::records::Record;
use super::{Choice, Event, Match, Observer, PlanError, Search, Strategy, Taken, emit, overflow};
use crate::liveness::Lifetimes;
use crate::message;
use crate::plan::{Objects, Options, Plan};
use crate::units::{Bytes, Offset, Step};

/// Objects in the making.
pub(super) struct Assignment<'a> {
    lifetimes: &'a Lifetimes,
    observer: &'a mut dyn Observer,
    of_buffer: Vec<Option<usize>>,
    sizes: Vec<u64>,
}

impl<'a> Assignment<'a> {
    /// No object yet. A fixed address cannot be kept by objects laid end to end.
    pub(super) fn new(
        lifetimes: &'a Lifetimes,
        observer: &'a mut dyn Observer,
    ) -> Result<Self, PlanError> {
        let fixed = lifetimes.buffers.iter().find(|b| b.fixed.is_some());
        if let Some(buffer) = fixed {
            return Err(PlanError::Unsupported {
                what: message!(
                    "shared objects with the fixed address of {}",
                    format_args!("{:?}", buffer.name)
                ),
            });
        }
        Ok(Self {
            lifetimes,
            of_buffer: vec![None; lifetimes.buffers.len()],
            sizes: Vec::new(),
            observer,
        })
    }

    /// Size of `object`.
    pub(super) fn size(&self, object: usize) -> u64 {
        self.sizes[object]
    }

    /// Reports which object is chosen for `record`, among all; `None` for a new one.
    pub(super) fn chosen(
        &mut self,
        record: &Record,
        by: Match,
        object: Option<usize>,
    ) -> Result<(), PlanError> {
        let choice = Choice {
            search: Search::Objects(by),
            bytes: Bytes(record.size),
            until: Step(record.end),
            alignment: Bytes(1),
            taken: object.map_or(Taken::Open, Taken::Object),
        };
        let buffer = record.buffer;
        emit(self.observer, Event::Chosen { buffer, choice })
    }

    /// Says that work goes on.
    pub(super) fn progress(&mut self, done: usize, total: usize) -> Result<(), PlanError> {
        let (done, total) = (done as u64, total as u64);
        emit(self.observer, Event::Progress { done, total })
    }

    /// Gives `record` to `object`, which grows to hold it, or to a new one.
    pub(super) fn give(
        &mut self,
        record: &Record,
        object: Option<usize>,
    ) -> Result<usize, PlanError> {
        self.assign(record.buffer, record.size, object)
    }

    fn assign(
        &mut self,
        buffer: usize,
        size: u64,
        object: Option<usize>,
    ) -> Result<usize, PlanError> {
        let object = object.unwrap_or(self.sizes.len());
        let held = self.sizes.get(object).copied();
        match held {
            None => {
                self.sizes.push(size);
                let size = Bytes(size);
                emit(self.observer, Event::Opened { object, size })?;
            }
            Some(held) if held < size => {
                self.sizes[object] = size;
                let (from, to) = (Bytes(held), Bytes(size));
                emit(self.observer, Event::Grown { object, from, to })?;
            }
            Some(_) => {}
        }
        self.of_buffer[buffer] = Some(object);
        emit(self.observer, Event::Assigned { buffer, object })?;
        Ok(object)
    }

    /// The plan, with the objects laid end to end in the order of their ids.
    ///
    /// Each object starts at a multiple of what its buffers ask for, so with an alignment
    /// of 1 its start is the sum of the sizes before it.
    pub(super) fn into_plan(
        mut self,
        strategy: Strategy,
        options: &Options,
    ) -> Result<Plan, PlanError> {
        self.house_the_weightless()?;
        let alignments = self.alignments(options)?;
        let mut offsets = Vec::with_capacity(self.sizes.len());
        let mut end = Offset(0);
        for (object, (&size, &alignment)) in self.sizes.iter().zip(&alignments).enumerate() {
            let start = end.align_up(alignment);
            let next = start.and_then(|start| Some((start, start.end(Bytes(size))?)));
            let (start, next_end) = next.ok_or_else(|| self.overflow_in(object))?;
            offsets.push(start);
            end = next_end;
        }
        let held: Vec<usize> = self.of_buffer.iter().map(|o| o.unwrap_or(0)).collect();
        let index = |&object: &usize| u32::try_from(object).ok();
        let of_buffer: Option<Vec<u32>> = held.iter().map(index).collect();
        let too_many = || PlanError::Unsupported {
            what: message!("more than 2^32 shared objects"),
        };
        Ok(Plan {
            origin: strategy.name().into(),
            offsets: held.iter().map(|&object| offsets[object]).collect(),
            arena: Bytes(end.0),
            objects: Some(Objects {
                sizes: self.sizes.into_iter().map(Bytes).collect(),
                offsets,
                of_buffer: of_buffer.ok_or_else(too_many)?,
            }),
            ..Plan::default()
        })
    }

    /// Gives the buffers that need no memory to the first largest object, which is where
    /// they are least likely to cost anything.
    fn house_the_weightless(&mut self) -> Result<(), PlanError> {
        let homeless = |&buffer: &usize| self.of_buffer[buffer].is_none();
        let left: Vec<usize> = (0..self.of_buffer.len()).filter(homeless).collect();
        let largest = (0..self.sizes.len()).rev().max_by_key(|&o| self.sizes[o]);
        let mut object = largest;
        for buffer in left {
            let size = self.lifetimes.buffers[buffer].size.0;
            object = Some(self.assign(buffer, size, object)?);
        }
        Ok(())
    }

    /// What each object must be aligned to: the least common multiple of what its buffers
    /// ask for.
    fn alignments(&self, options: &Options) -> Result<Vec<Bytes>, PlanError> {
        let mut alignments = vec![1_u64; self.sizes.len()];
        for (index, object) in self.of_buffer.iter().enumerate() {
            let buffer = &self.lifetimes.buffers[index];
            let needed = super::alignment(buffer, options);
            if let Some(object) = *object {
                let joint = least_common_multiple(alignments[object], needed.0);
                alignments[object] = joint.ok_or_else(|| overflow(buffer))?;
            }
        }
        Ok(alignments.into_iter().map(Bytes).collect())
    }

    fn overflow_in(&self, object: usize) -> PlanError {
        let holder = self.of_buffer.iter().position(|&held| held == Some(object));
        overflow(&self.lifetimes.buffers[holder.unwrap_or(0)])
    }
}

/// The spans during which one object is taken, none of which overlap.
#[derive(Clone, Debug, Default)]
pub(super) struct Schedule {
    taken: BTreeMap<u64, u64>,
}

impl Schedule {
    /// Takes the span of `record`.
    pub(super) fn take(&mut self, record: &Record) {
        self.taken.insert(record.start, record.end);
    }

    /// The free steps around `record`, if none of its own are taken: from the end of what is
    /// taken before it to the start of what is taken after it.
    pub(super) fn room(&self, record: &Record) -> (u64, u64) {
        let before = self.taken.range(..record.end).next_back();
        let next = self.taken.range(record.end..).next();
        (
            before.map_or(0, |(_, &end)| end),
            next.map_or(u64::MAX, |(&start, _)| start),
        )
    }

    /// Steps from `record` to the nearest taken step, at least 1; `None` when a span of
    /// `record` itself is taken, `u64::MAX` when nothing is.
    pub(super) fn distance(&self, record: &Record) -> Option<u64> {
        let mut nearest = u64::MAX;
        if let Some((_, &end)) = self.taken.range(..record.end).next_back() {
            if end > record.start {
                return None;
            }
            nearest = record.start - end + 1;
        }
        if let Some((&start, _)) = self.taken.range(record.end..).next() {
            nearest = nearest.min(start - record.end + 1);
        }
        Some(nearest)
    }
}

/// The least common multiple; `None` beyond 64 bits.
pub(super) fn least_common_multiple(a: u64, b: u64) -> Option<u64> {
    let (mut greatest, mut rest) = (a, b);
    while rest > 0 {
        (greatest, rest) = (rest, greatest % rest);
    }
    a.checked_mul(b / greatest.max(1))
}
