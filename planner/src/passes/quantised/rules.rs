//! What operators become on integers, and with which operands.

use super::groups::{End, Matcher, Quantised};
use crate::graph::{Attribute, Op, TensorId};
use crate::operators::Operator;

/// Where an operator has its operands, and where the one on integers has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// x, weights and perhaps a bias.
    Conv,
    /// Two matrices.
    Product,
    /// Two matrices and perhaps a bias.
    Gemm,
    /// x, then y.
    One,
    /// The same of a function for which ONNX Runtime has no operator on integers. It computes floats
    /// then, whose 256 results a table has as well.
    Table,
    /// a, b, then y.
    Two,
    /// y, then every piece.
    Many,
    /// The same operator on integers, whose scale and zero point stay what they are.
    Same,
}

/// What becomes of an operator.
#[derive(Clone, Copy)]
pub(super) struct Rule {
    /// The one on integers, where it is another.
    pub(super) becomes: Option<Operator>,
    pub(super) form: Form,
}

const SAME: Rule = Rule {
    becomes: None,
    form: Form::Same,
};

const fn becomes(operator: Operator, form: Form) -> Rule {
    Rule {
        becomes: Some(operator),
        form,
    }
}

crate::by_operator! {
    /// What becomes of it; `None` where it computes on floats whatever is around it.
    pub(super) fn rule -> Option<Rule> {
        Some(becomes(Operator::QLinearConv, Form::Conv)) => Conv;
        Some(becomes(Operator::QLinearMatMul, Form::Product)) => MatMul;
        Some(becomes(Operator::QGemm, Form::Gemm)) => Gemm;
        Some(becomes(Operator::QLinearAdd, Form::Two)) => Add;
        Some(becomes(Operator::QLinearMul, Form::Two)) => Mul;
        Some(becomes(Operator::QLinearAveragePool, Form::One)) => AveragePool;
        Some(becomes(Operator::QLinearGlobalAveragePool, Form::One)) => GlobalAveragePool;
        Some(becomes(Operator::QLinearLeakyRelu, Form::One)) => LeakyRelu;
        Some(becomes(Operator::QLinearSigmoid, Form::One)) => Sigmoid;
        Some(becomes(Operator::QLinearSoftmax, Form::One)) => Softmax;
        Some(becomes(Operator::QLinearClip, Form::Table)) => Relu Clip;
        Some(becomes(Operator::QLinearElu, Form::Table)) => Elu;
        Some(becomes(Operator::QLinearErf, Form::Table)) => Erf;
        Some(becomes(Operator::QLinearExp, Form::Table)) => Exp;
        Some(becomes(Operator::QLinearGelu, Form::Table)) => Gelu;
        Some(becomes(Operator::QLinearHardSigmoid, Form::Table)) => HardSigmoid;
        Some(becomes(Operator::QLinearHardSwish, Form::Table)) => HardSwish;
        Some(becomes(Operator::QLinearMish, Form::Table)) => Mish;
        Some(becomes(Operator::QLinearSoftplus, Form::Table)) => Softplus;
        Some(becomes(Operator::QLinearSqrt, Form::Table)) => Sqrt;
        Some(becomes(Operator::QLinearSwish, Form::Table)) => Swish;
        Some(becomes(Operator::QLinearTanh, Form::Table)) => Tanh;
        Some(becomes(Operator::QLinearConcat, Form::Many)) => Concat;
        // Elements stay what they are.
        Some(SAME) =>
            MaxPool Expand Flatten Gather GatherElements Reshape Slice Squeeze Tile Transpose Unsqueeze;
        None => Unknown
            Abs Acos Acosh Asin Asinh Atan Atanh BatchNormalization BitwiseNot Cast Ceil Celu Cos Cosh
            Floor Log Neg Not Reciprocal Round Selu Shrink Sign Sin Sinh Softsign Tan ThresholdedRelu
            BiasGelu FastGelu QLinearAdd QLinearLeakyRelu QLinearMul QLinearSigmoid QuickGelu
            QLinearClip QLinearElu QLinearErf QLinearExp QLinearGelu QLinearHardSigmoid QLinearHardSwish
            QLinearMish QLinearSoftplus QLinearSqrt QLinearSwish QLinearTanh ReluN1To1 Relu6 Rsqrt
            Square Relu0To1 And BitShift BitwiseAnd BitwiseOr BitwiseXor Div Equal Greater
            GreaterOrEqual Less LessOrEqual Max Mean Min Mod Or PRelu Pow Sub Sum Xor NotEqual FloorDiv
            FloorMod SquaredDifference Where GroupNormalization InstanceNormalization LayerNormalization
            LogSoftmax LpNormalization RMSNormalization L2Normalization ReduceL1 ReduceL2 ReduceLogSum
            ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare
            FullyConnected ConvTranspose DepthwiseConv2d TransposeConv Identity Split StridedSlice
            TfliteSplit Unpack DepthToSpace Pad SpaceToDepth Pack MirrorPad ScatterElements ScatterND
            DynamicUpdateSlice AffineGrid ArgMax ArgMin Attention Bernoulli BitCast BlackmanWindow
            CastLike CausalConvWithState CenterCropPad Col2Im Compress Constant ConstantOfShape
            ConvInteger CumProd CumSum Dft DeformConv DequantizeLinear Det Dropout DynamicQuantizeLinear
            Einsum EyeLike Gru GatherND GlobalLpPool GlobalMaxPool GridSample HammingWindow HannWindow
            Hardmax If IsInf IsNaN Lrn Lstm LinearAttention Loop LpPool MatMulInteger MaxRoiPool
            MaxUnpool MeanVarianceNormalization MelWeightMatrix Multinomial NegativeLogLikelihoodLoss
            NonMaxSuppression NonZero OneHot OptionalGetElement OptionalHasElement QLinearConv
            QLinearMatMul QuantizeLinear Rnn RandomNormal RandomNormalLike RandomUniform
            RandomUniformLike Range Resize ReverseSequence RoiAlign RotaryEmbedding Stft Scan Scatter
            Shape Size SoftmaxCrossEntropyLoss SwiGLU TensorScatter TfIdfVectorizer TopK Trilu Unique
            Upsample ScaledDotProductAttention MicrosoftAttention BiasAdd BiasSoftmax BiasSplitGelu
            DynamicQuantizeLSTM DynamicQuantizeMatMul EmbedLayerNormalization FusedConv FusedGemm
            FusedMatMul GroupNorm GroupQueryAttention Inverse MatMulIntegerToFloat MatMulNBits
            MultiHeadAttention NhwcConv QGemm QLinearAveragePool QLinearConcat QLinearGlobalAveragePool
            QLinearSoftmax MicrosoftRotaryEmbedding SimplifiedLayerNormalization SkipLayerNormalization
            SkipSimplifiedLayerNormalization TransposeMatMul ArrayFeatureExtractor Binarizer Adagrad
            Adam Momentum FlexAttention Contiguous GroupedMatMul Layer Convolution2DTransposeBias Dequantize
            EmbeddingLookup L2Pool2d TfliteLstm ResizeBilinear TfliteRnn Svdf Call
            UnidirectionalSequenceRnn BatchToSpaceNd SpaceToBatchNd UnidirectionalSequenceLstm Delegate
            Select SparseToDense FakeQuant TfliteOneHot ReduceAny ZerosLike Fill ResizeNearestNeighbor
            TfliteUnique ReverseV2 AddN TfliteWhere Rank MatrixDiag Quantize MatrixSetDiag While
            NonMaxSuppressionV4 NonMaxSuppressionV5 TfliteScatterNd Densify SegmentSum CallOnce Rfft2d
            Conv3d Imag Real ComplexAbs Hashtable HashtableFind HashtableImport HashtableSize ReduceAll
            Conv3dTranspose VarHandle ReadVariable AssignVariable BroadcastArgs RandomStandardNormal
            Bucketize TfliteRandomUniform Atan2 Bitcast TfliteBitwiseXor RightShift Complex
            AllReduce AllGather AllToAll ReduceScatter Receive Send;
    }
}

impl Matcher<'_> {
    /// The operator on integers.
    pub(super) fn made(
        &self,
        op: &Op,
        rule: &Rule,
        operands: &[Quantised],
        end: Option<&End>,
    ) -> Op {
        let to = end.map(|end| end.to);
        let range = end.and_then(|end| end.range);
        // Pieces that have the scale of the whole are only put together.
        let of_y = to.and_then(|to| self.steps(to));
        let mut pieces = operands.iter().map(|it| self.steps(*it));
        let alike = rule.form == Form::Many && range.is_none() && pieces.all(|it| it == of_y);
        let operator = match rule.form {
            Form::Product if to.is_none() => Operator::MatMulIntegerToFloat,
            Form::Many if alike => op.operator,
            _ => rule.becomes.unwrap_or(op.operator),
        };
        let mut attributes = op.attributes.clone();
        if op.is(Operator::Softmax) {
            attributes.push(("opset".to_owned(), Attribute::Int(self.opset.into())));
        }
        for (name, bound) in ["fused_lowest", "fused_highest"]
            .iter()
            .zip(range.iter().flatten())
        {
            attributes.push(((*name).to_owned(), Attribute::Int(*bound)));
        }
        let mut made = op.clone();
        made.become_operator(self.graph.dialect, operator);
        Op {
            inputs: match alike {
                true => operands.iter().map(|it| Some(it.ints)).collect(),
                false => inputs(op, rule.form, operands, to),
            },
            outputs: match to {
                Some(to) => vec![Some(to.ints)],
                None => op.outputs.clone(),
            },
            attributes,
            ..made
        }
    }
}

/// The inputs of the operator on integers: elements with their scale and zero point, by its form.
fn inputs(
    op: &Op,
    form: Form,
    operands: &[Quantised],
    to: Option<Quantised>,
) -> Vec<Option<TensorId>> {
    let all = |it: &Quantised| [Some(it.ints), Some(it.scale), it.zero];
    let last = to.map(|it| [Some(it.scale), it.zero]);
    let last = last.into_iter().flatten();
    let bias = operands.get(2).map(|bias| bias.ints);
    let matrices = operands.iter().take(2).flat_map(all);
    let mut inputs: Vec<Option<TensorId>> = match (form, operands) {
        (Form::Same, [x, ..]) => {
            let others = op.inputs.iter().skip(1).copied();
            [Some(x.ints)].into_iter().chain(others).collect()
        }
        (Form::Product, [a, b, ..]) if to.is_none() => {
            let known = [a.ints, b.ints, a.scale, b.scale].map(Some);
            known.into_iter().chain([a.zero, b.zero]).collect()
        }
        (Form::Conv, _) => matrices.chain(last).chain([bias]).collect(),
        (Form::Gemm, _) => matrices.chain([bias]).chain(last).collect(),
        (Form::Many, _) => last.chain(operands.iter().flat_map(all)).collect(),
        _ => operands.iter().flat_map(all).chain(last).collect(),
    };
    while inputs.last() == Some(&None) {
        inputs.pop();
    }
    inputs
}
