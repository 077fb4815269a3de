//! Activation fusion: an operator that is followed by nothing but a Relu or a Clip writes the
//! activated result itself, so the tensor between the two needs no memory.
//!
//! ```text
//! x ─Conv─▶ t ─Relu─▶ y     becomes     x ─Conv + Relu─▶ y
//! ```
//!
//! This is the fusion that every deployed toolchain does; a fused operator carries the
//! attribute `fused_activation`, and for a Clip `fused_min` and `fused_max`. TFLite's
//! converter has done it already, so only ONNX graphs change.

use std::collections::BTreeMap;

use super::{Pass, Report, Work};
use crate::graph::infer::Value;
use crate::graph::{Attribute, DType, Dialect, Graph, Op, OpId, Role, TensorId};
use crate::program::Program;

pub(super) const PASS: Pass = Pass {
    name: "fusion",
    summary: "fuses Relu and Clip into the Conv, Gemm or MatMul before them",
    optional: true,
    keeps_graph: false,
};

/// Operators whose kernels can apply an activation to what they write.
const ANCHORS: [&str; 3] = ["Conv", "Gemm", "MatMul"];

/// Fuses activations into the operators before them and removes what has become needless.
pub(super) fn run(work: &mut Work<'_>) -> Report {
    let mut graph = std::mem::take(&mut work.program.graph);
    let report = fuse(&mut graph, &work.values);
    work.program = Program::new(graph);
    let values = std::mem::take(&mut work.values).into_iter();
    let renumbered = values.filter_map(|(id, value)| Some((report.after(id)?, value)));
    work.values = renumbered.collect();
    report
}

/// The elements in `values` tell constant bounds.
fn fuse(graph: &mut Graph, values: &BTreeMap<TensorId, Value>) -> Report {
    if !matches!(graph.dialect, Dialect::Onnx { .. }) {
        return Report::default();
    }
    let consumers = graph.consumers();
    let mut producers = graph.producers();
    let mut gone = vec![false; graph.tensors.len()];
    let mut fused = Vec::with_capacity(graph.ops.len());
    for index in 0..graph.ops.len() {
        let id = OpId::at(index);
        let between = into_anchor(graph, id, values, &consumers, &mut producers);
        if let Some(between) = between {
            gone[between.index()] = true;
        }
        fused.push(between.is_some());
    }
    let tensors = remove(graph, &fused, &gone);
    let changes = fused.into_iter().filter(|&fused| fused).count();
    Report {
        tensors,
        ..Report::keeping(changes)
    }
}

/// Moves the activation `id` into the operator before it, and returns the tensor that was
/// between them; `None` where that cannot be.
fn into_anchor(
    graph: &mut Graph,
    id: OpId,
    values: &BTreeMap<TensorId, Value>,
    consumers: &[Vec<OpId>],
    producers: &mut [Option<OpId>],
) -> Option<TensorId> {
    let (between, activation) = activation(graph, id, values)?;
    let only = consumers[between.index()].as_slice() == [id];
    let anchor = producers[between.index()].filter(|_| only)?;
    let result = graph.op(id).outputs.first().copied().flatten()?;
    if !takes(graph, anchor, between) {
        return None;
    }
    let name = graph.op(id).name.clone();
    let op = &mut graph.ops[anchor.index()];
    op.outputs = vec![Some(result)];
    op.attributes.extend(activation);
    op.name = format!("{} + {name}", op.name);
    producers[result.index()] = Some(anchor);
    Some(between)
}

/// What an activation reads, and the attributes that stand for it.
fn activation(
    graph: &Graph,
    id: OpId,
    values: &BTreeMap<TensorId, Value>,
) -> Option<(TensorId, Vec<(String, Attribute)>)> {
    let op = graph.op(id);
    let x = op.inputs.first().copied().flatten()?;
    if !op.domain.is_empty() || graph.tensor(x).dtype != DType::F32 {
        return None;
    }
    let kind = |kind: &str| {
        let kind = Attribute::Text(kind.to_owned());
        ("fused_activation".to_owned(), kind)
    };
    match op.kind.as_str() {
        "Relu" => Some((x, vec![kind("Relu")])),
        "Clip" => {
            let min = bound(op, "min", 1, f32::MIN, values)?;
            let max = bound(op, "max", 2, f32::MAX, values)?;
            let bound = |name: &str, value| (name.to_owned(), Attribute::Float(value));
            let bounds = [bound("fused_min", min), bound("fused_max", max)];
            Some((x, [kind("Clip")].into_iter().chain(bounds).collect()))
        }
        _ => None,
    }
}

/// A bound of a Clip: an attribute in old operator sets, an input in new ones. `None` when it
/// is computed during the run.
#[expect(
    clippy::cast_possible_truncation,
    reason = "bounds are f32 in the file"
)]
fn bound(
    op: &Op,
    name: &str,
    position: usize,
    absent: f32,
    values: &BTreeMap<TensorId, Value>,
) -> Option<f32> {
    if let Some(Attribute::Float(value)) = op.attribute(name) {
        return Some(*value);
    }
    let Some(id) = op.inputs.get(position).copied().flatten() else {
        return Some(absent);
    };
    match values.get(&id)?.to_floats().as_slice() {
        [value] => Some(*value as f32),
        _ => None,
    }
}

/// Whether `anchor` can write an activated result in place of `between`.
fn takes(graph: &Graph, anchor: OpId, between: TensorId) -> bool {
    let op = graph.op(anchor);
    op.domain.is_empty()
        && ANCHORS.contains(&op.kind.as_str())
        && op.attribute("fused_activation").is_none()
        && op.outputs.as_slice() == [Some(between)]
        && graph.tensor(between).role == Role::Intermediate
        && !graph.outputs.contains(&between)
}

/// Takes operators and tensors out of the graph; the others keep their order. Returns what
/// each tensor is afterwards.
fn remove(graph: &mut Graph, ops: &[bool], tensors: &[bool]) -> Vec<Option<TensorId>> {
    let mut next = 0;
    let mut moved = Vec::with_capacity(tensors.len());
    for &gone in tensors {
        moved.push(TensorId::at(next));
        next += usize::from(!gone);
    }
    let renumber = |id: &mut TensorId| *id = moved[id.index()];
    let mut index = 0..ops.len();
    graph
        .ops
        .retain(|_| index.next().is_none_or(|index| !ops[index]));
    let mut index = 0..tensors.len();
    graph
        .tensors
        .retain(|_| index.next().is_none_or(|index| !tensors[index]));
    for op in &mut graph.ops {
        let slots = op.inputs.iter_mut().chain(&mut op.outputs).flatten();
        slots.chain(&mut op.captures).for_each(renumber);
        for (_, value) in &mut op.attributes {
            if let Attribute::Tensor(id) = value {
                renumber(id);
            }
        }
    }
    graph
        .inputs
        .iter_mut()
        .chain(&mut graph.outputs)
        .for_each(renumber);
    let after = moved.into_iter().zip(tensors);
    after.map(|(id, gone)| (!gone).then_some(id)).collect()
}
