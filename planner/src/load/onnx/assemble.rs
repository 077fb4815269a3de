//! Messages → graph: names become ids, and whatever is inconsistent is refused here.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::messages::{RawFunction, RawGraph, RawModel, RawNode};
use super::scope::Around;
use super::tensors::{RawDim, RawInfo, RawTensor};
use crate::graph::infer::counted;
use crate::graph::{
    DType, Dialect, Dim, Graph, Op, OpId, Role, Shape, Symbol, SymbolId, Tensor, TensorId, order,
};
use crate::load::{Fault, LoadError, Warning};
use crate::units::narrow;
use crate::{Message, message};

/// Warnings that are listed one by one; the rest is only counted.
const MAX_WARNINGS: usize = 64;
/// Most symbolic dimensions.
const MAX_SYMBOLS: usize = 4096;
/// Longest part of a name that a message quotes, in characters.
const MAX_QUOTED: usize = 120;

/// Builds the graph of a model.
pub(super) fn assemble(model: RawModel) -> Result<(Graph, Vec<Warning>), LoadError> {
    let Some(raw) = model.graph else {
        let message = message!("the file ends before the model's graph");
        return Err(Fault::Truncated.in_file(message));
    };
    let mut build = Build::new(&model.opsets);
    build.functions = model.functions.into_iter().map(Rc::new).collect();
    build.graph(raw)?;
    build.reorder()?;
    if build.unlisted > 0 {
        let message = message!("{} more warnings are left out", build.unlisted);
        let place = message!("file");
        build.warnings.push(Warning::new(place, message));
    }
    let counts = counted::symbols(&build.graph);
    build.graph.symbols.extend(counts);
    Ok((build.graph, build.warnings))
}

pub(super) fn tensor_place(name: &str) -> Message {
    message!("tensor \"{}\"", quoted(name))
}

/// "operator \"name\" (kind)".
pub(super) fn op_place(op: &Op) -> Message {
    message!("operator \"{}\" ({})", quoted(&op.name), quoted(&op.kind))
}

/// The first part of a name, for messages.
fn quoted(name: &str) -> &str {
    let end = name.char_indices().nth(MAX_QUOTED).map(|(end, _)| end);
    end.map_or(name, |end| &name[..end])
}

/// The default domain has two spellings.
pub(super) fn domain(name: String) -> String {
    if name == "ai.onnx" {
        String::new()
    } else {
        name
    }
}

#[derive(Default)]
pub(super) struct Build {
    pub graph: Graph,
    pub names: BTreeMap<String, TensorId>,
    /// The graphs around this one, the nearest last.
    pub around: Vec<Around>,
    /// The tensors of this graph that stand for those of the nearest one around it.
    pub outer: Vec<(TensorId, TensorId)>,
    /// Subgraphs so far.
    pub bodies: u32,
    symbols: BTreeMap<String, SymbolId>,
    pub functions: Vec<Rc<RawFunction>>,
    /// Bytes of what calls of functions hold so far, about.
    pub called: usize,
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
            build.warn(
                message!("file"),
                message!("no operator set version: the newest rules are used"),
            );
        }
        let opset = opset.unwrap_or(0);
        build.graph.dialect = Dialect::Onnx { opset };
        build
    }

    pub(super) fn warn(&mut self, place: Message, message: Message) {
        if self.warnings.len() == MAX_WARNINGS {
            self.unlisted += 1;
            return;
        }
        self.warnings.push(Warning::new(place, message));
    }

    fn graph(&mut self, raw: RawGraph) -> Result<(), LoadError> {
        let outputs = self.inside(raw)?;
        for info in outputs {
            self.output(info)?;
        }
        Ok(())
    }

    /// Everything of a graph but its outputs, which are left.
    pub(super) fn inside(&mut self, raw: RawGraph) -> Result<Vec<RawInfo>, LoadError> {
        self.graph.name = raw.name;
        for tensor in raw.initializers {
            let name = tensor.name.clone();
            self.constant(tensor, name)?;
        }
        for tensor in raw.sparse {
            let name = tensor.name.clone();
            self.warn(
                tensor_place(&name),
                message!("sparse: sized as if it were dense"),
            );
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
        for node in nodes {
            self.op(node)?;
        }
        Ok(raw.outputs)
    }

    /// Adds a tensor whose name must be new.
    pub(super) fn add(&mut self, tensor: Tensor) -> Result<TensorId, LoadError> {
        let id = TensorId::at(self.graph.tensors.len());
        if tensor.name.is_empty() {
            let place = message!("tensor {}", id.0);
            return Err(Fault::Malformed.at(place, message!("it has no name")));
        }
        if self.names.insert(tensor.name.clone(), id).is_some() {
            let place = tensor_place(&tensor.name);
            return Err(Fault::Duplicate.at(place, message!("it is defined twice")));
        }
        self.graph.tensors.push(tensor);
        Ok(id)
    }

    /// Adds a constant tensor of the file.
    pub(super) fn constant(
        &mut self,
        mut raw: RawTensor,
        name: String,
    ) -> Result<TensorId, LoadError> {
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
        if !self.around.is_empty() {
            // What is fed to a subgraph has the size of what is fed.
            tensor.declared = info.dims.map(|dims| self.shape(dims));
        } else if let Some(dims) = info.dims {
            let dims = dims.into_iter().enumerate();
            let dims = dims.map(|(axis, dim)| match dim {
                RawDim::Fixed(size) => Dim::Fixed(size),
                RawDim::Named(symbol) => self.symbol(symbol),
                RawDim::Unknown => self.symbol(format!("{name}.{axis}")),
            });
            tensor.declared = Some(dims.collect());
        }
        if self.graph.symbols.len() > MAX_SYMBOLS {
            let message = message!("more than {} symbolic dimensions", MAX_SYMBOLS);
            return Err(Fault::Limit.at(tensor_place(&tensor.name), message));
        }
        let id = self.add(tensor)?;
        self.graph.inputs.push(id);
        Ok(())
    }

    /// The symbol of this name, new or known.
    fn symbol(&mut self, name: String) -> Dim {
        let next = narrow(self.graph.symbols.len());
        let id = *self.symbols.entry(name.clone()).or_insert(SymbolId(next));
        if id.0 == next {
            self.graph.symbols.push(Symbol {
                name,
                default: 1,
                at_most: false,
            });
        }
        Dim::Symbol(id)
    }

    /// Declared dimensions of anything but an input. A name that no input has is not a
    /// symbol to bind: exporters invent one for every dimension that they do not know.
    pub(super) fn shape(&self, dims: Vec<RawDim>) -> Shape {
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
                let place = message!("operator {}", index);
                return Err(Fault::Malformed.at(place, message!("it has no type")));
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
                    let message = message!("operator \"{}\" writes it again", node.name);
                    return Err(Fault::Duplicate.at(tensor_place(name), message));
                }
                self.add(tensor)?;
            }
        }
        Ok(())
    }

    /// Takes over the declared type of a value, if there is such a value.
    pub(super) fn describe(&mut self, info: RawInfo) {
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

    fn output(&mut self, info: RawInfo) -> Result<(), LoadError> {
        let Some(&id) = self.names.get(&info.name) else {
            let message = message!("an output of the model that nothing writes");
            return Err(Fault::Dangling.at(tensor_place(&info.name), message));
        };
        if !self.outputs.insert(id) {
            self.warn(
                tensor_place(&info.name),
                message!("listed twice among the outputs"),
            );
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
    pub(super) fn reorder(&mut self) -> Result<(), LoadError> {
        let order = order::run_order(&self.graph).map_err(|op: OpId| {
            let place = op_place(self.graph.op(op));
            Fault::Cycle.at(place, message!("it depends on its own result"))
        })?;
        if let Some(order) = order {
            self.warn(
                message!("file"),
                message!("the operators were not in an order in which they can run"),
            );
            order::sort(&mut self.graph.ops, &order);
        }
        Ok(())
    }
}

pub(super) fn constant(raw: &mut RawTensor, name: String) -> Result<Tensor, LoadError> {
    let dims = raw.shape();
    let dims = dims.map_err(|broken| broken.kind.at(tensor_place(&name), broken.message))?;
    let mut tensor = Tensor::new(name, raw.dtype());
    tensor.role = Role::Constant;
    tensor.declared = Some(dims.into_iter().map(Dim::Fixed).collect());
    tensor.content = raw.content();
    Ok(tensor)
}
