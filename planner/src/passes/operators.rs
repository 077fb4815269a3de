//! What passes need to know of operators: one table of families, and what each accepts.
//!
//! | family | an element of the output needs | its inputs may lie |
//! |---|---|---|
//! | element-wise | the elements at its place | with any strides |
//! | moves | one element | with any strides |
//! | reduces | a row | with any strides |
//! | rows | the row that it is in, of the first input | with the last dimension contiguous |
//! | product | rows and columns | with any strides |
//! | updates | one element of the first input or of another | contiguous |
//! | other | anything | contiguous |

use super::fusion::FUSED;
use crate::graph::infer::views;
use crate::graph::{DType, Dialect, Graph, Op, TensorId};

/// What the elements of an operator's output depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// Each element on those at its place, broadcast, in this many first inputs.
    ElementWise(usize),
    /// Each element on its row of the first input: softmax and normalisations.
    Rows,
    /// Each element on a row of the first input, of which it is the only result.
    Reduces,
    /// Matrix products.
    Product,
    /// Convolutions and their like, whose kernels can go on with what they write.
    Window,
    /// Each element is one of the input's.
    Moves,
    /// The first input with some elements replaced or added to.
    Updates,
    /// Anything.
    Other,
}

/// How the elements of an input may lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// With any strides.
    Any,
    /// The last dimension without gaps.
    LastContiguous,
    /// One after the other.
    Contiguous,
}

/// The family of `op`.
pub(super) fn family(dialect: Dialect, op: &Op) -> Family {
    if !op.captures.is_empty() {
        return Family::Other;
    }
    if let Some(parts) = &op.fused {
        return of_parts(parts);
    }
    if views::source(dialect, op).is_some() {
        return Family::Moves;
    }
    match dialect {
        Dialect::Onnx { .. } => match op.domain.as_str() {
            "" => onnx(op),
            "com.microsoft" => contributed(&op.kind),
            FUSED if op.kind.starts_with("QLinear") => Family::ElementWise(1),
            _ => Family::Other,
        },
        Dialect::Tflite if op.domain.is_empty() => tflite(&op.kind),
        Dialect::Tflite => Family::Other,
    }
}

/// The family of fused operators, which run one after the other in the bytes of the result. The
/// first ones' inputs stand first; what a later one reads again must not be written over.
fn of_parts(parts: &Graph) -> Family {
    let families = parts.ops.iter().map(|op| family(parts.dialect, op));
    let families: Vec<Family> = families.collect();
    let Some((first, later)) = parts.ops.split_first() else {
        return Family::Other;
    };
    let reads = |op: &Op, id: TensorId| op.read().any(|other| other == id);
    let only_first = |id: TensorId| reads(first, id) && !later.iter().any(|op| reads(op, id));
    let own = parts.inputs.iter().take_while(|id| only_first(**id));
    let once = own.count();
    let each = |family: &Family| matches!(family, Family::ElementWise(_));
    let any = |wanted: Family| families.contains(&wanted);
    match families[0] {
        first @ (Family::Product | Family::Window) => first,
        _ if families.iter().all(each) => Family::ElementWise(once),
        _ if any(Family::Reduces) || any(Family::Rows) && once > 0 => Family::Rows,
        _ => Family::Other,
    }
}

fn onnx(op: &Op) -> Family {
    match op.kind.as_str() {
        "Abs" | "Acos" | "Acosh" | "Asin" | "Asinh" | "Atan" | "Atanh" | "BitwiseNot" | "Cast"
        | "Ceil" | "Celu" | "Clip" | "Cos" | "Cosh" | "Elu" | "Erf" | "Exp" | "Floor" | "Gelu"
        | "HardSigmoid" | "HardSwish" | "LeakyRelu" | "Log" | "Mish" | "Neg" | "Not"
        | "Reciprocal" | "Relu" | "Round" | "Selu" | "Shrink" | "Sigmoid" | "Sign" | "Sin"
        | "Sinh" | "Softplus" | "Softsign" | "Sqrt" | "Swish" | "Tan" | "Tanh"
        | "ThresholdedRelu" => Family::ElementWise(1),
        "Add" | "And" | "BitShift" | "BitwiseAnd" | "BitwiseOr" | "BitwiseXor" | "Div"
        | "Equal" | "Greater" | "GreaterOrEqual" | "Less" | "LessOrEqual" | "Max" | "Mean"
        | "Min" | "Mod" | "Mul" | "Or" | "PRelu" | "Pow" | "Sub" | "Sum" | "Xor" => {
            Family::ElementWise(2)
        }
        "Where" => Family::ElementWise(3),
        // In training it has outputs of its own beside the first.
        "BatchNormalization" if op.outputs.iter().flatten().count() == 1 => Family::ElementWise(1),
        "InstanceNormalization"
        | "LayerNormalization"
        | "LogSoftmax"
        | "LpNormalization"
        | "RMSNormalization"
        | "Softmax"
        | "GroupNormalization"
            if op.outputs.iter().flatten().count() == 1 =>
        {
            Family::Rows
        }
        "ReduceL1" | "ReduceL2" | "ReduceLogSum" | "ReduceLogSumExp" | "ReduceMax"
        | "ReduceMean" | "ReduceMin" | "ReduceProd" | "ReduceSum" | "ReduceSumSquare" => {
            Family::Reduces
        }
        "Gemm" | "MatMul" => Family::Product,
        "Conv" | "ConvTranspose" | "AveragePool" | "MaxPool" | "GlobalAveragePool" => {
            Family::Window
        }
        "Concat" | "Pad" | "Tile" | "DepthToSpace" | "SpaceToDepth" => Family::Moves,
        "ScatterElements" | "ScatterND" => Family::Updates,
        _ => Family::Other,
    }
}

fn contributed(kind: &str) -> Family {
    match kind {
        "FastGelu" | "Gelu" | "QuickGelu" | "BiasGelu" => Family::ElementWise(1),
        // The second operand stands behind the scale and the zero point of the first.
        "QLinearAdd" | "QLinearMul" | "QLinearSigmoid" | "QLinearLeakyRelu" => {
            Family::ElementWise(1)
        }
        _ => Family::Other,
    }
}

fn tflite(kind: &str) -> Family {
    match kind {
        "ABS" | "CEIL" | "COS" | "ELU" | "EXP" | "FLOOR" | "GELU" | "HARD_SWISH" | "LEAKY_RELU"
        | "LOG" | "LOGICAL_NOT" | "LOGISTIC" | "NEG" | "RELU" | "RELU6" | "RELU_0_TO_1"
        | "RELU_N1_TO_1" | "ROUND" | "RSQRT" | "SIGN" | "SIN" | "SQRT" | "SQUARE" | "TANH"
        | "CAST" => Family::ElementWise(1),
        "ADD" | "DIV" | "EQUAL" | "FLOOR_DIV" | "FLOOR_MOD" | "GREATER" | "GREATER_EQUAL"
        | "LESS" | "LESS_EQUAL" | "LOGICAL_AND" | "LOGICAL_OR" | "MAXIMUM" | "MINIMUM" | "MUL"
        | "NOT_EQUAL" | "POW" | "PRELU" | "SQUARED_DIFFERENCE" | "SUB" => Family::ElementWise(2),
        "SELECT_V2" => Family::ElementWise(3),
        "L2_NORMALIZATION" | "LOG_SOFTMAX" | "SOFTMAX" => Family::Rows,
        "MEAN" | "REDUCE_MAX" | "REDUCE_MIN" | "REDUCE_PROD" | "SUM" => Family::Reduces,
        "BATCH_MATMUL" | "FULLY_CONNECTED" => Family::Product,
        "AVERAGE_POOL_2D" | "CONV_2D" | "DEPTHWISE_CONV_2D" | "MAX_POOL_2D" | "TRANSPOSE_CONV" => {
            Family::Window
        }
        "CONCATENATION" | "DEPTH_TO_SPACE" | "MIRROR_PAD" | "PACK" | "PAD" | "PADV2"
        | "SPACE_TO_DEPTH" | "TILE" => Family::Moves,
        "DYNAMIC_UPDATE_SLICE" => Family::Updates,
        _ => Family::Other,
    }
}

/// How the input of `op` at `position` may lie; the output of an element-wise one may lie the
/// same way. Kernels of narrow elements read whole words.
pub(super) fn layout(graph: &Graph, op: &Op, position: usize) -> Layout {
    let dtype = |id: &Option<_>| id.map(|id| graph.tensor(id).dtype);
    let input = op.inputs.get(position).and_then(dtype);
    let output = op.outputs.first().and_then(dtype);
    let floats = input == Some(DType::F32) && output == Some(DType::F32);
    let parts = op.fused.as_ref().map(|parts| parts.ops.as_slice());
    let parts = parts.unwrap_or(std::slice::from_ref(op));
    match family(graph.dialect, op) {
        Family::Moves if walks(graph, op) => Layout::Any,
        Family::ElementWise(count) if floats && !parts.iter().any(needs_contiguous) => {
            match op.fused.is_some() || position < count {
                true => Layout::Any,
                false => Layout::Contiguous,
            }
        }
        Family::Reduces if floats && position == 0 => Layout::Any,
        Family::Rows if floats && position == 0 => Layout::LastContiguous,
        Family::Product if floats && position < 2 && parts[0].kind != "FULLY_CONNECTED" => {
            Layout::Any
        }
        _ => Layout::Contiguous,
    }
}

/// Element-wise operators whose kernels walk no strides: they find channels by an element's
/// number, or read inputs of several types.
fn needs_contiguous(op: &Op) -> bool {
    matches!(
        op.kind.as_str(),
        "BatchNormalization" | "Cast" | "CAST" | "SELECT_V2" | "Where"
    )
}

/// Whether an operator that moves elements takes them from any strides: those that cut
/// dimensions into others do not.
fn walks(graph: &Graph, op: &Op) -> bool {
    const KINDS: [&str; 8] = [
        "CONCATENATION",
        "Concat",
        "MIRROR_PAD",
        "PAD",
        "PADV2",
        "Pad",
        "TILE",
        "Tile",
    ];
    views::source(graph.dialect, op).is_some() || KINDS.contains(&op.kind.as_str())
}

/// Whether elements that are `strides` apart lie as `layout` asks, in a tensor of `dims`.
pub(super) fn lies(layout: Layout, dims: &[u64], strides: &[u64]) -> bool {
    if strides.is_empty() {
        return true;
    }
    let wide = |(dim, _): &(&u64, &u64)| **dim != 1;
    match layout {
        Layout::Any => true,
        Layout::LastContiguous => {
            let mut last = dims.iter().zip(strides).rev().filter(wide);
            last.next().is_none_or(|(_, stride)| *stride == 1)
        }
        Layout::Contiguous => {
            let mut step = 1_u64;
            let mut from_last = dims.iter().zip(strides).rev().filter(wide);
            from_last.all(|(dim, stride)| {
                let follows = *stride == step;
                step = step.saturating_mul(*dim);
                follows
            })
        }
    }
}

/// Strides of elements that follow one another, the last dimension first.
pub(super) fn contiguous(dims: &[u64]) -> Vec<u64> {
    let mut strides = vec![1_u64; dims.len()];
    for axis in (1..dims.len()).rev() {
        strides[axis - 1] = strides[axis].saturating_mul(dims[axis].max(1));
    }
    strides
}
