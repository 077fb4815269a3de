//! Operators and tensors of subgraphs as those of the graph.

use super::{Call, Flat, Refusal, Scope, is_composite};
use crate::graph::infer::{InferredOutput, undeclared, write};
use crate::graph::{
    Attribute, Body, Content, DType, Dialect, Dim, Graph, Inside, Op, Role, Tensor, TensorId,
};
use crate::message;
use crate::operators::Operator;

/// How far the graph was, to go back to.
pub(super) struct Mark {
    ops: usize,
    tensors: usize,
    held: usize,
    /// What an operator writes that is in the graph already, as it was.
    written: Vec<(TensorId, Tensor)>,
}

impl Flat<'_> {
    /// Puts `op` behind the operators so far, or what it holds; whether that is so.
    ///
    /// # Errors
    /// When more comes out of subgraphs than may.
    pub(super) fn place(&mut self, op: &Op, scope: &Scope) -> Result<bool, Refusal> {
        if scope.ids.is_some() {
            self.budget.op(op)?;
        }
        let mut own = in_scope(op, scope);
        if let Inside::Bodies(bodies) = &op.inside {
            let mut mark = self.mark();
            let written = own.written().map(|id| (id, self.graph.tensor(id).clone()));
            mark.written = written.collect();
            let call = Call {
                op: &own,
                bodies,
                scope,
            };
            match self.flatten(&call) {
                Ok(()) => return Ok(true),
                Err(why) => {
                    self.undo(mark);
                    own.inside = Inside::Kept(why);
                }
            }
        }
        if is_composite(&own) {
            let mark = self.mark();
            match self.compose(&own, scope) {
                Some(()) => return Ok(true),
                None => self.undo(mark),
            }
        }
        self.push(own);
        Ok(false)
    }

    /// Puts `op`, whose operands are in the graph, behind the operators so far.
    pub(super) fn push(&mut self, op: Op) {
        self.graph.ops.push(op);
        let last = self.graph.ops.len() - 1;
        self.sizing.size_outputs(self.graph, last);
    }

    /// Puts the operators of an iteration of `body` behind those so far, and tells what its results
    /// are. `outputs` are tensors of the graph that some of them go to.
    pub(super) fn expand(
        &mut self,
        body: &Body,
        around: &Scope,
        inputs: &[TensorId],
        outputs: &[Option<TensorId>],
        iteration: &str,
    ) -> Result<Vec<TensorId>, Refusal> {
        self.budget.iteration(body)?;
        let inner = &body.graph;
        let mut known: Vec<Option<TensorId>> = vec![None; inner.tensors.len()];
        for &(inside, outside) in &body.outer {
            known[inside.index()] = Some(around.id(outside));
        }
        for (inside, outside) in inner.inputs.iter().zip(inputs) {
            known[inside.index()] = Some(*outside);
        }
        for (inside, outside) in inner.outputs.iter().zip(outputs) {
            let slot = &mut known[inside.index()];
            if slot.is_none() && inner.tensor(*inside).role != Role::Constant {
                *slot = *outside;
            }
        }
        let ids = known.into_iter().zip(&inner.tensors).zip(0..);
        let ids = ids.map(|((known, tensor), id)| match known {
            Some(known) => known,
            None if tensor.role == Role::Constant => {
                self.hold((body.number, TensorId(id)), || tensor.clone())
            }
            None => {
                let role = Role::Intermediate;
                self.add(
                    Tensor {
                        role,
                        ..tensor.clone()
                    },
                    iteration,
                )
            }
        });
        let scope = Scope {
            ids: Some(ids.collect()),
            iteration: iteration.to_owned(),
        };
        let before = self.graph.ops.len();
        for op in inner.ops.iter().filter(|op| !is_constant(inner, op)) {
            self.place(op, &scope)?;
        }
        if self.graph.ops.len() == before {
            self.budget.idle()?;
        }
        let results: Vec<TensorId> = inner.outputs.iter().map(|&id| scope.id(id)).collect();
        for (&from, to) in results.iter().zip(outputs) {
            if let Some(to) = to.filter(|&to| to != from) {
                self.copy(from, to)?;
            }
        }
        Ok(results)
    }

    /// Writes the elements of `from` to `to`.
    pub(super) fn copy(&mut self, from: TensorId, to: TensorId) -> Result<(), Refusal> {
        let name = format!("{}.copy", self.graph.tensor(from).name);
        let (operator, attributes) = match self.graph.dialect {
            Dialect::Onnx { .. } => (Operator::Identity, Vec::new()),
            Dialect::Tflite => {
                let dims = self.graph.tensor(from).dims.as_ref();
                let dims = dims
                    .ok_or_else(|| message!("a value that it passes on has no size"))?
                    .iter();
                let dims = dims.map(|&dim| i64::try_from(dim).unwrap_or(i64::MAX));
                let shape = Attribute::Ints(dims.collect());
                (Operator::Reshape, vec![("new_shape".into(), shape)])
            }
        };
        self.push(Op {
            name,
            inputs: vec![Some(from)],
            outputs: vec![Some(to)],
            attributes,
            ..Op::of(self.graph.dialect, operator)
        });
        Ok(())
    }

    /// Adds a tensor under its name with `iteration` behind it, or one like that.
    pub(super) fn add(&mut self, mut tensor: Tensor, iteration: &str) -> TensorId {
        tensor.name.push_str(iteration);
        let base = tensor.name.clone();
        while let Some(next) = self.names.get_mut(&tensor.name) {
            // Its own number counts on, so that many of one name are soon found names.
            let number = *next;
            *next += 1;
            tensor.name = format!("{base}#{number}");
        }
        self.names.insert(tensor.name.clone(), 1);
        self.graph.tensors.push(tensor);
        TensorId::at(self.graph.tensors.len() - 1)
    }

    /// The constant of a subgraph, which `made` makes where the graph does not have it yet.
    pub(super) fn hold(&mut self, key: (u32, TensorId), made: impl FnOnce() -> Tensor) -> TensorId {
        if let Some(&id) = self.held.get(&key) {
            return id;
        }
        let id = self.constant(made(), "");
        self.held.insert(key, id);
        self.order.push(key);
        id
    }

    /// Adds a constant.
    pub(super) fn constant(&mut self, tensor: Tensor, iteration: &str) -> TensorId {
        let id = self.add(tensor, iteration);
        let tensor = &mut self.graph.tensors[id.index()];
        let found = self.sizing.declared(tensor).ok_or_else(undeclared);
        write(tensor, found.map(|dims| InferredOutput::new(None, dims)));
        id
    }

    pub(super) fn mark(&self) -> Mark {
        Mark {
            ops: self.graph.ops.len(),
            tensors: self.graph.tensors.len(),
            held: self.order.len(),
            written: Vec::new(),
        }
    }

    /// Takes back what has come since `mark`.
    pub(super) fn undo(&mut self, mark: Mark) {
        self.graph.ops.truncate(mark.ops);
        for key in self.order.drain(mark.held..) {
            self.held.remove(&key);
        }
        for tensor in self.graph.tensors.drain(mark.tensors..) {
            self.names.remove(&tensor.name);
        }
        self.sizing.forget_from(TensorId::at(mark.tensors));
        for (id, tensor) in mark.written {
            self.sizing.forget(id);
            self.graph.tensors[id.index()] = tensor;
        }
    }
}

/// The operator with its operands as they are in the graph, without its subgraphs.
fn in_scope(op: &Op, scope: &Scope) -> Op {
    let operand = |id: &Option<TensorId>| id.map(|id| scope.id(id));
    let attribute = |(key, value): &(String, Attribute)| {
        let value = match value {
            Attribute::Tensor(id) => Attribute::Tensor(scope.id(*id)),
            other => other.clone(),
        };
        (key.clone(), value)
    };
    Op {
        name: format!("{}{}", op.name, scope.iteration),
        operator: op.operator,
        kind: op.kind.clone(),
        domain: op.domain.clone(),
        inputs: op.inputs.iter().map(operand).collect(),
        outputs: op.outputs.iter().map(operand).collect(),
        captures: op.captures.iter().map(|&id| scope.id(id)).collect(),
        attributes: op.attributes.iter().map(attribute).collect(),
        stream: op.stream,
        fused: None,
        inside: Inside::Nothing,
    }
}

/// Whether the operator only names constants of the file.
fn is_constant(graph: &Graph, op: &Op) -> bool {
    let mut written = op.written().peekable();
    written.peek().is_some() && written.all(|id| graph.tensor(id).role == Role::Constant)
}

/// A constant of one element, in as many dimensions as `like` declares, none or one.
pub(super) fn element(like: &Tensor, dtype: DType, bytes: Vec<u8>) -> Tensor {
    let rank = like.declared.as_ref().map_or(0, |dims| dims.len().min(1));
    let mut tensor = Tensor::new(like.name.as_str(), dtype);
    tensor.role = Role::Constant;
    tensor.declared = Some(vec![Dim::Fixed(1); rank]);
    tensor.content = Content::Inline(bytes);
    tensor
}
