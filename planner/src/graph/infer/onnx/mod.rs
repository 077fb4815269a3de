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

use super::{Call, InferredOutput, Outputs, eval};
use crate::graph::{DType, Op, Unsized, UnsizedReason};
use crate::message;
use crate::operators::Operator;
use contrib::taken_over;
use convolution::convolution;
use elementwise::same_as;
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

/// The outputs of an operator.
type Sizes = fn(&Call<'_>) -> Outputs;
/// Dimensions of one output, or the reason why there are none.
type Dims = Result<Vec<u64>, Unsized>;

/// Who sizes the outputs of an operator.
#[derive(Clone, Copy)]
enum SizedBy {
    /// This function, in a graph of ONNX.
    Usual(Sizes),
    /// This one, whose only output has the type of the first input.
    Dims(fn(&Call<'_>) -> Dims),
    /// [`rare`], which the first load does without.
    Rare,
    /// Nobody but the file, or [`tflite`](super::tflite).
    File,
}

/// The lists of two functions, so that every row stands in one of them.
macro_rules! sized {
    (
        usual { $($usual:expr => $($of_usual:ident)+;)+ }
        rare { $($rare:expr => $($of_rare:ident)+;)+ }
        file { $($of_file:ident)+ }
    ) => {
        crate::by_operator! {
            /// Who sizes it.
            fn sized_by -> SizedBy {
                $($usual => $($of_usual)+;)+
                SizedBy::Rare => $($($of_rare)+)+;
                SizedBy::File => $($of_file)+;
            }
        }

        crate::by_operator! {
            /// What sizes it where that is rare.
            fn rare -> Option<Sizes> {
                $(Some($rare) => $($of_rare)+;)+
                None => $($($of_usual)+)+ $($of_file)+;
            }
        }
    };
}

sized! {
    usual {
        SizedBy::Usual(elementwise::same) =>
            Abs Acos Acosh Asin Asinh Atan Atanh BitwiseNot Ceil Celu Clip Cos Cosh Elu Erf Exp
            Floor Gelu HardSigmoid HardSwish LeakyRelu Log Mish Neg Not Reciprocal Relu Round Selu
            Shrink Sigmoid Sign Sin Sinh Softplus Softsign Sqrt Swish Tan Tanh ThresholdedRelu PRelu
            CumProd CumSum Hardmax Identity LogSoftmax ReverseSequence RotaryEmbedding Scatter
            ScatterElements ScatterND Softmax SwiGLU TensorScatter Trilu Lrn InstanceNormalization
            GroupNormalization MeanVarianceNormalization LpNormalization RMSNormalization
            OptionalGetElement;
        SizedBy::Usual(|call| elementwise::all_like(call, 0)) =>
            Add BitShift BitwiseAnd BitwiseOr BitwiseXor Div Max Mean Min Mod Mul Pow Sub Sum;
        SizedBy::Usual(elementwise::truths) =>
            Equal Greater GreaterOrEqual Less LessOrEqual And Or Xor;
        SizedBy::Usual(|call| elementwise::all_like(call, 1)) => Where;
        SizedBy::Usual(|call| same_as(call, DType::Bool)) => IsInf IsNaN;
        SizedBy::Usual(|call| same_as(call, element_type(call.int("to", 0)))) => Cast;
        SizedBy::Usual(|call| same_as(call, call.need(1)?.dtype)) => CastLike;
        SizedBy::Usual(elementwise::bit_cast) => BitCast;
        SizedBy::Usual(elementwise::quantize) => QuantizeLinear;
        SizedBy::Usual(elementwise::dequantize) => DequantizeLinear;
        SizedBy::Usual(elementwise::dynamic_quantize) => DynamicQuantizeLinear;
        SizedBy::Dims(layout::reshape) => Reshape;
        SizedBy::Dims(layout::flatten) => Flatten;
        SizedBy::Dims(layout::squeeze) => Squeeze;
        SizedBy::Dims(layout::unsqueeze) => Unsqueeze;
        SizedBy::Dims(layout::transpose) => Transpose;
        SizedBy::Dims(layout::concat) => Concat;
        SizedBy::Dims(layout::expand) => Expand;
        SizedBy::Dims(layout::tile) => Tile;
        SizedBy::Dims(layout::pad) => Pad;
        SizedBy::Dims(layout::center_crop_pad) => CenterCropPad;
        SizedBy::Dims(|call| layout::blocks(call, true)) => DepthToSpace;
        SizedBy::Dims(|call| layout::blocks(call, false)) => SpaceToDepth;
        SizedBy::Usual(layout::split) => Split;
        SizedBy::Usual(|call| linear::one(call.need(0)?.dtype, linear::product(call, 0, 1)?)) =>
            MatMul;
        SizedBy::Usual(|call| linear::one(DType::I32, linear::product(call, 0, 1)?)) =>
            MatMulInteger;
        SizedBy::Usual(|call| linear::one(call.need(7)?.dtype, linear::product(call, 0, 3)?)) =>
            QLinearMatMul;
        SizedBy::Usual(linear::gemm) => Gemm;
        SizedBy::Usual(linear::einsum) => Einsum;
        SizedBy::Usual(linear::determinant) => Det;
        SizedBy::Usual(|call| convolution(call, 1, call.input(0).map(|x| x.dtype))) =>
            Conv DeformConv;
        SizedBy::Usual(|call| convolution(call, 1, Some(DType::I32))) => ConvInteger;
        SizedBy::Usual(|call| convolution(call, 3, call.input(7).map(|zero| zero.dtype))) =>
            QLinearConv;
        SizedBy::Usual(convolution::transposed) => ConvTranspose;
        SizedBy::Usual(convolution::max_pool) => MaxPool;
        SizedBy::Usual(convolution::one_pool) => AveragePool LpPool;
        SizedBy::Usual(convolution::global_pool) => GlobalAveragePool GlobalMaxPool GlobalLpPool;
        SizedBy::Usual(convolution::unpool) => MaxUnpool;
        SizedBy::Usual(|call| convolution::roi(call, call.op.ints("pooled_shape"))) => MaxRoiPool;
        SizedBy::Usual(convolution::roi_align) => RoiAlign;
        SizedBy::Usual(convolution::col2im) => Col2Im;
        SizedBy::Usual(indexing::slice) => Slice;
        SizedBy::Usual(indexing::gather) => Gather;
        SizedBy::Usual(indexing::gather_elements) => GatherElements;
        SizedBy::Usual(indexing::gather_nd) => GatherND;
        SizedBy::Usual(indexing::top_k) => TopK;
        SizedBy::Usual(indexing::one_hot) => OneHot;
        SizedBy::Usual(indexing::non_zero) => NonZero;
        SizedBy::Usual(indexing::compress) => Compress;
        SizedBy::Usual(|call| Err(call.data_dependent(1))) => NonMaxSuppression;
        SizedBy::Usual(|call| Err(call.data_dependent(0))) => Unique;
        SizedBy::Usual(indexing::n_grams) => TfIdfVectorizer;
        SizedBy::Usual(reduction::reduce) =>
            ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd
            ReduceSum ReduceSumSquare;
        SizedBy::Usual(reduction::arg) => ArgMax ArgMin;
        // Exporters write the simplified one without a domain, too.
        SizedBy::Usual(normalization::layer) => LayerNormalization SimplifiedLayerNormalization;
        SizedBy::Usual(normalization::batch) => BatchNormalization;
        SizedBy::Usual(normalization::dropout) => Dropout;
        SizedBy::Usual(|call| normalization::loss(call, 0)) => NegativeLogLikelihoodLoss;
        SizedBy::Usual(|call| normalization::loss(call, 1)) => SoftmaxCrossEntropyLoss;
        // Its value is in the tensor that it writes, and so is its shape.
        SizedBy::Usual(|_| Err(Unsized::new(UnsizedReason::DType, message!("a constant without a shape")))) =>
            Constant;
        SizedBy::Usual(sources::shape) => Shape;
        SizedBy::Usual(sources::size) => Size;
        SizedBy::Usual(sources::constant_of_shape) => ConstantOfShape;
        SizedBy::Usual(sources::range) => Range;
        SizedBy::Usual(sources::like) => EyeLike RandomNormalLike RandomUniformLike Bernoulli;
        SizedBy::Usual(|_| Ok(vec![InferredOutput::new(DType::Bool, [])])) => OptionalHasElement;
        SizedBy::Usual(sources::random) => RandomNormal RandomUniform;
        SizedBy::Usual(sources::multinomial) => Multinomial;
        SizedBy::Usual(resize::resize) => Resize;
        SizedBy::Usual(resize::upsample) => Upsample;
        SizedBy::Usual(resize::grid_sample) => GridSample;
        SizedBy::Usual(resize::affine_grid) => AffineGrid;
    }
    rare {
        elementwise::same =>
            BiasAdd BiasGelu BiasSoftmax Binarizer FastGelu GroupNorm Inverse QLinearLeakyRelu
            QLinearSigmoid QLinearSoftmax QuickGelu MicrosoftRotaryEmbedding;
        contrib::halved => BiasSplitGelu;
        contrib::quantized_lstm => DynamicQuantizeLSTM;
        contrib::pixels_first => NhwcConv;
        contrib::skip => SkipLayerNormalization SkipSimplifiedLayerNormalization;
        contrib::embed => EmbedLayerNormalization;
        contrib::fused_product => FusedMatMul TransposeMatMul;
        contrib::bits_product => MatMulNBits;
        contrib::quantized_binary => QLinearAdd QLinearMul;
        |call| contrib::quantized_pool(call, convolution::global_pool) =>
            QLinearGlobalAveragePool;
        |call| contrib::quantized_pool(call, convolution::one_pool) => QLinearAveragePool;
        contrib::quantized_concat => QLinearConcat;
        contrib::quantized_gemm => QGemm;
        contrib::attention => MicrosoftAttention;
        contrib::multi_head => MultiHeadAttention;
        contrib::grouped => GroupQueryAttention;
        contrib::grouped_product => GroupedMatMul;
        contrib::float_product => DynamicQuantizeMatMul MatMulIntegerToFloat;
        |call| taken_over(call, Operator::Gemm) => FusedGemm;
        |call| taken_over(call, Operator::Conv) => FusedConv;
        normalization::attention => Attention FlexAttention;
        normalization::linear_attention => LinearAttention;
        normalization::causal_convolution => CausalConvWithState;
        recurrent::layer => Rnn Gru Lstm;
        signal::window => HannWindow HammingWindow BlackmanWindow;
        signal::mel => MelWeightMatrix;
        signal::dft => Dft;
        signal::stft => Stft;
        |call| Err(call.control()) => If Loop Scan;
        domains::picked => ArrayFeatureExtractor;
        |call| domains::training(call, 2) => Adam;
        |call| domains::training(call, 1) => Adagrad Momentum;
    }
    file {
        Unknown
        QLinearClip QLinearElu QLinearErf QLinearExp QLinearGelu QLinearHardSigmoid QLinearHardSwish
        QLinearMish QLinearSoftplus QLinearSqrt QLinearSwish QLinearTanh ScaledDotProductAttention
        Contiguous Layer Convolution2DTransposeBias Delegate Hashtable HashtableFind HashtableImport
        HashtableSize VarHandle ReadVariable AssignVariable Bitcast ReluN1To1 Relu6 Rsqrt Square
        Relu0To1 NotEqual FloorDiv FloorMod SquaredDifference L2Normalization FullyConnected
        DepthwiseConv2d TransposeConv StridedSlice TfliteSplit Unpack Pack MirrorPad
        DynamicUpdateSlice Dequantize EmbeddingLookup L2Pool2d TfliteLstm ResizeBilinear TfliteRnn
        Svdf Call UnidirectionalSequenceRnn BatchToSpaceNd SpaceToBatchNd UnidirectionalSequenceLstm
        Select SparseToDense FakeQuant TfliteOneHot ReduceAny ZerosLike Fill ResizeNearestNeighbor
        TfliteUnique ReverseV2 AddN TfliteWhere Rank MatrixDiag Quantize MatrixSetDiag While
        NonMaxSuppressionV4 NonMaxSuppressionV5 TfliteScatterNd Densify SegmentSum CallOnce Rfft2d
        Conv3d Imag Real ComplexAbs ReduceAll Conv3dTranspose BroadcastArgs RandomStandardNormal
        Bucketize TfliteRandomUniform Atan2 TfliteBitwiseXor RightShift Complex
        AllReduce AllGather AllToAll ReduceScatter Receive Send
    }
}

/// Whether [`outputs`] is asked for it, rather than [`rare_outputs`].
pub(crate) fn is_usual(op: &Op) -> bool {
    op.domain.is_empty() && !matches!(sized_by(op.operator), SizedBy::Rare)
}

/// The outputs of an ONNX operator that many models have.
pub(super) fn outputs(call: &Call<'_>) -> Outputs {
    evaluated(call, usual_outputs(call))
}

fn usual_outputs(call: &Call<'_>) -> Outputs {
    match sized_by(call.op.operator) {
        SizedBy::Usual(sizes) => sizes(call),
        SizedBy::Dims(dims) => {
            let dtype = call.input(0).map(|x| x.dtype);
            Ok(vec![InferredOutput::new(dtype, dims(call)?)])
        }
        SizedBy::Rare | SizedBy::File => Err(call.unknown()),
    }
}

/// The outputs of any other. What ONNX Runtime had tried out before ONNX took it over is usual.
pub(super) fn rare_outputs(call: &Call<'_>) -> Outputs {
    let sizes = rare(call.op.operator).unwrap_or(usual_outputs);
    evaluated(call, sizes(call))
}

/// The outputs with their elements, where these follow from what is known.
fn evaluated(call: &Call<'_>, made: Outputs) -> Outputs {
    match call.follow {
        true => made.map(|made| eval::evaluate(call, made)),
        false => made,
    }
}
