//! The messages of an ONNX file, as far as a plan needs them.
//!
//! Field numbers are those of `onnx.proto`. Unknown fields are stepped over, and so are
//! documentation, training information and metadata, except the streams of operators.

use rten_onnx::protobuf::{Field, FieldValue, Fields, ReadValue};

use super::subgraph::Subgraph;
use super::tensors::{self, RawInfo, RawTensor};
use crate::load::Fault;
use crate::load::protobuf::{Blob, Broken, Kept, integers};

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

fn spend(left: &mut usize, what: &str) -> Result<(), Broken> {
    match left.checked_sub(1) {
        Some(rest) => {
            *left = rest;
            Ok(())
        }
        None => Err(Broken::Content(Fault::Limit, format!("too many {what}"))),
    }
}

impl Limits {
    /// Counts one element of an attribute list.
    pub(super) fn element(&mut self) -> Result<(), Broken> {
        spend(&mut self.attributes, "attribute elements")
    }
}

/// `ModelProto`.
#[derive(Debug, Default)]
pub(super) struct RawModel {
    pub graph: Option<RawGraph>,
    /// Domain and version of each operator set.
    pub opsets: Vec<(String, i64)>,
    /// Domain and name of each function of the model itself.
    pub functions: Vec<(String, String)>,
}

/// `GraphProto`.
#[derive(Debug, Default)]
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
#[derive(Debug, Default)]
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
#[derive(Debug)]
pub(super) enum RawAttribute {
    Int(i64),
    Ints(Vec<i64>),
    Float(f32),
    Floats(Vec<f32>),
    Text(String),
    Texts(Vec<String>),
    Tensor(RawTensor),
    /// One subgraph, or several.
    Subgraphs(Vec<Subgraph>),
    /// Types, references into functions, lists of tensors: of no use here.
    Other,
}

type Message<'r, R> = Fields<'r, R>;

/// Decodes the whole file.
pub(super) fn model<R: ReadValue<Types = Kept>>(reader: &mut R) -> Result<RawModel, Broken> {
    let mut model = RawModel::default();
    let mut limits = Limits::default();
    let mut fields = Fields::new(reader, Some("ModelProto"));
    while let Some(mut field) = fields.next()? {
        match field.number() {
            7 if model.graph.is_some() => {
                let message = "the model has two graphs".to_owned();
                return Err(Broken::Content(Fault::Duplicate, message));
            }
            7 => model.graph = Some(graph(field.read_message(Some("GraphProto"))?, &mut limits)?),
            8 => {
                spend(&mut limits.references, "operator sets")?;
                let message = field.read_message(Some("OperatorSetIdProto"))?;
                model.opsets.push(named_version(message)?);
            }
            25 => {
                spend(&mut limits.references, "functions")?;
                let message = field.read_message(Some("FunctionProto"))?;
                model.functions.push(function(message)?);
            }
            _ => field.skip()?,
        }
    }
    Ok(model)
}

fn named_version<R: ReadValue<Types = Kept>>(
    mut fields: Message<'_, R>,
) -> Result<(String, i64), Broken> {
    let mut found = (String::new(), 0);
    while let Some(mut field) = fields.next()? {
        match field.number() {
            1 => found.0 = field.read_string()?,
            2 => found.1 = field.get_int64()?,
            _ => field.skip()?,
        }
    }
    Ok(found)
}

fn function<R: ReadValue<Types = Kept>>(
    mut fields: Message<'_, R>,
) -> Result<(String, String), Broken> {
    let mut found = (String::new(), String::new());
    while let Some(mut field) = fields.next()? {
        match field.number() {
            1 => found.1 = field.read_string()?,
            10 => found.0 = field.read_string()?,
            _ => field.skip()?,
        }
    }
    Ok(found)
}

/// Decodes a graph or subgraph.
pub(super) fn graph<R: ReadValue<Types = Kept>>(
    mut fields: Message<'_, R>,
    limits: &mut Limits,
) -> Result<RawGraph, Broken> {
    let mut graph = RawGraph::default();
    while let Some(mut field) = fields.next()? {
        let number = field.number();
        match number {
            1 => {
                spend(&mut limits.ops, "operators")?;
                let message = field.read_message(Some("NodeProto"))?;
                graph.nodes.push(node(message, limits)?);
            }
            2 => graph.name = field.read_string()?,
            5 => {
                spend(&mut limits.tensors, "tensors")?;
                let message = field.read_message(Some("TensorProto"))?;
                graph.initializers.push(tensors::tensor(message, limits)?);
            }
            15 => {
                spend(&mut limits.tensors, "tensors")?;
                let message = field.read_message(Some("SparseTensorProto"))?;
                graph.sparse.push(tensors::sparse(message, limits)?);
            }
            11..=13 => {
                spend(&mut limits.tensors, "tensors")?;
                let message = field.read_message(Some("ValueInfoProto"))?;
                let info = tensors::info(message, limits)?;
                match number {
                    11 => graph.inputs.push(info),
                    12 => graph.outputs.push(info),
                    _ => graph.values.push(info),
                }
            }
            _ => field.skip()?,
        }
    }
    Ok(graph)
}

fn node<R: ReadValue<Types = Kept>>(
    mut fields: Message<'_, R>,
    limits: &mut Limits,
) -> Result<RawNode, Broken> {
    let mut node = RawNode::default();
    while let Some(mut field) = fields.next()? {
        match field.number() {
            1 => {
                spend(&mut limits.references, "operator inputs")?;
                node.inputs.push(field.read_string()?);
            }
            2 => {
                spend(&mut limits.references, "operator outputs")?;
                node.outputs.push(field.read_string()?);
            }
            3 => node.name = field.read_string()?,
            4 => node.kind = field.read_string()?,
            5 => {
                limits.element()?;
                let message = field.read_message(Some("AttributeProto"))?;
                node.attributes.push(attribute(message, limits)?);
            }
            7 => node.domain = field.read_string()?,
            9 => {
                limits.element()?;
                let message = field.read_message(Some("StringStringEntryProto"))?;
                node.stream = stream(message)?.or(node.stream);
            }
            _ => field.skip()?,
        }
    }
    Ok(node)
}

/// The value of a metadata entry whose key is "stream".
fn stream<R: ReadValue<Types = Kept>>(
    mut fields: Message<'_, R>,
) -> Result<Option<String>, Broken> {
    let (mut key, mut value) = (String::new(), String::new());
    while let Some(mut field) = fields.next()? {
        match field.number() {
            1 => key = field.read_string()?,
            2 => value = field.read_string()?,
            _ => field.skip()?,
        }
    }
    Ok((key == "stream").then_some(value))
}

/// Everything an attribute message may hold; its type says which part counts.
#[derive(Default)]
struct Parts {
    kind: i32,
    float: Option<f32>,
    int: Option<i64>,
    text: Option<Blob>,
    tensor: Option<RawTensor>,
    subgraphs: Vec<Subgraph>,
    floats: Vec<f32>,
    ints: Vec<i64>,
    texts: Vec<String>,
    /// A list was too long to be kept.
    dropped: bool,
}

fn attribute<R: ReadValue<Types = Kept>>(
    mut fields: Message<'_, R>,
    limits: &mut Limits,
) -> Result<(String, RawAttribute), Broken> {
    let mut name = String::new();
    let mut parts = Parts::default();
    while let Some(mut field) = fields.next()? {
        match field.number() {
            1 => name = field.read_string()?,
            2 => parts.float = Some(field.get_float()?),
            3 => parts.int = Some(field.get_int64()?),
            4 => parts.text = Some(field.read_bytes()?),
            5 => {
                spend(&mut limits.tensors, "tensors")?;
                let message = field.read_message(Some("TensorProto"))?;
                parts.tensor = Some(tensors::tensor(message, limits)?);
            }
            6 | 11 => parts.subgraphs.push(subgraph(&mut field, limits)?),
            7 => parts.dropped |= !floats(&mut field, &mut parts.floats, limits)?,
            8 => parts.dropped |= !integers(&mut field, &mut parts.ints, || limits.element())?,
            9 => {
                limits.element()?;
                parts.texts.push(text(&field.read_bytes()?));
            }
            20 => parts.kind = field.get_enum()?,
            _ => field.skip()?,
        }
    }
    Ok((name, parts.value()))
}

fn subgraph<R: ReadValue<Types = Kept>>(
    field: &mut Field<'_, R>,
    limits: &mut Limits,
) -> Result<Subgraph, Broken> {
    let Some(left) = limits.subgraphs.checked_sub(1) else {
        let message = "subgraphs are nested too deep".to_owned();
        return Err(Broken::Content(Fault::Limit, message));
    };
    limits.subgraphs = left;
    let inner = graph(field.read_message(Some("GraphProto"))?, limits)?;
    limits.subgraphs = left + 1;
    Ok(Subgraph::of(inner))
}

impl Parts {
    /// The part that the type names, or, in files older than the type field, the one that
    /// is there.
    fn value(mut self) -> RawAttribute {
        let other = RawAttribute::Other;
        if self.dropped {
            return other;
        }
        match self.kind {
            1 => self.float.map_or(other, RawAttribute::Float),
            2 => RawAttribute::Int(self.int.unwrap_or(0)),
            3 => RawAttribute::Text(text(&self.text.unwrap_or_default())),
            4 => self.tensor.map_or(other, RawAttribute::Tensor),
            5 | 10 => RawAttribute::Subgraphs(self.subgraphs),
            6 => RawAttribute::Floats(self.floats),
            7 => RawAttribute::Ints(self.ints),
            8 => RawAttribute::Texts(self.texts),
            0 => {
                self.kind = match () {
                    () if self.float.is_some() => 1,
                    () if self.int.is_some() => 2,
                    () if self.text.is_some() => 3,
                    () if self.tensor.is_some() => 4,
                    () if !self.subgraphs.is_empty() => 5,
                    () if !self.floats.is_empty() => 6,
                    () if !self.ints.is_empty() => 7,
                    () if !self.texts.is_empty() => 8,
                    () => return other,
                };
                self.value()
            }
            _ => other,
        }
    }
}

/// A text attribute; bytes that are not UTF-8 are replaced.
pub(super) fn text(blob: &Blob) -> String {
    String::from_utf8_lossy(blob.as_ref()).into_owned()
}

/// Adds the floats of a repeated field, packed or not; false when they are too many.
pub(super) fn floats<R: ReadValue<Types = Kept>>(
    field: &mut Field<'_, R>,
    into: &mut Vec<f32>,
    limits: &mut Limits,
) -> Result<bool, Broken> {
    if !matches!(field.value(), FieldValue::Len(_)) {
        limits.element()?;
        into.push(field.get_float()?);
        return Ok(true);
    }
    let Some(bytes) = field.read_bytes()?.bytes else {
        return Ok(false);
    };
    for raw in bytes.as_chunks::<4>().0 {
        limits.element()?;
        into.push(f32::from_le_bytes(*raw));
    }
    Ok(true)
}
