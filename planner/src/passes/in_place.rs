//! In-place operators: which tensor may be written over one that its operator reads.
//!
//! The rule is LiteRT's (`ArenaPlanner::IdentifyInPlaceTensors`), for ONNX graphs too: the
//! operator's kernel may run in place on that input; nobody else reads the input, and this
//! operator reads it once; both hold equally many bytes, more than a scalar's; and neither is
//! an input, an output, a constant or a variable of the graph. The first such input is taken,
//! for the first output.
//!
//! A view (a reshape) changes no byte. LiteRT lets it share even an input that others read
//! after it; here the one-consumer rule holds for views as well, because a
//! [handover](crate::liveness::Handover) is an overlap of one step.

use super::{Pass, Report, Work};
use crate::graph::{Dialect, Graph, Op, OpId, Role, TensorId};
use crate::program::InPlaceAlias;
use crate::units::Bytes;

pub(super) const PASS: Pass = Pass {
    name: "in_place",
    summary: "lets an operator write over an input that nobody reads after it",
    optional: true,
    keeps_graph: true,
};

/// Tensors of as few bytes are never written over: a scalar may stand for a shape that is
/// not known yet.
const SCALAR: Bytes = Bytes(4);

/// How an operator's first output may lie on its inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kernel {
    /// Element by element over any of its first so many inputs.
    Over(usize),
    /// The bytes of its first input, unchanged.
    View,
}

/// Finds the operators that may write an output over an input.
pub(super) fn run(work: &mut Work<'_>) -> Report {
    let graph = &work.program.graph;
    let mut reads = vec![0_u64; graph.tensors.len()];
    for tensor in graph.ops.iter().flat_map(Op::read) {
        reads[tensor.index()] += 1;
    }
    let alias = |(index, op): (usize, &Op)| {
        let (input, output) = pair(graph, op, &reads)?;
        Some(InPlaceAlias {
            op: OpId::at(index),
            input,
            output,
        })
    };
    let found = graph.ops.iter().enumerate().filter_map(alias).collect();
    work.program.in_place = found;
    Report::keeping(work.program.in_place.len())
}

/// The input that `op` may write over, and the output that it writes there.
fn pair(graph: &Graph, op: &Op, reads: &[u64]) -> Option<(TensorId, TensorId)> {
    let kernel = kernel(graph.dialect, op)?;
    let count = match kernel {
        Kernel::Over(count) => count,
        Kernel::View => 1,
    };
    let after = op.outputs.first().copied().flatten()?;
    let output = graph.tensor(after);
    let bytes = output.bytes()?;
    let takes = |before: &TensorId| {
        let input = graph.tensor(*before);
        reads[before.index()] == 1
            && input.role == Role::Intermediate
            && input.bytes() == Some(bytes)
            && (kernel == Kernel::View || bytes > SCALAR && input.dtype == output.dtype)
    };
    let inputs = op.inputs.iter().take(count).copied().flatten();
    let before = inputs.into_iter().find(takes)?;
    (output.role == Role::Intermediate && bytes > Bytes::ZERO).then_some((before, after))
}

fn kernel(dialect: Dialect, op: &Op) -> Option<Kernel> {
    if !op.domain.is_empty() {
        return None;
    }
    match dialect {
        Dialect::Tflite => tflite(&op.kind),
        Dialect::Onnx { .. } => onnx(&op.kind),
    }
}

/// The builtins that LiteRT registers as in-place operators.
fn tflite(kind: &str) -> Option<Kernel> {
    match kind {
        "ADD" | "SUB" | "MUL" | "DIV" => Some(Kernel::Over(2)),
        "SOFTMAX" | "DYNAMIC_UPDATE_SLICE" => Some(Kernel::Over(1)),
        "RESHAPE" | "SQUEEZE" | "EXPAND_DIMS" | "BITCAST" => Some(Kernel::View),
        _ => None,
    }
}

/// Element-wise operators, whose every output element depends on the input elements in its
/// place alone, and views.
fn onnx(kind: &str) -> Option<Kernel> {
    match kind {
        "Abs" | "Acos" | "Acosh" | "Asin" | "Asinh" | "Atan" | "Atanh" | "BitwiseNot" | "Ceil"
        | "Celu" | "Clip" | "Cos" | "Cosh" | "Elu" | "Erf" | "Exp" | "Floor" | "Gelu"
        | "HardSigmoid" | "HardSwish" | "LeakyRelu" | "Log" | "Mish" | "Neg" | "Not" | "PRelu"
        | "Reciprocal" | "Relu" | "Round" | "Selu" | "Shrink" | "Sigmoid" | "Sign" | "Sin"
        | "Sinh" | "Softplus" | "Softsign" | "Sqrt" | "Swish" | "Tan" | "Tanh"
        | "ThresholdedRelu" => Some(Kernel::Over(1)),
        "Add" | "And" | "BitShift" | "BitwiseAnd" | "BitwiseOr" | "BitwiseXor" | "Div" | "Max"
        | "Mean" | "Min" | "Mod" | "Mul" | "Or" | "Pow" | "Sub" | "Sum" | "Xor" => {
            Some(Kernel::Over(2))
        }
        "Flatten" | "Identity" | "Reshape" | "Squeeze" | "Unsqueeze" => Some(Kernel::View),
        _ => None,
    }
}
