//! A model with its operators found by buffer.

use crate::graph::{Graph, Op, OpId, Role, Tensor, TensorId};
use crate::liveness::Lifetimes;
use crate::program::Program;

/// A model with its operators found by buffer.
pub(super) struct Model<'a> {
    graph: &'a Graph,
    /// The tensors that view the storage of each buffer, the one that names it first.
    tensors: Vec<Vec<TensorId>>,
    producers: Vec<Option<OpId>>,
    consumers: Vec<Vec<OpId>>,
}

impl<'a> Model<'a> {
    pub(super) fn new(program: &'a Program, lifetimes: &Lifetimes) -> Self {
        let of_storage = program.storages.tensors_of_each();
        let storages = lifetimes.buffers.iter().map(|buffer| buffer.storage);
        let tensors = storages.map(|storage| {
            let tensors = storage.and_then(|it| of_storage.get(it.index()));
            tensors.cloned().unwrap_or_default()
        });
        Self {
            graph: &program.graph,
            tensors: tensors.collect(),
            producers: program.graph.producers(),
            consumers: program.graph.consumers(),
        }
    }

    fn tensors(&self, buffer: usize) -> &[TensorId] {
        self.tensors.get(buffer).map_or(&[], |tensors| tensors)
    }

    /// The tensor that names the buffer.
    pub(super) fn tensor(&self, buffer: usize) -> Option<&'a Tensor> {
        let tensor = self.tensors(buffer).first()?;
        self.graph.tensors.get(tensor.index())
    }

    /// The operator that writes it.
    pub(super) fn op(&self, buffer: usize) -> Option<&'a Op> {
        let tensor = self.tensors(buffer).first()?;
        let op = (*self.producers.get(tensor.index())?)?;
        self.graph.ops.get(op.index())
    }

    pub(super) fn readers(&self, buffer: usize) -> Vec<&'a str> {
        let tensors = self.tensors(buffer).iter();
        let readers = tensors.filter_map(|tensor| self.consumers.get(tensor.index()));
        let ops = readers.flatten();
        let ops = ops.filter_map(|op| self.graph.ops.get(op.index()));
        ops.map(|op| op.name.as_str()).collect()
    }

    pub(super) fn role(&self, buffer: usize) -> Option<&'static str> {
        Some(match self.tensor(buffer)?.role {
            Role::Input => "input",
            Role::Output => "output",
            Role::Constant => "constant",
            Role::Intermediate => "intermediate",
            Role::State => "state",
            Role::Unsized => "unsized",
        })
    }
}
