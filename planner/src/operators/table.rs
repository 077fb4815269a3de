//! The table itself: a row for each operator, with its names and what is known of it.
//!
//! Names of both dialects share a row where the operands stand at the same places and all that is
//! known is the same. Where a name means another operator elsewhere, the row says whose it is.

use serde::{Deserialize, Serialize};

use super::Namespace::{Arenascope, Custom, Microsoft, Ml, Onnx, Preview, Tflite, Training};
use super::facts::{
    Beside, Cost, Effect, Facts, Indexes, Part, Saves, View, attends, compares, each, moves,
    normalises, other, product, reduces, rows, scales, tells, updates, view, window,
};
use super::{Name, Namespace};

/// Integers in the second input for an axis of the first that an attribute names.
const BY_AXIS: Indexes = Indexes {
    position: 1,
    table: 0,
    by_axis: true,
};
/// The same for the first dimension.
const BY_FIRST: Indexes = Indexes {
    by_axis: false,
    ..BY_AXIS
};
/// Integers in the first input for the rows of the second.
const OF_SECOND: Indexes = Indexes {
    position: 0,
    table: 1,
    by_axis: false,
};

macro_rules! operators {
    ($($name:ident($($namespace:ident $text:literal),+) = $facts:expr;)*) => {
        /// What an operator is, whatever it is called where it comes from.
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize,
            Deserialize,
        )]
        #[serde(into = "u16", try_from = "u16")]
        pub enum Operator {
            /// The table has no row for it.
            #[default]
            Unknown,
            $(#[doc = concat!($("`", $text, "` ",)+)] $name,)*
        }

        /// The facts of each row, in the order of [`Operator::ALL`].
        static FACTS: &[Facts] = &[$($facts),*];

        // As one text names take fewer bytes than as a list of texts: the first load has them.
        /// All names one after the other, row by row.
        const NAMES: &str = concat!($($($text),+),*);
        /// The length in bytes of each name.
        static LENGTHS: &[u8] = &[$($(short($text.len())),+),*];
        /// Where each name is from.
        static NAMESPACES: &[Namespace] = &[$($($namespace),+),*];
        /// How many names each row has.
        static COUNTS: &[u8] = &[$(short([$($text),+].len())),*];

        impl Operator {
            /// All that the table has.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The one with this number; `None` where the table has fewer.
            pub(super) fn from_number(number: u16) -> Option<Self> {
                let Some(row) = number.checked_sub(1) else {
                    return Some(Self::Unknown);
                };
                Self::ALL.get(usize::from(row)).copied()
            }
        }
    };
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a larger one does not compile"
)]
const fn short(number: usize) -> u8 {
    // Names are short, and few for a row: others end the build.
    assert!(number < 256);
    number as u8
}

/// What is known of an operator that the table does not have.
static UNKNOWN: Facts = other().effect(Effect::SideEffects);

impl Operator {
    /// What is known of it.
    #[must_use]
    pub fn facts(self) -> &'static Facts {
        let row = (self as usize).checked_sub(1);
        row.and_then(|row| FACTS.get(row)).unwrap_or(&UNKNOWN)
    }

    /// Every name of the table, row by row.
    pub fn names() -> impl Iterator<Item = (Self, Name)> {
        let rows = (1..).map_while(Self::from_number).zip(COUNTS);
        let rows = rows.flat_map(|(row, count)| (0..*count).map(move |_| row));
        let mut rest = NAMES;
        let mut texts = LENGTHS.iter().map(move |length| {
            let (text, after) = rest.split_at(usize::from(*length));
            rest = after;
            text
        });
        rows.zip(NAMESPACES)
            .map_while(move |(row, namespace)| Some((row, (*namespace, texts.next()?))))
    }
}

operators! {
    // Each element of the result is a function of the one at its place.
    Abs(Onnx "Abs", Tflite "ABS") = each(1).ggml(1).saves(Saves::Input);
    Acos(Onnx "Acos") = each(1);
    Acosh(Onnx "Acosh") = each(1);
    Asin(Onnx "Asin") = each(1);
    Asinh(Onnx "Asinh") = each(1);
    Atan(Onnx "Atan") = each(1);
    Atanh(Onnx "Atanh") = each(1);
    BatchNormalization(Onnx "BatchNormalization") = each(1).alone().contiguous().in_place(0)
        .saves(Saves::Beside(Beside::ChannelStatistics)).one_activation().trains(&[1, 2])
        .costs(Cost::Normalisation);
    BitwiseNot(Onnx "BitwiseNot") = each(1);
    Cast(Onnx "Cast", Tflite "CAST") = each(1).contiguous().in_place(0).saves(Saves::Nothing)
        .costs(Cost::Free).keeps().passes_on();
    Ceil(Onnx "Ceil", Tflite "CEIL") = each(1).ggml(1);
    Celu(Onnx "Celu") = each(1).saves(Saves::Input);
    Clip(Onnx "Clip") = each(1).ggml(1).saves(Saves::Input).no_weights().rectifies();
    Cos(Onnx "Cos", Tflite "COS") = each(1).saves(Saves::Input);
    Cosh(Onnx "Cosh") = each(1);
    Elu(Onnx "Elu", Tflite "ELU") = each(1).ggml(1).saves(Saves::Input).overwrites().rectifies();
    Erf(Onnx "Erf") = each(1).saves(Saves::Input);
    Exp(Onnx "Exp", Tflite "EXP") = each(1).ggml(1).saves(Saves::Output);
    Floor(Onnx "Floor", Tflite "FLOOR") = each(1).ggml(1);
    Gelu(Onnx "Gelu", Microsoft "Gelu", Tflite "GELU") = each(1).ggml(1).saves(Saves::Input).rectifies();
    HardSigmoid(Onnx "HardSigmoid") = each(1).ggml(1).saves(Saves::Input);
    HardSwish(Onnx "HardSwish", Tflite "HARD_SWISH") = each(1).ggml(1).saves(Saves::Input).rectifies();
    LeakyRelu(Onnx "LeakyRelu", Tflite "LEAKY_RELU") = each(1).saves(Saves::Input).overwrites().rectifies();
    Log(Onnx "Log", Tflite "LOG") = each(1).ggml(1).saves(Saves::Input);
    Mish(Onnx "Mish") = each(1).saves(Saves::Input).rectifies();
    Neg(Onnx "Neg", Tflite "NEG") = each(1).ggml(1).saves(Saves::Nothing);
    Not(Onnx "Not", Tflite "LOGICAL_NOT") = each(1).saves(Saves::Nothing);
    Reciprocal(Onnx "Reciprocal") = each(1).saves(Saves::Output);
    Relu(Onnx "Relu", Tflite "RELU") = each(1).ggml(1).saves(Saves::Output).overwrites().rectifies();
    Round(Onnx "Round", Tflite "ROUND") = each(1).ggml(1);
    Selu(Onnx "Selu") = each(1).saves(Saves::Input).rectifies();
    Shrink(Onnx "Shrink") = each(1);
    Sigmoid(Onnx "Sigmoid", Tflite "LOGISTIC") = each(1).ggml(1).saves(Saves::Output);
    Sign(Onnx "Sign", Tflite "SIGN") = each(1).ggml(1);
    Sin(Onnx "Sin", Tflite "SIN") = each(1).saves(Saves::Input);
    Sinh(Onnx "Sinh") = each(1);
    Softplus(Onnx "Softplus") = each(1).ggml(1).saves(Saves::Input);
    Softsign(Onnx "Softsign") = each(1);
    Sqrt(Onnx "Sqrt", Tflite "SQRT") = each(1).ggml(1).saves(Saves::Output);
    Swish(Onnx "Swish") = each(1).ggml(1).saves(Saves::Input).rectifies();
    Tan(Onnx "Tan") = each(1);
    Tanh(Onnx "Tanh", Tflite "TANH") = each(1).ggml(1).saves(Saves::Output);
    ThresholdedRelu(Onnx "ThresholdedRelu") = each(1);
    BiasGelu(Microsoft "BiasGelu") = each(1);
    FastGelu(Microsoft "FastGelu") = each(1).ggml(1).saves(Saves::Input);
    QLinearAdd(Microsoft "QLinearAdd") = each(1).part(Part::Quantised);
    QLinearLeakyRelu(Microsoft "QLinearLeakyRelu") = each(1).part(Part::Quantised);
    QLinearMul(Microsoft "QLinearMul") = each(1).part(Part::Quantised);
    QLinearSigmoid(Microsoft "QLinearSigmoid") = each(1).part(Part::Quantised);
    QuickGelu(Microsoft "QuickGelu") = each(1).ggml(1).saves(Saves::Input);
    QLinearClip(Arenascope "QLinearClip") = each(1).part(Part::Quantised);
    QLinearElu(Arenascope "QLinearElu") = each(1).part(Part::Quantised);
    QLinearErf(Arenascope "QLinearErf") = each(1).part(Part::Quantised);
    QLinearExp(Arenascope "QLinearExp") = each(1).part(Part::Quantised);
    QLinearGelu(Arenascope "QLinearGelu") = each(1).part(Part::Quantised);
    QLinearHardSigmoid(Arenascope "QLinearHardSigmoid") = each(1).part(Part::Quantised);
    QLinearHardSwish(Arenascope "QLinearHardSwish") = each(1).part(Part::Quantised);
    QLinearMish(Arenascope "QLinearMish") = each(1).part(Part::Quantised);
    QLinearSoftplus(Arenascope "QLinearSoftplus") = each(1).part(Part::Quantised);
    QLinearSqrt(Arenascope "QLinearSqrt") = each(1).part(Part::Quantised);
    QLinearSwish(Arenascope "QLinearSwish") = each(1).part(Part::Quantised);
    QLinearTanh(Arenascope "QLinearTanh") = each(1).part(Part::Quantised);
    ReluN1To1(Tflite "RELU_N1_TO_1") = each(1).rectifies();
    Relu6(Tflite "RELU6") = each(1).saves(Saves::Input).rectifies();
    Rsqrt(Tflite "RSQRT") = each(1).saves(Saves::Output);
    Square(Tflite "SQUARE") = each(1).saves(Saves::Input);
    Relu0To1(Tflite "RELU_0_TO_1") = each(1);
    // Each element of the result is a function of the two at its place.
    Add(Onnx "Add", Tflite "ADD") = each(2).ggml(2).litert(2).runtime(2).saves(Saves::Nothing)
        .trains(&[0, 1]);
    And(Onnx "And", Tflite "LOGICAL_AND") = each(2);
    BitShift(Onnx "BitShift") = each(2);
    BitwiseAnd(Onnx "BitwiseAnd") = each(2);
    BitwiseOr(Onnx "BitwiseOr") = each(2);
    BitwiseXor(Onnx "BitwiseXor") = each(2);
    Div(Onnx "Div", Tflite "DIV") = each(2).ggml(2).litert(2).runtime(2).saves(Saves::Quotient);
    Equal(Onnx "Equal", Tflite "EQUAL") = compares();
    Greater(Onnx "Greater", Tflite "GREATER") = compares();
    GreaterOrEqual(Onnx "GreaterOrEqual", Tflite "GREATER_EQUAL") = compares();
    Less(Onnx "Less", Tflite "LESS") = compares();
    LessOrEqual(Onnx "LessOrEqual", Tflite "LESS_EQUAL") = compares();
    Max(Onnx "Max", Tflite "MAXIMUM") = each(2);
    Mean(Onnx "Mean") = each(2).saves(Saves::Nothing);
    Min(Onnx "Min", Tflite "MINIMUM") = each(2);
    Mod(Onnx "Mod") = each(2);
    Mul(Onnx "Mul", Tflite "MUL") = each(2).ggml(2).litert(2).runtime(2).saves(Saves::Others)
        .trains(&[0, 1]);
    Or(Onnx "Or", Tflite "LOGICAL_OR") = each(2);
    PRelu(Onnx "PRelu", Tflite "PRELU") = each(2).in_place(1).saves(Saves::Input).trains(&[1])
        .rectifies();
    Pow(Onnx "Pow", Tflite "POW") = each(2).saves(Saves::Input);
    Sub(Onnx "Sub", Tflite "SUB") = each(2).ggml(2).litert(2).runtime(2).saves(Saves::Nothing);
    Sum(Onnx "Sum") = each(2).saves(Saves::Nothing);
    Xor(Onnx "Xor") = each(2);
    NotEqual(Tflite "NOT_EQUAL") = each(2);
    FloorDiv(Tflite "FLOOR_DIV") = each(2);
    FloorMod(Tflite "FLOOR_MOD") = each(2);
    SquaredDifference(Tflite "SQUARED_DIFFERENCE") = each(2);
    // The same of three.
    Where(Onnx "Where", Tflite "SELECT_V2") = each(3).contiguous().saves(Saves::Choice);
    // Each element of the result is a function of its row.
    GroupNormalization(Onnx "GroupNormalization") = normalises(Beside::Statistics).trains(&[1, 2]);
    InstanceNormalization(Onnx "InstanceNormalization") = normalises(Beside::Statistics).trains(&[1, 2]);
    LayerNormalization(Onnx "LayerNormalization", Microsoft "LayerNormalization") =
        normalises(Beside::Statistics).trains(&[1, 2]);
    LogSoftmax(Onnx "LogSoftmax", Tflite "LOG_SOFTMAX") = rows().runtime(1).saves(Saves::Output)
        .costs(Cost::Normalisation);
    LpNormalization(Onnx "LpNormalization") = rows().costs(Cost::Normalisation);
    RMSNormalization(Onnx "RMSNormalization") = normalises(Beside::Deviation).ggml(1).trains(&[1]);
    Softmax(Onnx "Softmax", Tflite "SOFTMAX") = rows().ggml(1).litert(1).runtime(1).saves(Saves::Output)
        .costs(Cost::Normalisation);
    L2Normalization(Tflite "L2_NORMALIZATION") = rows().costs(Cost::Normalisation);
    // Each element of the result is a function of a row, of which it is the only one.
    ReduceL1(Onnx "ReduceL1") = reduces().given(&[1]);
    ReduceL2(Onnx "ReduceL2") = reduces().saves(Saves::Extreme).given(&[1]);
    ReduceLogSum(Onnx "ReduceLogSum") = reduces().given(&[1]);
    ReduceLogSumExp(Onnx "ReduceLogSumExp") = reduces().given(&[1]);
    ReduceMax(Onnx "ReduceMax", Tflite "REDUCE_MAX") = reduces().saves(Saves::Extreme).given(&[1]);
    ReduceMean(Onnx "ReduceMean", Tflite "MEAN") = reduces().saves(Saves::Nothing)
        .costs(Cost::Free).given(&[1]);
    ReduceMin(Onnx "ReduceMin", Tflite "REDUCE_MIN") = reduces().saves(Saves::Extreme).given(&[1]);
    ReduceProd(Onnx "ReduceProd", Tflite "REDUCE_PROD") = reduces().given(&[1]);
    ReduceSum(Onnx "ReduceSum", Tflite "SUM") = reduces().saves(Saves::Nothing).given(&[1]);
    ReduceSumSquare(Onnx "ReduceSumSquare") = reduces().given(&[1]);
    // Products of matrices.
    Gemm(Onnx "Gemm") = product().saves(Saves::Product { bias: 2 }).trains(&[1, 2])
        .costs(Cost::Product);
    MatMul(Onnx "MatMul", Tflite "BATCH_MATMUL") = product().saves(Saves::Others).trains(&[0, 1])
        .costs(Cost::Product);
    FullyConnected(Tflite "FULLY_CONNECTED") = product().contiguous()
        .saves(Saves::Product { bias: 2 }).trains(&[1, 2]).costs(Cost::Product);
    // Convolutions and pools.
    AveragePool(Onnx "AveragePool", Tflite "AVERAGE_POOL_2D") = window().saves(Saves::Input)
        .costs(Cost::Free);
    Conv(Onnx "Conv", Tflite "CONV_2D") = window().saves(Saves::Product { bias: 2 })
        .trains(&[1, 2]).costs(Cost::Convolution);
    ConvTranspose(Onnx "ConvTranspose") = window().saves(Saves::Product { bias: 2 })
        .trains(&[1, 2]).costs(Cost::TransposedConvolution);
    GlobalAveragePool(Onnx "GlobalAveragePool") = window().saves(Saves::Nothing).costs(Cost::Free);
    MaxPool(Onnx "MaxPool", Tflite "MAX_POOL_2D") = window().saves(Saves::Beside(Beside::Indices))
        .costs(Cost::Free);
    DepthwiseConv2d(Tflite "DEPTHWISE_CONV_2D") = window().saves(Saves::Product { bias: 2 })
        .trains(&[1, 2]).costs(Cost::DepthwiseConvolution);
    TransposeConv(Tflite "TRANSPOSE_CONV") = window().saves(Saves::Product { bias: 3 })
        .trains(&[1, 3]).costs(Cost::TransposeConv);
    // The elements of an input in their order.
    Flatten(Onnx "Flatten") = view(View::Same).costs(Cost::Free).keeps().passes_on();
    Identity(Onnx "Identity") = view(View::Same).costs(Cost::Free).keeps().passes_on();
    Reshape(Onnx "Reshape", Tflite "RESHAPE") = view(View::Same).costs(Cost::Free).given(&[1])
        .keeps().passes_on();
    Squeeze(Onnx "Squeeze", Tflite "SQUEEZE") = view(View::Same).costs(Cost::Free).given(&[1])
        .keeps().passes_on();
    Unsqueeze(Onnx "Unsqueeze", Tflite "EXPAND_DIMS") = view(View::Same).no_weights()
        .costs(Cost::Free).given(&[1]).keeps().passes_on();
    // Elements of an input, walked in another way.
    Expand(Onnx "Expand", Tflite "BROADCAST_TO") = view(View::Strided).no_weights()
        .costs(Cost::Free).given(&[1]).keeps().passes_on();
    Slice(Onnx "Slice", Tflite "SLICE") = view(View::Strided).costs(Cost::Free)
        .given(&[1, 2, 3, 4]).passes_on();
    Split(Onnx "Split", Tflite "SPLIT_V") = view(View::Strided).costs(Cost::Free).given(&[1]);
    Transpose(Onnx "Transpose", Tflite "TRANSPOSE") = view(View::Strided).costs(Cost::Free).keeps()
        .passes_on();
    StridedSlice(Tflite "STRIDED_SLICE") = view(View::Strided).costs(Cost::Free);
    TfliteSplit(Tflite "SPLIT") = view(View::Strided).from(1).costs(Cost::Free);
    Unpack(Tflite "UNPACK") = view(View::Strided).costs(Cost::Free);
    // Elements of inputs, put elsewhere.
    Concat(Onnx "Concat", Tflite "CONCATENATION") = moves().saves(Saves::Nothing).costs(Cost::Free)
        .passes_on();
    DepthToSpace(Onnx "DepthToSpace", Tflite "DEPTH_TO_SPACE") = moves().contiguous()
        .saves(Saves::Nothing).costs(Cost::Free);
    Pad(Onnx "Pad", Tflite "PADV2", Tflite "PAD") = moves().saves(Saves::Nothing).no_weights()
        .costs(Cost::Free).given(&[1, 3]);
    SpaceToDepth(Onnx "SpaceToDepth", Tflite "SPACE_TO_DEPTH") = moves().contiguous()
        .saves(Saves::Nothing).costs(Cost::Free);
    Tile(Onnx "Tile", Tflite "TILE") = moves().saves(Saves::Nothing).no_weights().costs(Cost::Free)
        .given(&[1]);
    Pack(Tflite "PACK") = moves().contiguous().saves(Saves::Nothing).costs(Cost::Free);
    MirrorPad(Tflite "MIRROR_PAD") = moves().saves(Saves::Nothing).costs(Cost::Free);
    // The first input with some elements replaced.
    ScatterElements(Onnx "ScatterElements") = updates().indexes(BY_AXIS);
    ScatterND(Onnx "ScatterND") = updates().indexes(BY_FIRST);
    DynamicUpdateSlice(Tflite "DYNAMIC_UPDATE_SLICE") = updates().litert(1);
    // All others.
    AffineGrid(Onnx "AffineGrid") = other().given(&[1]).part(Part::Special);
    ArgMax(Onnx "ArgMax", Tflite "ARG_MAX") = other().costs(Cost::Free);
    ArgMin(Onnx "ArgMin", Tflite "ARG_MIN") = other();
    Attention(Onnx "Attention") = attends().costs(Cost::Attention).part(Part::Transformers);
    Bernoulli(Onnx "Bernoulli") = other().effect(Effect::Random);
    BitCast(Onnx "BitCast") = other();
    BlackmanWindow(Onnx "BlackmanWindow") = other().given(&[0]);
    CastLike(Onnx "CastLike") = other().saves(Saves::Nothing);
    CausalConvWithState(Onnx "CausalConvWithState") = other().part(Part::Recurrent);
    CenterCropPad(Onnx "CenterCropPad") = other().given(&[1]);
    Col2Im(Onnx "Col2Im") = other().given(&[1, 2]).part(Part::Special);
    Compress(Onnx "Compress") = other();
    Constant(Onnx "Constant") = other();
    ConstantOfShape(Onnx "ConstantOfShape") = other().given(&[0]);
    ConvInteger(Onnx "ConvInteger") = other().part(Part::Quantised);
    CumProd(Onnx "CumProd") = other().given(&[1]);
    CumSum(Onnx "CumSum", Tflite "CUMSUM") = other().given(&[1]);
    Dft(Onnx "DFT") = other().given(&[1, 2]).part(Part::Special);
    DeformConv(Onnx "DeformConv") = other().part(Part::Special);
    DequantizeLinear(Onnx "DequantizeLinear", Microsoft "DequantizeLinear") = other().no_weights()
        .part(Part::Quantised);
    Det(Onnx "Det") = other();
    Dropout(Onnx "Dropout") = other().saves(Saves::Only(Beside::Mask)).costs(Cost::Free)
        .effect(Effect::WhenTraining).given(&[1, 2]);
    DynamicQuantizeLinear(Onnx "DynamicQuantizeLinear") = other().quantises().part(Part::Quantised);
    Einsum(Onnx "Einsum") = other().saves(Saves::Others).trains(&[0, 1]).costs(Cost::Einsum);
    EyeLike(Onnx "EyeLike") = other();
    Gru(Onnx "GRU") = other().saves(Saves::Recurrent { output: false }).trains(&[1, 2, 3])
        .one_activation().costs(Cost::Recurrent).part(Part::Recurrent);
    Gather(Onnx "Gather", Tflite "GATHER") = other().saves(Saves::Place).trains(&[0])
        .costs(Cost::Free).indexes(BY_AXIS);
    GatherElements(Onnx "GatherElements") = other().indexes(BY_AXIS);
    GatherND(Onnx "GatherND", Tflite "GATHER_ND") = other().indexes(BY_FIRST);
    GlobalLpPool(Onnx "GlobalLpPool") = other();
    GlobalMaxPool(Onnx "GlobalMaxPool") = other().saves(Saves::Beside(Beside::Indices))
        .costs(Cost::Free);
    GridSample(Onnx "GridSample") = other().part(Part::Special);
    HammingWindow(Onnx "HammingWindow") = other().given(&[0]);
    HannWindow(Onnx "HannWindow") = other().given(&[0]);
    Hardmax(Onnx "Hardmax") = other();
    If(Onnx "If", Tflite "IF") = other().effect(Effect::SideEffects);
    IsInf(Onnx "IsInf") = other();
    IsNaN(Onnx "IsNaN") = other();
    Lrn(Onnx "LRN", Tflite "LOCAL_RESPONSE_NORMALIZATION") = other();
    Lstm(Onnx "LSTM") = other().saves(Saves::Recurrent { output: true }).trains(&[1, 2, 3])
        .costs(Cost::Recurrent).part(Part::Recurrent);
    LinearAttention(Onnx "LinearAttention") = other().part(Part::Recurrent);
    Loop(Onnx "Loop") = other().effect(Effect::SideEffects).given(&[0, 1]);
    LpPool(Onnx "LpPool") = other();
    MatMulInteger(Onnx "MatMulInteger") = other().part(Part::Quantised);
    MaxRoiPool(Onnx "MaxRoiPool") = other();
    MaxUnpool(Onnx "MaxUnpool") = other().given(&[2]).part(Part::Special);
    MeanVarianceNormalization(Onnx "MeanVarianceNormalization") = other();
    MelWeightMatrix(Onnx "MelWeightMatrix") = other().given(&[0, 1, 2, 3, 4]);
    Multinomial(Onnx "Multinomial", Tflite "MULTINOMIAL") = other().effect(Effect::Random);
    NegativeLogLikelihoodLoss(Onnx "NegativeLogLikelihoodLoss") = other().part(Part::Special);
    NonMaxSuppression(Onnx "NonMaxSuppression") = other().given(&[2, 3, 4]);
    NonZero(Onnx "NonZero") = other();
    OneHot(Onnx "OneHot") = other().given(&[1]);
    OptionalGetElement(Onnx "OptionalGetElement") = other();
    OptionalHasElement(Onnx "OptionalHasElement") = other();
    QLinearConv(Onnx "QLinearConv") = other().given(&[1, 2, 4, 5, 6, 7]).part(Part::Quantised);
    QLinearMatMul(Onnx "QLinearMatMul") = other().given(&[1, 2, 4, 5, 6, 7]).part(Part::Quantised);
    QuantizeLinear(Onnx "QuantizeLinear", Microsoft "QuantizeLinear") = other().no_weights()
        .quantises().part(Part::Quantised);
    Rnn(Onnx "RNN") = other().saves(Saves::Recurrent { output: false }).trains(&[1, 2, 3])
        .one_activation().costs(Cost::Recurrent).part(Part::Recurrent);
    RandomNormal(Onnx "RandomNormal") = other().effect(Effect::Random);
    RandomNormalLike(Onnx "RandomNormalLike") = other().effect(Effect::Random);
    RandomUniform(Onnx "RandomUniform") = other().effect(Effect::Random);
    RandomUniformLike(Onnx "RandomUniformLike") = other().effect(Effect::Random);
    Range(Onnx "Range", Tflite "RANGE") = other().given(&[0, 1, 2]);
    Resize(Onnx "Resize") = other().saves(Saves::Nothing).no_weights().given(&[1, 2, 3]);
    ReverseSequence(Onnx "ReverseSequence", Tflite "REVERSE_SEQUENCE") = other();
    RoiAlign(Onnx "RoiAlign") = other().part(Part::Special);
    RotaryEmbedding(Onnx "RotaryEmbedding") = scales().ggml(1).part(Part::Transformers);
    Stft(Onnx "STFT") = other().given(&[1, 3]).part(Part::Special);
    Scan(Onnx "Scan") = other().effect(Effect::SideEffects);
    Scatter(Onnx "Scatter") = other();
    Shape(Onnx "Shape", Tflite "SHAPE") = other().saves(Saves::Nothing).costs(Cost::Free);
    Size(Onnx "Size") = other();
    SoftmaxCrossEntropyLoss(Onnx "SoftmaxCrossEntropyLoss") = other().part(Part::Special);
    SwiGLU(Onnx "SwiGLU") = other().part(Part::Recurrent);
    TensorScatter(Onnx "TensorScatter") = other().part(Part::Transformers);
    TfIdfVectorizer(Onnx "TfIdfVectorizer") = other().part(Part::Special);
    TopK(Onnx "TopK", Tflite "TOPK_V2") = other().saves(Saves::Only(Beside::Indices)).given(&[1]);
    Trilu(Onnx "Trilu", Microsoft "Trilu") = other().given(&[1]);
    Unique(Onnx "Unique") = other();
    Upsample(Onnx "Upsample") = other().saves(Saves::Nothing).no_weights().given(&[1]);
    ScaledDotProductAttention(Onnx "ScaledDotProductAttention") = other().saves(Saves::Attention)
        .costs(Cost::ScaledDotProductAttention);
    MicrosoftAttention(Microsoft "Attention") = other().costs(Cost::PackedAttention)
        .part(Part::Transformers);
    BiasAdd(Microsoft "BiasAdd") = other().part(Part::Special);
    BiasSoftmax(Microsoft "BiasSoftmax") = other().part(Part::Special);
    BiasSplitGelu(Microsoft "BiasSplitGelu") = other();
    DynamicQuantizeLSTM(Microsoft "DynamicQuantizeLSTM") = other().part(Part::Recurrent);
    DynamicQuantizeMatMul(Microsoft "DynamicQuantizeMatMul") = other();
    EmbedLayerNormalization(Microsoft "EmbedLayerNormalization") = other().part(Part::Transformers);
    FusedConv(Microsoft "FusedConv") = other().part(Part::Special);
    FusedGemm(Microsoft "FusedGemm") = other();
    FusedMatMul(Microsoft "FusedMatMul") = other().saves(Saves::Others).trains(&[0, 1]);
    GroupNorm(Microsoft "GroupNorm") = other().part(Part::Special);
    GroupQueryAttention(Microsoft "GroupQueryAttention") = other().given(&[6])
        .part(Part::Transformers);
    Inverse(Microsoft "Inverse") = other().part(Part::Special);
    MatMulIntegerToFloat(Microsoft "MatMulIntegerToFloat") = other().part(Part::Quantised);
    MatMulNBits(Microsoft "MatMulNBits") = other().part(Part::Transformers);
    MultiHeadAttention(Microsoft "MultiHeadAttention") = other().costs(Cost::Attention)
        .part(Part::Transformers);
    NhwcConv(Microsoft "NhwcConv") = other().part(Part::Special);
    QGemm(Microsoft "QGemm") = other().part(Part::Quantised);
    QLinearAveragePool(Microsoft "QLinearAveragePool") = other().part(Part::Quantised);
    QLinearConcat(Microsoft "QLinearConcat") = other().part(Part::Quantised);
    QLinearGlobalAveragePool(Microsoft "QLinearGlobalAveragePool") = other().part(Part::Quantised);
    QLinearSoftmax(Microsoft "QLinearSoftmax") = other().part(Part::Quantised);
    MicrosoftRotaryEmbedding(Microsoft "RotaryEmbedding") = scales().ggml(1).part(Part::Transformers);
    SimplifiedLayerNormalization(Onnx "SimplifiedLayerNormalization", Microsoft "SimplifiedLayerNormalization") =
        other().costs(Cost::Normalisation);
    SkipLayerNormalization(Microsoft "SkipLayerNormalization") = other().part(Part::Transformers);
    SkipSimplifiedLayerNormalization(Microsoft "SkipSimplifiedLayerNormalization") = other()
        .part(Part::Transformers);
    TransposeMatMul(Microsoft "TransposeMatMul") = other();
    ArrayFeatureExtractor(Ml "ArrayFeatureExtractor") = other().part(Part::Special);
    Binarizer(Ml "Binarizer") = other().part(Part::Special);
    Adagrad(Training "Adagrad") = other().part(Part::Special);
    Adam(Training "Adam") = other().part(Part::Special);
    Momentum(Training "Momentum") = other().part(Part::Special);
    FlexAttention(Preview "FlexAttention") = other().part(Part::Transformers);
    Contiguous(Arenascope "Contiguous") = other();
    GroupedMatMul(Arenascope "GroupedMatMul") = product().saves(Saves::Others).trains(&[1])
        .costs(Cost::Product).part(Part::Transformers);
    AllGather(Microsoft "AllGather", Arenascope "AllGather") = tells();
    AllReduce(Microsoft "AllReduce", Arenascope "AllReduce") = tells();
    AllToAll(Microsoft "AllToAll", Arenascope "AllToAll") = tells();
    ReduceScatter(Arenascope "ReduceScatter") = tells();
    Receive(Arenascope "Receive") = tells();
    Send(Arenascope "Send") = tells();
    Layer(Arenascope "Layer") = other().costs(Cost::Layer).effect(Effect::SideEffects);
    Convolution2DTransposeBias(Custom "Convolution2DTransposeBias") = other();
    Dequantize(Tflite "DEQUANTIZE") = other().no_weights().keeps();
    EmbeddingLookup(Tflite "EMBEDDING_LOOKUP") = other().indexes(OF_SECOND);
    L2Pool2d(Tflite "L2_POOL_2D") = other();
    TfliteLstm(Tflite "LSTM") = other().part(Part::Recurrent);
    ResizeBilinear(Tflite "RESIZE_BILINEAR") = other().saves(Saves::Nothing);
    TfliteRnn(Tflite "RNN") = other().part(Part::Recurrent);
    Svdf(Tflite "SVDF") = other().part(Part::Recurrent);
    Call(Tflite "CALL") = other().effect(Effect::SideEffects);
    UnidirectionalSequenceRnn(Tflite "UNIDIRECTIONAL_SEQUENCE_RNN") = other().part(Part::Recurrent);
    BatchToSpaceNd(Tflite "BATCH_TO_SPACE_ND") = other();
    SpaceToBatchNd(Tflite "SPACE_TO_BATCH_ND") = other();
    UnidirectionalSequenceLstm(Tflite "UNIDIRECTIONAL_SEQUENCE_LSTM") = other()
        .part(Part::Recurrent);
    Delegate(Tflite "DELEGATE") = other().effect(Effect::SideEffects);
    Select(Tflite "SELECT") = other().saves(Saves::Choice);
    SparseToDense(Tflite "SPARSE_TO_DENSE") = other();
    FakeQuant(Tflite "FAKE_QUANT") = other();
    TfliteOneHot(Tflite "ONE_HOT") = other();
    ReduceAny(Tflite "REDUCE_ANY") = other();
    ZerosLike(Tflite "ZEROS_LIKE") = other();
    Fill(Tflite "FILL") = other();
    ResizeNearestNeighbor(Tflite "RESIZE_NEAREST_NEIGHBOR") = other().saves(Saves::Nothing);
    TfliteUnique(Tflite "UNIQUE") = other();
    ReverseV2(Tflite "REVERSE_V2") = other();
    AddN(Tflite "ADD_N") = other().saves(Saves::Nothing);
    TfliteWhere(Tflite "WHERE") = other();
    Rank(Tflite "RANK") = other();
    MatrixDiag(Tflite "MATRIX_DIAG") = other();
    Quantize(Tflite "QUANTIZE") = other().no_weights().quantises();
    MatrixSetDiag(Tflite "MATRIX_SET_DIAG") = other();
    While(Tflite "WHILE") = other().effect(Effect::SideEffects);
    NonMaxSuppressionV4(Tflite "NON_MAX_SUPPRESSION_V4") = other();
    NonMaxSuppressionV5(Tflite "NON_MAX_SUPPRESSION_V5") = other();
    TfliteScatterNd(Tflite "SCATTER_ND") = other();
    Densify(Tflite "DENSIFY") = other().keeps();
    SegmentSum(Tflite "SEGMENT_SUM") = other();
    CallOnce(Tflite "CALL_ONCE") = other().effect(Effect::SideEffects);
    Rfft2d(Tflite "RFFT2D") = other();
    Conv3d(Tflite "CONV_3D") = other();
    Imag(Tflite "IMAG") = other();
    Real(Tflite "REAL") = other();
    ComplexAbs(Tflite "COMPLEX_ABS") = other();
    Hashtable(Tflite "HASHTABLE") = other().effect(Effect::SideEffects);
    HashtableFind(Tflite "HASHTABLE_FIND") = other().effect(Effect::SideEffects);
    HashtableImport(Tflite "HASHTABLE_IMPORT") = other().effect(Effect::SideEffects);
    HashtableSize(Tflite "HASHTABLE_SIZE") = other().effect(Effect::SideEffects);
    ReduceAll(Tflite "REDUCE_ALL") = other();
    Conv3dTranspose(Tflite "CONV_3D_TRANSPOSE") = other();
    VarHandle(Tflite "VAR_HANDLE") = other().effect(Effect::SideEffects);
    ReadVariable(Tflite "READ_VARIABLE") = other().effect(Effect::SideEffects);
    AssignVariable(Tflite "ASSIGN_VARIABLE") = other().effect(Effect::SideEffects);
    BroadcastArgs(Tflite "BROADCAST_ARGS") = other();
    RandomStandardNormal(Tflite "RANDOM_STANDARD_NORMAL") = other().effect(Effect::Random);
    Bucketize(Tflite "BUCKETIZE") = other();
    TfliteRandomUniform(Tflite "RANDOM_UNIFORM") = other().effect(Effect::Random);
    Atan2(Tflite "ATAN2") = other();
    Bitcast(Tflite "BITCAST") = other().bitcast();
    TfliteBitwiseXor(Tflite "BITWISE_XOR") = other();
    RightShift(Tflite "RIGHT_SHIFT") = other();
    Complex(Tflite "COMPLEX") = other();
}
