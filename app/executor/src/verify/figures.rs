//! The figures of a report, and what they say together.

use std::collections::BTreeSet;

use planner::graph::{DType, TensorId};
use planner::{Bytes, message};

use super::report::{Report, StepFigures, Verdict};
use crate::engine::{ARENA, Entry};
use crate::kernels::Kernel;
use crate::recording::{Dispatch, Origin, RecordedStep, Recording, Region, Space, WORD};

/// Bytes that were allocated for the arena.
pub(super) fn allocated(ledger: &[Entry]) -> Bytes {
    let arena = ledger.iter().filter(|entry| entry.label == ARENA());
    Bytes(arena.map(|entry| entry.bytes.0).sum())
}

/// Where the highest place of the plan ends.
pub(super) fn reach(recording: &Recording) -> Bytes {
    let ends = recording.places.iter().map(|place| place.region);
    let ends = ends.filter(|region| region.words > 0).map(Region::end);
    Bytes(ends.max().unwrap_or_default() * WORD)
}

/// How many weights have an origin like this.
pub(super) fn weights(recording: &Recording, wanted: fn(&Origin) -> bool) -> u64 {
    let weights = recording.uploads.iter().filter(|upload| {
        matches!(upload.operand.region.space, Space::Weights(_)) && wanted(&upload.origin)
    });
    weights.count() as u64
}

/// How many weights are not in the file.
pub(super) fn seeded_weights(recording: &Recording) -> u64 {
    weights(recording, |origin| matches!(origin, Origin::Seeded { .. }))
}

/// Bytes that all dispatches read and write.
pub(super) fn moved(recording: &Recording) -> Bytes {
    Bytes(recording.dispatches().map(moved_by).sum())
}

fn moved_by(dispatch: &Dispatch) -> u64 {
    let operands = dispatch.inputs.iter().chain(&dispatch.outputs);
    let words = operands.map(|operand| u64::from(operand.region.words));
    words.sum::<u64>() * WORD
}

/// Operands that are floats of 64 bits, which no shader computes with.
pub(super) fn doubles(recording: &Recording) -> u64 {
    let computing = recording
        .dispatches()
        .filter(|it| it.kernel.computes_floats());
    let operands = computing.flat_map(|it| it.inputs.iter().chain(&it.outputs));
    operands.filter(|x| x.dtype == DType::F64).count() as u64
}

/// Operators that compute in LiteRT's dynamic-range arithmetic.
pub(super) fn hybrid(recording: &Recording) -> u64 {
    let kernels = [Kernel::Hybrid, Kernel::HybridLayer];
    let all = recording.dispatches();
    all.filter(|it| kernels.contains(&it.kernel)).count() as u64
}

/// Weights that the file has as integers and that are computed with as floats, where LiteRT does
/// not do the same: it decodes filters over features, too.
pub(super) fn decoded_weights(recording: &Recording) -> u64 {
    let filters = recording.dispatches().filter(|it| it.value_of("HELD") == 1);
    let filters: BTreeSet<TensorId> = filters
        .flat_map(|it| &it.inputs)
        .map(|x| x.tensor)
        .collect();
    let uploads = recording.uploads.iter().filter(|upload| {
        let is_weight = matches!(upload.operand.region.space, Space::Weights(_));
        is_weight && decoded(&upload.origin) && !filters.contains(&upload.operand.tensor)
    });
    uploads.count() as u64
}

/// Whether weights are integers in the file that are computed with as floats.
fn decoded(origin: &Origin) -> bool {
    matches!(origin, Origin::Stored(stored) if stored.quantization.is_some())
}

/// What each step is and does.
pub(super) fn step_figures(recording: &Recording) -> Vec<StepFigures> {
    let figures = |step: &RecordedStep| StepFigures {
        name: step.name.clone(),
        kind: step.kind.clone(),
        moved: Bytes(step.dispatches.iter().map(moved_by).sum()),
        flops: step.dispatches.iter().map(Dispatch::flops).sum(),
    };
    recording.steps.iter().map(figures).collect()
}

impl Report {
    /// Whether outputs differ from the run without reuse though the audit saw no reason.
    pub(super) fn differs_without_finding(&self) -> bool {
        let differ = self.runs.iter().any(|run| run.differing > 0);
        match &self.audit {
            Ok(audit) => (differ || audit.differing > 0) && audit.findings.is_empty(),
            Err(_) => differ,
        }
    }

    /// What the figures say together.
    pub(super) fn judged(&self) -> Verdict {
        // A buffer is whole words; an arena of no bytes has no buffer.
        let whole = self.promised.align_up(Bytes(WORD)).unwrap_or(self.promised);
        let differ = self.runs.iter().any(|run| run.differing > 0);
        let contradicted = self.audit.as_ref().is_ok_and(|audit| {
            audit.differing > 0 || !audit.findings.is_empty() || audit.touched != self.reach
        });
        if differ || contradicted || self.allocated != whole {
            return Verdict::Refuted;
        }
        if self.promised == Bytes::ZERO {
            return Verdict::Incomplete(message!(
                "the plan places nothing, so there is nothing to confirm"
            ));
        }
        match (&self.naive, &self.audit) {
            (_, Err(why)) => Verdict::Incomplete(message!("there is no audit: {}", why)),
            (Err(why), _) => {
                Verdict::Incomplete(message!("there is no run without reuse: {}", why))
            }
            (Ok(_), Ok(_)) => Verdict::Confirmed,
        }
    }
}
