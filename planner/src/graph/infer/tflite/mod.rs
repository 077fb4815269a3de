//! Shapes of TFLite's builtin operators, as LiteRT's kernels compute them when they are
//! prepared: NHWC, negative axes count from the end, element values of shape operands must
//! be known.
//!
//! Tensors whose shape the file fixes keep that shape when an operator cannot be sized; and
//! while every symbol has its default, so do those whose shape the file gives only as the
//! example that belongs to these defaults.

mod counted;
mod elements;
mod layout;
mod slices;
mod window;

use super::{Call, InferredOutput, KnownInput, Outputs, Unsized, UnsizedReason};
use crate::graph::Dim;
use crate::{Message, message};

pub(super) use counted::form as counted;
pub(super) use slices::picked;

/// Dimensions of one output, or the reason why there are none.
type Dims = Result<Vec<u64>, Unsized>;

/// How the outputs of an operator are found.
#[derive(Clone, Copy)]
enum Sizes {
    /// By the dimensions of the only one.
    Dims(fn(&Call<'_>) -> Dims),
    /// By this function.
    Outputs(fn(&Call<'_>) -> Outputs),
    /// Nobody knows.
    Unknown,
}

crate::by_operator! {
    /// How its outputs are found in a graph of TFLite.
    fn sizes -> Sizes {
        Sizes::Dims(|call| like(call, 0)) =>
            Abs Cast Ceil Cos Elu Exp Floor Gelu HardSwish LeakyRelu Log Neg Not Relu Round Sigmoid
            Sign Sin Sqrt Tanh ReluN1To1 Relu6 Rsqrt Square Relu0To1 LogSoftmax Softmax
            L2Normalization DynamicUpdateSlice Quantize Dequantize FakeQuant Densify Lrn ZerosLike
            ReverseV2 ReverseSequence CumSum Bucketize Real Imag ComplexAbs MatrixSetDiag AddN;
        Sizes::Dims(|call| like(call, 1)) => Select;
        Sizes::Dims(broadcast_inputs) =>
            Add And Div Equal Greater GreaterOrEqual Less LessOrEqual Max Min Mul Or PRelu Pow Sub
            NotEqual FloorDiv FloorMod SquaredDifference Where Atan2 TfliteBitwiseXor RightShift
            Complex;
        Sizes::Dims(layout::reshape) => Reshape;
        Sizes::Dims(layout::squeeze) => Squeeze;
        Sizes::Dims(layout::expand) => Unsqueeze;
        Sizes::Dims(layout::transpose) => Transpose;
        Sizes::Dims(layout::concatenate) => Concat;
        Sizes::Dims(layout::pack) => Pack;
        Sizes::Dims(layout::pad) => Pad MirrorPad;
        Sizes::Dims(layout::tile) => Tile;
        Sizes::Dims(layout::reduce) =>
            ReduceMean ReduceSum ReduceProd ReduceMax ReduceMin ReduceAny ReduceAll;
        Sizes::Dims(layout::arg) => ArgMax ArgMin;
        Sizes::Dims(|call| Ok(vec![dims(call, 0)?.len() as u64])) => Shape;
        Sizes::Dims(|_| Ok(Vec::new())) => Rank;
        Sizes::Dims(|call| layout::filled(call, 0)) =>
            Fill TfliteRandomUniform RandomStandardNormal;
        Sizes::Dims(|call| layout::filled(call, 1)) => SparseToDense;
        Sizes::Dims(|call| layout::filled(call, 2)) => TfliteScatterNd;
        Sizes::Dims(layout::broadcast_to) => Expand;
        Sizes::Dims(layout::broadcast_args) => BroadcastArgs;
        Sizes::Dims(layout::range) => Range;
        Sizes::Dims(layout::one_hot) => TfliteOneHot;
        Sizes::Dims(layout::diagonal) => MatrixDiag;
        Sizes::Dims(layout::rfft2d) => Rfft2d;
        Sizes::Dims(|call| window::convolution(call, 0)) => Conv;
        Sizes::Dims(|call| window::convolution(call, 3)) => DepthwiseConv2d;
        Sizes::Dims(window::pool) => AveragePool MaxPool L2Pool2d;
        Sizes::Dims(window::convolution_3d) => Conv3d;
        Sizes::Dims(window::transpose_convolution) => TransposeConv Conv3dTranspose;
        Sizes::Dims(window::fully_connected) => FullyConnected;
        Sizes::Dims(window::batch_matmul) => MatMul;
        Sizes::Dims(window::resize) => ResizeBilinear ResizeNearestNeighbor;
        Sizes::Dims(window::space_to_depth) => SpaceToDepth;
        Sizes::Dims(window::depth_to_space) => DepthToSpace;
        Sizes::Dims(window::space_to_batch) => SpaceToBatchNd;
        Sizes::Dims(window::batch_to_space) => BatchToSpaceNd;
        Sizes::Dims(window::svdf) => Svdf;
        Sizes::Dims(window::rnn) => TfliteRnn UnidirectionalSequenceRnn;
        Sizes::Dims(window::lstm) => UnidirectionalSequenceLstm TfliteLstm;
        Sizes::Dims(slices::slice) => Slice;
        Sizes::Dims(slices::strided_slice) => StridedSlice;
        Sizes::Dims(slices::gather) => Gather;
        Sizes::Dims(slices::gather_nd) => GatherND;
        Sizes::Dims(slices::embedding) => EmbeddingLookup;
        Sizes::Dims(|call| Err(call.control())) => While If Call CallOnce;
        Sizes::Dims(data_dependent) => TfliteWhere TfliteUnique SegmentSum;
        Sizes::Outputs(|call| alike(call, slices::split(call)?)) => TfliteSplit;
        Sizes::Outputs(slices::split_v) => Split;
        Sizes::Outputs(|call| alike(call, slices::unpack(call)?)) => Unpack;
        Sizes::Outputs(|call| alike(call, slices::top(call)?)) => TopK;
        Sizes::Outputs(|call| slices::suppress(call, 1)) => NonMaxSuppressionV4;
        Sizes::Outputs(|call| slices::suppress(call, 2)) => NonMaxSuppressionV5;
        Sizes::Unknown => Unknown
            Acos Acosh Asin Asinh Atan Atanh BatchNormalization BitwiseNot Celu Clip Cosh Erf
            HardSigmoid Mish Reciprocal Selu Shrink Sinh Softplus Softsign Swish Tan ThresholdedRelu
            BiasGelu FastGelu QLinearAdd QLinearLeakyRelu QLinearMul QLinearSigmoid QuickGelu
            QLinearClip QLinearElu QLinearErf QLinearExp QLinearGelu QLinearHardSigmoid
            QLinearHardSwish QLinearMish QLinearSoftplus QLinearSqrt QLinearSwish QLinearTanh
            BitShift BitwiseAnd BitwiseOr BitwiseXor Mean Mod Sum Xor GroupNormalization
            InstanceNormalization LayerNormalization LpNormalization RMSNormalization ReduceL1
            ReduceL2 ReduceLogSum ReduceLogSumExp ReduceSumSquare Gemm ConvTranspose
            GlobalAveragePool Flatten Identity ScatterElements ScatterND AffineGrid Attention
            Bernoulli BitCast BlackmanWindow CastLike CausalConvWithState CenterCropPad Col2Im
            Compress Constant ConstantOfShape ConvInteger CumProd Dft DeformConv DequantizeLinear
            Det Dropout DynamicQuantizeLinear Einsum EyeLike Gru GatherElements GlobalLpPool
            GlobalMaxPool GridSample HammingWindow HannWindow Hardmax IsInf IsNaN Lstm
            LinearAttention Loop LpPool MatMulInteger MaxRoiPool MaxUnpool MeanVarianceNormalization
            MelWeightMatrix Multinomial NegativeLogLikelihoodLoss NonMaxSuppression NonZero OneHot
            OptionalGetElement OptionalHasElement QLinearConv QLinearMatMul QuantizeLinear Rnn
            RandomNormal RandomNormalLike RandomUniform RandomUniformLike Resize RoiAlign
            RotaryEmbedding Stft Scan Scatter Size SoftmaxCrossEntropyLoss SwiGLU TensorScatter
            TfIdfVectorizer Trilu Unique Upsample ScaledDotProductAttention MicrosoftAttention
            BiasAdd BiasSoftmax BiasSplitGelu DynamicQuantizeLSTM DynamicQuantizeMatMul
            EmbedLayerNormalization FusedConv FusedGemm FusedMatMul GroupNorm GroupQueryAttention
            Inverse MatMulIntegerToFloat MatMulNBits MultiHeadAttention NhwcConv QGemm
            QLinearAveragePool QLinearConcat QLinearGlobalAveragePool QLinearSoftmax
            MicrosoftRotaryEmbedding SimplifiedLayerNormalization SkipLayerNormalization
            SkipSimplifiedLayerNormalization TransposeMatMul ArrayFeatureExtractor Binarizer Adagrad
            Adam Momentum FlexAttention Contiguous GroupedMatMul Layer Convolution2DTransposeBias Delegate
            Hashtable HashtableFind HashtableImport HashtableSize VarHandle ReadVariable
            AssignVariable Bitcast
            AllReduce AllGather AllToAll ReduceScatter Receive Send;
    }
}

/// The outputs of a TFLite operator.
pub(super) fn outputs(call: &Call<'_>) -> Outputs {
    let found = match sizes(call.op.operator) {
        Sizes::Dims(dims) => dims(call).map(|dims| {
            let mut made = InferredOutput::new(None, dims);
            made.value = elements::value(call, &made.dims);
            vec![made]
        }),
        Sizes::Outputs(outputs) => outputs(call),
        Sizes::Unknown => Err(unknown(call)),
    };
    found.or_else(|missing| match missing.reason {
        UnsizedReason::UnknownOperator | UnsizedReason::ControlFlow => {
            examples(call).ok_or(missing)
        }
        _ => Err(missing),
    })
}

/// The shape of the input at `index`.
fn like(call: &Call<'_>, index: usize) -> Dims {
    dims(call, index).map(<[u64]>::to_vec)
}

/// As many outputs as the operator has, all of these dimensions.
fn alike(call: &Call<'_>, dims: Vec<u64>) -> Outputs {
    Ok(vec![InferredOutput::new(None, dims); call.op.outputs.len()])
}

fn data_dependent(call: &Call<'_>) -> Dims {
    let detail = message!("{} counts elements by their values", call.op.kind);
    Err(Unsized::new(UnsizedReason::DataDependent, detail))
}

fn broadcast_inputs(call: &Call<'_>) -> Dims {
    let mut result = Vec::new();
    for index in 0..call.inputs.len() {
        result = broadcast(call, &result, dims(call, index)?)?;
    }
    Ok(result)
}

/// The common shape of two, aligned at their last dimensions; a 1 gives way.
fn broadcast(call: &Call<'_>, one: &[u64], other: &[u64]) -> Dims {
    let common = super::call::broadcast(one, other);
    common.ok_or_else(|| {
        invalid(
            call,
            message!(
                "{} and {} do not broadcast",
                format_args!("{one:?}"),
                format_args!("{other:?}")
            ),
        )
    })
}

/// The file's own dimensions for what this operator writes, if they hold: while every symbol
/// has its default.
fn examples(call: &Call<'_>) -> Option<Vec<InferredOutput>> {
    let graph = call.graph;
    for &input in &graph.inputs {
        let tensor = graph.tensor(input);
        let (declared, dims) = (tensor.declared.as_ref()?, tensor.dims.as_ref()?);
        for (dim, &bound) in declared.iter().zip(dims) {
            if let Dim::Symbol(id) = dim
                && graph.symbols.get(id.0 as usize)?.default != bound
            {
                return None;
            }
        }
    }
    let example = |output: &Option<_>| match output {
        Some(id) => graph.tensor(*id).dims.clone(),
        None => Some(Vec::new()),
    };
    let outputs = call.op.outputs.iter().map(example);
    outputs
        .map(|dims| Some(InferredOutput::new(None, dims?)))
        .collect()
}

/// The input at `index`, which must be there.
fn input<'a>(call: &Call<'a>, index: usize) -> Result<KnownInput<'a>, Unsized> {
    let input = call.inputs.get(index).copied().flatten();
    input.ok_or_else(|| invalid(call, message!("input {} is missing", index)))
}

/// The dimensions of the input at `index`.
fn dims<'a>(call: &Call<'a>, index: usize) -> Result<&'a [u64], Unsized> {
    input(call, index).map(|input| input.dims)
}

/// The elements of the input at `index`, which must be known.
fn ints<'a>(call: &Call<'a>, index: usize) -> Result<&'a [i64], Unsized> {
    let known = input(call, index)?.value.and_then(|value| value.as_ints());
    known.ok_or_else(|| {
        let operand = call.op.inputs.get(index).copied().flatten();
        let name = operand.map_or("", |id| call.graph.tensor(id).name.as_str());
        let detail = message!("{} needs the elements of \"{}\"", call.op.name, name);
        Unsized::new(UnsizedReason::DataDependent, detail)
    })
}

/// The only element of the input at `index`.
fn int(call: &Call<'_>, index: usize) -> Result<i64, Unsized> {
    let elements = ints(call, index)?;
    let first = elements.first().copied();
    first.ok_or_else(|| invalid(call, message!("input {} is empty", index)))
}

/// An integer attribute; 0 when the file gives none.
fn attribute(call: &Call<'_>, name: &str) -> i64 {
    call.op.int(name).unwrap_or(0)
}

/// An axis of a shape of `rank` dimensions.
fn axis(call: &Call<'_>, axis: i64, rank: usize) -> Result<usize, Unsized> {
    let wide = i64::try_from(rank).unwrap_or(i64::MAX);
    let found = if axis < 0 {
        axis.saturating_add(wide)
    } else {
        axis
    };
    let found = usize::try_from(found).ok().filter(|&found| found < rank);
    found.ok_or_else(|| invalid(call, message!("axis {} of rank {}", axis, rank)))
}

/// A dimension, which must not be negative.
fn dim(call: &Call<'_>, size: i64) -> Result<u64, Unsized> {
    let dim = u64::try_from(size).ok();
    dim.ok_or_else(|| invalid(call, message!("{} is no dimension", size)))
}

/// Dimensions, none of which must be negative.
fn all_dims(call: &Call<'_>, sizes: &[i64]) -> Dims {
    sizes.iter().map(|&size| dim(call, size)).collect()
}

/// The number of elements of a shape.
fn count(call: &Call<'_>, dims: &[u64]) -> Result<u64, Unsized> {
    let count = dims.iter().try_fold(1_u64, |n, &dim| n.checked_mul(dim));
    count.ok_or_else(|| too_large(call))
}

/// The value of checked arithmetic on dimensions.
fn fit<T>(call: &Call<'_>, value: Option<T>) -> Result<T, Unsized> {
    value.ok_or_else(|| too_large(call))
}

fn too_large(call: &Call<'_>) -> Unsized {
    Unsized::new(UnsizedReason::TooLarge, Message::verbatim(&*call.op.name))
}

fn invalid(call: &Call<'_>, what: Message) -> Unsized {
    let detail = message!("{}: {}", call.op.name, what);
    Unsized::new(UnsizedReason::InvalidOperator, detail)
}

fn unknown(call: &Call<'_>) -> Unsized {
    Unsized::new(
        UnsizedReason::UnknownOperator,
        Message::verbatim(&*call.op.kind),
    )
}
