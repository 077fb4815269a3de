//! The buffers that need memory, in the flat form that the skyline works on.

use crate::liveness::{self, Buffer, Lifetimes};
use crate::plan::Options;
use crate::sorting::Sorting as _;
use crate::strategies::records::{Record, records};
use crate::strategies::{PlanError, alignment};
use crate::units::{common_divisor, narrow};
use alloc::vec::Vec;

/// The records, and their spans counted in moments: the steps at which anything starts or
/// ends, numbered from 0.
pub(in crate::strategies) struct Blocks {
    /// The buffers that need memory, in the buffers' order.
    pub(in crate::strategies) records: Vec<Record>,
    /// Start and end of each record.
    pub(in crate::strategies) spans: Vec<(u32, u32)>,
    /// Number of moments.
    pub(in crate::strategies) moments: u32,
    /// What every alignment is a multiple of, at least 1: addresses are distinguished only by
    /// this many bytes.
    pub(in crate::strategies) grid: u64,
    /// No address that a strategy thinks of is higher: all sizes and paddings on top of each
    /// other and of what is fixed.
    pub(in crate::strategies) highest: u64,
    /// Where the last buffer ends of those that have a fixed address or need no memory: no
    /// arena is smaller.
    pub(in crate::strategies) floor: u64,
    /// The alignment of each record; empty where all are the grid.
    alignments: Vec<u64>,
}

impl Blocks {
    /// The blocks of `lifetimes`.
    ///
    /// # Errors
    /// [`PlanError::Overflow`] when the sizes are beyond what can be planned, so that no sum
    /// of sizes and paddings needs a check later.
    pub(in crate::strategies) fn new(
        lifetimes: &Lifetimes,
        options: &Options,
    ) -> Result<Self, PlanError> {
        let admitted = liveness::admit(lifetimes, options.alignment);
        admitted.map_err(|error| PlanError::Overflow {
            buffer: error.tensor,
        })?;
        let records = records(lifetimes);
        let aligned = |record: &Record| alignment(&lifetimes.buffers[record.buffer], options).0;
        let grid = records.iter().map(aligned).reduce(common_divisor);
        let grid = grid.unwrap_or(1);
        let alignments = match records.iter().any(|record| aligned(record) != grid) {
            true => records.iter().map(aligned).collect(),
            false => Vec::new(),
        };
        let (spans, moments) = spans(&records);
        let padded = records.iter().map(|record| record.size + aligned(record));
        let padded: u64 = padded.sum();
        let given = |buffer: &&Buffer| {
            buffer.fixed.is_some() || buffer.size.0 == 0 || buffer.span.is_empty()
        };
        let given = lifetimes.buffers.iter().filter(given);
        let ends = given.filter_map(|buffer| buffer.fixed.unwrap_or_default().end(buffer.size));
        let floor = ends.max().map_or(0, |end| end.0);
        Ok(Self {
            records,
            spans,
            moments,
            grid,
            highest: padded + floor,
            floor,
            alignments,
        })
    }

    /// Number of records.
    pub(in crate::strategies) fn len(&self) -> usize {
        self.records.len()
    }

    /// The lowest address from `key` on that `record` may start at.
    pub(in crate::strategies) fn align(&self, record: usize, key: u64) -> u64 {
        match self.alignments.get(record) {
            Some(&alignment) => key.next_multiple_of(alignment),
            None => key.next_multiple_of(self.grid),
        }
    }

    /// The lowest address that anything on top of a block ending at `end` may start at.
    pub(in crate::strategies) fn top(&self, end: u64) -> u64 {
        match self.grid {
            1 => end,
            grid => end.next_multiple_of(grid),
        }
    }
}

/// The spans of `records` in moments, and how many moments there are.
fn spans(records: &[Record]) -> (Vec<(u32, u32)>, u32) {
    let ends = records.iter().flat_map(|record| [record.start, record.end]);
    let mut steps: Vec<u64> = ends.collect();
    steps.order();
    steps.dedup();
    // There is memory for fewer than 2^31 buffers.
    let moment = |step: u64| {
        let after = steps.partition_point(|&known| known < step);
        narrow(after)
    };
    let span = |record: &Record| (moment(record.start), moment(record.end));
    let spans = records.iter().map(span).collect();
    (spans, narrow(steps.len()))
}
