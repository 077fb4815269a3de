//! Inputs that the caller gives before planning: shapes, axes, counts. A graph may take them
//! as inputs; nothing can be sized, or run, until they are known, so they become constants.

use super::{Pass, Report, Work};
use crate::graph::{Content, Dialect, Graph, Inside, Op, Role, TensorId};

pub(super) const PASS: Pass = Pass {
    name: "given",
    summary: "makes constants of inputs whose elements are given",
    optional: false,
    keeps_graph: false,
    rules: &[],
};

/// The inputs that an ONNX operator reads before the run, by operator and input position: they
/// say which shape, which axes or how many, not what to compute on.
///
/// Not here, because they are data: the indices of Gather, the operands of Pow; and scalars
/// that no shape depends on: the bounds of Clip, the value of Pad. Dropout's ratio and training
/// mode are here though no shape depends on them either: they say whether it draws random
/// numbers or hands its input on.
const PARAMETERS: [(&str, &[usize]); 43] = [
    ("AffineGrid", &[1]),
    ("BlackmanWindow", &[0]),
    ("CenterCropPad", &[1]),
    ("Col2Im", &[1, 2]),
    ("ConstantOfShape", &[0]),
    ("CumProd", &[1]),
    ("CumSum", &[1]),
    ("DFT", &[1, 2]),
    ("Dropout", &[1, 2]),
    ("Expand", &[1]),
    ("HammingWindow", &[0]),
    ("HannWindow", &[0]),
    ("GroupQueryAttention", &[6]),
    ("Loop", &[0, 1]),
    ("MaxUnpool", &[2]),
    ("MelWeightMatrix", &[0, 1, 2, 3, 4]),
    ("NonMaxSuppression", &[2, 3, 4]),
    ("OneHot", &[1]),
    ("Pad", &[1, 3]),
    ("QLinearConv", &[1, 2, 4, 5, 6, 7]),
    ("QLinearMatMul", &[1, 2, 4, 5, 6, 7]),
    ("Range", &[0, 1, 2]),
    ("ReduceL1", &[1]),
    ("ReduceL2", &[1]),
    ("ReduceLogSum", &[1]),
    ("ReduceLogSumExp", &[1]),
    ("ReduceMax", &[1]),
    ("ReduceMean", &[1]),
    ("ReduceMin", &[1]),
    ("ReduceProd", &[1]),
    ("ReduceSum", &[1]),
    ("ReduceSumSquare", &[1]),
    ("Reshape", &[1]),
    ("Resize", &[1, 2, 3]),
    ("Slice", &[1, 2, 3, 4]),
    ("STFT", &[1, 3]),
    ("Split", &[1]),
    ("Squeeze", &[1]),
    ("Tile", &[1]),
    ("TopK", &[1]),
    ("Trilu", &[1]),
    ("Unsqueeze", &[1]),
    ("Upsample", &[1]),
];

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
    // Of another domain than ONNX's own is this one alone.
    let known = |op: &&Op| op.domain.is_empty() || op.kind == "GroupQueryAttention";
    for op in graph.ops.iter().filter(known) {
        let row = PARAMETERS.iter().find(|(kind, _)| *kind == op.kind);
        let positions = row.map_or(&[][..], |(_, positions)| positions);
        let read = positions.iter().filter_map(|&at| op.inputs.get(at));
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
