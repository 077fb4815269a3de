//! Fused operators: their parts one after the other in the bytes of the result, or, for
//! normalisations, one kernel.

use std::collections::BTreeMap;

use planner::graph::{Dialect, Graph, Op, TensorId, Value};
use planner::{Message, message};

use super::call::{Call, unplaced};
use super::places;
use super::rows::{Affine, axes, normalize};
use super::{Dispatches, Families, onnx, tflite};
use crate::kernels::NormalizeOp;
use crate::recording::Operand;
use planner::operators::Operator;

/// What lowering needs of a fused operator.
pub(super) struct Group<'a> {
    /// The graph with all parts spelt out.
    pub(super) graph: &'a Graph,
    /// The parts.
    pub(super) parts: &'a [Op],
    /// The number of tensors that are not between parts.
    pub(super) outside: usize,
    pub(super) pattern: &'a str,
    pub(super) families: Families,
}

impl Group<'_> {
    /// The dispatches of all parts.
    ///
    /// # Errors
    /// What stands in the way, for people.
    pub(super) fn dispatches(
        &self,
        values: &BTreeMap<TensorId, Value>,
        placed: &dyn Fn(TensorId) -> Option<Operand>,
    ) -> Dispatches {
        let result = self
            .parts
            .last()
            .and_then(|op| op.outputs.first().copied().flatten());
        let result = result
            .and_then(placed)
            .ok_or_else(|| message!("it has no result"))?;
        // What is between two parts lies where the result will.
        let inside = |id: TensorId| match id.index() < self.outside {
            true => placed(id),
            false => places::operand(self.graph, id, result.region).map(|operand| Operand {
                buffer: result.buffer,
                strides: result.strides.clone(),
                ..operand
            }),
        };
        if self.pattern.ends_with("norm") {
            return self.normalized(values, &inside, &result);
        }
        let mut dispatches = Vec::new();
        for op in joined(self.parts, self.graph.dialect) {
            let call = Call::new(self.graph, &op, values, &inside)?;
            dispatches.extend(match self.graph.dialect {
                Dialect::Onnx { opset } => onnx::dispatches(&call, opset, self.families)?,
                Dialect::Tflite => tflite::dispatches(&call, self.families)?,
            });
        }
        Ok(dispatches)
    }
}

impl Group<'_> {
    /// A normalisation that was written as reductions and arithmetic.
    fn normalized(
        &self,
        values: &BTreeMap<TensorId, Value>,
        placed: &dyn Fn(TensorId) -> Option<Operand>,
        y: &Operand,
    ) -> Dispatches {
        let odd = || message!("there is no kernel for this way of writing a normalisation");
        let all = |operator| self.parts.iter().filter(move |op| op.is(operator));
        let first = |op: &Op| op.inputs.first().copied().flatten();
        let result = |op: &Op| op.outputs.first().copied().flatten();
        let centred = all(Operator::Sub).next();
        let mean = all(Operator::ReduceMean).next_back().ok_or_else(odd)?;
        let squares = all(Operator::Pow).chain(all(Operator::Mul)).next();
        let x = centred.or(squares).and_then(first).and_then(placed);
        let x = x.ok_or_else(odd)?;
        let along = self.along(values, placed, x.dims.len())?;
        let known = |id: TensorId| match values.get(&id)?.to_floats().as_slice() {
            [number] => Some(*number),
            _ => None,
        };
        let spread = all(Operator::Add).find(|op| op.read().any(|id| Some(id) == result(mean)));
        let epsilon = spread.and_then(|op| op.read().find_map(known));
        let inverse = |op: &Op| first(op).is_some_and(|one| known(one) == Some(1.0));
        let factor = all(Operator::Reciprocal).next().is_some() || all(Operator::Div).any(inverse);
        let op = match (centred.is_some(), factor) {
            (true, false) => NormalizeOp::LayerSteps,
            (true, true) => NormalizeOp::LayerFactor,
            (false, false) => NormalizeOp::RootMeanSquareSteps,
            (false, true) => NormalizeOp::RootMeanSquareFactor,
        };
        let (scale, bias) = self.scaled();
        let len = x.dims.iter().zip(&along).filter(|it| *it.1);
        let affine = Affine {
            scale: scale.as_ref(),
            bias: bias.as_ref(),
            period: scale.as_ref().map_or(1, |_| len.map(|it| it.0).product()),
            ..Affine::NONE
        };
        #[expect(clippy::cast_possible_truncation, reason = "it was an f32 in the file")]
        let epsilon = epsilon.ok_or_else(odd)? as f32;
        Ok(vec![normalize(op, epsilon, &x, &along, &affine, y)?])
    }

    /// What multiplies and what is added in the last operators.
    fn scaled(&self) -> (Option<Operand>, Option<Operand>) {
        let constant = |op: &Op| {
            let mut weights = op.read().filter(|id| super::constant(self.graph, *id));
            unplaced(self.graph, weights.next()?)
        };
        let last = self.parts.last().filter(|op| op.is(Operator::Add));
        let before = self.parts.len() - usize::from(last.is_some());
        let scaling = self.parts[..before].last();
        let scale = scaling.filter(|op| op.is(Operator::Mul)).and_then(constant);
        (scale, last.and_then(constant))
    }

    /// The dimensions that every reduction runs along, which must be the last ones.
    fn along(
        &self,
        values: &BTreeMap<TensorId, Value>,
        placed: &dyn Fn(TensorId) -> Option<Operand>,
        rank: usize,
    ) -> Result<Vec<bool>, Message> {
        let mut found: Option<Vec<bool>> = None;
        for op in self.parts.iter().filter(|op| op.is(Operator::ReduceMean)) {
            let call = Call::new(self.graph, op, values, placed)?;
            let along = match call.list("axes", 1)? {
                Some(list) => axes(list, rank)?,
                None => vec![true; rank],
            };
            let mut rest = along.iter().skip_while(|along| !**along);
            if !rest.all(|along| *along) || found.get_or_insert(along.clone()) != &along {
                return Err(message!("it does not normalise along the last dimensions"));
            }
        }
        found.ok_or_else(|| message!("it normalises along nothing"))
    }
}

/// The parts with x · sigmoid(x) as one function: in the bytes of x there is no room for both
/// factors.
fn joined(parts: &[Op], dialect: Dialect) -> Vec<Op> {
    let mut ops = parts.to_vec();
    // Only ONNX has an operator for it.
    if dialect == Dialect::Tflite {
        return ops;
    }
    let mut index = 0;
    while index < ops.len() {
        match sigmoid_of(&ops, index) {
            Some(sigmoid) => {
                let x = ops[sigmoid].inputs.clone();
                ops[index].become_operator(dialect, Operator::Swish);
                ops[index].inputs = x;
                ops.remove(sigmoid);
            }
            None => index += 1,
        }
    }
    ops
}

/// The sigmoid of x whose product with x the operator at `index` is.
fn sigmoid_of(ops: &[Op], index: usize) -> Option<usize> {
    let [Some(a), Some(b)] = ops[index].inputs[..] else {
        return None;
    };
    let sigmoid = |op: &Op| {
        let (x, s) = (op.inputs.first().copied()??, op.outputs.first().copied()??);
        (op.is(Operator::Sigmoid) && ((a, b) == (x, s) || (a, b) == (s, x))).then_some(())
    };
    let is_product = ops[index].is(Operator::Mul);
    let before = is_product.then(|| &ops[..index])?;
    before.iter().position(|op| sigmoid(op).is_some())
}
