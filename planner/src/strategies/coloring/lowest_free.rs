//! The lowest colour that no conflicting buffer has: what all greedy colourings share, and
//! how many pairs of buffers conflict.
//!
//! Buffers conflict when they are live at the same step. Colours are shared objects, each as
//! large as its largest buffer. Conflicts are looked up in an index over time and never kept
//! as pairs.

use crate::liveness::Lifetimes;
use crate::message;
use crate::plan::{Options, Plan};
use crate::sorting::Sorting as _;
use crate::strategies::conflicts::TimeIndex;
use crate::strategies::objects::Assignment;
use crate::strategies::records::Record;
use crate::strategies::{Match, Observer, PlanError, Strategy};
use alloc::vec;
use alloc::vec::Vec;

/// The most pairs of conflicting buffers that are looked at, which bounds the time: some ten
/// seconds. 32,000 buffers that are all live at once stay below it.
pub(super) const PAIRS: u64 = 1 << 29;

/// For each record the number of records that it conflicts with, in O(n log n).
pub(super) fn degrees(records: &[Record]) -> Vec<u64> {
    let mut starts: Vec<u64> = records.iter().map(|record| record.start).collect();
    let mut ends: Vec<u64> = records.iter().map(|record| record.end).collect();
    starts.order();
    ends.order();
    let degree = |record: &Record| {
        let begun = starts.partition_point(|&start| start < record.end);
        let over = ends.partition_point(|&end| end <= record.start);
        // Itself has begun and is not over.
        (begun - over - 1) as u64
    };
    records.iter().map(degree).collect()
}

/// Refuses problems in which more than `most` pairs of buffers conflict.
pub(super) fn admit(degrees: &[u64], most: u64) -> Result<(), PlanError> {
    let ends = degrees.iter().fold(0_u64, |sum, &d| sum.saturating_add(d));
    if ends / 2 <= most {
        return Ok(());
    }
    Err(PlanError::Unsupported {
        what: message!(
            "more than {} pairs of conflicting buffers by colouring",
            most
        ),
    })
}

/// Colours `records` in `order`, each with the lowest free colour.
pub(super) fn color_in_order(
    strategy: Strategy,
    lifetimes: &Lifetimes,
    (records, order): (&[Record], &[usize]),
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let mut painter = Painter::new(lifetimes, records, observer)?;
    for &index in order {
        painter.paint(index)?;
    }
    painter.objects.into_plan(strategy, options)
}

/// Records and the colours of those that have one.
pub(super) struct Painter<'a> {
    pub(super) objects: Assignment<'a>,
    records: &'a [Record],
    painted: TimeIndex,
    /// Colour of each record that has one.
    pub(super) colors: Vec<Option<usize>>,
    /// For each colour the last search in which a conflicting record had it.
    met: Vec<usize>,
    /// Number of searches so far.
    turn: usize,
    /// Kept between searches for its memory.
    found: Vec<usize>,
}

impl<'a> Painter<'a> {
    pub(super) fn new(
        lifetimes: &'a Lifetimes,
        records: &'a [Record],
        observer: &'a mut dyn Observer,
    ) -> Result<Self, PlanError> {
        Ok(Self {
            objects: Assignment::new(lifetimes, observer)?,
            records,
            painted: TimeIndex::new(records),
            colors: vec![None; records.len()],
            met: Vec::new(),
            turn: 0,
            found: Vec::new(),
        })
    }

    /// Gives the record at `index` the lowest colour that no conflicting one has, and
    /// returns the colour.
    pub(super) fn paint(&mut self, index: usize) -> Result<usize, PlanError> {
        let record = self.records[index];
        self.found.clear();
        let steps = (record.start, record.end);
        self.painted.overlapping(steps, usize::MAX, &mut self.found);
        self.turn += 1;
        for &other in &self.found {
            if let Some(color) = self.colors[other] {
                self.met[color] = self.turn;
            }
        }
        let free = self.met.iter().position(|&turn| turn != self.turn);
        let color = free.unwrap_or(self.met.len());
        self.objects.chosen(&record, Match::Lowest, free)?;
        self.objects.give(&record, free)?;
        if free.is_none() {
            self.met.push(0);
        }
        self.colors[index] = Some(color);
        self.painted.insert(index);
        Ok(color)
    }
}
