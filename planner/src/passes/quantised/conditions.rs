//! What must hold so that an operator can run on integers.

use super::groups::{Matcher, Quantised};
use super::rules::Form;
use crate::graph::{Attribute, DType, Op, Role, TensorId};
use crate::operators::Operator;

impl Matcher<'_> {
    /// Whether the operator on integers can do what this one does.
    pub(super) fn fits(&self, op: &Op, y: TensorId) -> Option<bool> {
        let x = self.dims(op.inputs.first().copied()??)?;
        let y = self.dims(y)?;
        let plain = |name: &str| {
            op.ints(name)
                .is_none_or(|all| all.iter().all(|it| *it == 1))
        };
        Some(match op.operator {
            Operator::Conv => matches!(x.len(), 3 | 4),
            Operator::MaxPool | Operator::AveragePool => {
                matches!(x.len(), 3 | 4) && plain("dilations")
            }
            Operator::MatMul => {
                let w = self.dims(op.inputs.get(1).copied()??)?;
                let batch = |dims: &[u64]| dims.iter().rev().skip(2).product::<u64>();
                let whole = |dims: &[u64]| dims.len() > 1 && [1, batch(y)].contains(&batch(dims));
                whole(x) && whole(w)
            }
            Operator::Gemm => {
                let one = |name: &str| match op.attribute(name) {
                    Some(Attribute::Float(value)) => value.to_bits() == 1_f32.to_bits(),
                    _ => true,
                };
                let bias = op.inputs.get(2).copied().flatten();
                one("beta") && bias.is_none_or(|id| self.dims(id) == y.get(1..))
            }
            Operator::Softmax => {
                let usual = if self.opset < 13 { 1 } else { -1 };
                let axis = op.int("axis").unwrap_or(usual);
                self.opset < 13 || axis == -1 || usize::try_from(axis + 1) == Ok(x.len())
            }
            _ => true,
        })
    }

    /// Whether all are of the types that there are operators for.
    pub(super) fn types_fit(
        &self,
        form: Form,
        operands: &[Quantised],
        to: Option<Quantised>,
    ) -> bool {
        let of = |it: &Quantised| self.graph.tensor(it.ints).dtype;
        let x = of(&operands[0]);
        let weights = matches!(form, Form::Conv | Form::Product | Form::Gemm);
        let matches = |(place, operand): (usize, &Quantised)| match (weights, place) {
            (true, 2) => of(operand) == DType::I32,
            (true, 1) => of(operand) == DType::I8 || x == DType::U8 && of(operand) == DType::U8,
            _ => of(operand) == x,
        };
        matches!(x, DType::I8 | DType::U8)
            && operands.iter().enumerate().all(matches)
            && to.is_none_or(|to| of(&to) == x)
    }

    /// Whether scales and zero points are one for each operand, or of weights one for each
    /// channel; where nothing is computed, the same before and after.
    pub(super) fn scales_fit(
        &self,
        op: &Op,
        form: Form,
        operands: &[Quantised],
        to: Option<Quantised>,
    ) -> bool {
        let by_channel = |(place, operand): (usize, &Quantised)| {
            let weights = matches!(form, Form::Conv | Form::Product | Form::Gemm);
            match (weights, place) {
                (true, 1) => self.along(op, *operand),
                // A bias has the scales of x and weights multiplied.
                (true, 2) => true,
                _ => self.steps(*operand).is_some(),
            }
        };
        let ends = to.is_none_or(|to| self.steps(to).is_some());
        let same = form != Form::Same || {
            let of_x = self.steps(operands[0]);
            of_x.is_some_and(|(scale, _)| scale > 0.0)
                && to.is_some_and(|to| self.steps(to) == of_x)
        };
        ends && same && operands.iter().enumerate().all(by_channel)
    }

    /// Whether weights have one scale, or one for each output.
    fn along(&self, op: &Op, weights: Quantised) -> bool {
        let scales = self.dims(weights.scale).map(|dims| dims.iter().product());
        if scales == Some(1_u64) {
            return self.steps(weights).is_some();
        }
        let rank = self.dims(weights.ints).map_or(0, <[u64]>::len);
        let rank = i64::try_from(rank).unwrap_or(i64::MAX);
        let wanted = match op.operator {
            Operator::Conv => 0,
            Operator::Gemm if op.int("transB").unwrap_or_default() != 0 => 0,
            _ => rank - 1,
        };
        let axis = self.graph.op(weights.op).int("axis").unwrap_or(1);
        let axis = if axis < 0 { axis + rank } else { axis };
        self.graph.tensor(weights.scale).role == Role::Constant && axis == wanted
    }
}
