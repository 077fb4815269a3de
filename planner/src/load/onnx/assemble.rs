//! Messages → graph: names become ids, and whatever is inconsistent is refused here.

use std::collections::{BTreeMap, BTreeSet};

use super::messages::{Broken, RawAttribute, RawGraph, RawModel, RawNode};
use super::tensors::{RawDim, RawInfo, RawTensor};
use crate::graph::{
    Attribute, Content, DType, Dialect, Dim, Graph, Op, OpId, Role, Shape, Symbol, SymbolId,
    Tensor, TensorId, order,
};
use crate::load::{Fault, LoadError, Warning};

/// Warnings that are listed one by one; the rest is only counted.
const MAX_WARNINGS: usize = 64;
/// Most attributes of one operator.
const MAX_ATTRIBUTES: usize = 256;

/// Builds the graph of a model.
pub(super) fn assemble(model: RawModel) -> Result<(Graph, Vec<Warning>), LoadError> {
    let Some(raw) = model.graph else {
        let message = "the file ends before the model's graph";
        return Err(fault(Fault::Truncated, "file", message));
    };
    let mut build = Build::new(&model.opsets);
    build.functions = model.functions;
    build.functions.sort_unstable();
    build.graph(raw)?;
    build.reorder()?;
    if build.unlisted > 0 {
        let message = format!("{} more warnings are left out", build.unlisted);
        let place = "file".into();
        build.warnings.push(Warning { place, message });
    }
    Ok((build.graph, build.warnings))
}

fn fault(kind: Fault, place: impl Into<String>, message: impl Into<String>) -> LoadError {
    LoadError {
        kind,
        place: place.into(),
        message: message.into(),
    }
}

fn tensor_place(name: &str) -> String {
    format!("tensor \"{name}\"")
}

/// "operator \"name\" (kind)".
fn op_place(op: &Op) -> String {
    format!("operator \"{}\" ({})", op.name, op.kind)
}

/// The default domain has two spellings.
fn domain(name: String) -> String {
    if name == "ai.onnx" {
        String::new()
    } else {
        name
    }
}

#[derive(Default)]
struct Build {
    graph: Graph,
    names: BTreeMap<String, TensorId>,
    symbols: BTreeMap<String, SymbolId>,
    functions: Vec<(String, String)>,
    outputs: BTreeSet<TensorId>,
    warnings: Vec<Warning>,
    unlisted: usize,
}

impl Build {
    fn new(opsets: &[(String, i64)]) -> Self {
        let mut build = Self::default();
        let own = |(name, _): &&(String, i64)| name.is_empty() || name == "ai.onnx";
        let version = opsets.iter().find(own).map(|&(_, version)| version);
        let opset = version.and_then(|version| u32::try_from(version).ok());
        if opset.is_none() {
            build.warn("file", "no operator set version: the newest rules are used");
        }
        let opset = opset.unwrap_or(0);
        build.graph.dialect = Dialect::Onnx { opset };
        build
    }

    fn warn(&mut self, place: impl Into<String>, message: impl Into<String>) {
        if self.warnings.len() == MAX_WARNINGS {
            self.unlisted += 1;
            return;
        }
        let (place, message) = (place.into(), message.into());
        self.warnings.push(Warning { place, message });
    }

    fn graph(&mut self, raw: RawGraph) -> Result<(), LoadError> {
        self.graph.name = raw.name;
        for tensor in raw.initializers {
            let name = tensor.name.clone();
            self.constant(tensor, name)?;
        }
        for tensor in raw.sparse {
            let name = tensor.name.clone();
            self.warn(tensor_place(&name), "sparse: sized as if it were dense");
            self.constant(tensor, name)?;
        }
        for info in raw.inputs {
            self.input(info)?;
        }
        let mut nodes = raw.nodes;
        self.results(&mut nodes)?;
        for info in raw.values {
            self.describe(info);
        }
        for (index, node) in nodes.into_iter().enumerate() {
            self.op(node, index)?;
        }
        for info in raw.outputs {
            self.output(info)?;
        }
        Ok(())
    }

    /// Adds a tensor whose name must be new.
    fn add(&mut self, tensor: Tensor) -> Result<TensorId, LoadError> {
        let id = TensorId::at(self.graph.tensors.len());
        if tensor.name.is_empty() {
            let place = format!("tensor {}", id.0);
            return Err(fault(Fault::Malformed, place, "it has no name"));
        }
        if self.names.insert(tensor.name.clone(), id).is_some() {
            let place = tensor_place(&tensor.name);
            return Err(fault(Fault::Duplicate, place, "it is defined twice"));
        }
        self.graph.tensors.push(tensor);
        Ok(id)
    }

    /// Adds a constant tensor of the file.
    fn constant(&mut self, mut raw: RawTensor, name: String) -> Result<TensorId, LoadError> {
        let tensor = constant(&mut raw, name)?;
        self.add(tensor)
    }

    fn input(&mut self, info: RawInfo) -> Result<(), LoadError> {
        if let Some(id) = self.names.get(&info.name) {
            // Old files list their constants among the inputs.
            if self.graph.tensor(*id).role == Role::Constant {
                return Ok(());
            }
        }
        let name = info.name.clone();
        let dtype = info.dtype.unwrap_or(DType::Other);
        let mut tensor = Tensor::new(info.name, dtype);
        tensor.role = Role::Input;
        if let Some(dims) = info.dims {
            let dims = dims.into_iter().enumerate();
            let dims = dims.map(|(axis, dim)| match dim {
                RawDim::Fixed(size) => Dim::Fixed(size),
                RawDim::Named(symbol) => self.symbol(symbol),
                RawDim::Unknown => self.symbol(format!("{name}.{axis}")),
            });
            tensor.declared = Some(dims.collect());
        }
        let id = self.add(tensor)?;
        self.graph.inputs.push(id);
        Ok(())
    }

    /// The symbol of this name, new or known.
    fn symbol(&mut self, name: String) -> Dim {
        let next = u32::try_from(self.graph.symbols.len()).unwrap_or(u32::MAX);
        let id = *self.symbols.entry(name.clone()).or_insert(SymbolId(next));
        if id.0 == next {
            self.graph.symbols.push(Symbol { name, default: 1 });
        }
        Dim::Symbol(id)
    }

    /// Declared dimensions of anything but an input. A name that no input has is not a
    /// symbol to bind: exporters invent one for every dimension that they do not know.
    fn shape(&self, dims: Vec<RawDim>) -> Shape {
        let known = |dim| match dim {
            RawDim::Fixed(size) => Dim::Fixed(size),
            RawDim::Named(name) => match self.symbols.get(&name) {
                Some(&id) => Dim::Symbol(id),
                None => Dim::Unknown,
            },
            RawDim::Unknown => Dim::Unknown,
        };
        dims.into_iter().map(known).collect()
    }

    /// Adds what the operators write, so that a reader may stand before its writer.
    fn results(&mut self, nodes: &mut [RawNode]) -> Result<(), LoadError> {
        for (index, node) in nodes.iter_mut().enumerate() {
            if node.kind.is_empty() {
                let place = format!("operator {index}");
                return Err(fault(Fault::Malformed, place, "it has no type"));
            }
            if node.name.is_empty() {
                node.name = format!("{}_{index}", node.kind);
            }
            let constant = node.kind == "Constant" && matches!(&*node.domain, "" | "ai.onnx");
            for name in node.outputs.iter().filter(|name| !name.is_empty()) {
                let mut tensor = Tensor::new(name.as_str(), DType::Other);
                if constant {
                    tensor.role = Role::Constant;
                }
                if self.names.contains_key(name) {
                    let message = format!("operator \"{}\" writes it again", node.name);
                    return Err(fault(Fault::Duplicate, tensor_place(name), message));
                }
                self.add(tensor)?;
            }
        }
        Ok(())
    }

    /// Takes over the declared type of a value, if there is such a value.
    fn describe(&mut self, info: RawInfo) {
        let Some(&id) = self.names.get(&info.name) else {
            return;
        };
        let shape = info.dims.map(|dims| self.shape(dims));
        let tensor = &mut self.graph.tensors[id.index()];
        if !matches!(tensor.role, Role::Intermediate | Role::Output) {
            return;
        }
        if let Some(dtype) = info.dtype {
            tensor.dtype = dtype;
        }
        if shape.is_some() {
            tensor.declared = shape;
        }
    }

    fn op(&mut self, node: RawNode, index: usize) -> Result<(), LoadError> {
        let mut op = Op {
            name: node.name,
            kind: node.kind,
            domain: domain(node.domain),
            ..Op::default()
        };
        op.inputs = self.resolve(node.inputs, &op)?;
        let outputs = node.outputs.into_iter();
        op.outputs = outputs.map(|name| self.names.get(&name).copied()).collect();
        if op.kind == "Constant" && op.domain.is_empty() {
            self.constant_node(&mut op, node.attributes)?;
        } else {
            for (name, value) in node.attributes {
                self.attribute(&mut op, name, value)?;
            }
        }
        op.captures.sort_unstable();
        op.captures.dedup();
        let function = (op.domain.clone(), op.kind.clone());
        if !self.functions.is_empty() && self.functions.binary_search(&function).is_ok() {
            let message = "a function of the model itself: its results have no size";
            self.warn(op_place(&op), message);
        }
        debug_assert_eq!(index, self.graph.ops.len());
        self.graph.ops.push(op);
        Ok(())
    }

    fn resolve(&self, names: Vec<String>, op: &Op) -> Result<Vec<Option<TensorId>>, LoadError> {
        let id = |name: String| match self.names.get(&name) {
            Some(&id) => Ok(Some(id)),
            None if name.is_empty() => Ok(None),
            None => {
                let message = format!("{} reads it, but nothing defines it", op_place(op));
                Err(fault(Fault::Dangling, tensor_place(&name), message))
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
            let message = format!("more than {MAX_ATTRIBUTES} attributes");
            return Err(fault(Fault::Limit, op_place(op), message));
        }
        if op.attribute(&name).is_some() {
            let message = format!("attribute \"{name}\" is given twice");
            return Err(fault(Fault::Duplicate, op_place(op), message));
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
                    ops = ops.saturating_add(subgraph.ops);
                    let outer = self.resolve(subgraph.free, op)?;
                    op.captures.extend(outer.into_iter().flatten());
                    self.branch(op, &name, subgraph.outputs);
                }
                Attribute::Subgraph { ops }
            }
            RawAttribute::Other => return Ok(()),
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
    fn branch(&mut self, op: &Op, name: &str, outputs: Vec<RawInfo>) {
        if op.kind != "If" || !op.domain.is_empty() {
            return;
        }
        for (id, info) in op.outputs.iter().zip(outputs) {
            let Some(id) = id else { continue };
            let shape = info.dims.map(|dims| self.shape(dims));
            let tensor = &mut self.graph.tensors[id.index()];
            let first = op.attributes.iter().all(|(other, _)| !is_branch(other));
            if is_branch(name) && first && tensor.declared.is_none() {
                tensor.declared = shape;
                tensor.dtype = info.dtype.unwrap_or(tensor.dtype);
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
        let message = "its value is text, sparse or missing: it has no size";
        self.warn(op_place(op), message);
        Ok(())
    }

    fn output(&mut self, info: RawInfo) -> Result<(), LoadError> {
        let Some(&id) = self.names.get(&info.name) else {
            let message = "an output of the model that nothing writes";
            return Err(fault(Fault::Dangling, tensor_place(&info.name), message));
        };
        if !self.outputs.insert(id) {
            self.warn(tensor_place(&info.name), "listed twice among the outputs");
            return Ok(());
        }
        self.describe(info);
        let tensor = &mut self.graph.tensors[id.index()];
        if tensor.role == Role::Intermediate {
            tensor.role = Role::Output;
        }
        self.graph.outputs.push(id);
        Ok(())
    }

    /// Brings the operators into an order in which they can run.
    fn reorder(&mut self) -> Result<(), LoadError> {
        let order = order::run_order(&self.graph).map_err(|op: OpId| {
            let place = op_place(self.graph.op(op));
            fault(Fault::Cycle, place, "it depends on its own result")
        })?;
        if let Some(order) = order {
            self.warn(
                "file",
                "the operators were not in an order in which they can run",
            );
            let mut ops: Vec<Option<Op>> = self.graph.ops.drain(..).map(Some).collect();
            let sorted = order.iter().filter_map(|op| ops[op.index()].take());
            self.graph.ops = sorted.collect();
        }
        Ok(())
    }
}

fn is_branch(name: &str) -> bool {
    matches!(name, "then_branch" | "else_branch")
}

fn constant(raw: &mut RawTensor, name: String) -> Result<Tensor, LoadError> {
    let dims = raw.shape().map_err(|broken| match broken {
        Broken::Content(kind, message) => fault(kind, tensor_place(&name), message),
        Broken::Wire(error) => fault(Fault::Malformed, tensor_place(&name), error.to_string()),
    })?;
    let mut tensor = Tensor::new(name, raw.dtype());
    tensor.role = Role::Constant;
    tensor.declared = Some(dims.into_iter().map(Dim::Fixed).collect());
    tensor.content = raw.content();
    Ok(tensor)
}
