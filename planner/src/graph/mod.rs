//! The model as read: tensors, operators and how they connect. No algorithm.

mod batch;
mod count;
mod dtype;
mod encoding;
pub(crate) mod infer;
mod op;
pub(crate) mod order;
mod shape;
mod tensor;

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::sorting::inserted;
use crate::units::{Bytes, Offset};

pub use crate::operators::Dialect;
pub use count::{Count, Limit};
pub use dtype::DType;
pub use encoding::{Level, Numbers, Quantization, Sparsity};
pub(crate) use infer::element_type;
pub use infer::{Counts, Elements, Value, infer};
pub use op::{Attribute, Body, Inside, Op, OpId};
pub use shape::{Bindings, Dim, Shape, Symbol, SymbolId};
pub use tensor::{Content, Role, Tensor, TensorId, Unsized, UnsizedReason};

/// A graph of operators over tensors, in the order of the file.
///
/// Ids are indices into `tensors` and `ops`; loaders guarantee that every id inside is valid.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Graph {
    /// The graph's own name, empty when the file gives none.
    pub name: String,
    /// Which operator vocabulary the `kind`s of `ops` come from.
    pub dialect: Dialect,
    /// Every tensor, each with a unique name.
    pub tensors: Vec<Tensor>,
    /// Every operator in file order.
    pub ops: Vec<Op>,
    /// Tensors that the caller feeds. Initializers are not inputs.
    pub inputs: Vec<TensorId>,
    /// Tensors that the caller reads.
    pub outputs: Vec<TensorId>,
    /// The symbolic dimensions that the file declares, in order of first appearance.
    pub symbols: Vec<Symbol>,
    /// Where the file puts each tensor in the arena, `None` where the runtime is to: a plan
    /// that came with the model (TFLite's `OfflineMemoryAllocation`). Empty without one.
    #[serde(default)]
    pub offline: Vec<Option<Offset>>,
    /// The operators of which only a run finds how much they give, once tensors are sized.
    #[serde(default)]
    pub counts: Vec<Count>,
    /// How many other subgraphs of the file have tensors that TFLite Micro places, in the same
    /// arena.
    #[serde(default)]
    pub others: usize,
    /// How many of a thousand elements that an operator writes are zero, by its name, where a run
    /// has counted them; the names in order. No file says it.
    #[serde(skip)]
    pub zeros: Vec<(String, u16)>,
}

impl Graph {
    /// Bytes that a tensor takes in a run. The runtimes of TFLite keep elements of less than a
    /// byte packed in constants alone: elsewhere each has a byte of its own. `None` as for
    /// [`Tensor::bytes`].
    #[must_use]
    pub fn held(&self, tensor: &Tensor) -> Option<Bytes> {
        let packed = self.dialect != Dialect::Tflite || tensor.role == Role::Constant;
        let narrow = tensor.dtype.bits().is_some_and(|bits| bits < 8);
        match narrow && !packed {
            true => tensor.elements().map(Bytes),
            false => tensor.bytes(),
        }
    }

    /// Whether an operator runs: one whose every output is constant does not, for its results are
    /// known before the run.
    #[must_use]
    pub fn runs(&self, op: &Op) -> bool {
        let folded = |tensor: TensorId| self.tensor(tensor).role == Role::Constant;
        let mut written = op.written().peekable();
        written.peek().is_none() || !written.all(folded)
    }

    /// The tensor with this id.
    ///
    /// # Panics
    /// When `id` is not of this graph: a bug of ours, never of a file.
    #[must_use]
    pub fn tensor(&self, id: TensorId) -> &Tensor {
        &self.tensors[id.index()]
    }

    /// The operator with this id.
    ///
    /// # Panics
    /// When `id` is not of this graph: a bug of ours, never of a file.
    #[must_use]
    pub fn op(&self, id: OpId) -> &Op {
        &self.ops[id.index()]
    }

    /// This graph and those of the subgraphs in it.
    pub(crate) fn each_mut(&mut self, each: &mut dyn FnMut(&mut Self)) {
        each(self);
        for op in &mut self.ops {
            if let Inside::Bodies(bodies) = &mut op.inside {
                bodies.iter_mut().for_each(|body| body.graph.each_mut(each));
            }
        }
    }

    /// For each tensor the operator that writes it, if any.
    #[must_use]
    pub fn producers(&self) -> Vec<Option<OpId>> {
        let mut producers = vec![None; self.tensors.len()];
        for (index, op) in self.ops.iter().enumerate() {
            for tensor in op.written() {
                producers[tensor.index()] = Some(OpId::at(index));
            }
        }
        producers
    }

    /// The graph with the operators that fused ones stand for, and where the parts of each
    /// operator are in it. Tensors keep their ids; what is between parts comes after them.
    #[must_use]
    pub fn unfused(&self) -> (Self, Vec<Range<usize>>) {
        let mut graph = Self {
            ops: Vec::with_capacity(self.ops.len()),
            ..self.clone()
        };
        let mut parts = Vec::with_capacity(self.ops.len());
        let named = self.tensors.iter().zip(0..);
        let named = named.map(|(tensor, id)| (tensor.name.as_str(), TensorId(id)));
        let named: BTreeMap<&str, TensorId> = inserted(named);
        for op in &self.ops {
            let start = graph.ops.len();
            match &op.fused {
                None => graph.ops.push(op.clone()),
                Some(parts) => graph.spell_out(op, parts, &named),
            }
            parts.push(start..graph.ops.len());
        }
        (graph, parts)
    }

    /// Adds the parts of `op`.
    fn spell_out(&mut self, op: &Op, parts: &Self, named: &BTreeMap<&str, TensorId>) {
        let mut ids: Vec<Option<TensorId>> = vec![None; parts.tensors.len()];
        let ends = parts.inputs.iter().zip(op.inputs.iter().flatten());
        for (inside, outside) in ends.chain(parts.outputs.iter().zip(op.outputs.iter().flatten())) {
            ids[inside.index()] = Some(*outside);
        }
        for (id, tensor) in ids.iter_mut().zip(&parts.tensors) {
            let known = named.get(tensor.name.as_str()).copied();
            *id = id.or(known).or_else(|| {
                self.tensors.push(tensor.clone());
                Some(TensorId::at(self.tensors.len() - 1))
            });
        }
        for mut part in parts.ops.iter().cloned() {
            let slots = part.inputs.iter_mut().chain(&mut part.outputs);
            for slot in slots {
                *slot = slot.and_then(|id| ids[id.index()]);
            }
            for (_, value) in &mut part.attributes {
                if let (Attribute::Tensor(id), attributes) = (value, &ids) {
                    *id = attributes[id.index()].unwrap_or(*id);
                }
            }
            self.ops.push(part);
        }
    }

    /// For each tensor the operators that read it, in file order, each once; a tensor that
    /// a subgraph of an operator captures counts as read by that operator.
    #[must_use]
    pub fn consumers(&self) -> Vec<Vec<OpId>> {
        let mut consumers = vec![Vec::new(); self.tensors.len()];
        for (index, op) in self.ops.iter().enumerate() {
            for tensor in op.read() {
                let readers: &mut Vec<OpId> = &mut consumers[tensor.index()];
                if readers.last() != Some(&OpId::at(index)) {
                    readers.push(OpId::at(index));
                }
            }
        }
        consumers
    }
}
