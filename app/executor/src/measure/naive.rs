//! The plan without reuse: every buffer after the one before. Computed here, so that the
//! figures it is compared with share no code with it.

use planner::{Bytes, Lifetimes, Offset, Plan};

/// Offsets as a running sum; `None` when they go beyond 64 bits.
pub(super) fn plan(lifetimes: &Lifetimes) -> Option<Plan> {
    let mut offsets = Vec::with_capacity(lifetimes.buffers.len());
    let mut end = Offset(0);
    for buffer in &lifetimes.buffers {
        // A run addresses words.
        let start = end.align_up(Bytes(buffer.alignment.0.max(4)))?;
        offsets.push(start);
        end = start.end(buffer.size)?;
    }
    Some(Plan {
        origin: "no reuse".into(),
        offsets,
        arena: Bytes(end.0),
        ..Plan::default()
    })
}
