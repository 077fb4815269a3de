//! What each kernel keeps: the parameters of its operator, as the file's reader makes them, and
//! what it asks for itself.
//!
//! Bytes are `sizeof` of the structs in TFLite Micro's `builtin_op_data.h` and reference kernels,
//! built with compressed weights and 8-byte pointers as the package `tflite_micro` is.

use super::{END, Kept, MOST_REQUESTS, QUANTIZATION, REQUEST, TENSOR, Taken, WORD, array};
use crate::graph::{DType, Graph, Op, Tensor};
use crate::liveness::scratch_requests;
use crate::operators::Operator;

/// A kind of operator; bytes and alignment of its parameters; bytes that its kernel keeps.
type Row = (&'static str, u64, u64, u64);

const KERNELS: &[Row] = &[
    ("ABS", 0, 1, 28),
    ("ADD", 8, 4, 60),
    ("ARG_MAX", 4, 4, 0),
    ("ARG_MIN", 4, 4, 0),
    ("ASSIGN_VARIABLE", 0, 1, 4),
    ("AVERAGE_POOL_2D", 40, 4, 32),
    ("BATCH_MATMUL", 3, 1, 48),
    ("BATCH_TO_SPACE_ND", 0, 1, 0),
    ("BROADCAST_ARGS", 0, 1, 0),
    ("BROADCAST_TO", 0, 1, 0),
    ("CALL_ONCE", 4, 4, 8),
    ("CAST", 8, 4, 0),
    ("CEIL", 0, 1, 0),
    ("CONCATENATION", 8, 4, 80),
    ("CONV_2D", 28, 4, 80),
    ("COS", 0, 1, 0),
    ("DEPTHWISE_CONV_2D", 28, 4, 80),
    ("DEPTH_TO_SPACE", 4, 4, 20),
    ("DEQUANTIZE", 0, 1, 32),
    ("DIV", 4, 4, 28),
    ("DYNAMIC_UPDATE_SLICE", 0, 1, 0),
    ("ELU", 0, 1, 256),
    ("EQUAL", 0, 1, 32),
    ("EXP", 0, 1, 0),
    ("EXPAND_DIMS", 0, 1, 0),
    ("FILL", 0, 1, 0),
    ("FLOOR", 0, 1, 0),
    ("FLOOR_DIV", 0, 1, 0),
    ("FLOOR_MOD", 0, 1, 0),
    ("FULLY_CONNECTED", 32, 8, 72),
    ("GATHER", 8, 4, 12),
    ("GATHER_ND", 0, 1, 12),
    ("GREATER", 0, 1, 32),
    ("GREATER_EQUAL", 0, 1, 32),
    ("HARD_SWISH", 0, 1, 20),
    ("L2_NORMALIZATION", 4, 4, 4),
    ("L2_POOL_2D", 40, 4, 20),
    ("LEAKY_RELU", 4, 4, 24),
    ("LESS", 0, 1, 32),
    ("LESS_EQUAL", 0, 1, 32),
    ("LOG", 0, 1, 0),
    ("LOGICAL_AND", 0, 1, 0),
    ("LOGICAL_NOT", 0, 1, 0),
    ("LOGICAL_OR", 0, 1, 0),
    ("LOGISTIC", 0, 1, 16),
    ("MAXIMUM", 0, 1, 0),
    ("MAX_POOL_2D", 40, 4, 32),
    ("MEAN", 1, 1, 44),
    ("MINIMUM", 0, 1, 0),
    ("MIRROR_PAD", 4, 4, 20),
    ("MUL", 4, 4, 36),
    ("NEG", 0, 1, 0),
    ("NOT_EQUAL", 0, 1, 32),
    ("PACK", 8, 4, 0),
    ("PAD", 0, 1, 56),
    ("PADV2", 0, 1, 56),
    ("PRELU", 0, 1, 28),
    ("QUANTIZE", 0, 1, 32),
    ("READ_VARIABLE", 0, 1, 0),
    ("REDUCE_ALL", 1, 1, 44),
    ("REDUCE_MAX", 1, 1, 44),
    ("REDUCE_MIN", 1, 1, 44),
    ("RELU", 0, 1, 28),
    ("RELU6", 0, 1, 8),
    ("RESHAPE", 36, 4, 0),
    ("RESIZE_BILINEAR", 2, 1, 0),
    ("RESIZE_NEAREST_NEIGHBOR", 2, 1, 0),
    ("REVERSE_V2", 0, 1, 0),
    ("ROUND", 0, 1, 0),
    ("RSQRT", 0, 1, 28),
    ("SELECT_V2", 0, 1, 1),
    ("SHAPE", 4, 4, 0),
    ("SIN", 0, 1, 0),
    ("SLICE", 0, 1, 0),
    ("SOFTMAX", 4, 4, 80),
    ("SPACE_TO_BATCH_ND", 0, 1, 4),
    ("SPACE_TO_DEPTH", 4, 4, 20),
    ("SPLIT", 4, 4, 0),
    ("SPLIT_V", 4, 4, 0),
    ("SQRT", 0, 1, 0),
    ("SQUARE", 0, 1, 0),
    ("SQUARED_DIFFERENCE", 0, 1, 112),
    ("SQUEEZE", 36, 4, 0),
    ("STRIDED_SLICE", 24, 4, 84),
    ("SUB", 8, 4, 52),
    ("SUM", 1, 1, 44),
    ("TANH", 0, 1, 16),
    ("TRANSPOSE", 0, 1, 0),
    ("TRANSPOSE_CONV", 20, 4, 88),
    ("UNPACK", 8, 4, 0),
    ("VAR_HANDLE", 16, 8, 4),
    ("ZEROS_LIKE", 0, 1, 0),
];

/// How a product of matrices of integers scales its result: multiplier, shift, range and zero points.
const SCALING: u64 = 32;

/// A table in which a kernel of 16 bits looks values up: 513 of them.
const LOOKED_UP: u64 = 513 * 2;

/// The row of an operator; `None` for custom operators and kernels that are not known.
fn row(op: &Op) -> Option<&'static Row> {
    let known = || KERNELS.iter().find(|it| it.0 == op.kind);
    op.domain.is_empty().then(known).flatten()
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
        if op.is(Operator::Softmax) && op.domain.is_empty() && first == Some(DType::I16) {
            // Of the exponential, and of 1 / (1 + x).
            for _ in 0..2 {
                taken.buffer(Kept::Kernels, Some(LOOKED_UP));
            }
        }
        if op.is(Operator::MatMul) && op.domain.is_empty() {
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
    let times = |place: usize| match (op.kind.as_str(), place) {
        ("CONCATENATION" | "TANH", 0)
        | ("CONV_2D" | "DEPTHWISE_CONV_2D", 0 | 1)
        | ("MEAN" | "SUM" | "REDUCE_ALL" | "REDUCE_MAX" | "REDUCE_MIN", 0 | 1) => 2,
        // These have nothing to prepare.
        ("PACK" | "UNPACK", _) => 0,
        ("ARG_MAX" | "ARG_MIN", 1) | ("SPACE_TO_BATCH_ND" | "BATCH_TO_SPACE_ND", 1 | 2) => 0,
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
