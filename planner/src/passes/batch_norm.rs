//! Batch normalisation folded into the convolution before it: in inference it multiplies each
//! channel and adds to it, which other weights do as well.
//!
//! ```text
//! s = scale / sqrt(variance + ε)     weights × s     (bias - mean) × s + shift
//! ```
//!
//! The new weights are computed from constants, so before the run. Sums are rounded elsewhere
//! than without the pass: outputs are close to those of the model, not the same to the bit.

use super::fusion::remove;
use super::{Finding, Pass, Reason, Report, Work};
use crate::graph::infer::Value;
use crate::graph::{Attribute, Content, DType, Graph, Op, OpId, Role, Tensor, TensorId};
use crate::message;
use crate::operators::Operator;
use crate::program::Program;

pub(super) const PASS: Pass = Pass {
    name: "batch_norm",
    summary: "folds batch normalisations into the weights of the convolutions before them",
    optional: true,
    keeps_graph: false,
    rules: &[],
};

/// What ONNX takes for ε where the operator does not say.
const EPSILON: f32 = 1e-5;

/// Folds every batch normalisation that follows a convolution alone.
pub(super) fn run(work: &mut Work<'_>) -> Report {
    let mut graph = std::mem::take(&mut work.program.graph);
    let consumers = graph.consumers();
    let producers = graph.producers();
    let mut found = Vec::new();
    let mut folds: Vec<Option<OpId>> = vec![None; graph.ops.len()];
    let mut gone = vec![false; graph.tensors.len()];
    for index in 0..graph.ops.len() {
        let norm = OpId::at(index);
        let Some((conv, between)) = pair(&graph, norm, &producers) else {
            continue;
        };
        let other = consumers[between.index()].iter().find(|op| **op != norm);
        let refused = match other {
            Some(&op) => Some(Reason::ReadBy { op }),
            None if graph.outputs.contains(&between) => Some(Reason::IsOutput),
            None => None,
        };
        if refused.is_none() {
            folds[conv.index()] = Some(norm);
            gone[between.index()] = true;
        }
        found.push(Finding {
            what: message!("conv + batch norm"),
            ops: vec![conv, norm],
            tensors: vec![between],
            refused,
        });
    }
    let old = std::mem::take(&mut graph.ops);
    let norms: Vec<Option<Op>> = folds
        .iter()
        .map(|norm| norm.map(|norm| old[norm.index()].clone()))
        .collect();
    let mut after = vec![None; old.len()];
    for (index, mut op) in old.into_iter().enumerate() {
        if folds.contains(&Some(OpId::at(index))) {
            continue;
        }
        if let Some(norm) = &norms[index] {
            let mut folding = Folding {
                graph: &mut graph,
                values: &mut work.values,
                name: &op.name.clone(),
            };
            folding.fold(&mut op, norm);
        }
        after[index] = Some(OpId::at(graph.ops.len()));
        graph.ops.push(op);
    }
    for (conv, norm) in folds.iter().enumerate() {
        if let Some(norm) = norm {
            after[norm.index()] = after[conv];
        }
    }
    gone.resize(graph.tensors.len(), false);
    let report = Report {
        tensors: remove(&mut graph, &gone),
        ops: after,
        ..Report::of(found)
    };
    work.program = Program::new(graph);
    let values = std::mem::take(&mut work.values).into_iter();
    let renumbered = values.filter_map(|(id, value)| Some((report.after(id)?, value)));
    work.values = renumbered.collect();
    report
}

/// The convolution before a batch normalisation of constants, and the tensor between the two.
fn pair(graph: &Graph, norm: OpId, producers: &[Option<OpId>]) -> Option<(OpId, TensorId)> {
    let known = graph.op(norm);
    let float = |id: &TensorId| graph.tensor(*id).dtype == DType::F32;
    let fixed = |id: &TensorId| graph.tensor(*id).role == Role::Constant && float(id);
    if !known.is(Operator::BatchNormalization) || known.written().count() != 1 {
        return None;
    }
    let [Some(between), parameters @ ..] = known.inputs.as_slice() else {
        return None;
    };
    if parameters.len() != 4 || !parameters.iter().all(|id| id.as_ref().is_some_and(fixed)) {
        return None;
    }
    let conv = producers[between.index()]?;
    let op = graph.op(conv);
    let weights = op.inputs.iter().skip(1).flatten();
    let foldable = op.is(Operator::Conv)
        && op.attribute("fused_activation").is_none()
        && op.inputs.get(1).is_some_and(Option::is_some)
        && weights.into_iter().all(fixed);
    foldable.then_some((conv, *between))
}

/// New weights for one convolution.
struct Folding<'a> {
    graph: &'a mut Graph,
    values: &'a mut std::collections::BTreeMap<TensorId, Value>,
    name: &'a str,
}

impl Folding<'_> {
    fn fold(&mut self, conv: &mut Op, norm: &Op) {
        let parameter = |at: usize| norm.inputs.get(at).copied().flatten();
        let (Some(scale), Some(shift), Some(mean), Some(variance)) =
            (parameter(1), parameter(2), parameter(3), parameter(4))
        else {
            return;
        };
        let Some(weights) = conv.inputs.get(1).copied().flatten() else {
            return;
        };
        let epsilon = match norm.attribute("epsilon") {
            Some(Attribute::Float(epsilon)) => *epsilon,
            _ => EPSILON,
        };
        let channels = self.graph.tensor(scale).dims.clone();
        let epsilon = self.constant(
            "epsilon",
            (DType::F32, Vec::new()),
            epsilon.to_le_bytes().to_vec(),
        );
        let variance = self.op(Operator::Add, &[variance, epsilon], channels.clone());
        let deviation = self.op(Operator::Sqrt, &[variance], channels.clone());
        let factor = self.op(Operator::Div, &[scale, deviation], channels.clone());
        let dims = self.graph.tensor(weights).dims.clone();
        let rank = dims.as_ref().map_or(0, Vec::len);
        // One factor for each output channel, the first dimension of the weights.
        let mut spread: Vec<i64> = vec![1; rank];
        let count = channels.as_ref().and_then(|dims| dims.first().copied());
        if let (Some(first), Some(count)) = (spread.first_mut(), count) {
            *first = i64::try_from(count).unwrap_or(i64::MAX);
        }
        let spread_dims = spread.iter().map(|dim| dim.unsigned_abs()).collect();
        let bytes = spread.iter().flat_map(|dim| dim.to_le_bytes()).collect();
        let shape = self.constant("shape", (DType::I64, vec![rank as u64]), bytes);
        self.values.insert(shape, Value::ints(spread));
        let by_channel = self.op(Operator::Reshape, &[factor, shape], Some(spread_dims));
        let weights = self.op(Operator::Mul, &[weights, by_channel], dims);
        let centred = match conv.inputs.get(2).copied().flatten() {
            Some(bias) => self.op(Operator::Sub, &[bias, mean], channels.clone()),
            None => self.op(Operator::Neg, &[mean], channels.clone()),
        };
        let scaled = self.op(Operator::Mul, &[centred, factor], channels.clone());
        let bias = self.op(Operator::Add, &[scaled, shift], channels);
        conv.inputs.truncate(1);
        conv.inputs.extend([Some(weights), Some(bias)]);
        conv.outputs.clone_from(&norm.outputs);
        conv.name = format!("{} + {}", conv.name, norm.name);
    }

    fn tensor(&mut self, what: &str, tensor: Tensor) -> TensorId {
        let id = TensorId::at(self.graph.tensors.len());
        // The position makes the name unique: no file has so long a tail.
        let name = format!("{} / {what} {}", self.name, id.0);
        self.graph.tensors.push(Tensor { name, ..tensor });
        id
    }

    fn constant(
        &mut self,
        what: &str,
        (dtype, dims): (DType, Vec<u64>),
        bytes: Vec<u8>,
    ) -> TensorId {
        let tensor = Tensor {
            content: Content::Inline(bytes),
            role: Role::Constant,
            dims: Some(dims),
            ..Tensor::new("", dtype)
        };
        self.tensor(what, tensor)
    }

    /// An operator on constants, whose result is one, too.
    fn op(&mut self, operator: Operator, inputs: &[TensorId], dims: Option<Vec<u64>>) -> TensorId {
        let op = Op::of(self.graph.dialect, operator);
        let result = Tensor {
            role: Role::Constant,
            dims,
            ..Tensor::new("", DType::F32)
        };
        let result = self.tensor(&op.kind, result);
        self.graph.ops.push(Op {
            name: self.graph.tensor(result).name.clone(),
            inputs: inputs.iter().copied().map(Some).collect(),
            outputs: vec![Some(result)],
            ..op
        });
        result
    }
}
