//! Which operators compute between elements that are quantised.

use std::collections::BTreeMap;

use super::rules::{Form, rule};
use crate::graph::infer::Value;
use crate::graph::{Attribute, DType, Graph, Op, OpId, Role, TensorId};
use crate::operators::Operator;
use crate::passes::Reason;

/// Operators that compute on integers together.
pub(super) struct Group {
    /// All of them, in the order in which they run.
    pub(super) ops: Vec<OpId>,
    /// The one that computes.
    pub(super) target: OpId,
    /// What stands for them.
    pub(super) op: Op,
}

/// A graph as the rules look at it.
pub(super) struct Matcher<'a> {
    pub(super) graph: &'a Graph,
    values: &'a BTreeMap<TensorId, Value>,
    consumers: Vec<Vec<OpId>>,
    producers: Vec<Option<OpId>>,
    pub(super) opset: u32,
}

/// Integers with the scales and zero points that they are stored with.
#[derive(Clone, Copy)]
pub(super) struct Quantised {
    /// The operator between them and floats.
    pub(super) op: OpId,
    pub(super) ints: TensorId,
    pub(super) scale: TensorId,
    pub(super) zero: Option<TensorId>,
}

/// How the result of an operator becomes integers.
pub(super) struct End {
    pub(super) to: Quantised,
    /// What bounds the floats before.
    clip: Option<OpId>,
    /// The least and the largest integer under it, where that is less than all.
    pub(super) range: Option<[i64; 2]>,
}

type Refused = (Vec<OpId>, Reason);

impl<'a> Matcher<'a> {
    pub(super) fn new(graph: &'a Graph, values: &'a BTreeMap<TensorId, Value>, opset: u32) -> Self {
        Self {
            graph,
            values,
            consumers: graph.consumers(),
            producers: graph.producers(),
            opset,
        }
    }

    /// What the operator becomes with those around it; `None` where no rule is for it, and the
    /// reason where one would be.
    pub(super) fn group(&self, target: OpId) -> Option<Result<Group, Refused>> {
        let op = self.graph.op(target);
        let rule = rule(op.operator)?;
        let mut written = op.written();
        let y = written.next().filter(|_| written.next().is_none())?;
        let fits = op.domain.is_empty() && op.fused.is_none() && self.fits(op, y) == Some(true);
        if !fits || self.graph.tensor(y).role == Role::Constant {
            return None;
        }
        // Shapes and indices are integers as they are.
        let data = match rule.form {
            Form::Same | Form::Table => op.inputs.get(..1)?,
            _ => &op.inputs,
        };
        let first = self.dequantised((*data.first()?)?)?;
        let end = match self.end(y)? {
            // A bound that computes nothing else stays with what it bounds.
            Ok(end) if rule.becomes == Some(Operator::QLinearClip) => {
                end.and_then(|end| self.bounded(target, end))
            }
            Ok(end) => end,
            Err(reason) => return Some(Err((vec![first.op, target], reason))),
        };
        let to_floats = matches!(rule.form, Form::Product | Form::Gemm);
        let bounded = end.as_ref().is_some_and(|end| end.range.is_some());
        if end.is_none() && !to_floats || bounded && rule.form == Form::Same {
            return None;
        }
        let refused = |reason| {
            let last = end.as_ref().map(|end| end.to.op);
            Some(Err((
                [first.op, target].into_iter().chain(last).collect(),
                reason,
            )))
        };
        let given = data.iter().flatten().map(|id| self.dequantised(*id));
        let Some(operands) = given.collect::<Option<Vec<Quantised>>>() else {
            return refused(Reason::NotQuantised);
        };
        let to = end.as_ref().map(|end| end.to);
        if !self.types_fit(rule.form, &operands, to) {
            return refused(Reason::OtherType);
        }
        if !self.scales_fit(op, rule.form, &operands, to) {
            return refused(Reason::OtherScale);
        }
        let mut ops: Vec<OpId> = operands.iter().map(|it| it.op).collect();
        ops.push(target);
        ops.extend(end.as_ref().and_then(|end| end.clip));
        ops.extend(to.map(|to| to.op));
        ops.sort_unstable();
        ops.dedup();
        Some(Ok(Group {
            ops,
            target,
            op: self.made(op, &rule, &operands, end.as_ref()),
        }))
    }

    /// The integers behind a tensor of floats.
    fn dequantised(&self, tensor: TensorId) -> Option<Quantised> {
        let id = self.producers[tensor.index()]?;
        self.between(id, Operator::DequantizeLinear, |op| {
            op.inputs.first().copied().flatten()
        })
    }

    fn between(
        &self,
        id: OpId,
        operator: Operator,
        ints: impl Fn(&Op) -> Option<TensorId>,
    ) -> Option<Quantised> {
        let op = self.graph.op(id);
        let blocked = op.int("block_size").unwrap_or_default() != 0;
        let input = |at: usize| op.inputs.get(at).copied().flatten();
        let scale = input(1).filter(|id| self.graph.tensor(*id).dtype == DType::F32)?;
        (op.is(operator) && !blocked).then_some(())?;
        Some(Quantised {
            op: id,
            ints: ints(op)?,
            scale,
            zero: input(2),
        })
    }

    /// Where the result becomes integers; `None` within where nobody quantises it.
    ///
    /// The outer `None` stands for an operator that is no end of a group at all.
    fn end(&self, y: TensorId) -> Option<Result<Option<End>, Reason>> {
        let quantises = |op: &OpId| {
            self.between(*op, Operator::QuantizeLinear, |op| {
                op.outputs.first().copied().flatten()
            })
        };
        let readers = &self.consumers[y.index()];
        let clip = match readers.as_slice() {
            [only] if self.bounds(*only).is_some() => Some(*only),
            _ => None,
        };
        let last = match clip {
            Some(clip) => self.graph.op(clip).written().next()?,
            None => y,
        };
        let readers = &self.consumers[last.index()];
        let Some(to) = readers.iter().find_map(quantises) else {
            return Some(Ok(None));
        };
        if let Some(&op) = readers.iter().find(|op| **op != to.op) {
            return Some(Err(Reason::ReadBy { op }));
        }
        if self.graph.outputs.contains(&y) || self.graph.outputs.contains(&last) {
            return Some(Err(Reason::IsOutput));
        }
        let range = clip.and_then(|clip| self.clipped(self.bounds(clip)?, to));
        Some(Ok(Some(End { to, clip, range })))
    }

    /// What an activation between bounds leaves.
    fn bounds(&self, id: OpId) -> Option<[f64; 2]> {
        let op = self.graph.op(id);
        let bound = |name: &str, at: usize, absent: f64| match op.attribute(name) {
            Some(Attribute::Float(value)) => Some(f64::from(*value)),
            _ => match op.inputs.get(at).copied().flatten() {
                Some(id) => self.number(id),
                None => Some(absent),
            },
        };
        match op.operator {
            Operator::Relu => Some([0.0, f64::INFINITY]),
            Operator::Clip => Some([
                bound("min", 1, f64::NEG_INFINITY)?,
                bound("max", 2, f64::INFINITY)?,
            ]),
            _ => None,
        }
    }

    /// The end of a bound by itself; `None` where it is not known, or where another follows.
    fn bounded(&self, target: OpId, end: End) -> Option<End> {
        let range = self.clipped(self.bounds(target)?, end.to);
        end.clip.is_none().then_some(End { range, ..end })
    }

    /// The integers that floats between these bounds become, where those are not all.
    fn clipped(&self, bounds: [f64; 2], to: Quantised) -> Option<[i64; 2]> {
        let (scale, zero) = self.steps(to)?;
        let all = match self.graph.tensor(to.ints).dtype {
            DType::I8 => [-128, 127],
            _ => [0, 255],
        };
        #[expect(clippy::cast_possible_truncation, reason = "float casts saturate")]
        let element = |real: f64| {
            let nearest = (real / scale).round_ties_even() as i64;
            nearest.saturating_add(zero).clamp(all[0], all[1])
        };
        let range = bounds.map(element);
        (range != all).then_some(range)
    }

    /// The single float that `tensor` holds, if it is known.
    fn number(&self, tensor: TensorId) -> Option<f64> {
        match self.values.get(&tensor)?.to_floats().as_slice() {
            [number] => Some(*number),
            _ => None,
        }
    }

    /// The only scale and zero point, known before the run.
    pub(super) fn steps(&self, of: Quantised) -> Option<(f64, i64)> {
        let zero = match of.zero {
            None => 0,
            Some(zero) => match self.values.get(&zero)?.as_ints()? {
                [zero] => *zero,
                _ => return None,
            },
        };
        Some((self.number(of.scale)?, zero))
    }

    pub(super) fn dims(&self, tensor: TensorId) -> Option<&'a [u64]> {
        self.graph.tensor(tensor).dims.as_deref()
    }
}
