//! What is placed already: who is in a buffer's way, and the gaps that they leave. Shared by
//! the planners that place one buffer after the other.

use crate::strategies::by_address::{Block, ByAddress};
use crate::strategies::conflicts::TimeIndex;
use crate::strategies::layout::Layout;
use crate::strategies::records::Record;
use crate::strategies::{Event, Note, PlanError, Refusal, tell};
use crate::units::{Bytes, Offset};

/// Where more than one in so many placed blocks is in the way, all are walked by address;
/// elsewhere those in the way are looked up and sorted.
const DENSE: usize = 32;

/// The placed blocks, searchable by steps and by address.
pub(super) struct Placed<'a> {
    records: &'a [Record],
    by_time: TimeIndex,
    by_address: ByAddress,
    /// First byte and first byte behind, of each placed record.
    places: Vec<(u64, u64)>,
}

impl<'a> Placed<'a> {
    /// None of `records` placed.
    pub(super) fn new(records: &'a [Record]) -> Self {
        Self {
            records,
            by_time: TimeIndex::new(records),
            by_address: ByAddress::new(),
            places: vec![(0, 0); records.len()],
        }
    }

    /// Record `index` takes the bytes from `offset` to before `behind`.
    pub(super) fn insert(&mut self, index: usize, (offset, behind): (u64, u64)) {
        let Record { start, end, .. } = self.records[index];
        self.by_time.insert(index);
        self.places[index] = (offset, behind);
        self.by_address.insert(Block {
            offset,
            behind,
            start,
            end,
        });
    }

    /// The buffer of record `index`.
    pub(super) fn buffer(&self, index: usize) -> usize {
        self.records[index].buffer
    }

    /// First byte and first byte behind of each placed record that is live together with
    /// record `index`, by address.
    pub(super) fn in_the_way(&self, index: usize) -> Box<dyn Iterator<Item = (u64, u64)> + '_> {
        let Record { start, end, .. } = self.records[index];
        let few = self.by_address.len() / DENSE;
        let mut found = Vec::new();
        self.by_time.overlapping((start, end), few, &mut found);
        if found.len() > few {
            let all = self.by_address.iter();
            let live = all.filter(move |block| block.start < end && start < block.end);
            return Box::new(live.map(|block| (block.offset, block.behind)));
        }
        let mut blocks: Vec<(u64, u64)> = found.iter().map(|&other| self.places[other]).collect();
        blocks.sort_unstable();
        Box::new(blocks.into_iter())
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

impl Gap {
    /// As the one that is chosen.
    pub(super) fn chosen(&self) -> Note {
        Note::Chosen {
            from: Offset(self.from),
            size: Bytes(self.size),
        }
    }
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
    let chosen = gaps.iter().find(|gap| gap.from == taken);
    let chosen = chosen.map(|gap| gap.size);
    for gap in gaps.iter().filter(|gap| gap.from != taken) {
        let why = match else_why {
            _ if gap.size < record.size => Refusal::TooSmall,
            Refusal::LooserFit if Some(gap.size) == chosen => Refusal::NotFirst,
            _ => else_why,
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
