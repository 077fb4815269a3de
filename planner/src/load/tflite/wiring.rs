//! How operators and tensors of a subgraph connect: what is contradictory, and the part that
//! each tensor plays.

use std::collections::BTreeSet;

use crate::graph::{Content, Graph, OpId, Role, TensorId};
use crate::load::{Fault, LoadError, Warning};
use crate::{Message, message};

/// Checks that nothing is written twice and that everything is written before it is read.
pub(super) fn check(graph: &Graph, variables: &BTreeSet<TensorId>) -> Result<(), LoadError> {
    let fault =
        |kind: Fault, op: OpId, message| kind.at(Message::verbatim(&graph.op(op).name), message);
    let mut writers: Vec<Option<OpId>> = vec![None; graph.tensors.len()];
    let inputs: BTreeSet<TensorId> = graph.inputs.iter().copied().collect();
    for (index, op) in graph.ops.iter().enumerate() {
        let this = OpId::at(index);
        for tensor in op.written().filter(|tensor| !variables.contains(tensor)) {
            let name = &graph.tensor(tensor).name;
            let before = writers[tensor.index()].replace(this);
            if let Some(before) = before {
                let before = &graph.op(before).name;
                let message = message!("writes tensor \"{}\", which {} writes too", name, before);
                return Err(fault(Fault::Duplicate, this, message));
            }
            if inputs.contains(&tensor) {
                let message = message!("writes tensor \"{}\", which is a graph input", name);
                return Err(fault(Fault::Duplicate, this, message));
            }
        }
    }
    for (index, op) in graph.ops.iter().enumerate() {
        let this = OpId::at(index);
        let late = |tensor: &TensorId| writers[tensor.index()].is_some_and(|op| op >= this);
        if let Some(tensor) = op.read().find(late) {
            let name = &graph.tensor(tensor).name;
            let writer = writers[tensor.index()].unwrap_or(this);
            let writer = &graph.op(writer).name;
            let message = message!(
                "reads tensor \"{}\", which {} has yet to write",
                name,
                writer
            );
            return Err(fault(Fault::Cycle, this, message));
        }
    }
    Ok(())
}

/// Gives every tensor its role. What no operator writes, no caller feeds and no variable
/// keeps is a constant, even when its elements were taken out of the file.
pub(super) fn roles(
    graph: &mut Graph,
    variables: &BTreeSet<TensorId>,
    warnings: &mut Vec<Warning>,
) {
    let producers = graph.producers();
    let mut read = vec![false; graph.tensors.len()];
    for tensor in graph
        .ops
        .iter()
        .flat_map(|op| op.read())
        .chain(graph.outputs.iter().copied())
    {
        read[tensor.index()] = true;
    }
    let inputs: BTreeSet<TensorId> = graph.inputs.iter().copied().collect();
    let outputs: BTreeSet<TensorId> = graph.outputs.iter().copied().collect();
    let mut idle = 0_u64;
    for (index, tensor) in graph.tensors.iter_mut().enumerate() {
        let id = TensorId::at(index);
        let written = producers[index].is_some();
        tensor.role = if variables.contains(&id) {
            Role::State
        } else if inputs.contains(&id) {
            Role::Input
        } else if !written {
            Role::Constant
        } else if outputs.contains(&id) {
            Role::Output
        } else {
            Role::Intermediate
        };
        if tensor.role != Role::Constant {
            tensor.content = Content::None;
        } else if tensor.content == Content::None {
            tensor.content = Content::Stripped;
        }
        if tensor.role == Role::Constant && !read[index] {
            idle += 1;
        }
    }
    if idle > 0 {
        warnings.push(Warning::new(
            message!("graph"),
            message!(
                "{} tensors that no operator reads or writes count as constants",
                idle
            ),
        ));
    }
}
