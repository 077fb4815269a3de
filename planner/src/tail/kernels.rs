//! What each kernel keeps: the parameters of its operator, as the file's reader makes them, and
//! what it asks for itself.
//!
//! Bytes are `sizeof` of the structs in TFLite Micro's `builtin_op_data.h` and reference kernels,
//! built with compressed weights and 8-byte pointers as the package `tflite_micro` is.

use super::{END, Kept, MOST_REQUESTS, QUANTIZATION, REQUEST, TENSOR, Taken, WORD, array};
use crate::graph::{DType, Graph, Op, Tensor};
use crate::liveness::scratch_requests;
use crate::operators::Operator;

/// An operator; bytes and alignment of its parameters; bytes that its kernel keeps.
type Row = (Operator, u64, u64, u64);

const KERNELS: &[Row] = &[
    (Operator::Abs, 0, 1, 28),
    (Operator::Add, 8, 4, 60),
    (Operator::ArgMax, 4, 4, 0),
    (Operator::ArgMin, 4, 4, 0),
    (Operator::AssignVariable, 0, 1, 4),
    (Operator::AveragePool, 40, 4, 32),
    (Operator::MatMul, 3, 1, 48),
    (Operator::BatchToSpaceNd, 0, 1, 0),
    (Operator::BroadcastArgs, 0, 1, 0),
    (Operator::Expand, 0, 1, 0),
    (Operator::CallOnce, 4, 4, 8),
    (Operator::Cast, 8, 4, 0),
    (Operator::Ceil, 0, 1, 0),
    (Operator::Concat, 8, 4, 80),
    (Operator::Conv, 28, 4, 80),
    (Operator::Cos, 0, 1, 0),
    (Operator::DepthwiseConv2d, 28, 4, 80),
    (Operator::DepthToSpace, 4, 4, 20),
    (Operator::Dequantize, 0, 1, 32),
    (Operator::Div, 4, 4, 28),
    (Operator::DynamicUpdateSlice, 0, 1, 0),
    (Operator::Elu, 0, 1, 256),
    (Operator::Equal, 0, 1, 32),
    (Operator::Exp, 0, 1, 0),
    (Operator::Unsqueeze, 0, 1, 0),
    (Operator::Fill, 0, 1, 0),
    (Operator::Floor, 0, 1, 0),
    (Operator::FloorDiv, 0, 1, 0),
    (Operator::FloorMod, 0, 1, 0),
    (Operator::FullyConnected, 32, 8, 72),
    (Operator::Gather, 8, 4, 12),
    (Operator::GatherND, 0, 1, 12),
    (Operator::Greater, 0, 1, 32),
    (Operator::GreaterOrEqual, 0, 1, 32),
    (Operator::HardSwish, 0, 1, 20),
    (Operator::L2Normalization, 4, 4, 4),
    (Operator::L2Pool2d, 40, 4, 20),
    (Operator::LeakyRelu, 4, 4, 24),
    (Operator::Less, 0, 1, 32),
    (Operator::LessOrEqual, 0, 1, 32),
    (Operator::Log, 0, 1, 0),
    (Operator::And, 0, 1, 0),
    (Operator::Not, 0, 1, 0),
    (Operator::Or, 0, 1, 0),
    (Operator::Sigmoid, 0, 1, 16),
    (Operator::Max, 0, 1, 0),
    (Operator::MaxPool, 40, 4, 32),
    (Operator::ReduceMean, 1, 1, 44),
    (Operator::Min, 0, 1, 0),
    (Operator::MirrorPad, 4, 4, 20),
    (Operator::Mul, 4, 4, 36),
    (Operator::Neg, 0, 1, 0),
    (Operator::NotEqual, 0, 1, 32),
    (Operator::Pack, 8, 4, 0),
    (Operator::Pad, 0, 1, 56),
    (Operator::PRelu, 0, 1, 28),
    (Operator::Quantize, 0, 1, 32),
    (Operator::ReadVariable, 0, 1, 0),
    (Operator::ReduceAll, 1, 1, 44),
    (Operator::ReduceMax, 1, 1, 44),
    (Operator::ReduceMin, 1, 1, 44),
    (Operator::Relu, 0, 1, 28),
    (Operator::Relu6, 0, 1, 8),
    (Operator::Reshape, 36, 4, 0),
    (Operator::ResizeBilinear, 2, 1, 0),
    (Operator::ResizeNearestNeighbor, 2, 1, 0),
    (Operator::ReverseV2, 0, 1, 0),
    (Operator::Round, 0, 1, 0),
    (Operator::Rsqrt, 0, 1, 28),
    (Operator::Where, 0, 1, 1),
    (Operator::Shape, 4, 4, 0),
    (Operator::Sin, 0, 1, 0),
    (Operator::Slice, 0, 1, 0),
    (Operator::Softmax, 4, 4, 80),
    (Operator::SpaceToBatchNd, 0, 1, 4),
    (Operator::SpaceToDepth, 4, 4, 20),
    (Operator::TfliteSplit, 4, 4, 0),
    (Operator::Split, 4, 4, 0),
    (Operator::Sqrt, 0, 1, 0),
    (Operator::Square, 0, 1, 0),
    (Operator::SquaredDifference, 0, 1, 112),
    (Operator::Squeeze, 36, 4, 0),
    (Operator::StridedSlice, 24, 4, 84),
    (Operator::Sub, 8, 4, 52),
    (Operator::ReduceSum, 1, 1, 44),
    (Operator::Tanh, 0, 1, 16),
    (Operator::Transpose, 0, 1, 0),
    (Operator::TransposeConv, 20, 4, 88),
    (Operator::Unpack, 8, 4, 0),
    (Operator::VarHandle, 16, 8, 4),
    (Operator::ZerosLike, 0, 1, 0),
];

/// How a product of matrices of integers scales its result: multiplier, shift, range and zero points.
const SCALING: u64 = 32;

/// A table in which a kernel of 16 bits looks values up: 513 of them.
const LOOKED_UP: u64 = 513 * 2;

/// The row of an operator; `None` for custom operators and kernels that are not known.
fn row(op: &Op) -> Option<&'static Row> {
    KERNELS.iter().find(|it| op.is(it.0))
}

/// What all operators have: their parameters, then what kernels ask for when they are made, then
/// what they ask for when shapes are known.
pub(super) fn take(subgraphs: &[Graph], taken: &mut Taken) {
    let each = || {
        subgraphs
            .iter()
            .flat_map(|graph| graph.ops.iter().map(move |op| (graph, op)))
    };
    for (_, op) in each() {
        // It runs a subgraph that is not among these.
        let runs_another = matches!(
            op.operator,
            Operator::CallOnce | Operator::If | Operator::While | Operator::Call
        );
        match row(op).filter(|_| !runs_another || subgraphs.len() > 1) {
            Some(&(_, 0, ..)) => {}
            Some(&(_, bytes, alignment, _)) => taken.take(Kept::Parameters, Some(bytes), alignment),
            None if taken.tail.unknown.contains(&op.kind) => {}
            None => {
                taken.tail.unknown.push(op.kind.clone());
                if !op.domain.is_empty() {
                    taken.tail.custom.push(op.kind.clone());
                }
            }
        }
    }
    for (_, op) in each() {
        if let Some(&(.., bytes @ 1..)) = row(op) {
            taken.buffer(Kept::Kernels, Some(bytes));
        }
    }
    let mut requests = 0_u64;
    for (graph, op) in each() {
        if let Some(channels) = channels(graph, op) {
            // A multiplier and a shift of each.
            for _ in 0..2 {
                taken.buffer(Kept::Kernels, channels.checked_mul(4));
            }
        }
        let first = op.read().next().map(|id| graph.tensor(id).dtype);
        if op.is(Operator::Softmax) && first == Some(DType::I16) {
            // Of the exponential, and of 1 / (1 + x).
            for _ in 0..2 {
                taken.buffer(Kept::Kernels, Some(LOOKED_UP));
            }
        }
        if op.is(Operator::MatMul) {
            turned(graph, op, taken);
        }
        let before = taken.at.and_then(|it| {
            let requested = requests.checked_add(MOST_REQUESTS)?.checked_mul(REQUEST)?;
            it.checked_add(requested)?.checked_add(seen(graph, op)?)
        });
        match before {
            Some(bytes) => taken.preparing = taken.preparing.max(bytes),
            None => taken.at = None,
        }
        requests = requests.saturating_add(scratch_requests(graph, op).len() as u64);
    }
}

/// What a product of matrices keeps beside: its first operand turned where it asks for that, its
/// second where it does not, each with a tensor and its dimensions, and how integers are scaled.
fn turned(graph: &Graph, op: &Op, taken: &mut Taken) {
    let operand = |place: usize| op.inputs.get(place).copied().flatten();
    let asks = |name: &str| op.int(name).is_some_and(|it| it != 0);
    let turns = [asks("adj_x"), !asks("adj_y")];
    for (place, _) in turns.iter().enumerate().filter(|(_, turns)| **turns) {
        let Some(tensor) = operand(place).map(|id| graph.tensor(id)) else {
            continue;
        };
        let rank = tensor.dims.as_ref().map(|dims| dims.len() as u64);
        taken.buffer(Kept::Kernels, Some(TENSOR));
        taken.buffer(Kept::Kernels, rank.and_then(array));
        taken.buffer(Kept::Kernels, tensor.bytes().map(|it| it.0));
    }
    let scaled = operand(0).is_some_and(|id| is_integer(graph.tensor(id)));
    if scaled {
        taken.buffer(Kept::Kernels, Some(SCALING));
    }
}

fn is_integer(tensor: &Tensor) -> bool {
    matches!(tensor.dtype, DType::I8 | DType::I16)
}

/// What a kernel sees its tensors through while it prepares: a `TfLiteTensor` of each in
/// temporary memory, which goes when the next is prepared, twice where it asks twice.
fn seen(graph: &Graph, op: &Op) -> Option<u64> {
    let bytes = op.read().next();
    let bytes = bytes.is_some_and(|id| graph.tensor(id).dtype == DType::I8);
    // Inputs, and the output.
    let times = |place: usize| match (op.operator, place) {
        (Operator::Concat | Operator::Tanh, 0)
        | (Operator::Conv | Operator::DepthwiseConv2d, 0 | 1)
        | (
            Operator::ReduceMean
            | Operator::ReduceSum
            | Operator::ReduceAll
            | Operator::ReduceMax
            | Operator::ReduceMin,
            0 | 1,
        ) => 2,
        // These have nothing to prepare.
        (Operator::Pack | Operator::Unpack, _) => 0,
        (Operator::ArgMax | Operator::ArgMin, 1)
        | (Operator::SpaceToBatchNd | Operator::BatchToSpaceNd, 1 | 2) => 0,
        _ => 1,
    };
    let output = match op.operator {
        Operator::Pack | Operator::Unpack | Operator::Relu6 => 0,
        Operator::Conv | Operator::DepthwiseConv2d => 2,
        Operator::ReduceMean | Operator::ReduceSum | Operator::ReduceMax | Operator::ReduceMin
            if bytes =>
        {
            2
        }
        _ => 1_u64,
    };
    let read = op.inputs.iter().enumerate();
    let read = read.filter_map(|(place, id)| Some(((*id)?, times(place))));
    let written = op.written().map(|id| (id, output));
    let mut sum = 0_u64;
    for (id, times) in read.chain(written) {
        sum = sum.checked_add(view(graph.tensor(id))?.checked_mul(times)?)?;
    }
    Some(sum)
}

/// A `TfLiteTensor` with its quantisation, of words of 8 bytes.
fn view(tensor: &Tensor) -> Option<u64> {
    let Some(quantization) = &tensor.quantization else {
        return Some(END);
    };
    let zero_points = array(quantization.scales.len() as u64)?;
    (END + QUANTIZATION).checked_add(zero_points.checked_next_multiple_of(WORD)?)
}

/// Over how many channels a kernel scales its results one by one.
fn channels(graph: &Graph, op: &Op) -> Option<u64> {
    let input = |place: usize| {
        let id = op.inputs.get(place).copied().flatten()?;
        Some(graph.tensor(id))
    };
    let filter = input(1)?;
    let axis = match op.operator {
        Operator::Conv | Operator::TransposeConv => 0,
        Operator::DepthwiseConv2d => 3,
        Operator::FullyConnected => {
            let scales = filter.quantization.as_ref()?.scales.len() as u64;
            let scaled = scales > 1 && is_integer(input(0)?);
            return scaled.then_some(scales);
        }
        _ => return None,
    };
    filter.dims.as_ref()?.get(axis).copied()
}
