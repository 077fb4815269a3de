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

use super::recurrent;
use crate::graph::{Graph, Op, TensorId};
use crate::operators::Operator;
pub(super) use crate::operators::{Beside, Saves, View};

/// What a gradient reads of its operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::training) enum Operand {
    /// The input at this place.
    Input(usize),
    /// What it writes.
    Output,
    /// What it computes beside.
    Beside,
}

/// What `op` writes that is an activation: the running mean and variance of a normalisation are none,
/// what else it writes of what it saves is counted there, and the last state of a layer is that of
/// a step.
pub(super) fn activations(op: &Op) -> impl Iterator<Item = TensorId> + '_ {
    let facts = op.facts();
    let alone = facts.one_activation || facts.saves.beside().is_some_and(Beside::is_written);
    op.written().take(if alone { 1 } else { usize::MAX })
}

impl Saves {
    /// What is computed beside, if something is.
    pub(in crate::training) fn beside(self) -> Option<Beside> {
        match self {
            Self::Beside(beside) | Self::Only(beside) => Some(beside),
            Self::Attention => Some(Beside::LogSumExp),
            Self::Recurrent { .. } => Some(Beside::States),
            _ => None,
        }
    }

    /// What the gradient of the input at `place` of so many reads.
    pub(in crate::training) fn reads(self, op: &Op, place: usize) -> Vec<Operand> {
        let count = op.inputs.len();
        let others = || (0..count).filter(|it| *it != place).map(Operand::Input);
        match self {
            Self::Nothing => Vec::new(),
            Self::Output => vec![Operand::Output],
            Self::Input => vec![Operand::Input(0)],
            Self::Others => others().collect(),
            // The bias is added.
            Self::Product { bias } if place == bias => Vec::new(),
            Self::Product { bias } => {
                let operands = others().filter(|it| *it != Operand::Input(bias));
                operands.collect()
            }
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
    pub(in crate::training) fn is_written(self) -> bool {
        matches!(self, Self::Indices | Self::Mask | Self::Statistics)
    }

    /// How people call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::ChannelStatistics | Self::Statistics | Self::Deviation => "statistics",
            Self::Indices => "indices",
            Self::Mask => "mask",
            Self::LogSumExp => "logsumexp",
            Self::States => "states",
        }
    }

    /// The bytes of what `op` computes beside in so many runs at once; `None` where a size is not
    /// known or beyond 64 bits.
    pub(in crate::training) fn bytes(self, graph: &Graph, op: &Op, samples: u64) -> Option<u64> {
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
                let repeated = u64::from(op.is(Operator::InstanceNormalization));
                pairs(groups)?.checked_add(groups.checked_mul(4 * repeated)?)?
            }
            Self::Deviation => groups(op, input?)?.checked_mul(4)?,
            // 64-bit numbers.
            Self::Indices => product(output?)?.checked_mul(8)?,
            Self::Mask => product(output?)?,
            Self::LogSumExp => {
                let (_, queries) = output?.split_last()?;
                // Where heads stand side by side in a row, the operator says how many there are.
                let heads = match queries.len() {
                    2 => op
                        .int("q_num_heads")
                        .map_or(Some(1), |it| u64::try_from(it).ok())?,
                    _ => 1,
                };
                product(queries)?.checked_mul(heads)?.checked_mul(4)?
            }
        };
        bytes.checked_mul(samples)
    }
}

/// How many groups of elements a normalisation has.
fn groups(op: &Op, dims: &[u64]) -> Option<u64> {
    let channels = || product(dims.get(..2)?);
    match op.operator {
        Operator::LayerNormalization | Operator::RMSNormalization => {
            let axis = op.int("axis").unwrap_or(-1);
            let rank = i64::try_from(dims.len()).ok()?;
            let axis = if axis < 0 { axis + rank } else { axis };
            product(dims.get(..usize::try_from(axis).ok()?)?)
        }
        Operator::GroupNormalization => {
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
