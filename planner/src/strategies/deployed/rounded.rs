//! Sizes as the callers of deployed planners give them: rounded up to the alignment.

use crate::liveness::Lifetimes;
use crate::plan::Options;
use crate::strategies::records::{Record, records};
use crate::strategies::{PlanError, overflow};
use crate::units::Bytes;
use alloc::vec::Vec;

/// The records of `lifetimes`, each size rounded up to a multiple of the option's alignment.
///
/// Planners without an alignment of their own never see other sizes, so that their ties and
/// fits are between rounded sizes.
pub(super) fn rounded(lifetimes: &Lifetimes, options: &Options) -> Result<Vec<Record>, PlanError> {
    let mut records = records(lifetimes);
    for record in &mut records {
        let size = Bytes(record.size).align_up(options.alignment);
        let size = size.ok_or_else(|| overflow(&lifetimes.buffers[record.buffer]))?;
        record.size = size.0;
    }
    Ok(records)
}
