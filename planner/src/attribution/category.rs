//! What a block of a training step holds, as `torch.profiler` has its categories, which snapshots
//! do not have: inferred from the phase that allocated it and from what it lives to see.
//!
//! Blocks of the forward pass that live to see the backward pass are activations; of the backward
//! pass those that live to see the update are gradients; of the update those that live to see the
//! next forward pass, or the end, are the optimizer's state; what comes before the first forward
//! pass and stays to the end is a parameter. All others of a phase are temporary. Of what was there
//! before the recording nothing is said.

use super::Phase;
use crate::deployed::Category;
use crate::liveness::Lifetimes;
use crate::sorting::Sorting as _;
use crate::units::Step;

/// The category of every buffer, `None` where nothing tells; none for any without a backward pass.
#[must_use]
pub fn categories(lifetimes: &Lifetimes, phases: &[Option<Phase>]) -> Vec<Option<Category>> {
    let buffers = lifetimes.buffers.iter();
    let starts = |phase: Phase| -> Vec<Step> {
        let own = phases.iter().zip(buffers.clone());
        let own = own.filter(|(it, _)| **it == Some(phase));
        let mut starts: Vec<Step> = own.map(|(_, buffer)| buffer.span.start).collect();
        starts.order();
        starts
    };
    let [forward, backward, update] =
        [Phase::Forward, Phase::Backward, Phase::Optimizer].map(starts);
    if backward.is_empty() {
        return vec![None; lifetimes.buffers.len()];
    }
    // The first step of a phase after a step.
    let after = |starts: &[Step], step: Step| {
        let place = starts.partition_point(|start| *start <= step);
        starts.get(place).copied()
    };
    let first = forward.first().copied();
    let all = buffers.clone().enumerate().map(|(index, buffer)| {
        let span = buffer.span;
        let stays = span.end >= lifetimes.horizon;
        let sees = |starts: &[Step]| after(starts, span.start).is_some_and(|it| it < span.end);
        let or_temporary =
            |is: bool, category| Some(if is { category } else { Category::Temporary });
        match phases.get(index).copied().flatten() {
            Some(Phase::Forward) => or_temporary(sees(&backward), Category::Activation),
            // Without an update in the trace it is what is kept for one.
            Some(Phase::Backward) if update.is_empty() => {
                or_temporary(stays || sees(&forward), Category::Gradient)
            }
            Some(Phase::Backward) => or_temporary(sees(&update), Category::Gradient),
            Some(Phase::Optimizer) => {
                or_temporary(stays || sees(&forward), Category::OptimizerState)
            }
            None => {
                let built = Step(0) < span.start && first.is_some_and(|first| span.start < first);
                (built && stays).then_some(Category::Parameter)
            }
        }
    });
    all.collect()
}
