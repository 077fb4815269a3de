//! Fusion: operators that follow one another run as one, so that the tensors between them need
//! no memory.
//!
//! ```text
//! x ─Conv─▶ t ─BatchNormalization─▶ u ─Relu─▶ y     becomes     x ─▶ one operator ─▶ y
//! ```
//!
//! | pattern | operators |
//! |---|---|
//! | conv, matmul + bias, batch norm, activation, element-wise | a product, then what works in place on its result |
//! | element-wise | element-wise operators one after the other |
//! | softmax | the same, then a softmax of their result: scale, mask, softmax |
//! | swish, gelu | x · sigmoid(x); x · Φ(x) by the error function or by tanh |
//! | layer norm, RMS norm | a normalisation written as reductions and arithmetic |
//!
//! Legal only where each tensor between has one consumer and is no output of the graph. A fused
//! operator runs at the first place of its members at which everything that it reads is there.

mod activation;
mod chain;
mod group;
mod normalization;

pub(super) use group::remove;

use std::collections::BTreeMap;

use super::admission::{admit, peak};
use super::{Finding, Pass, Reason, Report, Rule, Work};
use crate::Message;
use crate::graph::infer::Value;
use crate::graph::{Dialect, Graph, OpId, Role, TensorId};
use crate::operators::Operator;
use crate::program::Program;

pub(super) const PASS: Pass = Pass {
    name: "fusion",
    summary: "fuses operators that follow one another into one",
    optional: true,
    keeps_graph: false,
    rules: &[
        Rule {
            name: "all",
            summary: "every pattern: products with what follows, chains, normalisations",
        },
        Rule {
            name: "activations",
            summary: "Relu and Clip into the Conv, Gemm or MatMul before them",
        },
    ],
};

/// Operators that are to run as one, in file order; the last one writes the result.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Group {
    pattern: Message,
    ops: Vec<OpId>,
}

/// A graph as the patterns look at it.
struct Matcher<'a> {
    graph: &'a Graph,
    /// The elements that are known before the run.
    values: &'a BTreeMap<TensorId, Value>,
    consumers: Vec<Vec<OpId>>,
    producers: Vec<Option<OpId>>,
    /// Whether the operator is in a group already.
    taken: Vec<bool>,
    only_activations: bool,
    refused: Vec<Finding>,
}

/// The patterns, those first that take the most.
const PATTERNS: &[fn(&mut Matcher<'_>, OpId) -> Option<Group>] =
    &[normalization::group, chain::group];

/// Fuses what does not raise the peak.
pub(super) fn run(work: &mut Work<'_>) -> Report {
    let program = std::mem::take(&mut work.program);
    let graph = &program.graph;
    let (groups, mut found) = groups(graph, &work.values, work.rule == 1);
    let now = peak(&program, work.settings).unwrap_or_default();
    let fused = |chosen: &[bool]| {
        let chosen = groups.iter().zip(chosen).filter(|(_, chosen)| **chosen);
        let chosen: Vec<&Group> = chosen.map(|(group, _)| group).collect();
        let mut graph = graph.clone();
        let report = group::fuse(&mut graph, &chosen, &work.values);
        (graph, report)
    };
    let mut tried = |chosen: &[bool]| peak(&Program::new(fused(chosen).0), work.settings).ok();
    let (chosen, refused) = admit(groups.len(), now, &mut tried);
    let (after, report) = fused(&chosen);
    let refused: BTreeMap<usize, Reason> = refused.into_iter().collect();
    found.extend(groups.iter().enumerate().map(|(index, group)| Finding {
        what: group.pattern.clone(),
        ops: group.ops.clone(),
        tensors: group::between(graph, &group.ops),
        refused: refused.get(&index).copied(),
    }));
    found.sort_by_key(|finding| finding.ops.clone());
    let removed = chosen.iter().zip(&groups).filter(|(chosen, _)| **chosen);
    let removed: usize = removed.map(|(_, group)| group.ops.len() - 1).sum();
    let report = Report {
        changes: removed as u64,
        found,
        ..report
    };
    work.program = Program::new(after);
    let values = std::mem::take(&mut work.values).into_iter();
    let renumbered = values.filter_map(|(id, value)| Some((report.after(id)?, value)));
    work.values = renumbered.collect();
    report
}

/// The groups of a graph in file order, none sharing an operator, and what was refused.
fn groups(
    graph: &Graph,
    values: &BTreeMap<TensorId, Value>,
    only_activations: bool,
) -> (Vec<Group>, Vec<Finding>) {
    // TFLite's converter has fused already what its kernels can.
    if graph.dialect == Dialect::Tflite && only_activations {
        return (Vec::new(), Vec::new());
    }
    let mut matcher = Matcher {
        graph,
        values,
        consumers: graph.consumers(),
        producers: graph.producers(),
        taken: vec![false; graph.ops.len()],
        only_activations,
        refused: Vec::new(),
    };
    let mut groups = Vec::new();
    for index in (0..graph.ops.len()).rev() {
        let last = OpId::at(index);
        let folded = |id: TensorId| graph.tensor(id).role == Role::Constant;
        if matcher.taken[index] || graph.op(last).written().all(folded) {
            continue;
        }
        let found = PATTERNS
            .iter()
            .find_map(|pattern| pattern(&mut matcher, last));
        if let Some(group) = found {
            for op in &group.ops {
                matcher.taken[op.index()] = true;
            }
            groups.push(group);
        }
    }
    groups.reverse();
    (groups, matcher.refused)
}

impl Matcher<'_> {
    /// The only output of `op`.
    fn result(&self, op: OpId) -> Option<TensorId> {
        let mut written = self.graph.op(op).written();
        written.next().filter(|_| written.next().is_none())
    }

    /// The operator that writes `tensor`, where nobody but `readers` reads it and it needs
    /// memory of its own.
    ///
    /// # Errors
    /// Why the tensor must stay; `None` where no operator of a group could have written it.
    fn writer(&self, tensor: TensorId, readers: &[OpId]) -> Result<OpId, Option<Reason>> {
        let writer = self.producers[tensor.index()].ok_or(None)?;
        if self.taken[writer.index()] || self.result(writer) != Some(tensor) {
            return Err(None);
        }
        match self.graph.tensor(tensor).role {
            Role::Intermediate if self.graph.outputs.contains(&tensor) => {
                return Err(Some(Reason::IsOutput));
            }
            Role::Intermediate => {}
            Role::Output => return Err(Some(Reason::IsOutput)),
            _ => return Err(None),
        }
        let all = &self.consumers[tensor.index()];
        match all.iter().find(|op| !readers.contains(op)) {
            Some(&op) => Err(Some(Reason::ReadBy { op })),
            None => Ok(writer),
        }
    }

    /// The only reader's writer: [`writer`](Self::writer) without the reason.
    fn only(&self, tensor: TensorId, reader: OpId) -> Option<OpId> {
        self.writer(tensor, &[reader]).ok()
    }

    /// The single float that `tensor` holds, if it is known.
    fn number(&self, tensor: TensorId) -> Option<f64> {
        match self.values.get(&tensor)?.to_floats().as_slice() {
            [number] => Some(*number),
            _ => None,
        }
    }

    fn is_constant(&self, tensor: TensorId) -> bool {
        self.graph.tensor(tensor).role == Role::Constant
    }

    fn is(&self, op: OpId, operators: &[Operator]) -> bool {
        operators.contains(&self.graph.op(op).operator)
    }

    /// The same in a graph of ONNX: nobody takes operators of TFLite apart like that.
    fn is_onnx(&self, op: OpId, operators: &[Operator]) -> bool {
        self.graph.dialect != Dialect::Tflite && self.is(op, operators)
    }

    /// The first input of `op`.
    fn first(&self, op: OpId) -> Option<TensorId> {
        self.graph.op(op).inputs.first().copied().flatten()
    }

    /// The two inputs of an operator of two.
    fn pair(&self, op: OpId) -> Option<(TensorId, TensorId)> {
        match self.graph.op(op).inputs.as_slice() {
            [Some(a), Some(b)] => Some((*a, *b)),
            _ => None,
        }
    }
}
