//! The messages of an ONNX file, as far as a plan needs them.
//!
//! Field numbers are those of `onnx.proto`. Unknown fields are stepped over, and so are
//! documentation, training information and metadata, except the streams of operators.

use super::tensors::{self, RawInfo, RawTensor};
use crate::load::Fault;
use crate::load::protobuf::{Blob, Broken, Field, Message, Reader};
use crate::message;

/// Most operators, those of subgraphs included.
const MAX_OPS: usize = 1 << 21;
/// Most initializers, declared values and attribute tensors.
const MAX_TENSORS: usize = 1 << 22;
/// Most names in operators' input and output lists.
const MAX_REFERENCES: usize = 1 << 23;
/// Most attributes, elements of attribute lists and declared dimensions, all together.
const MAX_ATTRIBUTES: usize = 1 << 23;
/// Deepest subgraph inside a subgraph.
const MAX_SUBGRAPHS: u32 = 32;

/// How much may still be read.
pub(super) struct Limits {
    ops: usize,
    tensors: usize,
    references: usize,
    attributes: usize,
    subgraphs: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            ops: MAX_OPS,
            tensors: MAX_TENSORS,
            references: MAX_REFERENCES,
            attributes: MAX_ATTRIBUTES,
            subgraphs: MAX_SUBGRAPHS,
        }
    }
}

fn spend(left: &mut usize, what: fn() -> crate::Message) -> Result<(), Broken> {
    match left.checked_sub(1) {
        Some(rest) => {
            *left = rest;
            Ok(())
        }
        None => Err(Broken::new(Fault::Limit, message!("too many {}", what()))),
    }
}

impl Limits {
    /// Counts one element of an attribute list.
    pub(super) fn element(&mut self) -> Result<(), Broken> {
        spend(&mut self.attributes, || message!("attribute elements"))
    }
}

/// `ModelProto`.
#[derive(Debug, Default)]
pub(super) struct RawModel {
    pub graph: Option<RawGraph>,
    /// Domain and version of each operator set.
    pub opsets: Vec<(String, i64)>,
    pub functions: Vec<RawFunction>,
}

/// `FunctionProto`: an operator of the model itself.
#[derive(Debug, Default)]
pub(super) struct RawFunction {
    pub name: String,
    pub domain: String,
    pub inputs: Vec<String>,
    pub outputs: Vec<String>,
    pub nodes: Vec<RawNode>,
    /// Domain and version of each operator set.
    pub opsets: Vec<(String, i64)>,
    /// Attributes that a call may leave out.
    pub defaults: Vec<(String, RawAttribute)>,
}

/// `GraphProto`.
#[derive(Clone, Debug, Default)]
pub(super) struct RawGraph {
    pub name: String,
    pub nodes: Vec<RawNode>,
    pub initializers: Vec<RawTensor>,
    /// Tensors of [`initializers`](Self::initializers) that the file stores sparsely.
    pub sparse: Vec<RawTensor>,
    pub inputs: Vec<RawInfo>,
    pub outputs: Vec<RawInfo>,
    pub values: Vec<RawInfo>,
}

/// `NodeProto`.
#[derive(Clone, Debug, Default)]
pub(super) struct RawNode {
    pub name: String,
    pub kind: String,
    pub domain: String,
    pub inputs: Vec<String>,
    pub outputs: Vec<String>,
    pub attributes: Vec<(String, RawAttribute)>,
    /// What the metadata entry "stream" says.
    pub stream: Option<String>,
}

/// The value of an `AttributeProto`.
#[derive(Clone, Debug)]
pub(super) enum RawAttribute {
    Int(i64),
    Ints(Vec<i64>),
    Float(f32),
    Floats(Vec<f32>),
    Text(String),
    Texts(Vec<String>),
    Tensor(RawTensor),
    /// One subgraph, or several.
    Subgraphs(Vec<RawGraph>),
    /// In a function, the attribute of this name of its call.
    Reference(String),
    /// Types and lists of tensors: of no use here.
    Other,
}

/// Decodes the whole file.
pub(super) fn model(reader: &mut Reader<'_>) -> Result<RawModel, Broken> {
    let mut model = RawModel::default();
    let mut limits = Limits::default();
    let mut fields = reader.root("ModelProto");
    while let Some(mut field) = fields.next()? {
        match field.number {
            7 if model.graph.is_some() => {
                return Err(Broken::new(
                    Fault::Duplicate,
                    message!("the model has two graphs"),
                ));
            }
            7 => model.graph = Some(graph(field.message("GraphProto")?, &mut limits)?),
            8 => {
                spend(&mut limits.references, || message!("operator sets"))?;
                model
                    .opsets
                    .push(named_version(field.message("OperatorSetIdProto")?)?);
            }
            25 => {
                spend(&mut limits.references, || message!("functions"))?;
                let message = field.message("FunctionProto")?;
                model.functions.push(function(message, &mut limits)?);
            }
            _ => {}
        }
    }
    Ok(model)
}

fn function(mut fields: Message<'_, '_>, limits: &mut Limits) -> Result<RawFunction, Broken> {
    let mut function = RawFunction::default();
    while let Some(mut field) = fields.next()? {
        let number = field.number;
        if matches!(number, 4 | 5 | 9) {
            spend(&mut limits.references, || message!("operator inputs"))?;
        }
        match number {
            1 => function.name = field.text()?,
            4 => function.inputs.push(field.text()?),
            5 => function.outputs.push(field.text()?),
            7 => {
                spend(&mut limits.ops, || message!("operators"))?;
                let message = field.message("NodeProto")?;
                function.nodes.push(node(message, limits)?);
            }
            9 => {
                let message = field.message("OperatorSetIdProto")?;
                function.opsets.push(named_version(message)?);
            }
            10 => function.domain = field.text()?,
            11 => {
                limits.element()?;
                let message = field.message("AttributeProto")?;
                function.defaults.push(attribute(message, limits)?);
            }
            _ => {}
        }
    }
    Ok(function)
}

fn named_version(mut fields: Message<'_, '_>) -> Result<(String, i64), Broken> {
    let mut found = (String::new(), 0);
    while let Some(mut field) = fields.next()? {
        match field.number {
            1 => found.0 = field.text()?,
            2 => found.1 = field.integer()?,
            _ => {}
        }
    }
    Ok(found)
}

/// The texts of the fields with these two numbers.
pub(super) fn texts(
    mut fields: Message<'_, '_>,
    numbers: [u64; 2],
) -> Result<(String, String), Broken> {
    let mut found = (String::new(), String::new());
    while let Some(mut field) = fields.next()? {
        match field.number {
            number if number == numbers[0] => found.0 = field.text()?,
            number if number == numbers[1] => found.1 = field.text()?,
            _ => {}
        }
    }
    Ok(found)
}

/// Decodes a graph or subgraph.
pub(super) fn graph(mut fields: Message<'_, '_>, limits: &mut Limits) -> Result<RawGraph, Broken> {
    let mut graph = RawGraph::default();
    while let Some(mut field) = fields.next()? {
        let number = field.number;
        match number {
            1 => {
                spend(&mut limits.ops, || message!("operators"))?;
                graph.nodes.push(node(field.message("NodeProto")?, limits)?);
            }
            2 => graph.name = field.text()?,
            5 => {
                spend(&mut limits.tensors, || message!("tensors"))?;
                graph
                    .initializers
                    .push(tensors::tensor(field.message("TensorProto")?, limits)?);
            }
            15 => {
                spend(&mut limits.tensors, || message!("tensors"))?;
                graph.sparse.push(tensors::sparse(
                    field.message("SparseTensorProto")?,
                    limits,
                )?);
            }
            11..=13 => {
                spend(&mut limits.tensors, || message!("tensors"))?;
                let message = field.message("ValueInfoProto")?;
                let info = tensors::info(message, limits)?;
                match number {
                    11 => graph.inputs.push(info),
                    12 => graph.outputs.push(info),
                    _ => graph.values.push(info),
                }
            }
            _ => {}
        }
    }
    Ok(graph)
}

fn node(mut fields: Message<'_, '_>, limits: &mut Limits) -> Result<RawNode, Broken> {
    let mut node = RawNode::default();
    while let Some(mut field) = fields.next()? {
        match field.number {
            1 => {
                spend(&mut limits.references, || message!("operator inputs"))?;
                node.inputs.push(field.text()?);
            }
            2 => {
                spend(&mut limits.references, || message!("operator outputs"))?;
                node.outputs.push(field.text()?);
            }
            3 => node.name = field.text()?,
            4 => node.kind = field.text()?,
            5 => {
                limits.element()?;
                node.attributes
                    .push(attribute(field.message("AttributeProto")?, limits)?);
            }
            7 => node.domain = field.text()?,
            9 => {
                limits.element()?;
                node.stream = stream(field.message("StringStringEntryProto")?)?.or(node.stream);
            }
            _ => {}
        }
    }
    Ok(node)
}

/// The value of a metadata entry whose key is "stream".
fn stream(entry: Message<'_, '_>) -> Result<Option<String>, Broken> {
    let (key, value) = texts(entry, [1, 2])?;
    Ok((key == "stream").then_some(value))
}

/// Values of `AttributeProto.AttributeType`.
mod kind {
    pub(super) const UNDEFINED: i64 = 0;
    pub(super) const FLOAT: i64 = 1;
    pub(super) const INT: i64 = 2;
    pub(super) const STRING: i64 = 3;
    pub(super) const TENSOR: i64 = 4;
    pub(super) const GRAPH: i64 = 5;
    pub(super) const FLOATS: i64 = 6;
    pub(super) const INTS: i64 = 7;
    pub(super) const STRINGS: i64 = 8;
    pub(super) const GRAPHS: i64 = 10;
}

/// Everything an attribute message may hold; its type says which part counts.
#[derive(Default)]
struct Parts {
    kind: i64,
    float: Option<f32>,
    int: Option<i64>,
    text: Option<Blob>,
    tensor: Option<RawTensor>,
    subgraphs: Vec<RawGraph>,
    floats: Vec<f32>,
    ints: Vec<i64>,
    texts: Vec<String>,
    reference: Option<String>,
    /// A list was too long to be kept.
    dropped: bool,
}

fn attribute(
    mut fields: Message<'_, '_>,
    limits: &mut Limits,
) -> Result<(String, RawAttribute), Broken> {
    let mut name = String::new();
    let mut parts = Parts::default();
    while let Some(mut field) = fields.next()? {
        match field.number {
            1 => name = field.text()?,
            2 => parts.float = Some(field.float()?),
            3 => parts.int = Some(field.integer()?),
            4 => parts.text = Some(field.blob()?),
            5 => {
                spend(&mut limits.tensors, || message!("tensors"))?;
                let message = field.message("TensorProto")?;
                parts.tensor = Some(tensors::tensor(message, limits)?);
            }
            6 | 11 => parts.subgraphs.push(subgraph(&mut field, limits)?),
            7 => {
                let long = field.floats(&mut parts.floats, || limits.element())?;
                parts.dropped |= long.is_some();
            }
            8 => {
                let long = field.integers(&mut parts.ints, || limits.element())?;
                parts.dropped |= long.is_some();
            }
            9 => {
                limits.element()?;
                parts.texts.push(text(&field.blob()?));
            }
            21 => parts.reference = Some(field.text()?).filter(|name| !name.is_empty()),
            20 => parts.kind = field.integer()?,
            _ => {}
        }
    }
    Ok((name, parts.value()))
}

fn subgraph(field: &mut Field<'_, '_>, limits: &mut Limits) -> Result<RawGraph, Broken> {
    let Some(left) = limits.subgraphs.checked_sub(1) else {
        return Err(Broken::new(
            Fault::Limit,
            message!("subgraphs are nested too deep"),
        ));
    };
    limits.subgraphs = left;
    let inner = graph(field.message("GraphProto")?, limits)?;
    limits.subgraphs = left + 1;
    Ok(inner)
}

impl Parts {
    /// The part that the type names.
    fn value(self) -> RawAttribute {
        let other = RawAttribute::Other;
        if self.dropped {
            return other;
        }
        if let Some(name) = self.reference {
            return RawAttribute::Reference(name);
        }
        let kind = match self.kind {
            kind::UNDEFINED => self.present(),
            kind => kind,
        };
        match kind {
            kind::FLOAT => self.float.map_or(other, RawAttribute::Float),
            kind::INT => RawAttribute::Int(self.int.unwrap_or(0)),
            kind::STRING => RawAttribute::Text(text(&self.text.unwrap_or_default())),
            kind::TENSOR => self.tensor.map_or(other, RawAttribute::Tensor),
            kind::GRAPH | kind::GRAPHS => RawAttribute::Subgraphs(self.subgraphs),
            kind::FLOATS => RawAttribute::Floats(self.floats),
            kind::INTS => RawAttribute::Ints(self.ints),
            kind::STRINGS => RawAttribute::Texts(self.texts),
            _ => other,
        }
    }

    /// The type of the part that is there, for files older than the type field.
    fn present(&self) -> i64 {
        if self.float.is_some() {
            kind::FLOAT
        } else if self.int.is_some() {
            kind::INT
        } else if self.text.is_some() {
            kind::STRING
        } else if self.tensor.is_some() {
            kind::TENSOR
        } else if !self.subgraphs.is_empty() {
            kind::GRAPHS
        } else if !self.floats.is_empty() {
            kind::FLOATS
        } else if !self.ints.is_empty() {
            kind::INTS
        } else if !self.texts.is_empty() {
            kind::STRINGS
        } else {
            kind::UNDEFINED
        }
    }
}

/// A text attribute; bytes that are not UTF-8 are replaced.
fn text(blob: &Blob) -> String {
    String::from_utf8_lossy(blob.bytes.as_deref().unwrap_or_default()).into_owned()
}
