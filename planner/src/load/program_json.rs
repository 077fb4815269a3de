//! Arenascope's program JSON, version 1: a graph with the schedule that runs it, and which
//! tensors are views of others. Made by hand, or by a tool that recomputes, evicts or swaps.
//!
//! ```text
//! {"arenascope_program": 1,
//!  "tensors": [{"name": "x", "shape": [4], "role": "input"}, {"name": "a", "shape": [4]},
//!              {"name": "y", "shape": [2], "role": "output", "view": {"of": "a", "offset": 8}}],
//!  "operators": [{"name": "f", "kind": "Relu", "inputs": ["x"], "outputs": ["a"]}],
//!  "schedule": [{"kind": "compute", "operator": "f", "phase": "forward", "flops": 4},
//!               {"kind": "evict", "tensor": "a"}, {"kind": "recompute", "operator": "f"}]}
//! ```
//!
//! Offsets and alignments are bytes, an alignment is a power of two; strides are elements. Steps
//! about a tensor (free, evict, swap_out, swap_in) are about its whole storage. An encode step
//! packs `tensor` into `to` and gives `tensor` back; a decode step unpacks `tensor` into `to`.
//! Without a schedule every operator runs once, in file order. At the end every output must be
//! there. `values` are the elements of a constant of integers of 32 or 64 bits. Beside numbers,
//! texts and lists of them an attribute may be `{"tensor": name}`, or `{"operators": count}` for
//! a subgraph. `"counts": [{"tensor": "n", "at_most": 9, "by": "set"}]` says that only a run finds
//! how much the operator gives that writes `n` first, and what the most of 9 follows from:
//! "shapes", "file" or "set"; `"at_most": true` marks each tensor that is smaller then. `dialect` is "onnx", of the version `opset`, or "tflite".

mod counts;

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Document, Fault, LoadError, Source, Warning, plan_json, text};
use counts::CountJson;

use crate::graph::{
    Attribute, Content, DType, Dialect, Dim, Graph, Op, OpId, Role, Tensor, TensorId,
};
use crate::program::Program;
use crate::schedule::{self, Action, Cost, Phase, Schedule, ScheduledStep};
use crate::storage::{StorageId, StorageKind, Storages};
use crate::units::Bytes;
use crate::{Message, message};

/// The version that we read.
const VERSION: u64 = 1;
/// The key that holds it. It stands in the first 64 KiB of the file.
const KEY: &str = "\"arenascope_program\"";
/// The most tensors, operators, and steps.
const MAX_ROWS: usize = 1 << 20;
/// The opset when the file names none.
const OPSET: u32 = 17;

/// Only the version, which decides whether the rest can be understood.
#[derive(Deserialize)]
struct Version {
    arenascope_program: u64,
}

#[derive(Deserialize)]
struct ProgramJson {
    #[serde(default)]
    name: String,
    /// What its operators are of.
    #[serde(default)]
    dialect: DialectJson,
    /// Version of the ONNX operators.
    #[serde(default)]
    opset: Option<u32>,
    tensors: Vec<TensorJson>,
    operators: Vec<OperatorJson>,
    /// What only a run counts.
    #[serde(default)]
    counts: Vec<CountJson>,
    /// The operators in file order where it is left out.
    #[serde(default)]
    schedule: Option<Vec<StepJson>>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum DialectJson {
    #[default]
    Onnx,
    Tflite,
}

#[derive(Deserialize)]
struct TensorJson {
    name: String,
    #[serde(default = "float")]
    dtype: DType,
    shape: Vec<u64>,
    #[serde(default)]
    role: Role,
    /// What its storage is for, where its role does not say.
    #[serde(default)]
    storage: Option<StorageKind>,
    /// Bytes that its storage's address is a multiple of.
    #[serde(default)]
    alignment: Option<u64>,
    /// Whether its size is only a bound.
    #[serde(default)]
    at_most: bool,
    /// Elements of an integer constant.
    #[serde(default)]
    values: Option<Vec<i64>>,
    #[serde(default)]
    view: Option<ViewJson>,
}

/// A part of another tensor's bytes.
#[derive(Deserialize)]
struct ViewJson {
    of: String,
    /// Bytes.
    #[serde(default)]
    offset: u64,
    /// Elements.
    #[serde(default)]
    strides: Vec<u64>,
}

#[derive(Deserialize)]
struct OperatorJson {
    name: String,
    kind: String,
    /// Operator set domain; empty for the dialect's own.
    #[serde(default)]
    domain: String,
    inputs: Vec<String>,
    outputs: Vec<String>,
    #[serde(default)]
    attributes: BTreeMap<String, AttributeJson>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum AttributeJson {
    Int(i64),
    Float(f32),
    Ints(Vec<i64>),
    Floats(Vec<f32>),
    Text(String),
    Texts(Vec<String>),
    Tensor { tensor: String },
    Subgraph { operators: u32 },
}

#[derive(Deserialize)]
struct StepJson {
    kind: KindJson,
    #[serde(default)]
    operator: String,
    /// Any tensor of the storage that the step is about.
    #[serde(default)]
    tensor: String,
    /// For encode and decode: any tensor of the storage that is written.
    #[serde(default)]
    to: String,
    #[serde(default)]
    phase: Phase,
    #[serde(default)]
    flops: Option<u64>,
    #[serde(default)]
    nanoseconds: Option<u64>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum KindJson {
    Compute,
    Recompute,
    Free,
    Evict,
    SwapOut,
    SwapIn,
    Encode,
    Decode,
}

fn float() -> DType {
    DType::F32
}

/// Whether a file that begins with `head` is a program.
pub(super) fn sniff(head: &[u8]) -> bool {
    plan_json::sniff(head) && head.windows(KEY.len()).any(|it| it == KEY.as_bytes())
}

/// Reads the program in `source`.
///
/// # Errors
/// [`LoadError`] with the line and column, the tensor, the operator or the step.
pub(super) fn read(source: &dyn Source) -> Result<(Document, Vec<Warning>), LoadError> {
    let text = text::read(source)?;
    let invalid = |error| plan_json::invalid(&error);
    let Version { arenascope_program } = serde_json::from_str(&text).map_err(invalid)?;
    if arenascope_program != VERSION {
        let version = arenascope_program;
        let message = message!(
            "the program has version {}, we read version {}",
            version,
            VERSION
        );
        return Err(of(Fault::Unsupported, "arenascope_program", message));
    }
    let json: ProgramJson = serde_json::from_str(&text).map_err(invalid)?;
    let program = program(json)?;
    Ok((Document::Program(program), Vec::new()))
}

/// Refuses more rows than are read.
fn limited(json: &ProgramJson) -> Result<(), LoadError> {
    let rows = [
        ("tensors", json.tensors.len()),
        ("operators", json.operators.len()),
        ("counts", json.counts.len()),
        ("schedule", json.schedule.as_ref().map_or(0, Vec::len)),
    ];
    if let Some((place, count)) = rows.into_iter().find(|(_, count)| *count > MAX_ROWS) {
        let message = message!("{} entries, of which we read at most {}", count, MAX_ROWS);
        return Err(of(Fault::Limit, place, message));
    }
    Ok(())
}

fn program(json: ProgramJson) -> Result<Program, LoadError> {
    limited(&json)?;
    let dialect = match json.dialect {
        DialectJson::Onnx => Dialect::Onnx {
            opset: json.opset.unwrap_or(OPSET),
        },
        DialectJson::Tflite => Dialect::Tflite,
    };
    let mut names = Names::default();
    let mut graph = Graph {
        name: json.name,
        dialect,
        ..Graph::default()
    };
    for row in &json.tensors {
        let id = TensorId::at(graph.tensors.len());
        if names.tensors.insert(row.name.clone(), id).is_some() {
            return Err(duplicate(&row.name, message!("tensor")));
        }
        match row.role {
            Role::Input => graph.inputs.push(id),
            Role::Output => graph.outputs.push(id),
            _ => {}
        }
        graph.tensors.push(tensor(row)?);
    }
    for row in json.operators {
        let id = OpId::at(graph.ops.len());
        if names.ops.insert(row.name.clone(), id).is_some() {
            return Err(duplicate(&row.name, message!("operator")));
        }
        let op = names.operator(row, dialect)?;
        let given = |id: &TensorId| {
            matches!(
                graph.tensor(*id).role,
                Role::Input | Role::Constant | Role::State
            )
        };
        if let Some(id) = op.written().find(given) {
            let written = &graph.tensor(id).name;
            let message = message!("it writes {}, which the caller brings", written);
            return Err(of(Fault::Malformed, &op.name, message));
        }
        graph.ops.push(op);
    }
    graph.counts = names.counts(&graph, json.counts)?;
    let storages = storages(&graph, &json.tensors, &names)?;
    let schedule = match json.schedule {
        Some(steps) => names.schedule(&storages, steps)?,
        None => Schedule::in_file_order(&graph),
    };
    schedule::check(&graph, &storages, &schedule).map_err(|error| {
        let place = match error.step.0 < schedule.len() as u64 {
            true => message!("schedule, step {}", error.step.0),
            false => Message::verbatim("schedule"),
        };
        Fault::Malformed.at(place, error.message)
    })?;
    Ok(Program {
        graph,
        schedule,
        storages,
        in_place: Vec::new(),
        as_written: true,
    })
}

fn tensor(row: &TensorJson) -> Result<Tensor, LoadError> {
    let mut tensor = Tensor::new(row.name.clone(), row.dtype);
    tensor.role = row.role;
    tensor.at_most = row.at_most;
    tensor.declared = Some(row.shape.iter().copied().map(Dim::Fixed).collect());
    tensor.dims = Some(row.shape.clone());
    if tensor.bytes().is_none() {
        let message = message!("its elements have no fixed size, or its size goes beyond 64 bits");
        return Err(of(Fault::Limit, &row.name, message));
    }
    if let Some(values) = &row.values {
        let narrow = row.dtype == DType::I32;
        if row.role != Role::Constant || !(narrow || row.dtype == DType::I64) {
            let message = message!("only a constant of dtype i32 or i64 has values");
            return Err(of(Fault::Malformed, &row.name, message));
        }
        if let Some(value) = values
            .iter()
            .find(|&&it| narrow && i32::try_from(it).is_err())
        {
            let message = message!("the value {} has more than 32 bits", value);
            return Err(of(Fault::Malformed, &row.name, message));
        }
        let count = row
            .shape
            .iter()
            .try_fold(1_u64, |n, &dim| n.checked_mul(dim));
        if count != Some(values.len() as u64) {
            let message = message!("{} values do not fit its shape", values.len());
            return Err(of(Fault::Malformed, &row.name, message));
        }
        let width = if narrow { 4 } else { 8 };
        let bytes = values
            .iter()
            .flat_map(|value| value.to_le_bytes().into_iter().take(width));
        tensor.content = Content::Inline(bytes.collect());
    }
    Ok(tensor)
}

/// One storage for each tensor, those of views joined with what they view; a tensor may view
/// one that stands later in the file.
fn storages(graph: &Graph, rows: &[TensorJson], names: &Names) -> Result<Storages, LoadError> {
    let mut storages = Storages::one_each(graph);
    for (storage, row) in storages.list.iter_mut().zip(rows) {
        storage.kind = row.storage.unwrap_or(storage.kind);
        storage.alignment = Bytes(row.alignment.unwrap_or(1));
        if !storage.alignment.0.is_power_of_two() {
            let message = message!("its alignment {} is no power of two", storage.alignment.0);
            return Err(of(Fault::Malformed, &row.name, message));
        }
    }
    for (index, base) in bases_first(rows, names)? {
        let row = &rows[index];
        if let Some(view) = &row.view {
            let pair = (TensorId::at(index), base);
            let joined = storages.alias_alone(graph, pair, Bytes(view.offset), &view.strides);
            joined.map_err(|error| of(Fault::Malformed, &row.name, error.message))?;
        }
    }
    Ok(storages)
}

/// The views by index, each with its base and behind all that the base itself views.
fn bases_first(rows: &[TensorJson], names: &Names) -> Result<Vec<(usize, TensorId)>, LoadError> {
    let mut order = Vec::new();
    let mut seen = vec![false; rows.len()];
    for first in 0..rows.len() {
        let (mut chain, mut at) = (Vec::new(), first);
        while let Some(view) = rows[at].view.as_ref().filter(|_| !seen[at]) {
            seen[at] = true;
            let base = names.tensor(&view.of, || Message::verbatim(&rows[at].name))?;
            chain.push((at, base));
            at = base.index();
        }
        if chain.iter().any(|(index, _)| *index == at) {
            let message = message!("it views itself by way of others");
            return Err(of(Fault::Malformed, &rows[at].name, message));
        }
        order.extend(chain.into_iter().rev());
    }
    Ok(order)
}

/// What the file's names stand for.
#[derive(Default)]
struct Names {
    tensors: BTreeMap<String, TensorId>,
    ops: BTreeMap<String, OpId>,
}

impl Names {
    fn tensor(&self, name: &str, place: impl FnOnce() -> Message) -> Result<TensorId, LoadError> {
        let message = || match name {
            "" => message!("it names no tensor"),
            name => message!("no tensor is called {}", format_args!("{name:?}")),
        };
        let id = self.tensors.get(name).copied();
        id.ok_or_else(|| Fault::Dangling.at(place(), message()))
    }

    fn operator(&self, row: OperatorJson, dialect: Dialect) -> Result<Op, LoadError> {
        let own = || Message::verbatim(&row.name);
        let operands = |names: &[String]| -> Result<Vec<Option<TensorId>>, LoadError> {
            let id = |name: &String| match name.as_str() {
                "" => Ok(None),
                name => self.tensor(name, own).map(Some),
            };
            names.iter().map(id).collect()
        };
        let attribute = |value| -> Result<Attribute, LoadError> {
            Ok(match value {
                AttributeJson::Int(value) => Attribute::Int(value),
                AttributeJson::Float(value) => Attribute::Float(value),
                AttributeJson::Ints(values) => Attribute::Ints(values),
                AttributeJson::Floats(values) => Attribute::Floats(values),
                AttributeJson::Text(text) => Attribute::Text(text),
                AttributeJson::Texts(texts) => Attribute::Texts(texts),
                AttributeJson::Tensor { tensor } => Attribute::Tensor(self.tensor(&tensor, own)?),
                AttributeJson::Subgraph { operators } => Attribute::Subgraph { ops: operators },
            })
        };
        let attributes = row.attributes.into_iter();
        let attributes = attributes.map(|(name, value)| Ok((name, attribute(value)?)));
        Ok(Op {
            inputs: operands(&row.inputs)?,
            outputs: operands(&row.outputs)?,
            attributes: attributes.collect::<Result<_, LoadError>>()?,
            name: row.name,
            ..Op::new(dialect, &row.domain, &row.kind)
        })
    }

    fn schedule(&self, storages: &Storages, rows: Vec<StepJson>) -> Result<Schedule, LoadError> {
        let mut schedule = Schedule::default();
        for (index, row) in rows.into_iter().enumerate() {
            let place = message!("schedule, step {}", index);
            schedule.steps.push(ScheduledStep {
                action: self.action(storages, &row, &place)?,
                phase: row.phase,
                cost: match (row.flops, row.nanoseconds) {
                    (Some(flops), _) => Some(Cost::Flops(flops)),
                    (None, time) => time.map(Cost::Nanoseconds),
                },
            });
        }
        Ok(schedule)
    }

    fn action(
        &self,
        storages: &Storages,
        row: &StepJson,
        place: &Message,
    ) -> Result<Action, LoadError> {
        let op = || {
            let id = self.ops.get(&row.operator).copied();
            let message = || match row.operator.as_str() {
                "" => message!("it names no operator"),
                name => message!("no operator is called {}", format_args!("{name:?}")),
            };
            id.ok_or_else(|| Fault::Dangling.at(place.clone(), message()))
        };
        let storage = |name: &str| -> Result<StorageId, LoadError> {
            let tensor = self.tensor(name, || place.clone())?;
            let view = storages.view(tensor).map(|view| view.base);
            let message = || message!("{} has no storage", name);
            view.ok_or_else(|| Fault::Dangling.at(place.clone(), message()))
        };
        let from = || storage(&row.tensor);
        Ok(match row.kind {
            KindJson::Compute => Action::Compute(op()?),
            KindJson::Recompute => Action::Recompute(op()?),
            KindJson::Free => Action::Free(from()?),
            KindJson::Evict => Action::Evict(from()?),
            KindJson::SwapOut => Action::SwapOut(from()?),
            KindJson::SwapIn => Action::SwapIn(from()?),
            KindJson::Encode => Action::Encode {
                from: from()?,
                to: storage(&row.to)?,
            },
            KindJson::Decode => Action::Decode {
                from: from()?,
                to: storage(&row.to)?,
            },
        })
    }
}

fn duplicate(name: &str, noun: Message) -> LoadError {
    let message = message!("two {}s have this name", noun);
    of(Fault::Duplicate, name, message)
}

/// A fault of what has this name in the file.
fn of(kind: Fault, name: &str, message: Message) -> LoadError {
    kind.at(Message::verbatim(name), message)
}
