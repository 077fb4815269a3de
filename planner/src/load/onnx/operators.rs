//! Operators of the graph that is being assembled: their names resolved, their attributes
//! and subgraphs taken over.

use super::assemble::{Build, constant, domain, op_place, tensor_place};
use super::functions::FUNCTION;
use super::messages::{RawAttribute, RawNode};
use crate::graph::{Attribute, Content, DType, Dialect, Dim, Op, Shape, TensorId};
use crate::load::{Fault, LoadError};
use crate::message;
use crate::operators::Operator;
use crate::sorting::Sorting as _;

/// The operators of any version are the same rows of the table.
const DIALECT: Dialect = Dialect::Onnx { opset: 0 };

/// Most attributes of one operator.
const MAX_ATTRIBUTES: usize = 256;

impl Build {
    pub(super) fn op(&mut self, node: RawNode) -> Result<(), LoadError> {
        let mut op = Op {
            name: node.name,
            ..Op::new(DIALECT, &domain(node.domain), &node.kind)
        };
        op.stream = self.stream(&op, node.stream.as_deref());
        op.inputs = self.resolve(node.inputs, &op)?;
        let outputs = node.outputs.into_iter();
        op.outputs = outputs.map(|name| self.names.get(&name).copied()).collect();
        let called = self.called(&op, &node.attributes);
        if op.is(Operator::Constant) {
            self.constant_node(&mut op, node.attributes)?;
        } else {
            for (name, value) in node.attributes {
                self.attribute(&mut op, name, value)?;
            }
        }
        op.captures.order();
        op.captures.dedup();
        if let Some(body) = called {
            self.subgraph(&mut op, FUNCTION, body)?;
        }

        self.graph.ops.push(op);
        Ok(())
    }

    /// The stream that `op` names by a number.
    fn stream(&mut self, op: &Op, name: Option<&str>) -> Option<u32> {
        let stream = name?.parse().ok();
        if stream.is_none() {
            self.warn(
                op_place(op),
                message!("its stream is no number: taken as if it had none"),
            );
        }
        stream
    }

    fn resolve(&mut self, names: Vec<String>, op: &Op) -> Result<Vec<Option<TensorId>>, LoadError> {
        let id = |name: String| match self.find(&name)? {
            Some(id) => Ok(Some(id)),
            None if name.is_empty() => Ok(None),
            None => {
                let message = message!("{} reads it, but nothing defines it", op_place(op));
                Err(Fault::Dangling.at(tensor_place(&name), message))
            }
        };
        names.into_iter().map(id).collect()
    }

    fn attribute(
        &mut self,
        op: &mut Op,
        name: String,
        value: RawAttribute,
    ) -> Result<(), LoadError> {
        if op.attributes.len() == MAX_ATTRIBUTES {
            let message = message!("more than {} attributes", MAX_ATTRIBUTES);
            return Err(Fault::Limit.at(op_place(op), message));
        }
        if op.attribute(&name).is_some() {
            let message = message!("attribute \"{}\" is given twice", name);
            return Err(Fault::Duplicate.at(op_place(op), message));
        }
        let value = match value {
            RawAttribute::Int(x) => Attribute::Int(x),
            RawAttribute::Ints(x) => Attribute::Ints(x),
            RawAttribute::Float(x) => Attribute::Float(x),
            RawAttribute::Floats(x) => Attribute::Floats(x),
            RawAttribute::Text(x) => Attribute::Text(x),
            RawAttribute::Texts(x) => Attribute::Texts(x),
            RawAttribute::Tensor(tensor) => {
                let own = self.new_name(format!("{}.{name}", op.name));
                Attribute::Tensor(self.constant(tensor, own)?)
            }
            RawAttribute::Subgraphs(subgraphs) => {
                let mut ops = 0_u32;
                for subgraph in subgraphs {
                    ops = ops.saturating_add(self.subgraph(op, &name, subgraph)?);
                }
                Attribute::Subgraph { ops }
            }
            RawAttribute::Reference(_) | RawAttribute::Other => return Ok(()),
        };
        op.attributes.push((name, value));
        Ok(())
    }

    /// A name that no tensor has.
    fn new_name(&self, name: String) -> String {
        let mut number = self.graph.tensors.len();
        let mut own = name.clone();
        while self.names.contains_key(&own) {
            number += 1;
            own = format!("{name}#{number}");
        }
        own
    }

    /// Gives the results of an If that the file does not describe the shapes that its
    /// branches declare, as far as they agree.
    pub(super) fn branch(&mut self, op: &Op, name: &str, outputs: Vec<(DType, Option<Shape>)>) {
        if !op.is(Operator::If) {
            return;
        }
        for (id, (dtype, shape)) in op.outputs.iter().zip(outputs) {
            let Some(id) = id else { continue };
            let tensor = &mut self.graph.tensors[id.index()];
            let first = op.attributes.iter().all(|(other, _)| !is_branch(other));
            if is_branch(name) && first && tensor.declared.is_none() {
                tensor.declared = shape;
                if dtype != DType::Other {
                    tensor.dtype = dtype;
                }
            } else if !first && tensor.declared != shape {
                tensor.declared = None;
            }
        }
    }

    /// The value of a Constant operator goes into the tensor that it writes.
    fn constant_node(
        &mut self,
        op: &mut Op,
        attributes: Vec<(String, RawAttribute)>,
    ) -> Result<(), LoadError> {
        let Some(id) = op.written().next() else {
            return Ok(());
        };
        let name = self.graph.tensor(id).name.clone();
        for (key, value) in attributes {
            let (dtype, dims, bytes) = match (key.as_str(), value) {
                ("value", RawAttribute::Tensor(mut raw)) => {
                    self.graph.tensors[id.index()] = constant(&mut raw, name)?;
                    return Ok(());
                }
                ("value_int", RawAttribute::Int(x)) => {
                    (DType::I64, vec![], x.to_le_bytes().to_vec())
                }
                ("value_ints", RawAttribute::Ints(x)) => {
                    let bytes = x.iter().flat_map(|x| x.to_le_bytes()).collect();
                    (DType::I64, vec![x.len() as u64], bytes)
                }
                ("value_float", RawAttribute::Float(x)) => {
                    (DType::F32, vec![], x.to_le_bytes().to_vec())
                }
                ("value_floats", RawAttribute::Floats(x)) => {
                    let bytes = x.iter().flat_map(|x| x.to_le_bytes()).collect();
                    (DType::F32, vec![x.len() as u64], bytes)
                }
                _ => continue,
            };
            let tensor = &mut self.graph.tensors[id.index()];
            tensor.dtype = dtype;
            tensor.declared = Some(dims.into_iter().map(Dim::Fixed).collect());
            tensor.content = Content::Inline(bytes);
            return Ok(());
        }
        let message = message!("its value is text, sparse or missing: it has no size");
        self.warn(op_place(op), message);
        Ok(())
    }
}

fn is_branch(name: &str) -> bool {
    matches!(name, "then_branch" | "else_branch")
}
