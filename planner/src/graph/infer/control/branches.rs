//! If: the branch that is taken, or both and a choice.

use super::{Call, Flat, Refusal, arity, missing};
use crate::graph::{Attribute, DType, Dialect, Op, Tensor, TensorId, UnsizedReason};
use crate::operators::Operator;
use crate::{Message, message};

impl Flat<'_> {
    /// An If, whose branches are the subgraphs of these names: the first where the condition
    /// holds. What follows the condition is fed to either.
    pub(super) fn choose(&mut self, call: &Call<'_>, names: [&str; 2]) -> Result<(), Refusal> {
        let inputs = call.inputs(0)?;
        let (&condition, fed) = inputs.split_first().ok_or_else(|| missing(0))?;
        let branches = [call.body(names[0])?, call.body(names[1])?];
        for branch in branches {
            arity(branch, fed.len(), call.op.outputs.len())?;
        }
        if let Some(truth) = self.known(condition) {
            return self.once(call, branches[usize::from(truth == 0)], fed);
        }
        let [then, other] = branches;
        let iteration = &call.scope.iteration;
        let before = self.graph.tensors.len();
        let then = self.expand(then, call.scope, fed, &[], iteration)?;
        let other = self.expand(other, call.scope, fed, &[], iteration)?;
        let mut inside = self.graph.tensors[before..].iter();
        let own = inside.find_map(|tensor| {
            let missing = tensor.missing.as_ref()?;
            (missing.reason != UnsizedReason::UnsizedInput).then_some((tensor, missing))
        });
        if let Some((tensor, missing)) = own {
            return Err(message!(
                "its condition is computed during the run, and in a branch \"{}\" has no size: {}",
                tensor.name,
                missing.detail
            ));
        }
        let pairs = then.into_iter().zip(other);
        for ((then, other), output) in pairs.zip(&call.op.outputs) {
            if let Some(output) = output {
                self.select(call, condition, [then, other], *output)?;
            }
        }
        Ok(())
    }

    /// Writes one of two tensors to `output`.
    fn select(
        &mut self,
        call: &Call<'_>,
        condition: TensorId,
        of: [TensorId; 2],
        output: TensorId,
    ) -> Result<(), Refusal> {
        let [then, other] = of.map(|id| self.graph.tensor(id));
        let name = &self.graph.tensor(output).name;
        let kind = (then.dtype, then.dims.as_ref());
        if kind != (other.dtype, other.dims.as_ref()) || kind.1.is_none() {
            return Err(message!(
                "its condition is computed during the run, and its branches give \"{}\" as \
                 {} and as {}",
                name,
                shape(then),
                shape(other)
            ));
        }
        let rank = kind.1.map_or(0, Vec::len);
        let name = format!("{}.{name}", call.op.name);
        let condition = self.scalar(condition, rank, call)?;
        self.push(Op {
            name,
            inputs: [condition, of[0], of[1]].map(Some).to_vec(),
            outputs: vec![Some(output)],
            ..Op::of(self.graph.dialect, Operator::Where)
        });
        Ok(())
    }

    /// The condition in not more dimensions than what it chooses from.
    fn scalar(
        &mut self,
        condition: TensorId,
        rank: usize,
        call: &Call<'_>,
    ) -> Result<TensorId, Refusal> {
        let tensor = self.graph.tensor(condition);
        let dims = tensor
            .dims
            .as_ref()
            .filter(|dims| dims.iter().all(|&dim| dim == 1));
        let own = dims
            .ok_or_else(|| message!("its condition is not one truth value"))?
            .len();
        if own <= rank {
            return Ok(condition);
        }
        let attribute = match self.graph.dialect {
            Dialect::Onnx { .. } => "axes",
            Dialect::Tflite => "squeeze_dims",
        };
        let axes = (0_i64..).take(own).collect();
        let name = format!("{}.scalar", tensor.name);
        let scalar = self.add(Tensor::new(name, DType::Bool), &call.scope.iteration);
        self.push(Op {
            name: format!("{}.condition", call.op.name),
            inputs: vec![Some(condition)],
            outputs: vec![Some(scalar)],
            attributes: vec![(attribute.into(), Attribute::Ints(axes))],
            ..Op::of(self.graph.dialect, Operator::Squeeze)
        });
        Ok(scalar)
    }
}

/// Element type and dimensions, for messages.
fn shape(tensor: &Tensor) -> Message {
    match &tensor.dims {
        Some(dims) => message!("{}{}", tensor.dtype.name(), format_args!("{dims:?}")),
        None => message!("something without a size"),
    }
}
