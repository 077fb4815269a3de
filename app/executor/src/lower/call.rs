//! One operator with its operands, as the families of lowering see it.

use std::collections::BTreeMap;

use planner::graph::{Content, DType, Graph, Inside, Op, Role, TensorId, UnsizedReason, Value};
use planner::{Message, message};

use super::places;
use super::{Dispatches, constant};
use crate::elements;
use crate::recording::{Dispatch, Operand, Region, Space, WORD};

/// An operator to lower.
pub(crate) struct Call<'a> {
    /// The graph, for its dialect and for attributes that are tensors.
    pub graph: &'a Graph,
    /// The operator.
    pub op: &'a Op,
    /// Its inputs by position; constants lie in the weights, at addresses that are assigned
    /// once it is known which of them are really read.
    pub inputs: Vec<Option<Operand>>,
    /// Its outputs by position; `None` for one that is not used.
    pub outputs: Vec<Option<Operand>>,
    values: &'a BTreeMap<TensorId, Value>,
}

impl<'a> Call<'a> {
    /// `placed` finds the operands that have a place at the operator's step.
    pub(super) fn new(
        graph: &'a Graph,
        op: &'a Op,
        values: &'a BTreeMap<TensorId, Value>,
        placed: &dyn Fn(TensorId) -> Option<Operand>,
    ) -> Result<Self, Message> {
        if let Inside::Kept(why) = &op.inside {
            return Err(why.clone());
        }
        let operand = |id: TensorId| {
            let found = if constant(graph, id) {
                unplaced(graph, id).map(|x| dequantized(graph, op, x))
            } else {
                placed(id)
            };
            found.ok_or_else(|| absent(graph, id, op))
        };
        let mut inputs = Vec::with_capacity(op.inputs.len());
        for &input in &op.inputs {
            inputs.push(input.map(operand).transpose()?);
        }
        let mut outputs = Vec::with_capacity(op.outputs.len());
        for &output in &op.outputs {
            // An output that is known before the run needs no computing.
            let computed = output.filter(|&id| !constant(graph, id));
            outputs.push(computed.map(operand).transpose()?);
        }
        if !op.captures.is_empty() {
            return Err(message!("it holds a subgraph"));
        }
        Ok(Self {
            graph,
            op,
            inputs,
            outputs,
            values,
        })
    }

    /// The input at `position`.
    ///
    /// # Errors
    /// When it is left out.
    pub(crate) fn input(&self, position: usize) -> Result<&Operand, Message> {
        let input = self.optional(position);
        input.ok_or_else(|| message!("input {} is missing", position))
    }

    /// The input at `position`, if it is there.
    pub(crate) fn optional(&self, position: usize) -> Option<&Operand> {
        self.inputs.get(position)?.as_ref()
    }

    /// The output at `position`.
    ///
    /// # Errors
    /// When it is not used.
    pub(crate) fn output(&self, position: usize) -> Result<&Operand, Message> {
        let output = self.outputs.get(position).and_then(Option::as_ref);
        output.ok_or_else(|| message!("output {} is missing", position))
    }

    /// The elements of the input at `position`, if they are few and known before the run.
    pub(crate) fn value(&self, position: usize) -> Option<&'a Value> {
        self.values.get(&(*self.op.inputs.get(position)?)?)
    }

    /// The integers of the input at `position`, known before the run.
    ///
    /// # Errors
    /// When the input is computed during the run: shapes and axes must be constants.
    pub(crate) fn ints(&self, position: usize) -> Result<&'a [i64], Message> {
        let ints = self.value(position).and_then(Value::as_ints);
        ints.ok_or_else(|| message!("input {} is not known before the run", position))
    }

    /// The integer list attribute `name`, or, in newer operator sets, the elements of the
    /// input at `position`; `None` when both are left out.
    ///
    /// # Errors
    /// When the input is computed during the run.
    pub(crate) fn list(&self, name: &str, position: usize) -> Result<Option<&'a [i64]>, Message> {
        match self.op.ints(name) {
            Some(list) => Ok(Some(list)),
            None if self.optional(position).is_some() => self.ints(position).map(Some),
            None => Ok(None),
        }
    }

    /// The only float of the input at `position`, known before the run.
    pub(crate) fn float(&self, position: usize) -> Option<f32> {
        #[expect(clippy::cast_possible_truncation, reason = "it was an f32 in the file")]
        let narrow = |value: f64| value as f32;
        match self.value(position)?.to_floats().as_slice() {
            [value] => Some(narrow(*value)),
            _ => None,
        }
    }

    /// The elements of the input at `position` as floats, if they are in the file and few. Scales
    /// and zero points are there, which inference leaves out where they are many.
    pub(crate) fn floats(&self, position: usize) -> Option<Vec<f32>> {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "f32 or few bits in the file"
        )]
        let narrow = |value: &Value| value.to_floats().iter().map(|&it| it as f32).collect();
        if let Some(value) = self.value(position) {
            return Some(narrow(value));
        }
        let tensor = self.graph.tensor((*self.op.inputs.get(position)?)?);
        let Content::Inline(bytes) = &tensor.content else {
            return None;
        };
        let dims = tensor.dims.as_deref()?;
        Value::from_bytes(tensor.dtype, dims, bytes)
            .as_ref()
            .map(narrow)
    }

    /// The float attribute called `name`.
    pub(crate) fn float_attribute(&self, name: &str) -> Option<f32> {
        match self.op.attribute(name)? {
            planner::graph::Attribute::Float(value) => Some(*value),
            _ => None,
        }
    }

    /// Every output that is wanted with the constant that it equals; `None` when one of them
    /// is not known before the run.
    pub(super) fn known_outputs(&self) -> Option<Vec<(Operand, &Operand)>> {
        // What has no outputs is there for what it changes.
        if self.outputs.is_empty() {
            return None;
        }
        let mut known = Vec::with_capacity(self.outputs.len());
        for y in self.outputs.iter().flatten() {
            let tensor = self.graph.tensor(y.tensor);
            let held = tensor.content != Content::None && tensor.role != Role::State;
            if !held && !self.values.contains_key(&y.tensor) {
                return None;
            }
            known.push((unplaced(self.graph, y.tensor)?, y));
        }
        Some(known)
    }

    /// The only dispatch of the operator; none where all that it writes is empty.
    ///
    /// # Errors
    /// Those of `lowered`.
    pub(crate) fn unless_empty(
        &self,
        lowered: fn(&Self) -> Result<Dispatch, Message>,
    ) -> Dispatches {
        if self.outputs.iter().flatten().all(Operand::is_empty) {
            return Ok(Vec::new());
        }
        Ok(vec![lowered(self)?])
    }

    /// Whether the operand is known before the run.
    pub(crate) fn is_constant(&self, operand: &Operand) -> bool {
        constant(self.graph, operand.tensor)
    }
}

/// The axis below `rank` that `axis` means: negative ones count from the end.
///
/// # Errors
/// When there is no such axis.
pub(crate) fn axis_of(axis: i64, rank: usize) -> Result<usize, Message> {
    let from_start = match i64::try_from(rank) {
        Ok(rank) if axis < 0 => axis.saturating_add(rank),
        _ => axis,
    };
    let found = usize::try_from(from_start).ok().filter(|&axis| axis < rank);
    found.ok_or_else(|| message!("there is no axis {} of {}", axis, rank))
}

/// Refuses operands that are not floats of 16 bits or more. Whatever they are stored as, they
/// are computed with as f32.
///
/// # Errors
/// Names the first that is not.
pub(crate) fn all_floats<'a>(
    operands: impl IntoIterator<Item = &'a Operand>,
) -> Result<(), Message> {
    for operand in operands {
        let small = operand.dtype.bits().is_none_or(|bits| bits < 16);
        if small || !elements::is_float(operand.dtype) {
            return Err(message!(
                "{} is {}, no float",
                operand.name,
                operand.dtype.name()
            ));
        }
    }
    Ok(())
}

/// Quantised weights of an operator that computes on floats are floats to it: they are decoded
/// before they are uploaded.
fn dequantized(graph: &Graph, op: &Op, x: Operand) -> Operand {
    let quantised = graph.tensor(x.tensor).quantization.is_some();
    let output = op.outputs.first().copied().flatten();
    let floats = output.is_some_and(|id| graph.tensor(id).dtype == DType::F32);
    let narrow = matches!(x.dtype, DType::I8 | DType::U8 | DType::I16);
    if !(quantised && floats && narrow) {
        return x;
    }
    let words = x.len();
    Operand {
        dtype: DType::F32,
        region: Region { words, ..x.region },
        ..x
    }
}

/// Why a tensor cannot be an operand.
fn absent(graph: &Graph, id: TensorId, op: &Op) -> Message {
    let tensor = graph.tensor(id);
    let name = &tensor.name;
    let Some(missing) = &tensor.missing else {
        return message!(
            "{} of type {} cannot be in a run",
            name,
            tensor.dtype.name()
        );
    };
    match missing.reason {
        UnsizedReason::UnknownOperator if op.read().any(|read| read == id) => {
            message!(
                "{} has no size: there is no kernel for {}",
                name,
                missing.detail
            )
        }
        UnsizedReason::UnknownOperator if op.domain.is_empty() => {
            message!("there is no kernel for it")
        }
        UnsizedReason::UnknownOperator => {
            message!(
                "there is no kernel for it: operators of {} are not known",
                op.domain
            )
        }
        UnsizedReason::DataDependent => {
            message!(
                "the size of {} hangs on values of the run: {}",
                name,
                missing.detail
            )
        }
        UnsizedReason::TooLarge => {
            message!("{} is too large to be planned: {}", name, missing.detail)
        }
        UnsizedReason::UnsizedInput => {
            message!("{} has no size, because {} has none", name, missing.detail)
        }
        _ => message!("{} has no size: {}", name, missing.detail),
    }
}

/// A constant before it is given an address.
pub(super) fn unplaced(graph: &Graph, id: TensorId) -> Option<Operand> {
    let words = graph.tensor(id).bytes()?.0.div_ceil(WORD);
    let region = Region {
        space: Space::Weights(0),
        word: 0,
        words: u32::try_from(words).ok()?,
    };
    places::operand(graph, id, region)
}
