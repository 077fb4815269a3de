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

use crate::graph::infer::Value;
use crate::graph::{Attribute, DType, Dialect, Graph, Op, OpId, TensorId};
use crate::operators::Operator;

/// Operators whose kernels can apply an activation to what they write.
const ANCHORS: [Operator; 3] = [Operator::Conv, Operator::Gemm, Operator::MatMul];

/// The attributes that stand for the activation `id` in the operator before it; `None` where
/// `anchor` cannot carry it.
pub(super) fn attributes(
    graph: &Graph,
    (anchor, id): (OpId, OpId),
    values: &BTreeMap<TensorId, Value>,
) -> Option<Vec<(String, Attribute)>> {
    let before = graph.op(anchor);
    let (x, attributes) = activation(graph, id, values)?;
    let takes = ANCHORS.contains(&before.operator)
        && before.attribute("fused_activation").is_none()
        && before.outputs.as_slice() == [Some(x)];
    takes.then_some(attributes)
}

/// What an activation reads, and the attributes that stand for it.
fn activation(
    graph: &Graph,
    id: OpId,
    values: &BTreeMap<TensorId, Value>,
) -> Option<(TensorId, Vec<(String, Attribute)>)> {
    let op = graph.op(id);
    let x = op.inputs.first().copied().flatten()?;
    if graph.dialect == Dialect::Tflite || graph.tensor(x).dtype != DType::F32 {
        return None;
    }
    let kind = Attribute::Text(op.kind.clone());
    let kind = ("fused_activation".to_owned(), kind);
    match op.operator {
        Operator::Relu => Some((x, vec![kind])),
        Operator::Clip => {
            let min = bound(op, "min", 1, f32::MIN, values)?;
            let max = bound(op, "max", 2, f32::MAX, values)?;
            let bound = |name: &str, value| (name.to_owned(), Attribute::Float(value));
            let bounds = [bound("fused_min", min), bound("fused_max", max)];
            Some((x, [kind].into_iter().chain(bounds).collect()))
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
