//! What TFLite Micro's allocator puts into its arena, and from when to when.
//!
//! It counts one step before the first operator, at which every graph input begins; an input ends
//! with its last reader, an output lives until the end, everything else from the operator that
//! writes it to its last reader. Steps here begin with the first operator, so an input that no
//! operator reads lives during that one: the caller fills it with the others before the run.
//!
//! What an operator has for working memory in the file, as Vela gives it to Ethos-U, is not a
//! tensor like the others: other tensors lie inside it, its own inputs and outputs among them,
//! where the operator's commands find them. So while such an operator runs, what lies inside
//! counts as part of the working memory, and all of them stay where the file has them.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::residencies::Stay;
use super::{Buffer, Pause};
use crate::graph::{Content, Graph, Role, TensorId};
use crate::program::Program;
use crate::sorting::Sorting as _;
use crate::storage::StorageKind;
use crate::units::{Bytes, Offset, Span, Step};

/// Sizes are rounded up to a multiple of this, and so are the offsets that it chooses.
pub const ALIGNMENT: Bytes = Bytes(16);

/// The most pairs of a working memory and a tensor that are looked at.
const MAX_PAIRS: usize = 1 << 22;

/// The bytes of each tensor that it gives a place.
///
/// Constants lie in the file and variables after the arena, and so do the handles of variables:
/// the kernel that makes one has its number in memory of its own before anything is placed. A
/// tensor without elements that no operator writes is a constant whose elements were taken out,
/// unless the file gives it an offset: then it is an operator's working memory, as in the files
/// that Vela writes.
pub(super) fn sizes(graph: &Graph) -> Vec<Option<Bytes>> {
    let size = |(index, tensor): (usize, &crate::graph::Tensor)| match tensor.role {
        Role::Input | Role::Intermediate | Role::Output => graph.held(tensor),
        Role::Constant => {
            let given = graph.offline.get(index).copied().flatten();
            let empty = tensor.content == Content::Stripped;
            given.filter(|_| empty).and_then(|_| tensor.bytes())
        }
        Role::State | Role::Unsized => None,
    };
    graph.tensors.iter().enumerate().map(size).collect()
}

/// Where tensors that no operator reads or writes end in its arena, with these offsets of tensors.
///
/// They have no first and no last operator, which it takes for a time before all others: none of
/// the others is in their way, but they are in each other's. It asks nothing else of them, so that
/// they take their place without a use.
pub(crate) fn unused(graph: &Graph, given: &dyn Fn(usize) -> Option<Offset>) -> Bytes {
    let mut used = vec![false; graph.tensors.len()];
    let operands = graph
        .ops
        .iter()
        .flat_map(|op| op.read().chain(op.written()));
    for id in operands.chain(graph.outputs.iter().copied()) {
        used[id.index()] = true;
    }
    let (mut placed, mut left) = (Vec::new(), Vec::new());
    for (index, tensor) in graph.tensors.iter().enumerate() {
        let empty = tensor.role == Role::Constant && tensor.content == Content::Stripped;
        let size = tensor
            .bytes()
            .filter(|it| it.0 > 0 && empty && !used[index]);
        let Some(Bytes(size)) = size.and_then(|it| it.align_up(ALIGNMENT)) else {
            continue;
        };
        match given(index) {
            Some(Offset(at)) => placed.push((at, at.saturating_add(size))),
            None => left.push(size),
        }
    }
    placed.order();
    left.order_by_key(|&size| Reverse(size));
    for size in left {
        let mut at = 0_u64;
        for &(start, end) in &placed {
            if start.saturating_sub(at) >= size {
                break;
            }
            at = at.max(end);
        }
        let place = (at, at.saturating_add(size));
        placed.insert(placed.partition_point(|it| *it < place), place);
    }
    Bytes(placed.iter().map(|it| it.1).max().unwrap_or_default())
}

/// Widens the spans of inputs to the start and those of outputs to the end.
pub(super) fn pin(program: &Program, horizon: Step, stays: &mut [Vec<Stay>]) {
    let first = Span {
        start: Step(0),
        end: horizon.min(Step(1)),
    };
    for (stays, storage) in stays.iter_mut().zip(&program.storages.list) {
        if storage.kind == StorageKind::Input {
            if stays.is_empty() {
                stays.push(Stay::new(first));
            }
            stays[0].span.start = first.start;
        }
    }
    let outputs = program.graph.outputs.iter();
    for view in outputs.filter_map(|&tensor| program.storages.view(tensor)) {
        if let Some(stay) = stays[view.base.index()].last_mut() {
            stay.span.end = horizon;
        }
    }
}

/// Fixes operators' working memories among `buffers` where the file has them, with all that
/// lies inside or is used together with them.
pub(super) fn keep_working(program: &Program, buffers: &mut [Buffer]) {
    let (graph, schedule) = (&program.graph, &program.schedule);
    let tensor = |buffer: &Buffer| program.storages.named(buffer.storage?);
    let is_working = |buffer: &Buffer| {
        let role = tensor(buffer).map(|id| graph.tensor(id).role);
        role == Some(Role::Constant)
    };
    let working = (0..buffers.len()).filter(|&index| is_working(&buffers[index]));
    let working: Vec<usize> = working.collect();
    let pairs = working.len().saturating_mul(buffers.len() + schedule.len());
    if working.is_empty() || pairs > MAX_PAIRS {
        return;
    }
    let given = |buffer: &Buffer| {
        graph
            .offline
            .get(tensor(buffer)?.index())
            .copied()
            .flatten()
    };
    let given: Vec<Option<Offset>> = buffers.iter().map(given).collect();
    let mut unneeded: Vec<BTreeSet<u64>> = vec![BTreeSet::new(); buffers.len()];
    for &memory in &working {
        let (steps, operands) = users(program, tensor(&buffers[memory]));
        let span = buffers[memory].span;
        let idle = (span.start.0..span.end.0).filter(|step| !steps.contains(step));
        unneeded[memory].extend(idle);
        buffers[memory].fixed = given[memory];
        for other in (0..buffers.len()).filter(|&other| other != memory) {
            let buffer = &buffers[other];
            let outer = (&buffers[memory], given[memory]);
            let mut inside = holds(outer, (buffer, given[other]));
            // Of two working memories in one place the first holds the other.
            let as_large = buffer.size == buffers[memory].size && is_working(buffer);
            inside &= !(as_large && other < memory);
            let during = steps
                .iter()
                .filter(|step| buffer.span.contains(Step(**step)));
            let during: Vec<u64> = during.filter(|_| inside).copied().collect();
            if !during.is_empty() || tensor(buffer).is_some_and(|id| operands.contains(&id)) {
                buffers[other].fixed = given[other];
            }
            unneeded[other].extend(during);
        }
    }
    for (buffer, steps) in buffers.iter_mut().zip(&unneeded) {
        buffer.pauses = pauses(steps);
    }
}

/// The steps at which a working memory is used, and what else is used there.
fn users(program: &Program, memory: Option<TensorId>) -> (BTreeSet<u64>, BTreeSet<TensorId>) {
    let (mut steps, mut operands) = (BTreeSet::new(), BTreeSet::new());
    for (entry, step) in program.schedule.steps.iter().zip(0..) {
        let Some(op) = entry.action.op().map(|op| program.graph.op(op)) else {
            continue;
        };
        if op.read().any(|id| Some(id) == memory) {
            steps.insert(step);
            operands.extend(op.read().chain(op.written()));
        }
    }
    (steps, operands)
}

/// Whether the second lies inside the first.
fn holds(outer: (&Buffer, Option<Offset>), inner: (&Buffer, Option<Offset>)) -> bool {
    let (Some(from), Some(start)) = (outer.1, inner.1) else {
        return false;
    };
    from <= start && start.end(inner.0.size) <= from.end(outer.0.size)
}

/// The pauses that these steps make, during which nothing is needed.
fn pauses(steps: &BTreeSet<u64>) -> Vec<Pause> {
    let mut pauses: Vec<Pause> = Vec::new();
    for &step in steps {
        match pauses.last_mut() {
            Some(pause) if pause.span.end == Step(step) => pause.span.end = Step(step + 1),
            _ => pauses.push(Pause {
                span: Span::new(step, step + 1),
                window: None,
            }),
        }
    }
    pauses
}
