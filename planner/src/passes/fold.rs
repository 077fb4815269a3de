//! Constant folding: what is computed from constants alone is a constant.
//!
//! Real models compute their weights (dequantized, or filled by `ConstantOfShape`) and their
//! shapes. None of that needs memory during the run. Elements need not be known for that;
//! it is enough that they are the same in every run.

use std::collections::BTreeSet;

use super::{Pass, Report, Work};
use crate::graph::{Attribute, Op, Role, Tensor};
use crate::operators::Effect;
use crate::program::Program;
use crate::sorting::inserted;

pub(super) const PASS: Pass = Pass {
    name: "fold",
    summary: "makes constants of what is computed from constants alone",
    optional: false,
    keeps_graph: false,
    rules: &[],
};

/// Gives the role [`Role::Constant`] to every tensor whose elements are known, or whose
/// producer reads constants alone and is deterministic. Graph outputs keep their role, and so
/// does what has no size.
pub(super) fn run(work: &mut Work<'_>) -> Report {
    let mut graph = std::mem::take(&mut work.program.graph);
    let known = |it: &Tensor| it.role == Role::Constant;
    let mut constant: Vec<bool> = graph.tensors.iter().map(known).collect();
    for id in work.values.keys() {
        if let Some(known) = constant.get_mut(id.index()) {
            *known = true;
        }
    }
    // How much they give is known to nobody before the run.
    let counted: BTreeSet<&str> = inserted(graph.counts.iter().map(|it| &*it.tensor));
    for op in &graph.ops {
        let is_counted = op.written().next();
        let is_counted = is_counted.is_some_and(|id| counted.contains(&*graph.tensor(id).name));
        if !is_counted && deterministic(op) && op.read().all(|id| constant[id.index()]) {
            for id in op.written() {
                constant[id.index()] = true;
            }
        }
    }
    let mut folded = 0;
    for (tensor, constant) in graph.tensors.iter_mut().zip(constant) {
        if constant && tensor.role == Role::Intermediate {
            tensor.role = Role::Constant;
            folded += 1;
        }
    }
    work.program = Program::new(graph);
    Report::keeping(folded)
}

/// Whether the operator gives the same results for the same inputs, and does nothing else.
/// Operators that the table does not know, and those that hold subgraphs, are not trusted.
pub(super) fn deterministic(op: &Op) -> bool {
    let subgraph = |(_, value): &(String, Attribute)| matches!(value, Attribute::Subgraph { .. });
    if op.attributes.iter().any(subgraph) {
        return false;
    }
    match op.facts().effect {
        Effect::None => true,
        Effect::Random | Effect::SideEffects => false,
        Effect::WhenTraining => op.inputs.get(2).copied().flatten().is_none(),
    }
}
