//! A run of the first steps alone: what it leaves in memory is what it gives.

use std::collections::BTreeSet;

use planner::graph::TensorId;
use planner::{Lifetimes, Program, Step};

use super::places::{Places, When};
use crate::recording::Recording;

/// Makes what the steps of `recording` have written, and what is still there after the last of
/// them, its outputs: a tensor that a later step reads, an output of the graph, and what the last
/// step writes. Places of tensors that only a later step writes are taken away.
pub(super) fn leave(
    program: &Program,
    lifetimes: &Lifetimes,
    places: &Places,
    recording: &mut Recording,
) {
    let until = recording.steps.len();
    let born = |step: u32| usize::try_from(step).is_ok_and(|step| step < until);
    recording.places.retain(|place| born(place.born));
    let (Some(last), next) = (until.checked_sub(1), Step(until as u64)) else {
        return;
    };
    let written = |steps: &[crate::recording::RecordedStep]| -> BTreeSet<TensorId> {
        let operands = steps
            .iter()
            .flat_map(|step| step.writes.iter().chain(&step.views));
        operands.map(|operand| operand.tensor).collect()
    };
    let new = written(&recording.steps[last..]);
    let left = written(&recording.steps).into_iter().filter_map(|id| {
        let at = |step| places.operand(program, lifetimes, (When::At(step), id));
        let is_new = new.contains(&id);
        at(next).or_else(|| at(Step(last as u64)).filter(|_| is_new))
    });
    recording.outputs = left.collect();
}
