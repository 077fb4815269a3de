//! Sizes every tensor: binds symbols, infers shapes operator by operator, evaluates small
//! constants on the way.
//!
//! Everything is concrete here, because symbols are bound before the first operator is
//! looked at: dimensions are `u64`, and whatever a file controls is multiplied and added
//! checked. A dialect contributes one function from a `Call` to its `Outputs`.

mod call;
mod control;
pub(crate) mod counted;
mod eval;
mod onnx;
mod tflite;
mod value;
pub(crate) mod views;

use std::collections::BTreeMap;

use super::{
    Bindings, Content, DType, Dialect, Dim, Graph, Inside, Op, OpId, Role, Tensor, TensorId,
    Unsized, UnsizedReason,
};
use crate::{Message, message};

pub use counted::Counts;
use counted::{Counting, Form};
pub(crate) use eval::origins;
pub(crate) use onnx::element_type;
pub use value::{Elements, Value};

/// Largest number of elements of a tensor whose elements are followed.
pub(super) const MAX_ELEMENTS: u64 = 4096;
/// Float constants beyond this many elements are weights, of no use to shape arithmetic.
const MAX_FLOAT_CONSTANT: u64 = 64;
/// Elements that are followed in one graph, all tensors together.
const MAX_ELEMENTS_IN_ALL: usize = 1 << 22;
/// Largest rank that an operator may produce.
pub(super) const MAX_RANK: usize = 64;
/// Largest tensor in bytes: 1 TiB, so that the sizes of 2^23 tensors sum up in 64 bits.
pub(crate) const MAX_TENSOR_BYTES: u64 = 1 << 40;

/// What is known of an operator's input.
#[derive(Clone, Copy, Debug)]
pub(super) struct KnownInput<'a> {
    /// Element type.
    pub dtype: DType,
    /// Dimensions, outermost first.
    pub dims: &'a [u64],
    /// The elements, if they are few and known before the run.
    pub value: Option<&'a Value>,
}

/// What inference says of one output.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct InferredOutput {
    /// Element type; `None` keeps what the file declares.
    pub dtype: Option<DType>,
    /// Dimensions, outermost first.
    pub dims: Vec<u64>,
    /// The elements, if they are few and known before the run.
    pub value: Option<Value>,
}

/// An operator with what is known of its inputs.
pub(super) struct Call<'a> {
    /// The operator.
    pub op: &'a Op,
    /// Its inputs by position: `None` for one that is left out. Every other one is sized:
    /// an operator that reads an unsized tensor is never asked.
    pub inputs: &'a [Option<KnownInput<'a>>],
    /// The graph, for attributes that are tensors and declared shapes of outputs.
    pub graph: &'a Graph,
    /// Whether elements may still be followed: a hostile file must not keep us busy.
    pub follow: bool,
}

/// One [`InferredOutput`] per output by position (outputs after the last are unsized), or the
/// reason why there is none.
pub(super) type Outputs = Result<Vec<InferredOutput>, Unsized>;

impl<'a> KnownInput<'a> {
    /// What is known of `tensor` once shapes are inferred; `None` where it has none.
    fn of(graph: &'a Graph, values: &'a BTreeMap<TensorId, Value>, id: TensorId) -> Option<Self> {
        let tensor = graph.tensor(id);
        Some(Self {
            dtype: tensor.dtype,
            dims: tensor.dims.as_deref()?,
            value: values.get(&id),
        })
    }

    /// The same for every input of `op`.
    fn inputs(
        graph: &'a Graph,
        values: &'a BTreeMap<TensorId, Value>,
        op: &Op,
    ) -> Vec<Option<Self>> {
        let known = |id: &Option<TensorId>| id.and_then(|id| Self::of(graph, values, id));
        op.inputs.iter().map(known).collect()
    }
}

impl InferredOutput {
    /// An output of which only element type and dimensions are known.
    pub(super) fn new(dtype: impl Into<Option<DType>>, dims: impl Into<Vec<u64>>) -> Self {
        Self {
            dtype: dtype.into(),
            dims: dims.into(),
            value: None,
        }
    }
}

impl Unsized {
    /// The reason with its detail.
    pub(crate) fn new(reason: UnsizedReason, detail: Message) -> Self {
        Self { reason, detail }
    }
}

/// Gives every tensor of `graph` its concrete `dims`, or its reason for having none (and
/// then the role [`Role::Unsized`]). Returns the elements of those
/// small tensors that are known before the run, shape arithmetic among them.
///
/// Where a known operator's result contradicts the declared shape, the result wins: files
/// carry stale declarations. Where the operator cannot be sized, a declared shape without
/// unknown dimensions is used. Operators are expected in an order in which they can run.
pub fn infer(graph: &mut Graph, bindings: &Bindings) -> BTreeMap<TensorId, Value> {
    infer_by(graph, bindings, Sizers::ALL)
}

/// The same with operators of these dialects only.
pub(crate) fn infer_by(
    graph: &mut Graph,
    bindings: &Bindings,
    sizers: Sizers,
) -> BTreeMap<TensorId, Value> {
    infer_found(graph, bindings, sizers, &Counts::new())
}

/// The same with counts that a run has found, see [`counted`].
pub(crate) fn infer_found(
    graph: &mut Graph,
    bindings: &Bindings,
    sizers: Sizers,
    found: &Counts,
) -> BTreeMap<TensorId, Value> {
    let mut sizing = Sizing::new(graph, bindings, sizers, found);
    sizing.size_sources(graph);
    for index in 0..graph.ops.len() {
        sizing.size_outputs(graph, index);
    }
    sizing.finish(graph)
}

/// The same, with what subgraphs hold in the place of the operators that hold them, as far as
/// that is possible. Tensors keep their ids, new ones come after them; tells what has become of
/// each operator too, unless they are what they were.
pub(crate) fn infer_flat(
    graph: &mut Graph,
    bindings: &Bindings,
    sizers: Sizers,
) -> (BTreeMap<TensorId, Value>, Vec<Option<OpId>>) {
    let becomes_others =
        |op: &Op| matches!(op.inside, Inside::Bodies(_)) || control::is_composite(op);
    if !graph.ops.iter().any(becomes_others) {
        return (infer_by(graph, bindings, sizers), Vec::new());
    }
    let mut sizing = Sizing::new(graph, bindings, sizers, &Counts::new());
    sizing.size_sources(graph);
    let ops = (sizers.flat)(&mut sizing, graph);
    (sizing.finish(graph), ops)
}

/// The dialects whose operators are sized. Code that never names one does not carry it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizers {
    /// Sizes what is no usual operator of ONNX.
    others: fn(&Call<'_>, Dialect) -> Outputs,
    /// Sizes what only a run counts; `None` for what is not counted.
    counted: fn(&Call<'_>, Dialect) -> Result<Option<Form>, Unsized>,
    /// Puts what subgraphs hold in the place of the operators that hold them.
    flat: fn(&mut Sizing, &mut Graph) -> Vec<Option<OpId>>,
}

impl Sizers {
    /// All of them.
    pub(crate) const ALL: Self = Self {
        others: |call, dialect| match dialect {
            Dialect::Onnx { .. } => onnx::rare_outputs(call),
            Dialect::Tflite => tflite::outputs(call),
        },
        counted: |call, dialect| match dialect {
            Dialect::Onnx { .. } => counted::onnx(call),
            Dialect::Tflite => tflite::counted(call),
        },
        flat: control::propagate,
    };

    /// The usual operators of ONNX alone: others are unknown, and subgraphs stay where they are.
    pub(crate) const USUAL: Self = Self {
        others: |call, _| Err(call.unknown()),
        counted: |call, _| counted::onnx(call),
        flat: |sizing, graph| {
            for index in 0..graph.ops.len() {
                sizing.size_outputs(graph, index);
            }
            (0..graph.ops.len())
                .map(|index| Some(OpId::at(index)))
                .collect()
        },
    };

    /// Whether [`Self::USUAL`] sizes all of a graph.
    pub(crate) fn are_usual(graph: &Graph) -> bool {
        let usual = |op: &Op| {
            let is_one = matches!(op.inside, Inside::Nothing);
            onnx::is_usual(op) && is_one && !control::is_composite(op)
        };
        graph.dialect != Dialect::Tflite && graph.ops.iter().all(usual)
    }
}

/// What is carried from operator to operator.
struct Sizing {
    sizers: Sizers,
    /// The value of each symbol.
    symbols: Vec<u64>,
    /// The elements known so far.
    values: BTreeMap<TensorId, Value>,
    /// How many elements may still be kept.
    budget: usize,
    counting: Counting,
}

impl Sizing {
    fn new(graph: &Graph, bindings: &Bindings, sizers: Sizers, found: &Counts) -> Self {
        let bound = |symbol: &super::Symbol| {
            let value = bindings.get(&symbol.name).copied();
            value.unwrap_or(symbol.default)
        };
        Self {
            sizers,
            symbols: graph.symbols.iter().map(bound).collect(),
            values: BTreeMap::new(),
            budget: MAX_ELEMENTS_IN_ALL,
            counting: Counting::new(graph, bindings, found),
        }
    }

    /// The declared dimensions once symbols are bound; `None` when one stays unknown.
    fn declared(&self, tensor: &Tensor) -> Option<Vec<u64>> {
        let bound = |dim: &Dim| match dim {
            Dim::Fixed(size) => Some(*size),
            Dim::Symbol(id) => self.symbols.get(id.0 as usize).copied(),
            Dim::AtMost(id, most) => {
                let symbol = self.symbols.get(id.0 as usize);
                symbol.map(|size| *size.min(most))
            }
            Dim::Unknown => None,
        };
        tensor.declared.as_ref()?.iter().map(bound).collect()
    }

    /// Sizes what no operator writes: inputs, constants and state.
    fn size_sources(&self, graph: &mut Graph) {
        let producers = graph.producers();
        for (tensor, producer) in graph.tensors.iter_mut().zip(producers) {
            if producer.is_none() {
                let found = self.declared(tensor).ok_or_else(undeclared);
                write(tensor, found.map(|dims| InferredOutput::new(None, dims)));
            }
        }
    }

    /// Sizes what the operator at `index` writes.
    fn size_outputs(&mut self, graph: &mut Graph, index: usize) {
        self.read_constants(graph, index);
        let (mut found, mut is_root) = (self.outputs(graph, index), false);
        if let Err(missing) = found {
            let counts = self.counting.all.len();
            found = match counted::is_counted(&missing) {
                true => self.counted(graph, index, missing),
                false => Err(missing),
            };
            is_root = self.counting.all.len() > counts;
        }
        if !self.counting.all.is_empty() {
            self.counting.spread(graph, index, is_root);
        }
        let written = graph.ops[index].outputs.clone();
        for (position, id) in written.into_iter().enumerate() {
            let Some(id) = id else { continue };
            let tensor = &mut graph.tensors[id.index()];
            let made = match &found {
                Ok(made) => made.get(position).cloned().ok_or_else(|| {
                    let detail = message!("output {} of {}", position, graph.ops[index].kind);
                    Unsized::new(UnsizedReason::InvalidOperator, detail)
                }),
                Err(missing) => Err(missing.clone()),
            };
            let made = made.or_else(|missing| match self.declared(tensor) {
                Some(dims) => Ok(InferredOutput::new(None, dims)),
                None => Err(missing),
            });
            if let Some(value) = write(tensor, made) {
                self.keep(id, value);
            }
        }
    }

    /// Decodes the small constants that the operator at `index` reads.
    fn read_constants(&mut self, graph: &Graph, index: usize) {
        for id in graph.ops[index].read() {
            self.read_constant(graph, id);
        }
    }

    fn read_constant(&mut self, graph: &Graph, id: TensorId) {
        if !self.values.contains_key(&id)
            && let Some(value) = constant(graph.tensor(id))
        {
            self.keep(id, value);
        }
    }

    /// Forgets the elements of a tensor.
    fn forget(&mut self, id: TensorId) {
        let value = self.values.remove(&id);
        self.budget += value.map_or(0, |value| value.len());
    }

    /// Forgets the elements of every tensor from `first` on.
    fn forget_from(&mut self, first: TensorId) {
        let values = self.values.split_off(&first);
        self.budget += values.values().map(Value::len).sum::<usize>();
    }

    /// Leaves out what nothing has sized; returns the elements.
    fn finish(self, graph: &mut Graph) -> BTreeMap<TensorId, Value> {
        for tensor in &mut graph.tensors {
            if tensor.dims.is_none() && tensor.missing.is_none() {
                leave_out(tensor, undeclared());
            }
        }
        graph.counts = self.counting.all;
        self.values
    }

    fn keep(&mut self, id: TensorId, value: Value) {
        let len = value.len();
        if len <= self.budget {
            self.budget -= len;
            self.values.insert(id, value);
        }
    }

    /// Asks the dialect for the outputs of the operator at `index`.
    fn outputs(&self, graph: &Graph, index: usize) -> Outputs {
        let op = graph.op(OpId::at(index));
        let mut inputs = Vec::with_capacity(op.inputs.len());
        for &input in &op.inputs {
            inputs.push(match input {
                Some(id) => Some(self.known(graph, id)?),
                None => None,
            });
        }
        let call = Call {
            op,
            inputs: &inputs,
            graph,
            follow: self.budget as u64 >= MAX_ELEMENTS,
        };
        match graph.dialect {
            Dialect::Onnx { .. } if onnx::is_usual(op) => onnx::outputs(&call),
            dialect => (self.sizers.others)(&call, dialect),
        }
    }

    fn known<'a>(&'a self, graph: &'a Graph, id: TensorId) -> Result<KnownInput<'a>, Unsized> {
        KnownInput::of(graph, &self.values, id).ok_or_else(|| {
            Unsized::new(
                UnsizedReason::UnsizedInput,
                Message::verbatim(&*graph.tensor(id).name),
            )
        })
    }
}

fn undeclared() -> Unsized {
    Unsized::new(UnsizedReason::Undeclared, message!("no shape in the file"))
}

/// The elements of a constant of the file, if they are few.
pub(super) fn constant(tensor: &Tensor) -> Option<Value> {
    let Content::Inline(bytes) = &tensor.content else {
        return None;
    };
    if tensor.role == Role::State {
        return None;
    }
    let value = Value::from_bytes(tensor.dtype, tensor.dims.as_deref()?, bytes)?;
    let weights =
        matches!(value.elements, Elements::Floats(_)) && value.len() as u64 > MAX_FLOAT_CONSTANT;
    (!weights).then_some(value)
}

/// Writes the finding into the tensor; returns its elements, if known.
fn write(tensor: &mut Tensor, found: Result<InferredOutput, Unsized>) -> Option<Value> {
    match found.and_then(|made| fits(tensor, made)) {
        Ok(made) => {
            tensor.dtype = made.dtype.unwrap_or(tensor.dtype);
            tensor.dims = Some(made.dims);
            made.value
        }
        Err(missing) => {
            leave_out(tensor, missing);
            None
        }
    }
}

/// Refuses what has no size in bytes, or too large a one.
fn fits(tensor: &Tensor, made: InferredOutput) -> Result<InferredOutput, Unsized> {
    let dtype = made.dtype.unwrap_or(tensor.dtype);
    let Some(bits) = dtype.bits() else {
        return Err(Unsized::new(
            UnsizedReason::DType,
            Message::verbatim(dtype.name()),
        ));
    };
    if made.dims.len() > MAX_RANK {
        let detail = message!("rank {}", made.dims.len());
        return Err(Unsized::new(UnsizedReason::TooLarge, detail));
    }
    // Zero-size tensors hold nothing however large their other dimensions are.
    let elements = if made.dims.contains(&0) {
        Some(0)
    } else {
        let mut dims = made.dims.iter();
        dims.try_fold(1_u64, |n, &dim| n.checked_mul(dim))
    };
    match elements.and_then(|n| n.checked_mul(bits)) {
        Some(bits) if bits.div_ceil(8) <= MAX_TENSOR_BYTES => Ok(made),
        _ => {
            let detail = message!("{} of {}", format_args!("{:?}", made.dims), dtype.name());
            Err(Unsized::new(UnsizedReason::TooLarge, detail))
        }
    }
}

fn leave_out(tensor: &mut Tensor, missing: Unsized) {
    tensor.role = Role::Unsized;
    tensor.dims = None;
    tensor.missing = Some(missing);
}
