//! What operators become on integers, and with which operands.

use super::groups::{End, Matcher, Quantised};
use crate::graph::{Attribute, Op, TensorId};
use crate::operators::ARENASCOPE;

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
pub(super) struct Rule {
    pub(super) kind: &'static str,
    pub(super) becomes: &'static str,
    pub(super) form: Form,
}

const fn rule(kind: &'static str, becomes: &'static str, form: Form) -> Rule {
    Rule {
        kind,
        becomes,
        form,
    }
}

pub(super) const RULES: [Rule; 35] = [
    rule("Conv", "QLinearConv", Form::Conv),
    rule("MatMul", "QLinearMatMul", Form::Product),
    rule("Gemm", "QGemm", Form::Gemm),
    rule("Add", "QLinearAdd", Form::Two),
    rule("Mul", "QLinearMul", Form::Two),
    rule("AveragePool", "QLinearAveragePool", Form::One),
    rule("GlobalAveragePool", "QLinearGlobalAveragePool", Form::One),
    rule("LeakyRelu", "QLinearLeakyRelu", Form::One),
    rule("Sigmoid", "QLinearSigmoid", Form::One),
    rule("Softmax", "QLinearSoftmax", Form::One),
    rule("Relu", "QLinearClip", Form::Table),
    rule("Clip", "QLinearClip", Form::Table),
    rule("Elu", "QLinearElu", Form::Table),
    rule("Erf", "QLinearErf", Form::Table),
    rule("Exp", "QLinearExp", Form::Table),
    rule("Gelu", "QLinearGelu", Form::Table),
    rule("HardSigmoid", "QLinearHardSigmoid", Form::Table),
    rule("HardSwish", "QLinearHardSwish", Form::Table),
    rule("Mish", "QLinearMish", Form::Table),
    rule("Softplus", "QLinearSoftplus", Form::Table),
    rule("Sqrt", "QLinearSqrt", Form::Table),
    rule("Swish", "QLinearSwish", Form::Table),
    rule("Tanh", "QLinearTanh", Form::Table),
    rule("Concat", "QLinearConcat", Form::Many),
    rule("MaxPool", "MaxPool", Form::Same),
    rule("Expand", "Expand", Form::Same),
    rule("Flatten", "Flatten", Form::Same),
    rule("Gather", "Gather", Form::Same),
    rule("GatherElements", "GatherElements", Form::Same),
    rule("Reshape", "Reshape", Form::Same),
    rule("Slice", "Slice", Form::Same),
    rule("Squeeze", "Squeeze", Form::Same),
    rule("Tile", "Tile", Form::Same),
    rule("Transpose", "Transpose", Form::Same),
    rule("Unsqueeze", "Unsqueeze", Form::Same),
];

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
            Form::Many if alike => rule.kind,
            _ => rule.becomes,
        };
        let mut attributes = op.attributes.clone();
        if rule.kind == "Softmax" {
            attributes.push(("opset".to_owned(), Attribute::Int(self.opset.into())));
        }
        for (name, bound) in ["fused_lowest", "fused_highest"]
            .iter()
            .zip(range.iter().flatten())
        {
            attributes.push(((*name).to_owned(), Attribute::Int(*bound)));
        }
        let own = kind == rule.kind || OWN.contains(&kind);
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
