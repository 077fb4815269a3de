//! What a planned run takes: the arena of a plan, and beside it weights and what the caller gives
//! and takes, as a run on a GPU has them. It is what the page can measure.

use super::Estimate;
use super::profile::{PURPOSES, Purpose};
use super::replayed::{Point, Record, list};
use crate::graph::Role;
use crate::liveness::{Lifetimes, Residencies};
use crate::plan::Plan;
use crate::program::Program;
use crate::storage::{StorageId, StorageKind};
use crate::units::{Bytes, Step};

/// Bytes of a word: buffers on a GPU are whole words.
const WORD: Bytes = Bytes(4);

/// What each input and output begins at a multiple of, so that it can be bound on its own.
const BOUND: Bytes = Bytes(256);

/// What a run of `plan` takes over its steps. Inputs, outputs and state that the plan does not
/// place count as inputs; weights as they are in the file, without what a run adds to align or
/// decode them.
#[must_use]
pub fn planned_run(program: &Program, lifetimes: &Lifetimes, plan: &Plan) -> Estimate {
    let arena = plan.arena.align_up(WORD).unwrap_or(plan.arena).0;
    let mut beside = [0; PURPOSES];
    beside[Purpose::Weights.index()] = weights(program);
    beside[Purpose::Inputs.index()] = inputs(program, lifetimes);
    let fixed = beside.iter().fold(0_u64, |sum, it| sum.saturating_add(*it));
    let all = Bytes(fixed.saturating_add(arena));
    let steps = usize::try_from(lifetimes.horizon.0).unwrap_or(0);
    let mut record = Record::new(steps);
    for (event, values) in live(program, lifetimes, steps).into_iter().enumerate() {
        let used = values.iter().fold(0_u64, |sum, it| sum.saturating_add(*it));
        let mut bytes = beside;
        for (all, own) in bytes.iter_mut().zip(values) {
            *all = all.saturating_add(own);
        }
        bytes[Purpose::Idle.index()] = arena.saturating_sub(used);
        let scheduled = program.schedule.steps.get(event);
        record.take(Point {
            event,
            step: 1,
            phase: scheduled.map(|it| it.phase),
            bytes: bytes.map(Bytes),
            requested: Bytes(fixed.saturating_add(used)),
            allocated: all,
            reserved: all,
        });
    }
    let mut found = record.estimate();
    let at = Step(found.peak.event as u64);
    let there = lifetimes.buffers.iter().filter(|it| it.span.contains(at));
    let there = there.map(|it| (&*it.name, purpose(program, it.storage), it.size));
    (found.holds, found.more) = list(there);
    found.reserved = found.peak.reserved;
    found
}

/// What lives in the arena at each step, by purpose: at most what it has, as buffers may be handed
/// over in place.
fn live(program: &Program, lifetimes: &Lifetimes, steps: usize) -> Vec<[u64; PURPOSES]> {
    let mut begin = vec![[0_u64; PURPOSES]; steps];
    let mut end = begin.clone();
    for buffer in lifetimes.buffers.iter().filter(|it| !it.span.is_empty()) {
        let purpose = purpose(program, buffer.storage).index();
        for (list, at) in [(&mut begin, buffer.span.start), (&mut end, buffer.span.end)] {
            let slot = usize::try_from(at.0).ok().and_then(|at| list.get_mut(at));
            if let Some(slot) = slot {
                slot[purpose] = slot[purpose].saturating_add(buffer.size.0);
            }
        }
    }
    let mut now = [0_u64; PURPOSES];
    let each = begin.iter().zip(&end).map(|(begin, end)| {
        for (now, (begin, end)) in now.iter_mut().zip(begin.iter().zip(end)) {
            *now = now.saturating_sub(*end).saturating_add(*begin);
        }
        now
    });
    each.collect()
}

fn purpose(program: &Program, storage: Option<StorageId>) -> Purpose {
    let storage = storage.and_then(|id| program.storages.list.get(id.index()));
    match storage.map(|it| it.kind) {
        Some(StorageKind::Gradient) => Purpose::Gradients,
        Some(StorageKind::Communication) => Purpose::Communication,
        Some(StorageKind::Workspace) => Purpose::Workspace,
        Some(StorageKind::OptimizerState) => Purpose::Optimizer,
        _ => Purpose::Outputs,
    }
}

/// Constants that operators of the run read, each once. What computes constants alone ran before.
fn weights(program: &Program) -> u64 {
    let graph = &program.graph;
    let mut counted = vec![false; graph.tensors.len()];
    let mut bytes = 0_u64;
    let known = |id| graph.tensor(id).role == Role::Constant;
    let ops = graph.ops.iter().filter(|op| !op.written().all(known));
    for id in ops.flat_map(|op| op.read()) {
        let tensor = graph.tensor(id);
        if tensor.role == Role::Constant && !std::mem::replace(&mut counted[id.index()], true) {
            bytes = bytes.saturating_add(tensor.bytes().unwrap_or_default().0);
        }
    }
    bytes
}

/// What the caller gives and takes, and state, where the plan has no place for it.
fn inputs(program: &Program, lifetimes: &Lifetimes) -> u64 {
    let placed = Residencies::of(lifetimes);
    let mut end = Bytes::ZERO;
    for (index, storage) in program.storages.list.iter().enumerate() {
        let kept = matches!(
            storage.kind,
            StorageKind::Input
                | StorageKind::Output
                | StorageKind::State
                | StorageKind::OptimizerState
        );
        if kept && placed.buffers(StorageId::at(index)).is_empty() {
            let start = end.align_up(BOUND).unwrap_or(end);
            let own = storage.bytes.unwrap_or_default();
            let own = own.align_up(WORD).unwrap_or(own);
            end = Bytes(start.0.saturating_add(own.0));
        }
    }
    end.0
}
