//! Stand-ins for constants whose elements the file does not hold: random numbers whose mean
//! and deviation follow from what reads them, so that activations neither vanish nor explode.

use planner::graph::{Attribute, DType, Dialect, Graph, Op, OpId, TensorId};
use planner::operators::Operator;

use crate::elements;
use crate::recording::Origin;

/// What the readers of a constant say of its elements.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Distribution {
    /// Floats about `around` with this deviation.
    About { around: f32, scale: f32 },
    /// Integers from 0 on.
    Below(u64),
}

/// Whether it normalises by a factor and a shift that it reads.
fn normalises(operator: Operator) -> bool {
    matches!(
        operator,
        Operator::BatchNormalization
            | Operator::GroupNormalization
            | Operator::InstanceNormalization
            | Operator::LayerNormalization
            | Operator::RMSNormalization
            | Operator::EmbedLayerNormalization
            | Operator::SimplifiedLayerNormalization
            | Operator::SkipLayerNormalization
            | Operator::SkipSimplifiedLayerNormalization
    )
}

/// A little about 0: what is added.
const SHIFT: Distribution = about(0.0, 0.1);
/// A little about 1: what multiplies, and variances. The generator keeps within 3.5
/// deviations, so that none of them is near 0 or below.
const FACTOR: Distribution = about(1.0, 0.1);
/// What is looked up, and all that nothing is known of.
const PLAIN: Distribution = about(0.0, 1.0);

const fn about(around: f32, scale: f32) -> Distribution {
    Distribution::About { around, scale }
}

/// The graph with the readers of each tensor.
pub(super) struct Seeds<'a> {
    graph: &'a Graph,
    consumers: Vec<Vec<OpId>>,
}

impl<'a> Seeds<'a> {
    pub(super) fn new(graph: &'a Graph) -> Self {
        Self {
            graph,
            consumers: graph.consumers(),
        }
    }

    /// Seeded by the name, so that a tensor's elements depend on nothing else.
    pub(super) fn origin(&self, id: TensorId) -> Origin {
        let seed = fnv1a(self.graph.tensor(id).name.as_bytes());
        match self.kind(id) {
            Distribution::About { around, scale } => Origin::Seeded {
                seed,
                scale,
                around,
            },
            Distribution::Below(below) => Origin::SeededInts { seed, below },
        }
    }

    fn kind(&self, id: TensorId) -> Distribution {
        let (read, reader) = self.reader(id);
        let found = reader.and_then(|(op, position)| match self.graph.dialect {
            Dialect::Onnx { .. } => self.onnx(op, position, read),
            Dialect::Tflite => self.tflite(op, position, read),
        });
        match (found, self.graph.tensor(id).dtype) {
            (_, DType::Bool) => Distribution::Below(2),
            (Some(found), _) => found,
            (None, dtype) if elements::is_float(dtype) => PLAIN,
            (None, _) => Distribution::Below(16),
        }
    }

    /// The first operator that computes with the constant, the position at which it does, and
    /// what it reads there: between the two may be changes of shape or type.
    fn reader(&self, id: TensorId) -> (TensorId, Option<(&'a Op, usize)>) {
        const MOST: usize = 8;
        let mut id = id;
        for _ in 0..MOST {
            let first = self.consumers[id.index()].first();
            let Some(op) = first.map(|&first| self.graph.op(first)) else {
                return (id, None);
            };
            let position = op.inputs.iter().position(|&input| input == Some(id));
            let Some(position) = position else {
                return (id, None);
            };
            match op.outputs.first().copied().flatten() {
                Some(output) if position == 0 && op.facts().keeps => id = output,
                _ => return (id, Some((op, position))),
            }
        }
        (id, None)
    }

    /// Dimension of the input that `op` reads at `position`.
    fn dim(&self, op: &Op, position: usize, axis: usize) -> Option<u64> {
        let id = op.inputs.get(position).copied().flatten()?;
        self.graph.tensor(id).dims.as_ref()?.get(axis).copied()
    }

    fn onnx(&self, op: &Op, position: usize, read: TensorId) -> Option<Distribution> {
        let dims = self.graph.tensor(read).dims.as_deref().unwrap_or_default();
        let int = |name| op.int(name).unwrap_or_default();
        let weights = |fan_in: u64| self.weights(op, fan_in);
        Some(match (op.operator, position) {
            (Operator::Conv, 1) => weights(per(dims, 0)),
            (Operator::ConvTranspose, 1) => {
                let groups = u64::try_from(int("group")).unwrap_or(1).max(1);
                let strides = op.ints("strides").unwrap_or_default();
                let strides = strides
                    .iter()
                    .filter_map(|&stride| u64::try_from(stride).ok());
                let taps: u64 = dims.iter().skip(2).product();
                let inputs = dims.first().copied().unwrap_or(1) / groups;
                weights(inputs.saturating_mul(taps) / strides.product::<u64>().max(1))
            }
            (Operator::Gemm | Operator::FusedGemm, 0) => {
                weights(len_after(dims, usize::from(int("transA") == 0)))
            }
            (Operator::Gemm | Operator::FusedGemm, 1) => {
                weights(len_after(dims, usize::from(int("transB") != 0)))
            }
            (Operator::MatMul, 0) => weights(last(dims, 1)),
            (
                Operator::MatMul
                | Operator::GroupedMatMul
                | Operator::Attention
                | Operator::MicrosoftAttention,
                1,
            ) => weights(last(dims, 2)),
            (Operator::FusedMatMul, 1) => {
                weights(last(dims, if int("transB") != 0 { 1 } else { 2 }))
            }
            (Operator::Lstm | Operator::Gru | Operator::Rnn, 1 | 2) => weights(last(dims, 1)),
            (Operator::BatchNormalization, 1 | 4) => FACTOR,
            (other, 1) if normalises(other) => FACTOR,
            (Operator::SkipLayerNormalization | Operator::SkipSimplifiedLayerNormalization, 2) => {
                FACTOR
            }
            (Operator::Mul | Operator::Div, _) => FACTOR,
            (
                Operator::Conv
                | Operator::ConvTranspose
                | Operator::Gemm
                | Operator::FusedGemm
                | Operator::Attention
                | Operator::MicrosoftAttention,
                2,
            ) => SHIFT,
            (Operator::Lstm | Operator::Gru | Operator::Rnn, 3) => SHIFT,
            // What keeps a root or a quotient from 0.
            (Operator::Add, _) if dims.iter().product::<u64>() == 1 => about(0.1, 0.02),
            (Operator::Add | Operator::Sub | Operator::Sum, _) => SHIFT,
            (Operator::BiasGelu | Operator::FastGelu, 1) | (Operator::Clip, 1) => SHIFT,
            (other, _) if normalises(other) => SHIFT,
            // Six is the bound that networks use.
            (Operator::Clip, 2) => about(6.0, 0.1),
            (Operator::Pow, 1) => about(2.0, 0.0),
            (Operator::PRelu, 1) => about(0.25, 0.05),
            (Operator::Gather, 1) => {
                let axis = int("axis");
                let rank = self.graph.tensor(op.inputs[0]?).dims.as_ref()?.len();
                let rank = i64::try_from(rank).ok()?;
                let axis = usize::try_from(axis.rem_euclid(rank.max(1))).ok()?;
                Distribution::Below(self.dim(op, 0, axis)?)
            }
            _ => return None,
        })
    }

    fn tflite(&self, op: &Op, position: usize, read: TensorId) -> Option<Distribution> {
        let dims = self.graph.tensor(read).dims.as_deref().unwrap_or_default();
        let int = |name| op.int(name).unwrap_or_default();
        let weights = |fan_in: u64| self.weights(op, fan_in);
        Some(match (op.operator, position) {
            (Operator::Conv, 1) => weights(per(dims, 0)),
            (Operator::Conv3d, 1) => weights(per(dims, dims.len().saturating_sub(1))),
            (Operator::DepthwiseConv2d, 1) => weights(per(dims, dims.len().saturating_sub(1))),
            (Operator::TransposeConv | Operator::Convolution2DTransposeBias, 1) => {
                let steps = int("stride_h").saturating_mul(int("stride_w"));
                weights(per(dims, 0) / u64::try_from(steps).unwrap_or(1).max(1))
            }
            (Operator::FullyConnected, 1) => weights(last(dims, 1)),
            (Operator::MatMul, 0) => weights(last(dims, if int("adj_x") != 0 { 2 } else { 1 })),
            (Operator::MatMul, 1) => weights(last(dims, if int("adj_y") != 0 { 1 } else { 2 })),
            (
                Operator::Conv
                | Operator::DepthwiseConv2d
                | Operator::Conv3d
                | Operator::FullyConnected,
                2,
            ) => SHIFT,
            (Operator::Convolution2DTransposeBias, 2) | (Operator::TransposeConv, 3) => SHIFT,
            (Operator::Add | Operator::Sub | Operator::AddN, _) => SHIFT,
            (Operator::Mul | Operator::Div, _) => FACTOR,
            (Operator::PRelu, 1) => about(0.25, 0.05),
            (Operator::Gather, 1) => {
                let axis = usize::try_from(int("axis")).unwrap_or_default();
                Distribution::Below(self.dim(op, 0, axis)?)
            }
            (Operator::EmbeddingLookup, 0) => Distribution::Below(self.dim(op, 1, 0)?),
            _ => return None,
        })
    }

    /// Deviation one over the root of the fan-in keeps the variance; a rectifier halves it,
    /// and a branch that is added to another should be the smaller one, for sums of sums grow.
    fn weights(&self, op: &Op, fan_in: u64) -> Distribution {
        #[expect(clippy::cast_precision_loss, reason = "a scale needs no more")]
        let scale = (self.gain(op) / fan_in.max(1) as f32).sqrt();
        about(0.0, scale)
    }

    /// What the variance is multiplied by.
    fn gain(&self, op: &Op) -> f32 {
        const RECTIFIED: f32 = 2.0;
        const BRANCH: f32 = 0.25;
        const MOST: usize = 4;
        let mut op = op;
        for _ in 0..MOST {
            let fused = [
                "fused_activation",
                "fused_activation_function",
                "activation",
            ];
            let texts = fused.iter().filter_map(|name| op.attribute(name));
            let rectifies = |text: &Attribute| match text {
                Attribute::Text(text) => {
                    let function = Operator::of(self.graph.dialect, "", text);
                    function.facts().rectifies
                }
                _ => false,
            };
            if texts.into_iter().any(rectifies) {
                return RECTIFIED;
            }
            let output = op.outputs.first().copied().flatten();
            let readers = output.map_or(&[][..], |id| &self.consumers[id.index()]);
            let [only] = readers else { return 1.0 };
            op = self.graph.op(*only);
            if op.facts().rectifies {
                return RECTIFIED;
            }
            match op.operator {
                Operator::Add | Operator::Sum | Operator::AddN if !self.adds_constant(op) => {
                    return BRANCH;
                }
                Operator::Add
                | Operator::BatchNormalization
                | Operator::Identity
                | Operator::Dropout
                | Operator::Reshape => {}
                _ => return 1.0,
            }
        }
        1.0
    }

    fn adds_constant(&self, op: &Op) -> bool {
        let mut read = op.read();
        read.any(|id| super::constant(self.graph, id))
    }
}

/// Elements for each index of `axis`.
fn per(dims: &[u64], axis: usize) -> u64 {
    let others = dims.iter().enumerate().filter(|&(at, _)| at != axis);
    others.fold(1, |product: u64, (_, &dim)| product.saturating_mul(dim))
}

/// The dimension at `axis`.
fn len_after(dims: &[u64], axis: usize) -> u64 {
    dims.get(axis).copied().unwrap_or(1)
}

/// The dimension `back` places from the end, or the only one.
fn last(dims: &[u64], back: usize) -> u64 {
    let index = dims.len().saturating_sub(back);
    dims.get(index).copied().unwrap_or(1)
}

/// FNV-1a, so that a tensor's weights depend on nothing but its name.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
