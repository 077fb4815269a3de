//! What is placed already: who is in a buffer's way, and the gaps that they leave. Shared by
//! the planners that place one buffer after the other.

use crate::liveness::Lifetimes;
use crate::strategies::conflicts::TimeIndex;
use crate::strategies::layout::Layout;
use crate::strategies::records::Record;
use crate::strategies::{Event, PlanError, Refusal, tell};
use crate::units::{Bytes, Offset};

/// The placed records, searchable by steps.
pub(super) struct Placed<'a> {
    records: &'a [Record],
    by_time: TimeIndex,
    /// First byte and first byte behind, of each placed record.
    places: Vec<(u64, u64)>,
}

impl<'a> Placed<'a> {
    /// Nothing placed.
    pub(super) fn new(records: &'a [Record]) -> Self {
        Self {
            records,
            by_time: TimeIndex::new(records),
            places: vec![(0, 0); records.len()],
        }
    }

    /// Record `index` takes the bytes from `offset` to `behind`, or takes other bytes now.
    pub(super) fn set(&mut self, index: usize, (offset, behind): (u64, u64)) {
        self.by_time.insert(index);
        self.places[index] = (offset, behind);
    }

    /// First byte and first byte behind of record `index`.
    pub(super) fn place(&self, index: usize) -> (u64, u64) {
        self.places[index]
    }

    /// The placed records that are live together with record `index`, by address.
    pub(super) fn in_the_way(&self, index: usize) -> Vec<usize> {
        let Record { start, end, .. } = self.records[index];
        let mut found = Vec::new();
        self.by_time
            .overlapping((start, end), usize::MAX, &mut found);
        found.sort_unstable_by_key(|&other| (self.places[other], other));
        found
    }
}

/// A free stretch of addresses below something placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gap {
    /// First byte at which the buffer may start.
    pub(super) from: u64,
    /// Bytes up to what lies above.
    pub(super) size: u64,
}

/// The gaps that `blocks` (first byte and first byte behind, by address) leave for `record`
/// below and between them, and the lowest address above them all.
pub(super) fn gaps(
    layout: &Layout<'_>,
    record: &Record,
    blocks: impl Iterator<Item = (u64, u64)>,
) -> Result<(Vec<Gap>, u64), PlanError> {
    let mut gaps = Vec::new();
    let mut behind = 0;
    for (start, end) in blocks {
        if behind < start {
            let from = layout.align(record, behind)?;
            let size = start.saturating_sub(from);
            if size > 0 {
                gaps.push(Gap { from, size });
            }
        }
        behind = behind.max(end);
    }
    Ok((gaps, layout.align(record, behind)?))
}

/// Tells of every gap but the one at `taken` why it was not taken: too small, or `else_why`.
pub(super) fn tell_refused(
    layout: &mut Layout<'_>,
    record: &Record,
    gaps: &[Gap],
    (taken, else_why): (u64, Refusal),
) -> Result<(), PlanError> {
    for gap in gaps.iter().filter(|gap| gap.from != taken) {
        let why = if gap.size < record.size {
            Refusal::TooSmall
        } else {
            else_why
        };
        let refused = Event::Refused {
            buffer: record.buffer,
            from: Offset(gap.from),
            size: Some(Bytes(gap.size)),
            why,
        };
        tell(layout.observer(), refused)?;
    }
    Ok(())
}

/// Refuses fixed addresses, which the original does not know.
pub(super) fn refuse_fixed(lifetimes: &Lifetimes, records: &[Record]) -> Result<(), PlanError> {
    let buffers = records
        .iter()
        .map(|record| &lifetimes.buffers[record.buffer]);
    match buffers.into_iter().find(|buffer| buffer.fixed.is_some()) {
        None => Ok(()),
        Some(buffer) => Err(PlanError::Unsupported {
            what: format!("the fixed address of {:?}", buffer.name),
        }),
    }
}
