//! Shapes of ONNX operators, by family. Source: the operator definitions of the ONNX
//! specification, whose names and defaults these functions follow.

mod contrib;
mod convolution;
mod domains;
mod elementwise;
mod indexing;
mod layout;
mod linear;
mod normalization;
mod recurrent;
mod reduction;
mod resize;
mod signal;
mod sources;

use super::{Call, Outputs, eval};
use crate::graph::{DType, Op};
use crate::operators::Operator;
pub(super) use indexing::ranges;
pub(super) use layout::permutation;
pub(super) use reduction::reduced_axes;

/// The element type with this number in ONNX files.
#[must_use]
pub(crate) fn element_type(number: i64) -> DType {
    match number {
        1 => DType::F32,
        2 => DType::U8,
        3 => DType::I8,
        4 => DType::U16,
        5 => DType::I16,
        6 => DType::I32,
        7 => DType::I64,
        8 => DType::String,
        9 => DType::Bool,
        10 => DType::F16,
        11 => DType::F64,
        12 => DType::U32,
        13 => DType::U64,
        14 => DType::C64,
        15 => DType::C128,
        16 => DType::BF16,
        17 => DType::F8E4M3,
        18 => DType::F8E4M3FNUZ,
        19 => DType::F8E5M2,
        20 => DType::F8E5M2FNUZ,
        21 => DType::U4,
        22 => DType::I4,
        23 => DType::F4,
        24 => DType::F8E8M0,
        25 => DType::U2,
        26 => DType::I2,
        _ => DType::Other,
    }
}

/// A family of operators of the default domain says whether the kind is one of its own.
type Family = fn(&Call<'_>, u32) -> Option<Outputs>;

/// Who sizes the outputs of an operator.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SizedBy {
    /// [`outputs`], in a graph of ONNX.
    Usual,
    /// [`rare_outputs`], or [`tflite`](super::tflite) alone.
    Rare,
    /// Nobody but the file.
    File,
}

crate::by_operator! {
    /// Who sizes it.
    fn sized_by -> SizedBy {
        SizedBy::Usual =>
            Abs Acos Acosh Asin Asinh Atan Atanh BatchNormalization BitwiseNot Cast Ceil Celu Clip Cos
            Cosh Elu Erf Exp Floor Gelu HardSigmoid HardSwish LeakyRelu Log Mish Neg Not Reciprocal Relu
            Round Selu Shrink Sigmoid Sign Sin Sinh Softplus Softsign Sqrt Swish Tan Tanh
            ThresholdedRelu Add And BitShift BitwiseAnd BitwiseOr BitwiseXor Div Equal Greater
            GreaterOrEqual Less LessOrEqual Max Mean Min Mod Mul Or PRelu Pow Sub Sum Xor Where
            GroupNormalization InstanceNormalization LayerNormalization LogSoftmax LpNormalization
            RMSNormalization Softmax ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean
            ReduceMin ReduceProd ReduceSum ReduceSumSquare Gemm MatMul AveragePool Conv ConvTranspose
            GlobalAveragePool MaxPool Flatten Identity Reshape Squeeze Unsqueeze Expand Slice Split
            Transpose Concat DepthToSpace Pad SpaceToDepth Tile ScatterElements ScatterND AffineGrid
            ArgMax ArgMin Bernoulli BitCast CastLike CenterCropPad Col2Im Compress Constant
            ConstantOfShape ConvInteger CumProd CumSum DeformConv DequantizeLinear Det Dropout
            DynamicQuantizeLinear Einsum EyeLike Gather GatherElements GatherND GlobalLpPool
            GlobalMaxPool GridSample Hardmax IsInf IsNaN Lrn LpPool MatMulInteger MaxRoiPool MaxUnpool
            MeanVarianceNormalization Multinomial NegativeLogLikelihoodLoss NonMaxSuppression NonZero
            OneHot OptionalGetElement OptionalHasElement QLinearConv QLinearMatMul QuantizeLinear
            RandomNormal RandomNormalLike RandomUniform RandomUniformLike Range Resize ReverseSequence
            RoiAlign RotaryEmbedding Scatter Shape Size SoftmaxCrossEntropyLoss SwiGLU TensorScatter
            TfIdfVectorizer TopK Trilu Unique Upsample SimplifiedLayerNormalization;
        SizedBy::Rare =>
            BiasGelu FastGelu QLinearAdd QLinearLeakyRelu QLinearMul QLinearSigmoid QuickGelu ReluN1To1
            Relu6 Rsqrt Square Relu0To1 NotEqual FloorDiv FloorMod SquaredDifference L2Normalization
            FullyConnected DepthwiseConv2d TransposeConv StridedSlice TfliteSplit Unpack Pack MirrorPad
            DynamicUpdateSlice Attention BlackmanWindow CausalConvWithState Dft Gru HammingWindow
            HannWindow If Lstm LinearAttention Loop MelWeightMatrix Rnn Stft Scan MicrosoftAttention
            BiasAdd BiasSoftmax BiasSplitGelu DynamicQuantizeLSTM DynamicQuantizeMatMul
            EmbedLayerNormalization FusedConv FusedGemm FusedMatMul GroupNorm GroupQueryAttention
            Inverse MatMulIntegerToFloat MatMulNBits MultiHeadAttention NhwcConv QGemm
            QLinearAveragePool QLinearConcat QLinearGlobalAveragePool QLinearSoftmax
            MicrosoftRotaryEmbedding SkipLayerNormalization SkipSimplifiedLayerNormalization
            TransposeMatMul ArrayFeatureExtractor Binarizer Adagrad Adam Momentum FlexAttention
            Dequantize EmbeddingLookup L2Pool2d TfliteLstm ResizeBilinear TfliteRnn Svdf Call
            UnidirectionalSequenceRnn BatchToSpaceNd SpaceToBatchNd UnidirectionalSequenceLstm Select
            SparseToDense FakeQuant TfliteOneHot ReduceAny ZerosLike Fill ResizeNearestNeighbor
            TfliteUnique ReverseV2 AddN TfliteWhere Rank MatrixDiag Quantize MatrixSetDiag While
            NonMaxSuppressionV4 NonMaxSuppressionV5 TfliteScatterNd Densify SegmentSum CallOnce Rfft2d
            Conv3d Imag Real ComplexAbs ReduceAll Conv3dTranspose BroadcastArgs RandomStandardNormal
            Bucketize TfliteRandomUniform Atan2 TfliteBitwiseXor RightShift Complex;
        SizedBy::File => Unknown
            QLinearClip QLinearElu QLinearErf QLinearExp QLinearGelu QLinearHardSigmoid QLinearHardSwish
            QLinearMish QLinearSoftplus QLinearSqrt QLinearSwish QLinearTanh ScaledDotProductAttention
            Contiguous Layer Convolution2DTransposeBias Delegate Hashtable HashtableFind HashtableImport
            HashtableSize VarHandle ReadVariable AssignVariable Bitcast;
    }
}

/// Whether [`outputs`] is asked for it, rather than [`rare_outputs`].
pub(crate) fn is_usual(op: &Op) -> bool {
    op.domain.is_empty() && sized_by(op.operator) != SizedBy::Rare
}

/// The outputs of an ONNX operator that many models have. `opset` is the version of the default
/// domain, 0 for the newest.
pub(super) fn outputs(call: &Call<'_>, opset: u32) -> Outputs {
    evaluated(call, usual_outputs(call, opset))
}

fn usual_outputs(call: &Call<'_>, opset: u32) -> Outputs {
    let families: [Family; 9] = [
        elementwise::outputs,
        layout::outputs,
        linear::outputs,
        convolution::outputs,
        indexing::outputs,
        reduction::outputs,
        normalization::outputs,
        sources::outputs,
        resize::outputs,
    ];
    made_by(&families, call, opset)
}

/// The outputs of any other.
pub(super) fn rare_outputs(call: &Call<'_>, opset: u32) -> Outputs {
    let families: &[Family] = match call.op.domain.as_str() {
        "" => &[
            normalization::attending,
            recurrent::outputs,
            signal::outputs,
            |call, _| {
                let control = matches!(
                    call.op.operator,
                    Operator::If | Operator::Loop | Operator::Scan
                );
                control.then(|| Err(call.control()))
            },
        ],
        "com.microsoft" => &[|call, opset| Some(contrib::outputs(call, opset))],
        "ai.onnx.ml" => &[|call, opset| Some(domains::features(call, opset))],
        "ai.onnx.preview.training" => &[|call, opset| Some(domains::training(call, opset))],
        "ai.onnx.preview" => &[|call, _| {
            let found = call.op.is(Operator::FlexAttention);
            found.then(|| normalization::attention(call))
        }],
        _ => &[],
    };
    evaluated(call, made_by(families, call, opset))
}

fn made_by(families: &[Family], call: &Call<'_>, opset: u32) -> Outputs {
    let opset = if opset == 0 { u32::MAX } else { opset };
    let found = families.iter().find_map(|family| family(call, opset));
    found.unwrap_or_else(|| Err(call.unknown()))
}

/// The outputs with their elements, where these follow from what is known.
fn evaluated(call: &Call<'_>, made: Outputs) -> Outputs {
    match call.follow {
        true => made.map(|made| eval::evaluate(call, made)),
        false => made,
    }
}
