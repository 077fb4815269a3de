//! Operators between `DequantizeLinear` and `QuantizeLinear` run on integers, as the runtimes do
//! that such a model is deployed with.
//!
//! ```text
//! x8 ─DQ─▶ x ─Conv─▶ y ─Q─▶ y8     becomes     x8 ─QLinearConv─▶ y8
//! w8 ─DQ─▶ w ──┘
//! ```
//!
//! Which groups there are, and when, is what ONNX Runtime's selectors say
//! (`qdq_selector_action_transformer.cc`, `qdq_selectors.cc`). Outputs are those of the integer
//! operators: close to what floats between the two give, not the same to the bit.

mod conditions;
mod groups;
mod rules;

use std::collections::{BTreeMap, BTreeSet};

use self::groups::{Group, Matcher};
use super::fusion::remove;
use super::{Finding, Pass, Report, Work};
use crate::Message;
use crate::graph::{Dialect, Graph, Op, OpId, TensorId};
use crate::operators::Operator;
use crate::program::Program;

pub(super) const PASS: Pass = Pass {
    name: "quantised",
    summary: "runs what stands between DequantizeLinear and QuantizeLinear on integers",
    optional: true,
    keeps_graph: false,
    rules: &[],
};

/// Rewrites every group that there is.
pub(super) fn run(work: &mut Work<'_>) -> Report {
    let mut graph = std::mem::take(&mut work.program.graph);
    let (mut groups, mut found) = (Vec::new(), Vec::new());
    if let Dialect::Onnx { opset } = graph.dialect {
        let matcher = Matcher::new(&graph, &work.values, opset);
        for index in 0..graph.ops.len() {
            match matcher.group(OpId::at(index)) {
                Some(Ok(group)) => groups.push(group),
                Some(Err((ops, reason))) => found.push(Finding {
                    what: Message::verbatim(&*graph.op(OpId::at(index)).kind),
                    tensors: written(&graph, &ops),
                    ops,
                    refused: Some(reason),
                }),
                None => {}
            }
        }
    }
    found.extend(groups.iter().map(|group| Finding {
        what: Message::verbatim(&*group.op.kind),
        ops: group.ops.clone(),
        tensors: written(&graph, &group.ops),
        refused: None,
    }));
    found.sort_by_key(|finding| finding.ops.clone());
    let before = graph.ops.len();
    let report = rewrite(&mut graph, groups);
    let report = Report {
        changes: (before - graph.ops.len()) as u64,
        found,
        ..report
    };
    work.program = Program::new(graph);
    let values = std::mem::take(&mut work.values).into_iter();
    let renumbered = values.filter_map(|(id, value)| Some((report.after(id)?, value)));
    work.values = renumbered.collect();
    report
}

/// What the operators hand to each other: all that they write but what the last ones do.
fn written(graph: &Graph, ops: &[OpId]) -> Vec<TensorId> {
    let read: BTreeSet<TensorId> = ops.iter().flat_map(|op| graph.op(*op).read()).collect();
    let written = ops.iter().flat_map(|op| graph.op(*op).written());
    written.filter(|id| read.contains(id)).collect()
}

/// Puts the operators of the groups where the ones that computed stood, and takes away what
/// nobody reads any more.
fn rewrite(graph: &mut Graph, groups: Vec<Group>) -> Report {
    let old = std::mem::take(&mut graph.ops);
    // By operator: the group that does its work, and what stands in its place.
    let mut into: BTreeMap<OpId, OpId> = BTreeMap::new();
    let mut made: BTreeMap<OpId, Op> = BTreeMap::new();
    let mut dequantizers: BTreeMap<OpId, OpId> = BTreeMap::new();
    for group in groups {
        for &op in &group.ops {
            match old[op.index()].is(Operator::DequantizeLinear) {
                true => dequantizers.insert(op, group.target),
                false => into.insert(op, group.target),
            };
        }
        made.insert(group.target, group.op);
    }
    let stays = |op: &OpId| !into.contains_key(op) && !dequantizers.contains_key(op);
    let ids = (0..old.len()).map(OpId::at);
    let others = ids.filter(stays).flat_map(|op| old[op.index()].read());
    let mut read: BTreeSet<TensorId> = others.chain(graph.outputs.iter().copied()).collect();
    read.extend(made.values().flat_map(Op::read));
    // What is dequantised for others, too, still is.
    let needed = |op: &OpId| old[op.index()].written().any(|id| read.contains(&id));
    into.extend(dequantizers.into_iter().filter(|(op, _)| !needed(op)));
    let mut after = vec![None; old.len()];
    let mut gone = vec![false; graph.tensors.len()];
    for (index, op) in old.into_iter().enumerate() {
        let id = OpId::at(index);
        let new = made.remove(&id);
        if new.is_none() && into.contains_key(&id) || new.is_some() {
            op.written().for_each(|id| gone[id.index()] = true);
        }
        if let Some(op) = new.or_else(|| (!into.contains_key(&id)).then_some(op)) {
            after[index] = Some(OpId::at(graph.ops.len()));
            graph.ops.push(op);
        }
    }
    for (op, target) in into {
        after[op.index()] = after[target.index()];
    }
    for id in graph.ops.iter().flat_map(Op::written) {
        gone[id.index()] = false;
    }
    Report {
        tensors: remove(graph, &gone),
        ops: after,
        ..Report::default()
    }
}
