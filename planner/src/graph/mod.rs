//! The model as read: tensors, operators and how they connect. No algorithm.

mod dtype;
mod encoding;
pub(crate) mod infer;
mod op;
pub(crate) mod order;
mod shape;
mod tensor;

use serde::{Deserialize, Serialize};

use crate::units::Offset;

pub use dtype::DType;
pub use encoding::{Level, Numbers, Quantization, Sparsity};
pub use infer::{Elements, Value, infer};
pub use op::{Attribute, Fused, Op, OpId};
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
}

/// The operator vocabulary of a graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Dialect {
    /// ONNX operators ("Conv", NCHW), with the default domain's opset version.
    Onnx {
        /// Version of the `ai.onnx` operator set; 0 when the file names none.
        opset: u32,
    },
    /// TFLite builtins ("CONV_2D", NHWC).
    #[default]
    Tflite,
}

impl Graph {
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
