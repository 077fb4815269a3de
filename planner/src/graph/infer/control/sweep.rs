//! Takes out what came from subgraphs and nobody reads: conditions that are known, numbers of
//! iterations, inner results that are not wanted. What the control operator itself writes stays.

use crate::graph::infer::Sizing;
use crate::graph::{Attribute, Graph, OpId, TensorId};

/// Takes the operators of which `came` says that they are from subgraphs, and the tensors from
/// `first` on, out of the graph unless something reads them. Where each operator is then, or
/// the one before it.
pub(super) fn sweep(
    graph: &mut Graph,
    sizing: &mut Sizing,
    came: &[bool],
    first: usize,
) -> Vec<Option<OpId>> {
    let mut read = vec![false; graph.tensors.len()];
    for id in &graph.outputs {
        read[id.index()] = true;
    }
    let mut live = vec![true; graph.ops.len()];
    for (index, op) in graph.ops.iter().enumerate().rev() {
        let wanted = |id: TensorId| read[id.index()] || id.index() < first;
        live[index] = !came[index] || op.written().any(wanted);
        if live[index] {
            op.read().for_each(|id| read[id.index()] = true);
        }
    }
    let mut places = Vec::with_capacity(live.len());
    let mut count = 0;
    for &live in &live {
        count += usize::from(live);
        places.push(count.checked_sub(1).map(OpId::at));
    }
    let mut live = live.into_iter();
    graph.ops.retain(|_| live.next().unwrap_or(true));
    renumber(graph, sizing, first);
    places
}

/// Takes out the tensors from `first` on that no operator has.
fn renumber(graph: &mut Graph, sizing: &mut Sizing, first: usize) {
    let mut has = vec![false; graph.tensors.len()];
    has[..first].fill(true);
    for op in &graph.ops {
        let attributes = op.attributes.iter().filter_map(|(_, value)| match value {
            Attribute::Tensor(id) => Some(*id),
            _ => None,
        });
        for id in op.read().chain(op.written()).chain(attributes) {
            has[id.index()] = true;
        }
    }
    if has.iter().all(|&has| has) {
        return;
    }
    let mut next = 0_u32;
    let place = |&has: &bool| {
        let place = has.then_some(TensorId(next));
        next += u32::from(has);
        place
    };
    let places: Vec<Option<TensorId>> = has.iter().map(place).collect();
    let mut kept = has.into_iter();
    graph.tensors.retain(|_| kept.next().unwrap_or(true));
    let to = |id: &mut TensorId| *id = places[id.index()].unwrap_or(*id);
    for op in &mut graph.ops {
        let operands = op.inputs.iter_mut().chain(&mut op.outputs).flatten();
        operands.chain(&mut op.captures).for_each(to);
        for (_, value) in &mut op.attributes {
            if let Attribute::Tensor(id) = value {
                to(id);
            }
        }
    }
    let values = std::mem::take(&mut sizing.values).into_iter();
    sizing.values = values
        .filter_map(|(id, value)| Some((places[id.index()]?, value)))
        .collect();
}
