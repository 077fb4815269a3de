//! Sizes as the callers of deployed planners give them: rounded up to the alignment, and so
//! the arena.

use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::strategies::records::{Record, records};
use crate::strategies::{PlanError, overflow};
use crate::units::Bytes;

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

/// `plan` with its arena rounded up as well: it ends with the whole block of its last buffer.
pub(super) fn with_whole_arena(
    mut plan: Plan,
    lifetimes: &Lifetimes,
    options: &Options,
) -> Result<Plan, PlanError> {
    if let Some(buffer) = lifetimes.buffers.last() {
        let arena = plan.arena.align_up(options.alignment);
        plan.arena = arena.ok_or_else(|| overflow(buffer))?;
    }
    Ok(plan)
}
