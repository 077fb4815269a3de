//! Shape inference: every tensor gets its dimensions, or the reason why it has none.

use super::{Pass, Report, Work};
use crate::graph::infer::infer_by;
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
    work.values = infer_by(&mut graph, work.bindings, work.sizers);
    let sized = graph.tensors.iter().filter(|it| it.dims.is_some()).count();
    work.program = Program::new(graph);
    Report::keeping(sized)
}
