//! What a corrupted plan destroys: values whose bytes are written over while somebody still reads
//! them, and everything that is computed from those.

use std::collections::BTreeSet;

use planner::graph::TensorId;
use planner::{Plan, Residencies, Step, Subject};

/// The outputs of a graph that a plan can change, by name, in the graph's order: those that are
/// written over, or computed from what was. An operator that writes over what it reads in the same
/// step counts as destroying it. None where what is open is no graph.
#[must_use]
pub fn changed_outputs(subject: &Subject, plan: &Plan) -> Vec<String> {
    let Some(program) = &subject.program else {
        return Vec::new();
    };
    let lifetimes = &subject.lifetimes;
    let residencies = Residencies::of(lifetimes);
    let overwritten = overwritten(subject, plan);
    let mut wrong: BTreeSet<TensorId> = BTreeSet::new();
    let steps = (0..program.schedule.len()).zip(0_u64..);
    for (index, at) in steps {
        let Some(op) = program.schedule.op(index).map(|op| program.graph.op(op)) else {
            continue;
        };
        let destroyed = |tensor: TensorId| {
            let buffer = residencies.operand(program, lifetimes, (Step(at), tensor));
            let over = buffer.and_then(|buffer| overwritten.get(buffer).copied().flatten());
            over.is_some_and(|over| over.0 <= at)
        };
        if op
            .read()
            .any(|tensor| wrong.contains(&tensor) || destroyed(tensor))
        {
            wrong.extend(op.written());
        }
    }
    let last = Step(lifetimes.horizon.0.saturating_sub(1));
    let outputs = program.graph.outputs.iter().copied();
    let changed = outputs.filter(|output| {
        let buffer = residencies.operand(program, lifetimes, (last, *output));
        let over = buffer.and_then(|buffer| overwritten.get(buffer).copied().flatten());
        wrong.contains(output) || over.is_some()
    });
    changed
        .map(|output| program.graph.tensor(output).name.clone())
        .collect()
}

/// For each buffer the first step at which another is written over some of its bytes while it is
/// live, other than by a hand-over.
fn overwritten(subject: &Subject, plan: &Plan) -> Vec<Option<Step>> {
    let lifetimes = &subject.lifetimes;
    let placed: Vec<_> = lifetimes.buffers.iter().zip(&plan.offsets).collect();
    let handed: BTreeSet<(usize, usize)> = lifetimes
        .handovers
        .iter()
        .map(|it| (it.before, it.after))
        .collect();
    let first = |index: usize| {
        let (own, at) = placed[index];
        let end = at.0.saturating_add(own.size.0);
        let over = placed
            .iter()
            .enumerate()
            .filter(|(other, (buffer, offset))| {
                let shares = offset.0 < end && at.0 < offset.0.saturating_add(buffer.size.0);
                let later =
                    buffer.span.start > own.span.start && own.span.contains(buffer.span.start);
                *other != index && shares && later && !handed.contains(&(index, *other))
            });
        over.map(|(_, (buffer, _))| buffer.span.start).min()
    };
    (0..placed.len()).map(first).collect()
}
