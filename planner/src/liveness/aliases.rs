//! Which bytes have several names: tensors that view a part of a storage, and outputs that an
//! operator may write over its input.

use std::collections::BTreeMap;

use super::{BufferView, Handover, Lifetimes, Residencies};
use crate::graph::TensorId;
use crate::program::{InPlaceAlias, Program};
use crate::sorting::{Sorting as _, inserted};
use crate::storage::StorageId;
use crate::units::{Bytes, Span, Step};

/// The handovers that the in-place aliases of `program` allow: where the input's residency
/// ends with the operator's step and the output's begins with it.
///
/// An operator whose input outlives its step, because spans were widened, hands nothing over.
pub(super) fn handovers(
    program: &Program,
    lifetimes: &Lifetimes,
    residencies: &Residencies,
) -> Vec<Handover> {
    if program.in_place.is_empty() {
        return Vec::new();
    }
    let pair = |alias: &InPlaceAlias| Some((alias.op, program.handed_over(alias)?));
    let of_op: BTreeMap<_, _> = inserted(program.in_place.iter().filter_map(pair));
    let mut found = Vec::new();
    for (entry, step) in program.schedule.steps.iter().zip(0..) {
        let Some((input, output)) = entry.action.op().and_then(|op| of_op.get(&op)) else {
            continue;
        };
        let buffer = |storage: &StorageId| residencies.at(lifetimes, *storage, Step(step));
        let (Some(before), Some(after)) = (buffer(input), buffer(output)) else {
            continue;
        };
        let (old, new) = (
            lifetimes.buffers[before].span,
            lifetimes.buffers[after].span,
        );
        if old.end.0 == new.start.0 + 1 && old.start < new.start {
            found.push(Handover {
                before,
                after,
                shift: Bytes::ZERO,
            });
        }
    }
    found.order_by_key(|handover| (handover.after, handover.before));
    found
}

/// The tensors that share a storage with others, each from its first use in a residency to its
/// last; by buffer, then tensor.
pub(super) fn views(
    program: &Program,
    lifetimes: &Lifetimes,
    residencies: &Residencies,
) -> Vec<BufferView> {
    let mut names = vec![0_u32; program.storages.list.len()];
    for view in &program.storages.views {
        names[view.base.index()] += 1;
    }
    let shared = |storage: StorageId| names[storage.index()] > 1;
    let mut spans: BTreeMap<(usize, TensorId), Span> = BTreeMap::new();
    for (entry, step) in program.schedule.steps.iter().zip(0..) {
        let Some(op) = entry.action.op().map(|op| program.graph.op(op)) else {
            continue;
        };
        for tensor in op.written().chain(op.read()) {
            let view = program.storages.view(tensor);
            let Some(base) = view.map(|view| view.base).filter(|base| shared(*base)) else {
                continue;
            };
            if let Some(buffer) = residencies.at(lifetimes, base, Step(step)) {
                let now = Span::new(step, step + 1);
                let span = spans.entry((buffer, tensor)).or_insert(now);
                span.end = now.end;
            }
        }
    }
    let view = |((buffer, tensor), span)| {
        Some(BufferView {
            buffer,
            tensor,
            name: program.graph.tensor(tensor).name.clone(),
            window: program.storages.window(&program.graph, tensor)?,
            span,
        })
    };
    spans.into_iter().filter_map(view).collect()
}
