//! When a tensor's content is in the arena, and what of it a step may write over.

use std::collections::{BTreeMap, BTreeSet};

use planner::graph::TensorId;

use crate::recording::{Operand, PlacedTensor, RecordedStep, Recording, Region, Space};

/// A tensor's content in the arena, from the step before which it is there to its last use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Life {
    pub(super) place: usize,
    /// The step that writes it; `None` when it is uploaded.
    pub(super) born: Option<usize>,
    pub(super) last: usize,
}

/// What of the arena holds a tensor, and when. A buffer that several steps write, such as a
/// chain in place, is watched from the last of them on.
pub(super) fn lives(recording: &Recording) -> Vec<Life> {
    let end = recording.steps.len().saturating_sub(1);
    let inside = |x: &&Operand| x.region.space == Space::Arena && x.region.words > 0;
    // Inputs, and state that no step changes.
    let steps = recording.steps.iter().flat_map(|step| &step.writes);
    let changed: BTreeSet<TensorId> = steps.map(|y| y.tensor).collect();
    let uploaded = recording.uploads.iter().map(|x| &x.operand).filter(inside);
    let uploaded = uploaded.filter(|x| !changed.contains(&x.tensor));
    let uploaded: BTreeSet<usize> = uploaded.filter_map(|x| x.buffer).collect();
    let mut written = BTreeMap::new();
    for (step, recorded) in recording.steps.iter().enumerate() {
        let outputs = recorded.writes.iter().filter(inside);
        written.extend(outputs.filter_map(|output| Some((output.buffer?, step))));
    }
    let mut lives = Vec::new();
    for (index, place) in recording.places.iter().enumerate() {
        let uploaded = uploaded.contains(&place.buffer);
        let born = written.get(&place.buffer).copied();
        let last = (place.last as usize).min(end);
        if uploaded || born.is_some_and(|born| born <= last) {
            let born = born.filter(|_| !uploaded);
            let place = index;
            lives.push(Life { place, born, last });
        }
    }
    lives
}

/// What a step writes in the arena.
pub(super) fn written(step: &RecordedStep) -> impl Iterator<Item = &Operand> {
    let inside = |x: &&Operand| x.region.space == Space::Arena && x.region.words > 0;
    step.writes.iter().filter(inside)
}

/// Whether an output lies exactly where an input does, as the step may.
pub(super) fn in_place(step: &RecordedStep, output: &Operand) -> bool {
    let mut inputs = step.reads.iter();
    inputs.any(|input| on(step, &input.region, output))
}

/// Whether an output lies on what a step reads as it may: exactly for an element-wise
/// operator, from the same word on for one that does nothing.
fn on(step: &RecordedStep, input: &Region, output: &Operand) -> bool {
    let alias = step.dispatches.is_empty() && input.word == output.region.word;
    alias || step.in_place && *input == output.region
}

/// Whether the step may write over a tensor that it reads last.
pub(super) fn given_up(
    step: &RecordedStep,
    index: usize,
    life: &Life,
    place: &PlacedTensor,
) -> bool {
    let mut outputs = written(step);
    life.last == index
        && step
            .reads
            .iter()
            .any(|input| input.buffer == Some(place.buffer))
        && outputs.any(|output| output.region.word == place.region.word && in_place(step, output))
}

/// Whether a declared output of a step lies on another tensor.
pub(super) fn declared_on(step: &RecordedStep, place: &PlacedTensor) -> bool {
    written(step).any(|x| x.buffer != Some(place.buffer) && x.region.overlaps(place.region))
}
