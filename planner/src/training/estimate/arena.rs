//! A training step whose memory is planned in advance: values have an arena, all else is there
//! from the start. Nobody is asked for memory while it runs, and the second step takes what the
//! first does.

use super::profile::{PURPOSES, Purpose};
use super::replayed::{Point, Record, list};
use super::requests::{Object, Objects};
use super::{Asked, Estimate, MAX_STEPS, NoEstimate, Scheduled};
use crate::liveness::Lifetimes;
use crate::plan::Options;
use crate::schedule::Phase;
use crate::strategies::{Silent, Strategy, plan};
use crate::training::placements::{ALIGNMENT, residencies};
use crate::units::{Bytes, Step};

/// What an arena that `strategy` plans takes, and what stays beside it.
///
/// # Errors
/// [`NoEstimate::TooLarge`] or [`NoEstimate::NoPlan`].
pub(super) fn planned(
    scheduled: &Scheduled,
    asked: &Asked,
    strategy: Strategy,
) -> Result<Estimate, NoEstimate> {
    let objects = Objects::of(scheduled, asked);
    let lifetimes = residencies(&scheduled.step.problem, &scheduled.walk)?;
    let options = Options::aligned(ALIGNMENT);
    let planned = plan(strategy, &lifetimes, &options, &mut Silent);
    let planned = planned.map_err(NoEstimate::NoPlan)?;
    let arena = planned.reserved.unwrap_or(planned.arena);
    let live = live(&objects, &lifetimes);
    let beside = beside(&objects);
    let workspace = asked.workspace.unwrap_or_default().0;
    let fixed = sum(&beside).saturating_add(workspace);
    let all = Bytes(fixed.saturating_add(arena.0));
    let steps = asked.steps.clamp(1, MAX_STEPS);
    let events = live.len().saturating_mul(steps as usize);
    let mut record = Record::new(events);
    let phases = phases(scheduled);
    for event in 0..events {
        let at = event % live.len();
        let mut bytes = live[at];
        let values = sum(&bytes);
        bytes[Purpose::Idle.index()] = arena.0.saturating_sub(values);
        bytes[Purpose::Workspace.index()] = workspace;
        for (all, own) in bytes.iter_mut().zip(&beside) {
            *all = all.saturating_add(*own);
        }
        record.take(Point {
            event,
            step: u32::try_from(event / live.len()).map_or(MAX_STEPS, |step| step + 1),
            phase: phases.get(at).copied(),
            bytes: bytes.map(Bytes),
            requested: Bytes(fixed.saturating_add(values)),
            allocated: all,
            reserved: all,
        });
    }
    Ok(most(record, &objects, &lifetimes))
}

/// What stays in memory beside the values of nodes, whatever way the step is run.
pub(in crate::training) fn stays_beside(scheduled: &Scheduled, asked: &Asked) -> Bytes {
    Bytes(sum(&beside(&Objects::of(scheduled, asked))))
}

/// All points have as much; the one that counts is where most of the arena is in use.
fn most(record: Record, objects: &Objects<'_>, lifetimes: &Lifetimes) -> Estimate {
    let mut found = record.estimate();
    let at = found.peak.event as u64 % lifetimes.horizon.0.max(1);
    let buffers = lifetimes.buffers.iter();
    let values = buffers.filter(|it| it.span.contains(Step(at)));
    let values = values.filter_map(|it| objects.values.get(it.storage?.index()));
    let values = values.flatten().map(|it| &objects.list[*it]);
    let there = stays(objects).chain(values);
    let there = there.map(|it| (&*it.name, it.purpose, Bytes(it.bytes)));
    (found.holds, found.more) = list(there);
    found.reserved = found.peak.reserved;
    found
}

/// What is there during all of the step.
fn stays<'a>(objects: &'a Objects<'_>) -> impl Iterator<Item = &'a Object> {
    let of_weights = objects.weights.iter().flat_map(|it| {
        let one = [Some(it.weight), it.master, it.gradient];
        one.into_iter().flatten().chain(it.states.iter().copied())
    });
    let all = of_weights.chain(objects.inputs.iter().copied());
    all.map(|it| &objects.list[it])
}

fn beside(objects: &Objects<'_>) -> [u64; PURPOSES] {
    let mut bytes = [0_u64; PURPOSES];
    for it in stays(objects) {
        let own = &mut bytes[it.purpose.index()];
        *own = own.saturating_add(it.bytes);
    }
    bytes
}

fn sum(bytes: &[u64; PURPOSES]) -> u64 {
    bytes.iter().fold(0, |sum, it| sum.saturating_add(*it))
}

/// What the values take at each step of the schedule, by purpose.
fn live(objects: &Objects<'_>, lifetimes: &Lifetimes) -> Vec<[u64; PURPOSES]> {
    let horizon = usize::try_from(lifetimes.horizon.0).unwrap_or(0);
    let mut begin = vec![Vec::new(); horizon];
    let mut end = vec![Vec::new(); horizon];
    for buffer in lifetimes.buffers.iter().filter(|it| !it.span.is_empty()) {
        let node = buffer.storage.map_or(usize::MAX, |it| it.index());
        let put = |at: u64, list: &mut [Vec<usize>]| {
            let slot = usize::try_from(at).ok().and_then(|at| list.get_mut(at));
            slot.into_iter().for_each(|it| it.push(node));
        };
        put(buffer.span.start.0, &mut begin);
        put(buffer.span.end.0, &mut end);
    }
    let mut now = [0_u64; PURPOSES];
    let mut change = |nodes: &[usize], more: bool| {
        let values = nodes.iter().filter_map(|node| objects.values.get(*node));
        for part in values.flatten().map(|it| &objects.list[*it]) {
            let own = &mut now[part.purpose.index()];
            *own = match more {
                true => own.saturating_add(part.bytes),
                false => own.saturating_sub(part.bytes),
            };
        }
        now
    };
    let steps = begin.iter().zip(&end).map(|(begin, end)| {
        change(end, false);
        change(begin, true)
    });
    steps.collect()
}

/// The part of the training step of each step of the schedule.
fn phases(scheduled: &Scheduled) -> Vec<Phase> {
    let nodes = &scheduled.step.problem.nodes;
    let moves = scheduled.walk.iter().map(|it| {
        let node = nodes.get(it.node());
        node.map_or(Phase::Forward, |node| node.phase)
    });
    moves.collect()
}
