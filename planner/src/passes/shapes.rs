//! Shape inference: every tensor gets its dimensions, or the reason why it has none. On the way
//! control flow is made flat, for which branch is taken, and how often a loop turns, hangs on
//! shapes and on values that are known only here.

use super::{Pass, Report, Work};
use crate::graph::infer::{counted, infer_flat};
use crate::program::Program;

pub(super) const PASS: Pass = Pass {
    name: "shapes",
    summary: "infers the shape of every tensor",
    optional: false,
    keeps_graph: false,
    rules: &[],
};

pub(super) fn run(work: &mut Work<'_>) -> Report {
    let mut graph = std::mem::take(&mut work.program.graph);
    let (values, ops) = infer_flat(&mut graph, work.bindings, work.sizers);
    counted::mark(&mut graph, work.bindings, work.sizers);
    work.values = values;
    let sized = graph.tensors.iter().filter(|it| it.dims.is_some()).count();
    work.program = Program::new(graph);
    Report {
        ops,
        ..Report::keeping(sized)
    }
}
