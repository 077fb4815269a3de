//! Arenascope's program JSON, twin of [`crate::load`]'s: a graph with the schedule that runs it,
//! for instance a training step with what is evicted and computed again. Whoever opens it has
//! the schedule checked.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::graph::{DType, OpId, Role, TensorId};
use crate::program::Program;
use crate::schedule::{Action, Cost, Phase, ScheduledStep};
use crate::storage::{StorageId, StorageKind};

/// The version that we write.
const VERSION: u64 = 1;

#[derive(Serialize)]
struct ProgramJson<'p> {
    arenascope_program: u64,
    name: &'p str,
    tensors: Vec<TensorJson<'p>>,
    operators: Vec<OperatorJson<'p>>,
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
}

#[derive(Serialize)]
struct OperatorJson<'p> {
    name: &'p str,
    kind: &'p str,
    inputs: Vec<&'p str>,
    outputs: Vec<&'p str>,
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

/// Writes `program`, or `None` where the format cannot say it: a tensor without a size, or one
/// that views a part of another one's storage.
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
        })
    };
    let rows: Option<Vec<_>> = (0..graph.tensors.len()).map(row).collect();
    let operand = |id: &Option<TensorId>| id.map_or("", name_of);
    let operators = graph.ops.iter().zip(&ops).map(|(op, name)| OperatorJson {
        name,
        kind: &op.kind,
        inputs: op.inputs.iter().map(operand).collect(),
        outputs: op.outputs.iter().map(operand).collect(),
    });
    let stored = |id: StorageId| program.storages.named(id).map_or("", name_of);
    let op = |id: OpId| ops.get(id.index()).map_or("", String::as_str);
    let steps = program.schedule.steps.iter();
    let json = ProgramJson {
        arenascope_program: VERSION,
        name: &graph.name,
        tensors: rows?,
        operators: operators.collect(),
        schedule: steps.map(|it| step(it, op, stored)).collect(),
    };
    serde_json::to_string(&json).ok()
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
