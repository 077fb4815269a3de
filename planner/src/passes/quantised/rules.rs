//! What operators become on integers, and with which operands.

use super::groups::{End, Matcher, Quantised};
use crate::graph::{Attribute, Op, TensorId};
use crate::operators::{ARENASCOPE, Operator};

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
    /// The kind of the one on integers, where it is another.
    pub(super) becomes: Option<&'static str>,
    pub(super) form: Form,
}

const SAME: Rule = Rule {
    becomes: None,
    form: Form::Same,
};

const fn becomes(kind: &'static str, form: Form) -> Rule {
    Rule {
        becomes: Some(kind),
        form,
    }
}

crate::by_operator! {
    /// What becomes of it; `None` where it computes on floats whatever is around it.
    pub(super) fn rule -> Option<Rule> {
        Some(becomes("QLinearConv", Form::Conv)) => Conv;
        Some(becomes("QLinearMatMul", Form::Product)) => MatMul;
        Some(becomes("QGemm", Form::Gemm)) => Gemm;
        Some(becomes("QLinearAdd", Form::Two)) => Add;
        Some(becomes("QLinearMul", Form::Two)) => Mul;
        Some(becomes("QLinearAveragePool", Form::One)) => AveragePool;
        Some(becomes("QLinearGlobalAveragePool", Form::One)) => GlobalAveragePool;
        Some(becomes("QLinearLeakyRelu", Form::One)) => LeakyRelu;
        Some(becomes("QLinearSigmoid", Form::One)) => Sigmoid;
        Some(becomes("QLinearSoftmax", Form::One)) => Softmax;
        Some(becomes("QLinearClip", Form::Table)) => Relu Clip;
        Some(becomes("QLinearElu", Form::Table)) => Elu;
        Some(becomes("QLinearErf", Form::Table)) => Erf;
        Some(becomes("QLinearExp", Form::Table)) => Exp;
        Some(becomes("QLinearGelu", Form::Table)) => Gelu;
        Some(becomes("QLinearHardSigmoid", Form::Table)) => HardSigmoid;
        Some(becomes("QLinearHardSwish", Form::Table)) => HardSwish;
        Some(becomes("QLinearMish", Form::Table)) => Mish;
        Some(becomes("QLinearSoftplus", Form::Table)) => Softplus;
        Some(becomes("QLinearSqrt", Form::Table)) => Sqrt;
        Some(becomes("QLinearSwish", Form::Table)) => Swish;
        Some(becomes("QLinearTanh", Form::Table)) => Tanh;
        Some(becomes("QLinearConcat", Form::Many)) => Concat;
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
            Adam Momentum FlexAttention Contiguous Layer Convolution2DTransposeBias Dequantize
            EmbeddingLookup L2Pool2d TfliteLstm ResizeBilinear TfliteRnn Svdf Call
            UnidirectionalSequenceRnn BatchToSpaceNd SpaceToBatchNd UnidirectionalSequenceLstm Delegate
            Select SparseToDense FakeQuant TfliteOneHot ReduceAny ZerosLike Fill ResizeNearestNeighbor
            TfliteUnique ReverseV2 AddN TfliteWhere Rank MatrixDiag Quantize MatrixSetDiag While
            NonMaxSuppressionV4 NonMaxSuppressionV5 TfliteScatterNd Densify SegmentSum CallOnce Rfft2d
            Conv3d Imag Real ComplexAbs Hashtable HashtableFind HashtableImport HashtableSize ReduceAll
            Conv3dTranspose VarHandle ReadVariable AssignVariable BroadcastArgs RandomStandardNormal
            Bucketize TfliteRandomUniform Atan2 Bitcast TfliteBitwiseXor RightShift Complex;
    }
}

/// Operators of ONNX itself; the others are ONNX Runtime's.
const OWN: [&str; 2] = ["QLinearConv", "QLinearMatMul"];
pub(super) const RUNTIME: &str = "com.microsoft";

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
        let kind = match rule.form {
            Form::Product if to.is_none() => "MatMulIntegerToFloat",
            Form::Many if alike => &op.kind,
            _ => rule.becomes.unwrap_or(&op.kind),
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
        let own = kind == op.kind || OWN.contains(&kind);
        let domain = match rule.form {
            _ if own => "",
            Form::Table => ARENASCOPE,
            _ => RUNTIME,
        };
        let mut made = op.clone();
        made.rename(self.graph.dialect, domain, kind);
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
