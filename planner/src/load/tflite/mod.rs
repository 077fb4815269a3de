//! TFLite models, schema version 3.
//!
//! The main subgraph (that of the first signature, else the first one) becomes the graph;
//! other subgraphs are counted and named in a warning. Weights stay where they are.

mod builtin;
mod encoding;
mod offline;
mod options;
mod outline;
mod resources;
pub(crate) mod schema;
mod tensors;
mod wiring;

use self::schema::{operator, operator_code, subgraph};
use super::flatbuffer::{Reader, Table, Vector, error};
use super::{Fault, LoadError, Source, Warning};
use crate::graph::{Dialect, Graph, Op, TensorId};

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
    main: Table<'r, 'a>,
}

/// An operator code: the kind of operator and the domain it is from.
struct Code {
    kind: String,
    domain: &'static str,
}

/// Reads the model in `source`.
///
/// # Errors
/// [`LoadError`] for whatever the file contradicts.
pub(super) fn read(source: &dyn Source) -> Result<(Graph, Vec<Warning>), LoadError> {
    let reader = Reader::new(source);
    let mut warnings = Vec::new();
    let model = model(&reader, &mut warnings)?;
    let mut graph = Graph {
        name: model.main.text(subgraph::NAME)?,
        dialect: Dialect::Tflite,
        ..Graph::default()
    };
    let mut variables = tensors::tensors(&model, model.main, &mut graph, &mut warnings)?;
    graph.inputs = ids(&graph, model.main.ints(subgraph::INPUTS)?, "graph inputs")?;
    graph.outputs = ids(&graph, model.main.ints(subgraph::OUTPUTS)?, "graph outputs")?;
    graph.ops = operators(&model, model.main, &graph)?;
    variables.extend(resources::handles(&mut graph));
    wiring::check(&graph, &variables)?;
    wiring::roles(&mut graph, &variables, &mut warnings);
    resources::initial(&model, &mut graph)?;
    tensors::symbols(&mut graph);
    offline::read(&model, reader.root()?, &mut graph, &mut warnings)?;
    Ok((graph, warnings))
}

fn model<'r, 'a>(
    reader: &'r Reader<'a>,
    warnings: &mut Vec<Warning>,
) -> Result<Model<'r, 'a>, LoadError> {
    let root = reader.root()?;
    let version = root.u32(schema::model::VERSION, 0)?;
    if version != 3 {
        let message = format!("the schema has version {version}, we read version 3");
        return Err(error(Fault::Unsupported, root.start(), message));
    }
    let codes = limited(
        root.tables(schema::model::OPERATOR_CODES)?,
        MAX_TABLES,
        "operator codes",
    )?;
    let codes = (0..codes.len).map(|index| code(codes.table(index)?));
    let codes = codes.collect::<Result<_, _>>()?;
    let subgraphs = limited(
        root.tables(schema::model::SUBGRAPHS)?,
        MAX_TABLES,
        "subgraphs",
    )?;
    let (mut subgraph_ops, mut tensors) = (Vec::new(), Vec::new());
    for index in 0..subgraphs.len {
        let table = subgraphs.table(index)?;
        let ops = limited(table.tables(subgraph::OPERATORS)?, MAX_OPS, "operators")?;
        subgraph_ops.push(u32::try_from(ops.len).unwrap_or(u32::MAX));
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
        let message = format!("subgraph {main} is to be run, but there are {count} subgraphs");
        return Err(error(Fault::Dangling, root.start(), message));
    }
    let buffers = limited(root.tables(schema::model::BUFFERS)?, MAX_TABLES, "buffers")?;
    others(&subgraph_ops, main, warnings);
    Ok(Model {
        reader,
        codes,
        buffers,
        subgraph_ops,
        tensors,
        index: usize::try_from(main).unwrap_or_default(),
        main: subgraphs.table(main)?,
    })
}

fn limited<'r, 'a>(
    vector: Vector<'r, 'a>,
    most: u64,
    what: &str,
) -> Result<Vector<'r, 'a>, LoadError> {
    if vector.len > most {
        let message = format!("{} {what}, of which we read at most {most}", vector.len);
        return Err(error(Fault::Limit, vector.start, message));
    }
    Ok(vector)
}

/// Warns of the subgraphs that are not planned.
fn others(subgraph_ops: &[u32], main: u64, warnings: &mut Vec<Warning>) {
    let count = subgraph_ops.len().saturating_sub(1);
    if count == 0 {
        return;
    }
    let inside = subgraph_ops.iter().enumerate();
    let inside = inside.filter(|&(index, _)| index as u64 != main);
    let inside: u64 = inside.map(|(_, &ops)| u64::from(ops)).sum();
    warnings.push(Warning {
        place: format!("subgraph {main}"),
        message: format!(
            "this subgraph of {} operators is planned; the memory that {count} other \
             subgraphs with {inside} operators need is left out",
            subgraph_ops
                .get(usize::try_from(main).unwrap_or_default())
                .unwrap_or(&0)
        ),
    });
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
            domain: "custom",
        });
    }
    let kind = builtin::name(builtin).map(str::to_owned);
    Ok(Code {
        kind: kind.unwrap_or_else(|| format!("BUILTIN_{builtin}")),
        domain: "",
    })
}

/// The operators of a subgraph, whose tensors are those of `graph`.
fn operators(
    model: &Model<'_, '_>,
    table: Table<'_, '_>,
    graph: &Graph,
) -> Result<Vec<Op>, LoadError> {
    let operators = table.tables(subgraph::OPERATORS)?;
    let mut ops = Vec::new();
    for index in 0..operators.len {
        let table = operators.table(index)?;
        let place = format!("operator {index}");
        let code = usize::try_from(table.u32(operator::OPCODE_INDEX, 0)?).ok();
        let code = code.and_then(|code| model.codes.get(code));
        let code = code.ok_or_else(|| LoadError {
            kind: Fault::Dangling,
            place: place.clone(),
            message: "its operator code is not in the file".into(),
        })?;
        ops.push(Op {
            name: format!("{} {index}", code.kind),
            kind: code.kind.clone(),
            domain: code.domain.to_owned(),
            inputs: optional_ids(graph, table.ints(operator::INPUTS)?, &place)?,
            outputs: optional_ids(graph, table.ints(operator::OUTPUTS)?, &place)?,
            captures: Vec::new(),
            attributes: options::attributes(table, &model.subgraph_ops)?,
            stream: None,
            fused: None,
        });
    }
    Ok(ops)
}

/// Tensor indices, of which −1 means "left out".
fn optional_ids(
    graph: &Graph,
    indices: Option<Vec<i32>>,
    place: &str,
) -> Result<Vec<Option<TensorId>>, LoadError> {
    let one = |index: i32| match index {
        -1 => Ok(None),
        _ => id(graph, index, place).map(Some),
    };
    indices.unwrap_or_default().into_iter().map(one).collect()
}

fn ids(graph: &Graph, indices: Option<Vec<i32>>, place: &str) -> Result<Vec<TensorId>, LoadError> {
    let each = indices.unwrap_or_default().into_iter();
    each.map(|index| id(graph, index, place)).collect()
}

fn id(graph: &Graph, index: i32, place: &str) -> Result<TensorId, LoadError> {
    let count = graph.tensors.len();
    match usize::try_from(index) {
        Ok(index) if index < count => Ok(TensorId::at(index)),
        _ => Err(LoadError {
            kind: Fault::Dangling,
            place: place.to_owned(),
            message: format!("tensor {index} is not among the {count} tensors"),
        }),
    }
}
