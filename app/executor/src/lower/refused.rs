//! Why a plan cannot be run.

use std::collections::BTreeMap;

use planner::counts::Misfit;
use planner::{Message, message};
use serde::{Deserialize, Serialize};

use super::call::Call;

const RANDOM: fn() -> Message =
    || message!("its results are drawn at random: no two runs could be compared");
const SCRATCH: fn() -> Message = || message!("it needs memory that no tensor of the plan has");
const COUNTED: fn() -> Message = || message!("how much it gives hangs on values of the run");
const REGIONS: fn() -> Message = || message!("there is no kernel for a pool over regions");
const ABSENT: fn() -> Message = || message!("there is no kernel for it");

planner::by_operator! {
    /// Why no kernel computes an operator, in whatever dialect; `None` where one does.
    pub fn without_kernel -> Option<fn() -> Message> {
        None =>
            Abs Acos Acosh Asin Asinh Atan Atanh BatchNormalization BitwiseNot Cast Ceil Celu Clip
            Cos Cosh Elu Erf Exp Floor Gelu HardSigmoid HardSwish LeakyRelu Log Mish Neg Not
            Reciprocal Relu Round Selu Shrink Sigmoid Sign Sin Sinh Softplus Softsign Sqrt Swish Tan
            Tanh ThresholdedRelu BiasGelu FastGelu QLinearAdd QLinearLeakyRelu QLinearMul
            QLinearSigmoid QuickGelu QLinearClip QLinearElu QLinearErf QLinearExp QLinearGelu
            QLinearHardSigmoid QLinearHardSwish QLinearMish QLinearSoftplus QLinearSqrt QLinearSwish
            QLinearTanh ReluN1To1 Relu6 Rsqrt Square Relu0To1 Add And BitShift BitwiseAnd BitwiseOr
            BitwiseXor Div Equal Greater GreaterOrEqual Less LessOrEqual Max Mean Min Mod Mul Or
            PRelu Pow Sub Sum Xor NotEqual FloorDiv FloorMod SquaredDifference Where
            GroupNormalization InstanceNormalization LayerNormalization LogSoftmax LpNormalization
            RMSNormalization Softmax L2Normalization ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp
            ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare Gemm MatMul
            FullyConnected AveragePool Conv ConvTranspose GlobalAveragePool MaxPool DepthwiseConv2d
            TransposeConv Flatten Identity Reshape Squeeze Unsqueeze Expand Slice Split Transpose
            StridedSlice TfliteSplit Unpack Concat DepthToSpace Pad SpaceToDepth Tile Pack MirrorPad
            ScatterElements ScatterND AffineGrid ArgMax ArgMin Attention BitCast BlackmanWindow
            CastLike CausalConvWithState CenterCropPad Col2Im Compress ConstantOfShape ConvInteger
            CumProd CumSum Dft DeformConv DequantizeLinear Det Dropout DynamicQuantizeLinear Einsum
            EyeLike Gru Gather GatherElements GatherND GlobalLpPool GlobalMaxPool GridSample
            HammingWindow HannWindow Hardmax IsInf IsNaN Lrn Lstm LinearAttention LpPool
            MatMulInteger MaxUnpool MeanVarianceNormalization MelWeightMatrix
            NegativeLogLikelihoodLoss OneHot OptionalGetElement OptionalHasElement QLinearConv
            QLinearMatMul QuantizeLinear Rnn Range Resize ReverseSequence RoiAlign RotaryEmbedding
            Stft Scatter SoftmaxCrossEntropyLoss SwiGLU TensorScatter TfIdfVectorizer TopK Trilu
            Upsample MicrosoftAttention BiasAdd BiasSoftmax DynamicQuantizeLSTM
            EmbedLayerNormalization FusedConv FusedGemm FusedMatMul GroupNorm GroupQueryAttention
            Inverse GroupedMatMul MatMulIntegerToFloat MatMulNBits MultiHeadAttention NhwcConv QGemm
            QLinearAveragePool QLinearConcat QLinearGlobalAveragePool QLinearSoftmax
            MicrosoftRotaryEmbedding SimplifiedLayerNormalization SkipLayerNormalization
            SkipSimplifiedLayerNormalization TransposeMatMul ArrayFeatureExtractor Binarizer Adagrad
            Adam Momentum FlexAttention Contiguous Dequantize EmbeddingLookup L2Pool2d
            ResizeBilinear Svdf UnidirectionalSequenceRnn BatchToSpaceNd SpaceToBatchNd
            UnidirectionalSequenceLstm Select TfliteOneHot ReduceAny ZerosLike Fill
            ResizeNearestNeighbor ReverseV2 AddN Quantize Densify CallOnce Conv3d ReduceAll
            VarHandle ReadVariable AssignVariable TfliteBitwiseXor;
        Some(RANDOM) =>
            Bernoulli Multinomial RandomNormal RandomNormalLike RandomStandardNormal RandomUniform
            RandomUniformLike TfliteRandomUniform;
        Some(REGIONS) =>
            MaxRoiPool;
        Some(COUNTED) =>
            NonMaxSuppression NonZero Unique;
        Some(SCRATCH) =>
            BiasSplitGelu DynamicQuantizeMatMul;
        Some(ABSENT) => Unknown
            DynamicUpdateSlice Constant If Loop Scan Shape Size ScaledDotProductAttention Layer
            Convolution2DTransposeBias TfliteLstm TfliteRnn Call Delegate SparseToDense FakeQuant
            TfliteUnique TfliteWhere Rank MatrixDiag MatrixSetDiag While NonMaxSuppressionV4
            NonMaxSuppressionV5 TfliteScatterNd SegmentSum Rfft2d Imag Real ComplexAbs Hashtable
            HashtableFind HashtableImport HashtableSize Conv3dTranspose BroadcastArgs
            Bucketize Atan2 Bitcast RightShift Complex AllReduce AllGather AllToAll ReduceScatter
            Receive Send;
    }
}

/// Why no kernel computes it here: on elements of another type or in the other dialect one may.
pub(super) fn absent(call: &Call<'_>) -> Message {
    without_kernel(call.op.operator).unwrap_or(ABSENT)()
}

/// Why a plan cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refused {
    /// Operators without a kernel, all of them.
    Unsupported(Vec<Unsupported>),
    /// A tensor has no size, so the plan leaves it out.
    Unsized {
        /// Its name.
        tensor: String,
    },
    /// An offset is not a multiple of four bytes.
    Unaligned {
        /// Name of the tensor.
        tensor: String,
        /// Its offset in bytes.
        offset: u64,
    },
    /// A tensor ends beyond the arena.
    Outside {
        /// Name of the tensor.
        tensor: String,
        /// Its end, exclusive.
        end: u64,
        /// Size of the arena in bytes.
        arena: u64,
    },
    /// A buffer is larger than the device can bind.
    TooLarge {
        /// What it is for.
        what: Message,
        /// Its size in bytes.
        bytes: u64,
        /// The device's limit in bytes.
        limit: u64,
    },
    /// An operator gave more than was planned for.
    Exceeded {
        /// Its kind.
        kind: String,
        /// Its first output, which names the count.
        tensor: String,
        /// How much it gave.
        found: u64,
        /// The most that was planned for.
        most: u64,
        /// Whether the file says so, and nobody else.
        by_file: bool,
    },
    /// What an operator gives cannot be counted.
    Uncounted {
        /// The operator.
        op: String,
        /// Why not.
        why: Message,
    },
    /// With what was counted, the program does not fit its plan.
    Misfit(Misfit),
    /// An operator's input and output overlap, and are not identical and element-wise.
    Hazard {
        /// The operator.
        op: String,
        /// What it reads.
        input: String,
        /// What it writes.
        output: String,
    },
}

/// An operator that cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unsupported {
    /// Its name.
    pub op: String,
    /// Its kind.
    pub kind: String,
    /// What stands in the way.
    pub reason: Message,
    /// Whether that is another operator of the list, whose result it reads: without that one it
    /// might run.
    pub follows: bool,
    /// Its step; `None` for what is not run at a step.
    pub step: Option<usize>,
}

impl Refused {
    /// How many steps can be run from the first on, where operators stand in the way and there is
    /// at least one step before them.
    #[must_use]
    pub fn runs_until(&self) -> Option<usize> {
        let Self::Unsupported(operators) = self else {
            return None;
        };
        let steps = operators.iter().map(|operator| operator.step);
        let first = steps.collect::<Option<Vec<usize>>>()?.into_iter().min();
        first.filter(|&steps| steps > 0)
    }
}

impl Refused {
    /// The sentence.
    #[must_use]
    pub fn message(&self) -> Message {
        match self {
            Self::Unsupported(ops) => unsupported(ops),
            Self::Unsized { tensor } => message!("{} has no size", tensor),
            Self::Unaligned { tensor, offset } => message!(
                "{} lies at {} B: a run needs multiples of 4 B",
                tensor,
                offset
            ),
            Self::Outside { tensor, end, arena } => message!(
                "{} ends at {} B, behind the arena of {} B",
                tensor,
                end,
                arena
            ),
            Self::TooLarge { what, bytes, limit } => message!(
                "the {} needs {} B, and this device binds {} B at most",
                what,
                bytes,
                limit
            ),
            Self::Exceeded {
                kind,
                tensor,
                found,
                most,
                by_file: true,
            } => message!(
                "{} gave {} in \"{}\", and the file says at most {}: set at least {}",
                kind,
                found,
                tensor,
                most,
                found
            ),
            Self::Exceeded {
                kind,
                tensor,
                found,
                most,
                by_file: false,
            } => message!(
                "{} gave {} in \"{}\", and at most {} was set: set at least {}",
                kind,
                found,
                tensor,
                most,
                found
            ),
            Self::Uncounted { op, why } => message!("what {} gives cannot be counted: {}", op, why),
            Self::Misfit(why) => why.message(),
            Self::Hazard { op, input, output } => message!(
                "{} reads {} where it writes {}: a GPU's threads run in no order",
                op,
                input,
                output
            ),
        }
    }
}

/// The operators that cannot be run, those of one kind and reason together.
fn unsupported(ops: &[Unsupported]) -> Message {
    let mut alike: BTreeMap<(&str, String), (&Unsupported, usize)> = BTreeMap::new();
    let roots = ops.iter().filter(|op| !op.follows);
    let count = roots.clone().count();
    for op in roots {
        let first = alike.entry((&op.kind, op.reason.to_string()));
        first.or_insert((op, 0)).1 += 1;
    }
    let list = Message::list(
        alike.into_values().map(|(op, count)| {
            message!(
                "{} × {}, the first is {}: {}",
                op.kind,
                count,
                op.op,
                op.reason
            )
        }),
        "; ",
    );
    match ops.len() - count {
        0 => message!("{} operators cannot be run: {}", count, list),
        more => message!(
            "{} operators cannot be run: {}; {} more operators read what these would give",
            count,
            list,
            more
        ),
    }
}

planner::impl_message!(Refused);
impl std::error::Error for Refused {}
