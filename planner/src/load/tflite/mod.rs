//! TFLite models, schema version 3.
//!
//! The main subgraph (that of the first signature, else the first one) becomes the graph;
//! those that its operators run come with these operators. Other subgraphs are counted and named
//! in a warning. Weights stay where they are.

mod bodies;
mod builtin;
mod encoding;
mod tflm_offline_plan;
mod options;
mod outline;
mod resources;
pub(crate) mod schema;
mod tensors;
mod wiring;

use self::schema::{operator, operator_code, subgraph};
use super::flatbuffer::{Reader, Table, Vector, error};
use super::{Fault, LoadError, Source, Warning};
use crate::graph::infer::counted;
use crate::graph::{Attribute, Dialect, Graph, Op, TensorId};
use crate::operators::{CUSTOM, Operator};
use crate::{Message, message};

pub use self::outline::{Outline, outline};

/// The most operators in one subgraph.
const MAX_OPS: u64 = 1 << 22;
/// The most tensors in the main subgraph.
const MAX_TENSORS: u64 = 1 << 23;
/// The most operator codes, buffers and subgraphs.
const MAX_TABLES: u64 = 1 << 23;

/// The identifier after the first four bytes.
const IDENTIFIER: &[u8] = b"TFL3";

/// Whether a file that begins with `head` is a TFLite model.
pub(super) fn sniff(head: &[u8]) -> bool {
    head.get(4..8) == Some(IDENTIFIER)
}

/// The parts of a model that its main subgraph refers to.
struct Model<'r, 'a> {
    reader: &'r Reader<'a>,
    codes: Vec<Code>,
    buffers: Vector<'r, 'a>,
    /// Number of operators of each subgraph.
    subgraph_ops: Vec<u32>,
    /// Number of tensors of each subgraph.
    tensors: Vec<u64>,
    /// Which subgraph is the main one.
    index: usize,
    subgraphs: Vector<'r, 'a>,
    read: bodies::Read,
}

/// An operator code: the kind of operator and the domain it is from.
struct Code {
    kind: String,
    domain: &'static str,
}

/// The subgraphs that an operator names, each with the attribute that does.
type Named = Vec<(&'static str, usize)>;

/// Reads the model in `source`.
///
/// # Errors
/// [`LoadError`] for whatever the file contradicts.
pub(super) fn read(source: &dyn Source) -> Result<(Graph, Vec<Warning>), LoadError> {
    let reader = Reader::new(source);
    let mut warnings = Vec::new();
    let model = model(&reader)?;
    let (mut graph, found) = model.graph(model.index, &mut warnings)?;
    resources::initial(&model, &mut graph)?;
    tensors::symbols(&mut graph);
    tflm_offline_plan::read(&model, reader.root()?, &mut graph, &mut warnings)?;
    model.bodies(&mut graph, &found, 0)?;
    let counts = counted::symbols(&graph);
    graph.symbols.extend(counts);
    graph.others = model.placed_beside();
    warnings.splice(0..0, model.others());
    Ok((graph, warnings))
}

/// Reads all subgraphs of the model in `source`, in their order, each by itself.
///
/// # Errors
/// [`LoadError`] for whatever the file contradicts.
pub fn subgraphs(source: &dyn Source) -> Result<Vec<Graph>, LoadError> {
    let reader = Reader::new(source);
    let model = model(&reader)?;
    let each = (0..model.subgraph_ops.len()).map(|index| {
        let (mut graph, _) = model.graph(index, &mut Vec::new())?;
        tensors::symbols(&mut graph);
        Ok(graph)
    });
    each.collect()
}

fn model<'r, 'a>(reader: &'r Reader<'a>) -> Result<Model<'r, 'a>, LoadError> {
    let root = reader.root()?;
    let version = root.u32(schema::model::VERSION, 0)?;
    if version != 3 {
        let message = message!("the schema has version {}, we read version 3", version);
        return Err(error(Fault::Unsupported, root.start(), message));
    }
    let codes = limited(
        root.tables(schema::model::OPERATOR_CODES)?,
        MAX_TABLES,
        message!("operator codes"),
    )?;
    let codes = (0..codes.len).map(|index| code(codes.table(index)?));
    let codes = codes.collect::<Result<_, _>>()?;
    let subgraphs = limited(
        root.tables(schema::model::SUBGRAPHS)?,
        MAX_TABLES,
        message!("subgraphs"),
    )?;
    let (mut subgraph_ops, mut tensors) = (Vec::new(), Vec::new());
    for index in 0..subgraphs.len {
        let table = subgraphs.table(index)?;
        let ops = limited(
            table.tables(subgraph::OPERATORS)?,
            MAX_OPS,
            message!("operators"),
        )?;
        subgraph_ops.push(u32::try_from(ops.len).expect("there are at most MAX_OPS"));
        tensors.push(table.tables(subgraph::TENSORS)?.len);
    }
    let signatures = root.tables(schema::model::SIGNATURE_DEFS)?;
    let main = match signatures.len {
        0 => 0,
        _ => u64::from(
            signatures
                .table(0)?
                .u32(schema::signature_def::SUBGRAPH_INDEX, 0)?,
        ),
    };
    if main >= subgraphs.len {
        let count = subgraphs.len;
        let message = message!(
            "subgraph {} is to be run, but there are {} subgraphs",
            main,
            count
        );
        return Err(error(Fault::Dangling, root.start(), message));
    }
    let buffers = limited(
        root.tables(schema::model::BUFFERS)?,
        MAX_TABLES,
        message!("buffers"),
    )?;
    Ok(Model {
        reader,
        codes,
        buffers,
        subgraph_ops,
        tensors,
        index: usize::try_from(main).unwrap_or_default(),
        subgraphs,
        read: bodies::Read::default(),
    })
}

fn limited<'r, 'a>(
    vector: Vector<'r, 'a>,
    most: u64,
    what: Message,
) -> Result<Vector<'r, 'a>, LoadError> {
    if vector.len > most {
        let message = message!("{} {}, of which we read at most {}", vector.len, what, most);
        return Err(error(Fault::Limit, vector.start, message));
    }
    Ok(vector)
}

/// An operator code. Codes from 127 on exist only in the wider field that came later, so the
/// larger of the two is meant.
fn code(table: Table<'_, '_>) -> Result<Code, LoadError> {
    let builtin = i32::from(
        table
            .u8(operator_code::DEPRECATED_BUILTIN_CODE, 0)?
            .cast_signed(),
    );
    let builtin = builtin.max(table.i32(operator_code::BUILTIN_CODE, 0)?);
    if builtin == builtin::CUSTOM {
        let custom = table.text(operator_code::CUSTOM_CODE)?;
        let kind = if custom.is_empty() {
            "CUSTOM".to_owned()
        } else {
            custom
        };
        return Ok(Code {
            kind,
            domain: CUSTOM,
        });
    }
    let kind = builtin::name(builtin).map(str::to_owned);
    Ok(Code {
        kind: kind.unwrap_or_else(|| format!("BUILTIN_{builtin}")),
        domain: "",
    })
}

impl Model<'_, '_> {
    /// Reads a subgraph, and which others its operators name.
    fn graph(
        &self,
        index: usize,
        warnings: &mut Vec<Warning>,
    ) -> Result<(Graph, Vec<Named>), LoadError> {
        let from = self.subgraphs.table(index as u64)?;
        let mut graph = Graph {
            name: from.text(subgraph::NAME)?,
            dialect: Dialect::Tflite,
            ..Graph::default()
        };
        let mut variables = tensors::tensors(self, from, &mut graph, warnings)?;
        graph.inputs = ids(
            &graph,
            from.ints(subgraph::INPUTS)?,
            &message!("graph inputs"),
        )?;
        graph.outputs = ids(
            &graph,
            from.ints(subgraph::OUTPUTS)?,
            &message!("graph outputs"),
        )?;
        let operators = from.tables(subgraph::OPERATORS)?;
        let mut named = Vec::new();
        for index in 0..operators.len {
            let (op, found) = self.operator(operators.table(index)?, index, &graph)?;
            graph.ops.push(op);
            named.push(found);
        }
        variables.extend(resources::handles(&mut graph));
        wiring::check(&graph, &variables)?;
        wiring::roles(&mut graph, &variables, warnings);
        Ok((graph, named))
    }

    fn operator(
        &self,
        table: Table<'_, '_>,
        index: u64,
        graph: &Graph,
    ) -> Result<(Op, Named), LoadError> {
        let place = message!("operator {}", index);
        let code = usize::try_from(table.u32(operator::OPCODE_INDEX, 0)?).ok();
        let code = code.and_then(|code| self.codes.get(code));
        let code = code.ok_or_else(|| {
            Fault::Dangling.at(
                place.clone(),
                message!("its operator code is not in the file"),
            )
        })?;
        let mut named = Named::new();
        let mut op = Op {
            name: format!("{} {index}", code.kind),
            attributes: options::attributes(table, &self.subgraph_ops, &mut named)?,
            inputs: optional_ids(graph, table.ints(operator::INPUTS)?, &place)?,
            outputs: optional_ids(graph, table.ints(operator::OUTPUTS)?, &place)?,
            ..Op::new(Dialect::Tflite, code.domain, &code.kind)
        };
        if op.is(Operator::UnidirectionalSequenceLstm) {
            let hidden = hidden(graph, table.ints(operator::INTERMEDIATES)?);
            op.attributes.extend(hidden);
        }
        Ok((op, named))
    }
}

/// What the state of a quantised layer is computed as: the quantisation of the last of five
/// tensors that have no elements in the file and no place in a plan.
fn hidden(graph: &Graph, intermediates: Option<Vec<i32>>) -> Vec<(String, Attribute)> {
    let last = intermediates.and_then(|all| all.get(4).copied());
    let last = last.and_then(|last| graph.tensors.get(usize::try_from(last).ok()?));
    let found = last.and_then(|last| last.quantization.as_deref());
    let found = found.and_then(|it| Some((it.scales.first()?, it.zero_points.first()?)));
    let Some((&scale, &zero)) = found else {
        return Vec::new();
    };
    vec![
        ("hidden_scale".into(), Attribute::Float(scale)),
        ("hidden_zero_point".into(), Attribute::Int(zero)),
    ]
}

/// Tensor indices, of which −1 means "left out".
fn optional_ids(
    graph: &Graph,
    indices: Option<Vec<i32>>,
    place: &Message,
) -> Result<Vec<Option<TensorId>>, LoadError> {
    let one = |index: i32| match index {
        -1 => Ok(None),
        _ => id(graph, index, place).map(Some),
    };
    indices.unwrap_or_default().into_iter().map(one).collect()
}

fn ids(
    graph: &Graph,
    indices: Option<Vec<i32>>,
    place: &Message,
) -> Result<Vec<TensorId>, LoadError> {
    let each = indices.unwrap_or_default().into_iter();
    each.map(|index| id(graph, index, place)).collect()
}

fn id(graph: &Graph, index: i32, place: &Message) -> Result<TensorId, LoadError> {
    let count = graph.tensors.len();
    match usize::try_from(index) {
        Ok(index) if index < count => Ok(TensorId::at(index)),
        _ => Err(Fault::Dangling.at(
            place.clone(),
            message!("tensor {} is not among the {} tensors", index, count),
        )),
    }
}
