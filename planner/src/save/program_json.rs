//! Arenascope's program JSON, counterpart of [`crate::load`]'s: a graph with the schedule that runs it,
//! for instance a training step with what is evicted and computed again. Whoever opens it has
//! the schedule checked.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::graph::{
    Attribute, Content, DType, Dialect, Limit, OpId, Role, Tensor, TensorId, Value,
};
use crate::program::Program;
use crate::schedule::{Action, Cost, Phase, ScheduledStep};
use crate::storage::{StorageId, StorageKind};

/// The version that we write.
const VERSION: u64 = 1;

#[derive(Serialize)]
struct ProgramJson<'p> {
    arenascope_program: u64,
    name: &'p str,
    dialect: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    opset: Option<u32>,
    tensors: Vec<TensorJson<'p>>,
    operators: Vec<OperatorJson<'p>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    counts: Vec<CountJson<'p>>,
    schedule: Vec<StepJson<'p>>,
}

#[derive(Serialize)]
struct TensorJson<'p> {
    name: &'p str,
    dtype: DType,
    shape: &'p [u64],
    role: Role,
    storage: StorageKind,
    alignment: u64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    at_most: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Vec<i64>>,
}

#[derive(Serialize)]
struct OperatorJson<'p> {
    name: &'p str,
    kind: &'p str,
    #[serde(skip_serializing_if = "str::is_empty")]
    domain: &'p str,
    inputs: Vec<&'p str>,
    outputs: Vec<&'p str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    attributes: BTreeMap<&'p str, AttributeJson<'p>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum AttributeJson<'p> {
    Int(i64),
    Float(f32),
    Ints(&'p [i64]),
    Floats(&'p [f32]),
    Text(&'p str),
    Texts(&'p [String]),
    Tensor { tensor: &'p str },
    Subgraph { operators: u32 },
}

#[derive(Serialize)]
struct CountJson<'p> {
    tensor: &'p str,
    at_most: u64,
    by: Limit,
}

#[derive(Serialize)]
struct StepJson<'p> {
    kind: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    operator: &'p str,
    #[serde(skip_serializing_if = "str::is_empty")]
    tensor: &'p str,
    #[serde(skip_serializing_if = "str::is_empty")]
    to: &'p str,
    phase: Phase,
    #[serde(skip_serializing_if = "Option::is_none")]
    flops: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nanoseconds: Option<u64>,
}

/// Writes `program`, or `None` where the format cannot say it: a tensor without a size, one
/// that views a part of another one's storage, or an attribute that is no finite number. Of
/// constants it has the elements of those that may say sizes and axes: integers of 32 or 64 bits,
/// at most 4096 of them.
#[must_use]
pub fn program_json(program: &Program) -> Option<String> {
    let graph = &program.graph;
    let tensors = unique(graph.tensors.iter().map(|tensor| tensor.name.as_str()));
    let ops = unique(graph.ops.iter().map(|op| op.name.as_str()));
    let name_of = |id: TensorId| tensors.get(id.index()).map_or("", String::as_str);
    let row = |index: usize| {
        let (tensor, id) = (&graph.tensors[index], TensorId::at(index));
        let view = program.storages.view(id)?;
        let storage = program.storages.list.get(view.base.index())?;
        let whole = storage.tensor == id && view.offset.0 == 0 && view.strides.is_empty();
        Some(TensorJson {
            name: name_of(id),
            dtype: tensor.dtype,
            shape: tensor.dims.as_deref().filter(|_| whole)?,
            role: tensor.role,
            storage: storage.kind,
            alignment: storage.alignment.0,
            at_most: tensor.at_most,
            values: values(tensor),
        })
    };
    let rows: Option<Vec<_>> = (0..graph.tensors.len()).map(row).collect();
    let operand = |id: &Option<TensorId>| id.map_or("", name_of);
    let operators = graph.ops.iter().zip(&ops).map(|(op, name)| {
        let attributes = op.attributes.iter();
        let attributes = attributes.map(|(key, it)| Some((&**key, attribute(it, &name_of)?)));
        Some(OperatorJson {
            name,
            kind: &op.kind,
            domain: &op.domain,
            inputs: op.inputs.iter().map(operand).collect(),
            outputs: op.outputs.iter().map(operand).collect(),
            attributes: attributes.collect::<Option<_>>()?,
        })
    });
    let ids = graph.tensors.iter().enumerate();
    let ids: BTreeMap<&str, TensorId> = match graph.counts.is_empty() {
        true => BTreeMap::new(),
        false => ids.map(|(at, it)| (&*it.name, TensorId::at(at))).collect(),
    };
    let counts = graph.counts.iter().filter_map(|count| {
        Some(CountJson {
            tensor: name_of(*ids.get(&*count.tensor)?),
            at_most: count.most,
            by: count.limit,
        })
    });
    let stored = |id: StorageId| program.storages.named(id).map_or("", name_of);
    let op = |id: OpId| ops.get(id.index()).map_or("", String::as_str);
    let steps = program.schedule.steps.iter();
    let (dialect, opset) = match graph.dialect {
        Dialect::Onnx { opset } => ("onnx", Some(opset)),
        Dialect::Tflite => ("tflite", None),
    };
    let json = ProgramJson {
        arenascope_program: VERSION,
        name: &graph.name,
        dialect,
        opset,
        tensors: rows?,
        operators: operators.collect::<Option<_>>()?,
        counts: counts.collect(),
        schedule: steps.map(|it| step(it, op, stored)).collect(),
    };
    serde_json::to_string(&json).ok()
}

/// The elements of a constant that may say sizes and axes.
fn values(tensor: &Tensor) -> Option<Vec<i64>> {
    let Content::Inline(bytes) = &tensor.content else {
        return None;
    };
    let integers = matches!(tensor.dtype, DType::I32 | DType::I64);
    let dims = tensor
        .dims
        .as_deref()
        .filter(|_| integers && tensor.role == Role::Constant)?;
    let value = Value::from_bytes(tensor.dtype, dims, bytes)?;
    value.as_ints().map(<[i64]>::to_vec)
}

/// `None` for numbers that JSON does not have.
fn attribute<'p>(
    attribute: &'p Attribute,
    name_of: &impl Fn(TensorId) -> &'p str,
) -> Option<AttributeJson<'p>> {
    Some(match attribute {
        Attribute::Int(value) => AttributeJson::Int(*value),
        Attribute::Float(value) => AttributeJson::Float(Some(*value).filter(|it| it.is_finite())?),
        Attribute::Ints(values) => AttributeJson::Ints(values),
        Attribute::Floats(values) if values.iter().any(|it| !it.is_finite()) => return None,
        Attribute::Floats(values) => AttributeJson::Floats(values),
        Attribute::Text(text) => AttributeJson::Text(text),
        Attribute::Texts(texts) => AttributeJson::Texts(texts),
        Attribute::Tensor(id) => AttributeJson::Tensor {
            tensor: name_of(*id),
        },
        Attribute::Subgraph { ops } => AttributeJson::Subgraph { operators: *ops },
    })
}

fn step<'p>(
    step: &ScheduledStep,
    op: impl Fn(OpId) -> &'p str,
    stored: impl Fn(StorageId) -> &'p str,
) -> StepJson<'p> {
    let (kind, operator, tensor, to) = match step.action {
        Action::Compute(id) => ("compute", op(id), "", ""),
        Action::Recompute(id) => ("recompute", op(id), "", ""),
        Action::Free(id) => ("free", "", stored(id), ""),
        Action::Evict(id) => ("evict", "", stored(id), ""),
        Action::SwapOut(id) => ("swap_out", "", stored(id), ""),
        Action::SwapIn(id) => ("swap_in", "", stored(id), ""),
        Action::Encode { from, to } => ("encode", "", stored(from), stored(to)),
        Action::Decode { from, to } => ("decode", "", stored(from), stored(to)),
    };
    let (flops, nanoseconds) = match step.cost {
        Some(Cost::Flops(flops)) => (Some(flops), None),
        Some(Cost::Nanoseconds(time)) => (None, Some(time)),
        None => (None, None),
    };
    StepJson {
        kind,
        operator,
        tensor,
        to,
        phase: step.phase,
        flops,
        nanoseconds,
    }
}

/// The names, those that stand twice with a number.
fn unique<'p>(names: impl Iterator<Item = &'p str>) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let number = |(index, name): (usize, &str)| {
        let mut name = name.to_owned();
        while name.is_empty() || !taken.insert(name.clone()) {
            name = format!("{name}:{index}");
        }
        name
    };
    names.enumerate().map(number).collect()
}
