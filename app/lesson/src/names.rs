//! Measures that come to names: buffers, steps, operators, passes.

use std::collections::BTreeSet;

use planner::graph::OpId;
use planner::{Lifetimes, Offset, Plan, Span, Step, message, passes, space};

use crate::instance::{Instances, ReadyInstance, Unmeasured};
use crate::measure::Measure;
use crate::swaps::{fetched_by, swapped};

impl Instances {
    /// The names that `measure` comes to.
    pub(crate) fn names(
        &self,
        instance: &ReadyInstance,
        measure: &Measure,
    ) -> Result<Vec<String>, Unmeasured> {
        let lifetimes = &instance.subject.lifetimes;
        match measure {
            Measure::FullSteps(bytes) => {
                let wanted = self.number_of(instance, bytes)?;
                full_steps(instance, wanted)
            }
            Measure::FirstAfter(name) => {
                let own = span(instance, name)?;
                let later = lifetimes.buffers.iter().map(|buffer| buffer.span.start);
                let first = later.filter(|start| *start >= own.end).min();
                Ok(named(lifetimes, |other| Some(other.start) == first))
            }
            Measure::Meets(name) => {
                let own = (instance.buffer(name)?, span(instance, name)?);
                let buffers = lifetimes.buffers.iter().enumerate();
                let met = buffers.filter(|(at, it)| *at != own.0 && it.span.overlaps(own.1));
                Ok(met.map(|(_, buffer)| buffer.name.clone()).collect())
            }
            Measure::BestRelief => {
                let reliefs = space::reliefs(lifetimes, lifetimes.buffers.len());
                let most = reliefs.first().map(|relief| relief.saved);
                let best = reliefs.iter().filter(|relief| Some(relief.saved) == most);
                Ok(of_indices(lifetimes, best.map(|relief| relief.buffer)))
            }
            Measure::LivesLongerThan(setup) => {
                let before = &self.setup(setup)?.subject.lifetimes.buffers;
                let longer = lifetimes.buffers.iter().filter(|buffer| {
                    let mut same = before.iter().filter(|old| old.name == buffer.name);
                    same.any(|old| old.span.end < buffer.span.end)
                });
                Ok(longer.map(|buffer| buffer.name.clone()).collect())
            }
            Measure::BoundsEveryHole(plan, step) => bounds_every_hole(instance, plan, Step(*step)),
            Measure::HeldUpApart(plan, name) => held_up_apart(instance, plan, name),
            Measure::WrittenOver(plan, name) => written_over(instance, plan, name),
            Measure::Evicts(number) => evicts(instance, *number),
            Measure::Swapped(number) => swapped(instance, *number),
            Measure::FetchedBy(name) => fetched_by(instance, name),
            Measure::AddedWaits(plan, name) => added_waits(instance, plan, name),
            Measure::Passes => {
                let optional = passes::optional();
                Ok(optional.map(|(_, pass)| pass.name.to_owned()).collect())
            }
            _ => Err(Unmeasured::OtherKind),
        }
    }
}

fn span(instance: &ReadyInstance, name: &str) -> Result<Span, Unmeasured> {
    let buffer = instance
        .subject
        .lifetimes
        .buffers
        .get(instance.buffer(name)?);
    Ok(buffer.map_or(Span::new(0, 0), |buffer| buffer.span))
}

/// The buffers whose span is as wanted.
fn named(lifetimes: &Lifetimes, wanted: impl Fn(Span) -> bool) -> Vec<String> {
    let buffers = lifetimes.buffers.iter();
    let found = buffers.filter(|buffer| wanted(buffer.span));
    found.map(|buffer| buffer.name.clone()).collect()
}

fn of_indices(lifetimes: &Lifetimes, indices: impl Iterator<Item = usize>) -> Vec<String> {
    let buffers = indices.filter_map(|index| lifetimes.buffers.get(index));
    buffers.map(|buffer| buffer.name.clone()).collect()
}

fn full_steps(instance: &ReadyInstance, wanted: f64) -> Result<Vec<String>, Unmeasured> {
    let profile = planner::profile(&instance.subject.lifetimes);
    let steps = 0..instance.subject.lifetimes.horizon.0;
    #[expect(clippy::cast_precision_loss, reason = "sizes of lessons are small")]
    let full = steps.filter(|step| (profile.at(Step(*step)).0 as f64 - wanted).abs() < 0.5);
    Ok(full.map(|step| step.to_string()).collect())
}

/// The buffers that lie directly under or over every free range of a plan at a step.
fn bounds_every_hole(
    instance: &ReadyInstance,
    plan: &str,
    step: Step,
) -> Result<Vec<String>, Unmeasured> {
    let (lifetimes, plan) = (&instance.subject.lifetimes, instance.plan(plan)?.plan);
    let ranges = space::free_ranges(lifetimes, &plan, step);
    let bounds = |index: usize| {
        let (Some(buffer), Some(offset)) = (lifetimes.buffers.get(index), plan.offsets.get(index))
        else {
            return false;
        };
        let end = Offset(offset.0.saturating_add(buffer.size.0));
        let live = buffer.span.contains(step);
        let touches = |range: &space::FreeRange| range.low == end || range.high == *offset;
        live && !ranges.is_empty() && ranges.iter().all(touches)
    };
    let all = 0..lifetimes.buffers.len();
    Ok(of_indices(lifetimes, all.filter(|index| bounds(*index))))
}

/// What a buffer rests on, link by link, and shares no step with.
fn held_up_apart(
    instance: &ReadyInstance,
    plan: &str,
    name: &str,
) -> Result<Vec<String>, Unmeasured> {
    let (lifetimes, plan) = (&instance.subject.lifetimes, instance.plan(plan)?.plan);
    let (index, own) = (instance.buffer(name)?, span(instance, name)?);
    let chain = space::chain(lifetimes, &plan, index);
    let apart = chain.iter().map(|rest| rest.buffer).filter(|other| {
        let buffer = lifetimes.buffers.get(*other);
        buffer.is_some_and(|buffer| !buffer.span.overlaps(own))
    });
    Ok(of_indices(lifetimes, apart))
}

/// Whether a plan has two buffers on some same bytes, whenever they are live.
fn share_bytes(lifetimes: &Lifetimes, plan: &Plan, one: usize, other: usize) -> bool {
    let bytes = |index: usize| {
        let (buffer, offset) = (lifetimes.buffers.get(index)?, plan.offsets.get(index)?);
        Some((offset.0, offset.0.saturating_add(buffer.size.0)))
    };
    let both = bytes(one).zip(bytes(other));
    both.is_some_and(|(one, other)| one.0 < other.1 && other.0 < one.1)
}

/// The buffers of a plan that are still there when this one is written over their bytes.
fn written_over(
    instance: &ReadyInstance,
    plan: &str,
    name: &str,
) -> Result<Vec<String>, Unmeasured> {
    let (lifetimes, plan) = (&instance.subject.lifetimes, instance.plan(plan)?.plan);
    let index = instance.buffer(name)?;
    let start = span(instance, name)?.start;
    let over = (0..lifetimes.buffers.len()).filter(|other| {
        let there = lifetimes.buffers.get(*other);
        *other != index
            && there.is_some_and(|buffer| buffer.span.contains(start))
            && share_bytes(lifetimes, &plan, index, *other)
    });
    Ok(of_indices(lifetimes, over))
}

/// What a DTR run evicts at its eviction of this number, from 0.
fn evicts(instance: &ReadyInstance, number: u64) -> Result<Vec<String>, Unmeasured> {
    let program = instance.subject.program.as_ref();
    let program = program.ok_or_else(|| Unmeasured::NotThere(message!("schedule")))?;
    let evicted = program
        .schedule
        .steps
        .iter()
        .filter_map(|step| match step.action {
            planner::schedule::Action::Evict(storage) => program.storages.named(storage),
            _ => None,
        });
    let number = usize::try_from(number).unwrap_or(usize::MAX);
    let tensor = evicted.into_iter().nth(number);
    let tensor = tensor.ok_or_else(|| Unmeasured::NotThere(message!("such eviction")))?;
    Ok(vec![program.graph.tensor(tensor).name.clone()])
}

/// The operators for which the one that writes a buffer has to wait because it writes over bytes
/// that they use, and for which the graph does not make it wait.
fn added_waits(
    instance: &ReadyInstance,
    plan: &str,
    name: &str,
) -> Result<Vec<String>, Unmeasured> {
    let (subject, plan) = (&instance.subject, instance.plan(plan)?.plan);
    let program = subject.program.as_ref();
    let program = program.ok_or_else(|| Unmeasured::NotThere(message!("graph")))?;
    let lifetimes = &subject.lifetimes;
    let index = instance.buffer(name)?;
    let start = span(instance, name)?.start.0;
    let steps = program.schedule.steps.iter();
    let ops: Vec<Option<OpId>> = steps.map(|step| step.action.op()).collect();
    let uses = |op: OpId| {
        program
            .graph
            .op(op)
            .read()
            .chain(program.graph.op(op).written())
    };
    let buffers_of = |op: OpId| -> Vec<usize> {
        let storages = uses(op).filter_map(|tensor| program.storages.view(tensor));
        let bases: Vec<_> = storages.map(|view| Some(view.base)).collect();
        let buffers = lifetimes.buffers.iter().enumerate();
        let held = buffers.filter(|(_, buffer)| bases.contains(&buffer.storage));
        held.map(|(at, _)| at).collect()
    };
    let waits = ancestors(program, &ops, usize::try_from(start).unwrap_or(0));
    let mut named = Vec::new();
    for (step, op) in ops
        .iter()
        .enumerate()
        .take(usize::try_from(start).unwrap_or(0))
    {
        let Some(op) = *op else { continue };
        let same_bytes = buffers_of(op)
            .into_iter()
            .any(|other| other != index && share_bytes(lifetimes, &plan, index, other));
        if same_bytes && !waits.contains(&step) {
            named.push(program.graph.op(op).name.clone());
        }
    }
    Ok(named)
}

/// The steps that the operator at `step` waits for by the graph, directly or not.
fn ancestors(program: &planner::Program, ops: &[Option<OpId>], step: usize) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut open = vec![step];
    while let Some(step) = open.pop() {
        let Some(op) = ops.get(step).copied().flatten() else {
            continue;
        };
        let read: Vec<_> = program.graph.op(op).read().collect();
        for (before, other) in ops.iter().enumerate().take(step) {
            let Some(other) = other else { continue };
            let makes = program
                .graph
                .op(*other)
                .written()
                .any(|it| read.contains(&it));
            if makes && found.insert(before) {
                open.push(before);
            }
        }
    }
    found
}
