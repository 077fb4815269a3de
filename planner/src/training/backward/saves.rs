//! What autograd saves of each operator for its backward pass.
//!
//! | saved | because the gradient | operators |
//! |---|---|---|
//! | nothing | is the gradient of the output, moved, scaled or summed | sums, differences, padding, joining, means, resizing |
//! | the output | is a function of the output: relu' = (y > 0), tanh' = 1 − y², softmax' = y (g − Σ g y) | `Relu`, `Sigmoid`, `Tanh`, `Softmax`, `Exp`, `Sqrt`, `Reciprocal` |
//! | the input | is a function of the input | `Gelu`, `Clip`, `LeakyRelu`, `Log`, `HardSwish`, `Pow` by a constant |
//! | the other inputs | is the gradient of the output times them | `Mul`, `MatMul`, `Gemm`, `Conv` |
//! | input and statistics | needs what was normalised, the mean and the deviation | `BatchNormalization`, `LayerNormalization`, `GroupNormalization`, `InstanceNormalization` |
//! | input and indices | goes where the largest element was | `MaxPool` |
//! | indices | goes where the elements were taken from | `TopK` |
//! | the mask | is that of the output where it was not dropped: a byte each as on a GPU, where the CPU keeps 4 | `Dropout` |
//! | all operands, the output and a number for each query | computes the product again | scaled dot-product attention |
//! | see `recurrent.rs` | | `LSTM`, `GRU`, `RNN` |
//! | the input, for its shape only | needs no number of it, PyTorch saves it all the same | `AveragePool` |
//! | everything | is not known here | all others |
//!
//! As `tools/autograd/derivatives.yaml` of PyTorch 2 has it. Weights are there in any case, so
//! that saving them takes nothing.

use super::modules::ATTENTION;
use super::recurrent;
use crate::graph::{Graph, Op, TensorId};

/// What a gradient reads of its operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    /// The input at this place.
    Input(usize),
    /// What it writes.
    Output,
    /// What it computes beside.
    Beside,
}

/// What an operator computes beside its output, for its backward pass alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beside {
    /// The mean and the deviation of each channel of a batch, which do not grow with it.
    ChannelStatistics,
    /// The mean and the deviation of each group of elements.
    Statistics,
    /// The place of each element that is taken.
    Indices,
    /// Which elements were kept.
    Mask,
    /// The logarithm of the sum of each query's exponentials.
    LogSumExp,
    /// States and gates of a recurrent layer.
    States,
}

/// By what rule an operator saves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Saves {
    Nothing,
    Output,
    Input,
    /// For each input the others.
    Others,
    /// The dividend's gradient reads the divisor, the divisor's reads both.
    Quotient,
    /// The first input: what is chosen from the others.
    Choice,
    /// The second input: where elements are taken from.
    Place,
    /// Input and output.
    Extreme,
    /// All inputs, the output and what is computed beside.
    Attention,
    /// What it reads, states, and the output where the layer is one call.
    Recurrent {
        /// Whether the output is read.
        output: bool,
    },
    /// Input and what is computed beside.
    Beside(Beside),
    /// What is computed beside alone.
    Only(Beside),
    /// Every input and the output: nobody knows.
    Everything,
}

/// What an operator does to where its elements lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum View {
    /// They stay in their order.
    Same,
    /// They are walked in another order, or some are left out.
    Strided,
}

/// Whether the output is the first input seen otherwise, as in PyTorch.
pub(super) fn view(op: &Op) -> Option<View> {
    match op.kind.as_str() {
        "Reshape" | "Flatten" | "Squeeze" | "Unsqueeze" | "Identity" | "RESHAPE" | "SQUEEZE"
        | "EXPAND_DIMS" => Some(View::Same),
        "Transpose" | "Slice" | "Split" | "Expand" | "TRANSPOSE" | "SLICE" | "STRIDED_SLICE"
        | "SPLIT" | "SPLIT_V" | "UNPACK" => Some(View::Strided),
        _ => None,
    }
}

/// Whether PyTorch can have `op` write over what it reads, and computes the gradient from what it
/// has written: `relu_`, `leaky_relu_` and `elu_`. `hardtanh_`, of which ReLU6 is one, saves a copy
/// of what it read, so that nothing is gained.
pub(super) fn has_in_place(op: &Op) -> bool {
    matches!(
        op.kind.as_str(),
        "Relu" | "LeakyRelu" | "Elu" | "RELU" | "LEAKY_RELU" | "ELU"
    )
}

/// By what rule `op` saves.
pub(super) fn saved(op: &Op) -> Saves {
    match op.kind.as_str() {
        "Add"
        | "Sub"
        | "Sum"
        | "Neg"
        | "Concat"
        | "Pad"
        | "ReduceMean"
        | "ReduceSum"
        | "Mean"
        | "GlobalAveragePool"
        | "Resize"
        | "Upsample"
        | "Cast"
        | "CastLike"
        | "Shape"
        | "Equal"
        | "Greater"
        | "GreaterOrEqual"
        | "Less"
        | "LessOrEqual"
        | "Not"
        | "Tile"
        | "DepthToSpace"
        | "SpaceToDepth"
        | "ADD"
        | "ADD_N"
        | "SUB"
        | "NEG"
        | "CONCATENATION"
        | "PAD"
        | "PADV2"
        | "MEAN"
        | "SUM"
        | "PACK"
        | "CAST"
        | "TILE"
        | "RESIZE_BILINEAR"
        | "DEPTH_TO_SPACE"
        | "RESIZE_NEAREST_NEIGHBOR"
        | "SPACE_TO_DEPTH" => Saves::Nothing,
        // What PyTorch sees as views, where it has to copy.
        _ if view(op).is_some() => Saves::Nothing,
        "Relu" | "Sigmoid" | "Tanh" | "Softmax" | "LogSoftmax" | "Exp" | "Sqrt" | "Reciprocal"
        | "RELU" | "LOGISTIC" | "TANH" | "SOFTMAX" | "LOG_SOFTMAX" | "EXP" | "SQRT" | "RSQRT" => {
            Saves::Output
        }
        "Gelu" | "FastGelu" | "QuickGelu" | "Clip" | "LeakyRelu" | "Elu" | "Selu" | "Celu"
        | "HardSigmoid" | "HardSwish" | "Softplus" | "Mish" | "Swish" | "Abs" | "Log" | "Sin"
        | "Cos" | "Erf" | "Pow" | "PRelu" | "AveragePool" | "GELU" | "RELU6" | "LEAKY_RELU"
        | "ELU" | "HARD_SWISH" | "ABS" | "LOG" | "SIN" | "COS" | "SQUARE" | "POW" | "PRELU"
        | "AVERAGE_POOL_2D" => Saves::Input,
        "Mul" | "MatMul" | "Gemm" | "Conv" | "ConvTranspose" | "FusedMatMul" | "MUL" | "Einsum"
        | "BATCH_MATMUL" | "FULLY_CONNECTED" | "CONV_2D" | "DEPTHWISE_CONV_2D"
        | "TRANSPOSE_CONV" => Saves::Others,
        "Div" | "DIV" => Saves::Quotient,
        "Where" | "SELECT" | "SELECT_V2" => Saves::Choice,
        "Gather" | "GATHER" => Saves::Place,
        "ReduceMax" | "ReduceMin" | "ReduceL2" | "REDUCE_MAX" | "REDUCE_MIN" => Saves::Extreme,
        "BatchNormalization" => Saves::Beside(Beside::ChannelStatistics),
        "LayerNormalization" | "GroupNormalization" | "InstanceNormalization" => {
            Saves::Beside(Beside::Statistics)
        }
        "MaxPool" | "GlobalMaxPool" | "MAX_POOL_2D" => Saves::Beside(Beside::Indices),
        "TopK" | "TOPK_V2" => Saves::Only(Beside::Indices),
        "Dropout" => Saves::Only(Beside::Mask),
        ATTENTION => Saves::Attention,
        "LSTM" => Saves::Recurrent { output: true },
        "GRU" | "RNN" => Saves::Recurrent { output: false },
        _ => Saves::Everything,
    }
}

/// The inputs of `op` whose constants training changes.
pub(super) fn trainable(op: &Op) -> &'static [usize] {
    match op.kind.as_str() {
        "Conv"
        | "ConvTranspose"
        | "Gemm"
        | "BatchNormalization"
        | "LayerNormalization"
        | "GroupNormalization"
        | "InstanceNormalization"
        | "CONV_2D"
        | "DEPTHWISE_CONV_2D"
        | "FULLY_CONNECTED" => &[1, 2],
        "MatMul" | "FusedMatMul" | "Einsum" | "Add" | "Mul" | "BATCH_MATMUL" | "ADD" | "MUL" => {
            &[0, 1]
        }
        "LSTM" | "GRU" | "RNN" => &[1, 2, 3],
        "PRelu" | "PRELU" => &[1],
        "Gather" | "GATHER" => &[0],
        // The sizes come first, then the kernel, then what is read, then the bias.
        "TRANSPOSE_CONV" => &[1, 3],
        _ => &[],
    }
}

/// Whether `op` reads numbers that could be weights, at a place that training does not change:
/// scales of sizes and of integers are none.
pub(super) fn may_have_weights(op: &Op) -> bool {
    const NONE: [&str; 12] = [
        "Clip",
        "DequantizeLinear",
        "DEQUANTIZE",
        "Expand",
        "EXPAND_DIMS",
        "Pad",
        "PADV2",
        "QuantizeLinear",
        "QUANTIZE",
        "Resize",
        "Upsample",
        "Tile",
    ];
    trainable(op).is_empty() && !NONE.contains(&op.kind.as_str())
}

/// What `op` writes that is an activation: the running mean and variance of a normalisation are none,
/// what else it writes of what it saves is counted there, and the last state of a layer is that of
/// a step.
pub(super) fn activations(op: &Op) -> impl Iterator<Item = TensorId> + '_ {
    let alone = matches!(op.kind.as_str(), "BatchNormalization" | "GRU" | "RNN")
        || saved(op).beside().is_some_and(Beside::is_written);
    op.written().take(if alone { 1 } else { usize::MAX })
}

/// Whether `op` rounds numbers to integers that stand for them: no gradient passes through it.
pub(super) fn quantises(op: &Op) -> bool {
    matches!(
        op.kind.as_str(),
        "QuantizeLinear" | "DynamicQuantizeLinear" | "QUANTIZE"
    )
}

impl Saves {
    /// What is computed beside, if something is.
    pub(super) fn beside(self) -> Option<Beside> {
        match self {
            Self::Beside(beside) | Self::Only(beside) => Some(beside),
            Self::Attention => Some(Beside::LogSumExp),
            Self::Recurrent { .. } => Some(Beside::States),
            _ => None,
        }
    }

    /// What the gradient of the input at `place` of so many reads.
    pub(super) fn reads(self, op: &Op, place: usize) -> Vec<Operand> {
        let count = op.inputs.len();
        let others = || (0..count).filter(|it| *it != place).map(Operand::Input);
        match self {
            Self::Nothing => Vec::new(),
            Self::Output => vec![Operand::Output],
            Self::Input => vec![Operand::Input(0)],
            // The bias of a product is added.
            Self::Others if place >= 2 && !op.kind.starts_with("TRANSPOSE") => Vec::new(),
            Self::Others => others().collect(),
            Self::Quotient if place == 0 => vec![Operand::Input(1)],
            Self::Quotient => vec![Operand::Input(0), Operand::Input(1)],
            Self::Choice => vec![Operand::Input(0)],
            Self::Place => vec![Operand::Input(1)],
            Self::Extreme => vec![Operand::Input(0), Operand::Output],
            // That of the bias sums the gradient up.
            Self::Beside(_) if place >= 2 => Vec::new(),
            Self::Beside(_) => vec![Operand::Input(0), Operand::Beside],
            Self::Only(_) => vec![Operand::Beside],
            Self::Attention => {
                let inputs = (0..count).map(Operand::Input);
                inputs.chain([Operand::Output, Operand::Beside]).collect()
            }
            // What it reads, and initial states that are computed.
            Self::Recurrent { output } => {
                let inputs = [0, 5, 6].map(Operand::Input).into_iter();
                let output = output.then_some(Operand::Output);
                inputs.chain(output).chain([Operand::Beside]).collect()
            }
            Self::Everything => {
                let inputs = (0..count).map(Operand::Input);
                inputs.chain([Operand::Output]).collect()
            }
        }
    }
}

impl Beside {
    /// Whether the outputs of the operator after the first are it: indices of a pooling or of the
    /// largest elements, the mask of a dropout, mean and deviation of a layer.
    pub(super) fn is_written(self) -> bool {
        matches!(self, Self::Indices | Self::Mask | Self::Statistics)
    }

    /// How people call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::ChannelStatistics | Self::Statistics => "statistics",
            Self::Indices => "indices",
            Self::Mask => "mask",
            Self::LogSumExp => "logsumexp",
            Self::States => "states",
        }
    }

    /// The bytes of what `op` computes beside in so many runs at once; `None` where a size is not
    /// known or beyond 64 bits.
    pub(super) fn bytes(self, graph: &Graph, op: &Op, samples: u64) -> Option<u64> {
        let dims = |id: Option<TensorId>| id.and_then(|id| graph.tensor(id).dims.as_deref());
        let input = dims(op.inputs.first().copied().flatten());
        let output = dims(op.outputs.first().copied().flatten());
        // The mean and the deviation, 4 bytes each.
        let pairs = |count: u64| count.checked_mul(8);
        let bytes = match self {
            Self::ChannelStatistics => return pairs(*input?.get(1)?),
            Self::States => return recurrent::beside(graph, op, samples),
            Self::Statistics => {
                let groups = groups(op, input?)?;
                // The weight of each channel is repeated for each sample.
                let repeated = u64::from(op.kind == "InstanceNormalization");
                pairs(groups)?.checked_add(groups.checked_mul(4 * repeated)?)?
            }
            // 64-bit numbers.
            Self::Indices => product(output?)?.checked_mul(8)?,
            Self::Mask => product(output?)?,
            Self::LogSumExp => {
                let (_, queries) = output?.split_last()?;
                product(queries)?.checked_mul(4)?
            }
        };
        bytes.checked_mul(samples)
    }
}

/// How many groups of elements a normalisation has.
fn groups(op: &Op, dims: &[u64]) -> Option<u64> {
    let channels = || product(dims.get(..2)?);
    match op.kind.as_str() {
        "LayerNormalization" => {
            let axis = op.int("axis").unwrap_or(-1);
            let rank = i64::try_from(dims.len()).ok()?;
            let axis = if axis < 0 { axis + rank } else { axis };
            product(dims.get(..usize::try_from(axis).ok()?)?)
        }
        "GroupNormalization" => {
            let groups = u64::try_from(op.int("num_groups")?).ok()?;
            dims.first()?.checked_mul(groups)
        }
        _ => channels(),
    }
}

fn product(dims: &[u64]) -> Option<u64> {
    dims.iter()
        .try_fold(1_u64, |all, dim| all.checked_mul(*dim))
}
