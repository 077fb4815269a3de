//! Variables that handles stand for: which handles are one variable, and what it holds before the
//! first run, which a subgraph assigns that the graph calls once.

use std::collections::{BTreeMap, BTreeSet};

use super::Model;
use super::schema::{operator, subgraph};
use crate::graph::{Content, Graph, Op, TensorId};
use crate::load::LoadError;
use crate::operators::Operator;

/// The names by which handles of one variable are known.
type Name = (String, String);

/// The handles that a graph makes, by their names.
fn made(graph: &Graph) -> impl Iterator<Item = (Name, TensorId)> + '_ {
    let makers = graph.ops.iter().filter(|op| op.is(Operator::VarHandle));
    makers.filter_map(|op| {
        let text = |name| op.text(name).unwrap_or_default().to_owned();
        let handle = op.outputs.first().copied().flatten()?;
        Some(((text("container"), text("shared_name")), handle))
    })
}

/// The handle and the tensor that it is assigned.
fn assigned(op: &Op) -> Option<(TensorId, TensorId)> {
    let input = |at: usize| op.inputs.get(at).copied().flatten();
    (op.is(Operator::AssignVariable)).then(|| Some((input(0)?, input(1)?)))?
}

/// Resource handles, given the element type and shape of the variable that they stand for
/// as far as the graph reads or assigns it. The bytes of a handle are those of its variable.
/// Handles of one name become one.
pub(super) fn handles(graph: &mut Graph) -> BTreeSet<TensorId> {
    let mut first: BTreeMap<Name, TensorId> = BTreeMap::new();
    let mut alike = BTreeMap::new();
    for (name, handle) in made(graph) {
        alike.insert(handle, *first.entry(name).or_insert(handle));
    }
    for op in &mut graph.ops {
        for tensor in op.inputs.iter_mut().chain(&mut op.outputs).flatten() {
            *tensor = alike.get(tensor).copied().unwrap_or(*tensor);
        }
    }
    let handles: BTreeSet<TensorId> = first.into_values().collect();
    for op in &graph.ops {
        let read = || Some((*op.inputs.first()?, *op.outputs.first()?));
        let held = match op.operator {
            Operator::ReadVariable => read().and_then(|(handle, value)| Some((handle?, value?))),
            _ => assigned(op),
        };
        let Some((handle, value)) = held.filter(|(handle, _)| handles.contains(handle)) else {
            continue;
        };
        let value = graph.tensor(value).clone();
        let variable = &mut graph.tensors[handle.index()];
        variable.dtype = value.dtype;
        variable.dims = value.dims;
        variable.declared = value.declared;
    }
    handles
}

/// Gives variables the constants that subgraphs which are called once assign to them.
pub(super) fn initial(model: &Model<'_, '_>, graph: &mut Graph) -> Result<(), LoadError> {
    let main = model.subgraphs.table(model.index as u64)?;
    let tables = main.tables(subgraph::OPERATORS)?;
    let mut given: BTreeMap<Name, Content> = BTreeMap::new();
    let calls = (0_u64..).zip(&graph.ops);
    for (index, _) in calls.filter(|(_, op)| op.is(Operator::CallOnce)) {
        let options = tables.table(index)?.table(operator::BUILTIN_OPTIONS)?;
        let Some(options) = options else { continue };
        let called = usize::try_from(options.u32(0, 0)?).unwrap_or(usize::MAX);
        if called >= model.subgraph_ops.len() {
            continue;
        }
        let (once, _) = model.graph(called, &mut Vec::new())?;
        let names: BTreeMap<TensorId, Name> = made(&once).map(|(name, id)| (id, name)).collect();
        for (handle, value) in once.ops.iter().filter_map(assigned) {
            let content = once.tensor(value).content.clone();
            given.extend(names.get(&handle).map(|name| (name.clone(), content)));
        }
    }
    for (name, handle) in made(graph).collect::<Vec<_>>() {
        if let Some(content) = given.remove(&name) {
            graph.tensors[handle.index()].content = content;
        }
    }
    Ok(())
}
