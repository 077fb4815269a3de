//! A group of operators as one operator.

use std::collections::{BTreeMap, BTreeSet};

use super::{Group, activation};
use crate::graph::infer::Value;
use crate::graph::{Attribute, Content, Graph, Op, OpId, Role, TensorId};
use crate::operators::ARENASCOPE;
use crate::passes::Report;

/// Most names that the name of a group spells out.
const NAMED: usize = 4;

/// The tensors that the operators hand to each other: all that they write but the last result.
pub(super) fn between(graph: &Graph, ops: &[OpId]) -> Vec<TensorId> {
    let (_, before) = ops.split_last().unwrap_or((&OpId(0), &[]));
    before
        .iter()
        .flat_map(|op| graph.op(*op).written())
        .collect()
}

/// Replaces every group by one operator, and removes what was between.
pub(super) fn fuse(
    graph: &mut Graph,
    groups: &[&Group],
    values: &BTreeMap<TensorId, Value>,
) -> Report {
    let producers = graph.producers();
    let mut into: Vec<Option<usize>> = vec![None; graph.ops.len()];
    let mut gone = vec![false; graph.tensors.len()];
    let mut made: BTreeMap<usize, Op> = BTreeMap::new();
    for group in groups {
        let op = one(graph, group, values);
        // The first place at which all that it reads is there.
        let last_writer = op.read().filter_map(|id| producers[id.index()]).max();
        let place = group
            .ops
            .iter()
            .find(|id| last_writer.is_none_or(|last| last < **id));
        let place = place.map_or(0, |id| id.index());
        for id in &group.ops {
            into[id.index()] = Some(place);
        }
        for tensor in between(graph, &group.ops) {
            gone[tensor.index()] = true;
        }
        made.insert(place, op);
    }
    let mut after = vec![None; graph.ops.len()];
    let mut ops = Vec::with_capacity(graph.ops.len());
    for (index, op) in std::mem::take(&mut graph.ops).into_iter().enumerate() {
        match (into[index], made.remove(&index)) {
            (None, _) => {
                after[index] = Some(OpId::at(ops.len()));
                ops.push(op);
            }
            (Some(_), Some(fused)) => {
                after[index] = Some(OpId::at(ops.len()));
                ops.push(fused);
            }
            (Some(_), None) => {}
        }
    }
    for index in 0..after.len() {
        if let Some(place) = into[index] {
            after[index] = after[place];
        }
    }
    graph.ops = ops;
    Report {
        tensors: remove(graph, &gone),
        ops: after,
        ..Report::default()
    }
}

/// The operator that stands for `group`.
fn one(graph: &Graph, group: &Group, values: &BTreeMap<TensorId, Value>) -> Op {
    if let [anchor, last] = group.ops[..]
        && let Some(attributes) = activation::attributes(graph, (anchor, last), values)
    {
        let mut op = graph.op(anchor).clone();
        op.outputs.clone_from(&graph.op(last).outputs);
        op.attributes.extend(attributes);
        op.name = name(graph, &group.ops);
        return op;
    }
    let inside: BTreeSet<TensorId> = between(graph, &group.ops).into_iter().collect();
    let mut inputs: Vec<TensorId> = Vec::new();
    for id in group.ops.iter().flat_map(|op| graph.op(*op).read()) {
        if !inside.contains(&id) && !inputs.contains(&id) {
            inputs.push(id);
        }
    }
    let last = group.ops.last().copied().unwrap_or_default();
    let outputs = graph.op(last).outputs.clone();
    Op {
        name: name(graph, &group.ops),
        inputs: inputs.iter().copied().map(Some).collect(),
        outputs,
        stream: graph.op(last).stream,
        fused: Some(Box::new(part(graph, group, &inputs))),
        ..Op::new(graph.dialect, ARENASCOPE, &group.pattern.to_string())
    }
}

fn name(graph: &Graph, ops: &[OpId]) -> String {
    let names: Vec<&str> = ops.iter().map(|op| graph.op(*op).name.as_str()).collect();
    match names.as_slice() {
        [first, .., last] if names.len() > NAMED => {
            format!("{first} + … + {last} ({} operators)", names.len())
        }
        names => names.join(" + "),
    }
}

/// The part of the graph that the group is.
fn part(graph: &Graph, group: &Group, inputs: &[TensorId]) -> Graph {
    let last = group.ops.last().copied().unwrap_or_default();
    let mut part = Graph {
        name: group.pattern.to_string(),
        dialect: graph.dialect,
        ..Graph::default()
    };
    let mut ids: BTreeMap<TensorId, TensorId> = BTreeMap::new();
    let mut known = |part: &mut Graph, id: TensorId, role: Role| {
        *ids.entry(id).or_insert_with(|| {
            let mut tensor = graph.tensor(id).clone();
            if tensor.role != Role::Constant {
                tensor.role = role;
                tensor.content = Content::None;
            }
            part.tensors.push(tensor);
            TensorId::at(part.tensors.len() - 1)
        })
    };
    for id in inputs {
        let id = known(&mut part, *id, Role::Input);
        part.inputs.push(id);
    }
    for id in graph.op(last).written() {
        let id = known(&mut part, id, Role::Output);
        part.outputs.push(id);
    }
    for mut op in group.ops.iter().map(|op| graph.op(*op).clone()) {
        for slot in op.inputs.iter_mut().chain(&mut op.outputs).flatten() {
            *slot = known(&mut part, *slot, Role::Intermediate);
        }
        for (_, value) in &mut op.attributes {
            if let Attribute::Tensor(id) = value {
                *id = known(&mut part, *id, Role::Constant);
            }
        }
        part.ops.push(op);
    }
    part
}

/// Takes tensors out of the graph; the others keep their order. Returns what each tensor is
/// afterwards.
pub(in crate::passes) fn remove(graph: &mut Graph, tensors: &[bool]) -> Vec<Option<TensorId>> {
    let mut next = 0;
    let mut moved = Vec::with_capacity(tensors.len());
    for &gone in tensors {
        moved.push(TensorId::at(next));
        next += usize::from(!gone);
    }
    let renumber = |id: &mut TensorId| *id = moved[id.index()];
    let mut index = 0..tensors.len();
    graph
        .tensors
        .retain(|_| index.next().is_none_or(|index| !tensors[index]));
    for op in &mut graph.ops {
        let slots = op.inputs.iter_mut().chain(&mut op.outputs).flatten();
        slots.chain(&mut op.captures).for_each(renumber);
        for (_, value) in &mut op.attributes {
            if let Attribute::Tensor(id) = value {
                renumber(id);
            }
        }
    }
    graph
        .inputs
        .iter_mut()
        .chain(&mut graph.outputs)
        .for_each(renumber);
    let after = moved.into_iter().zip(tensors);
    after.map(|(id, gone)| (!gone).then_some(id)).collect()
}
