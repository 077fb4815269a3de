//! An inference graph as layers, from which a training step is made.

use std::collections::BTreeSet;

use super::costs::flops;
use super::layers::{Layer, Layers};
use crate::graph::{Graph, Op, Role, Tensor};

/// The layers of a sized graph: an operator each, in its order, with all that it writes as one
/// output. What is computed before the run is left out. A sample of the layers is a run of the
/// graph: of a graph for a batch of 8, eight images.
///
/// # Errors
/// The name of the first tensor without a size.
pub fn layers(graph: &Graph) -> Result<Layers, String> {
    let mut layer_of: Vec<Option<usize>> = vec![None; graph.tensors.len()];
    let mut counted = BTreeSet::new();
    let mut list = Vec::new();
    for op in operators(graph) {
        let mut bytes = 0_u64;
        for id in op.written() {
            let tensor = graph.tensor(id);
            let own = tensor.bytes().ok_or_else(|| tensor.name.clone())?;
            bytes = bytes.saturating_add(own.0);
            layer_of[id.index()] = Some(list.len());
        }
        let read = op.read().filter_map(|id| layer_of[id.index()]);
        // What an operator writes and reads at once is not computed before it.
        let before: BTreeSet<usize> = read.filter(|layer| *layer < list.len()).collect();
        list.push(Layer {
            name: op.name.clone(),
            inputs: before.into_iter().collect(),
            flops: flops(graph, op),
            bytes,
            parameters: parameters(graph, op, &mut counted),
        });
    }
    Ok(Layers {
        name: graph.name.clone(),
        batch: 1,
        list,
    })
}

/// The operators that run: a layer each.
pub fn operators(graph: &Graph) -> impl Iterator<Item = &Op> {
    let known = |it| graph.tensor(it).role == Role::Constant;
    graph.ops.iter().filter(move |op| !op.written().all(known))
}

/// The numbers that training changes among what `op` reads, each where it is read first: floating
/// point constants.
fn parameters(graph: &Graph, op: &Op, counted: &mut BTreeSet<usize>) -> u64 {
    let weight = |tensor: &Tensor| tensor.role == Role::Constant && tensor.dtype.is_float();
    let mut parameters = 0_u64;
    for id in op.read() {
        let tensor = graph.tensor(id);
        if weight(tensor) && counted.insert(id.index()) {
            let dims = tensor.dims.iter().flatten();
            let elements = dims.fold(1_u64, |all, dim| all.saturating_mul(*dim));
            parameters = parameters.saturating_add(elements);
        }
    }
    parameters
}
