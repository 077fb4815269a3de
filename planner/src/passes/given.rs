//! Inputs that the caller gives before planning: shapes, axes, counts. A graph may take them
//! as inputs; nothing can be sized, or run, until they are known, so they become constants.

use super::{Pass, Report, Work};
use crate::graph::{Content, Dialect, Graph, Inside, Role, TensorId};

pub(super) const PASS: Pass = Pass {
    name: "given",
    summary: "makes constants of inputs whose elements are given",
    optional: false,
    keeps_graph: false,
    rules: &[],
};

/// The graph inputs that some operator reads as a parameter, in the graph's order.
#[must_use]
pub fn parameters(graph: &Graph) -> Vec<TensorId> {
    if !matches!(graph.dialect, Dialect::Onnx { .. }) {
        return Vec::new();
    }
    let found = read_before(graph);
    let inputs = graph.inputs.iter().copied();
    inputs.filter(|id| found[id.index()]).collect()
}

/// Of each tensor, whether some operator reads it as a parameter, those of subgraphs included.
fn read_before(graph: &Graph) -> Vec<bool> {
    let mut found = vec![false; graph.tensors.len()];
    for op in &graph.ops {
        let read = op.facts().given.iter().filter_map(|at| op.inputs.get(at));
        for id in read.copied().flatten() {
            found[id.index()] = true;
        }
    }
    for op in &graph.ops {
        let Inside::Bodies(bodies) = &op.inside else {
            continue;
        };
        for body in bodies {
            let inside = read_before(&body.graph);
            for (inner, outer) in &body.outer {
                found[outer.index()] |= inside[inner.index()];
            }
        }
    }
    found
}

/// Makes constants of the graph inputs whose elements are given.
pub(super) fn run(work: &mut Work<'_>) -> Report {
    let (graph, given) = (&mut work.program.graph, work.given);
    let before = graph.inputs.len();
    for (id, elements) in given {
        if graph.inputs.contains(id) {
            let tensor = &mut graph.tensors[id.index()];
            tensor.role = Role::Constant;
            tensor.content = Content::Inline(elements.clone());
        }
    }
    graph.inputs.retain(|input| !given.contains_key(input));
    Report::keeping(before - graph.inputs.len())
}
