//! The order in which operators run.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::sorting::Sorting as _;

use super::{Graph, OpId};

/// The order nearest to the file's in which every operator finds its inputs written:
/// of the operators that can run, always the one that stands first in the file. `None` when
/// the file's own order already is one.
///
/// Source: A. B. Kahn, "Topological sorting of large networks", 1962, with a heap instead
/// of a set, so that the order is unique.
///
/// # Errors
/// An operator that depends on its own result.
pub(crate) fn run_order(graph: &Graph) -> Result<Option<Vec<OpId>>, OpId> {
    let before = predecessors(graph);
    let runs = |(op, before): (usize, &Vec<OpId>)| before.iter().all(|b| b.index() < op);
    if before.iter().enumerate().all(runs) {
        return Ok(None);
    }
    let mut waiting: Vec<usize> = before.iter().map(Vec::len).collect();
    let mut after = vec![Vec::new(); before.len()];
    for (op, before) in before.iter().enumerate() {
        for b in before {
            after[b.index()].push(OpId::at(op));
        }
    }
    let ready = (0..waiting.len()).filter(|&op| waiting[op] == 0);
    let mut ready: BinaryHeap<_> = ready.map(|op| Reverse(OpId::at(op))).collect();
    let mut order = Vec::with_capacity(before.len());
    while let Some(Reverse(op)) = ready.pop() {
        order.push(op);
        for &next in &after[op.index()] {
            waiting[next.index()] -= 1;
            if waiting[next.index()] == 0 {
                ready.push(Reverse(next));
            }
        }
    }
    if order.len() == before.len() {
        Ok(Some(order))
    } else {
        Err(on_cycle(&before, &waiting))
    }
}

/// Brings `ops` into `order`, which has each of them once.
pub(crate) fn sort(ops: &mut Vec<super::Op>, order: &[OpId]) {
    let mut old: Vec<Option<super::Op>> = ops.drain(..).map(Some).collect();
    ops.extend(
        order
            .iter()
            .filter_map(|op| old.get_mut(op.index())?.take()),
    );
}

/// For each operator those whose results it reads, each once.
fn predecessors(graph: &Graph) -> Vec<Vec<OpId>> {
    let producers = graph.producers();
    let of_op = |op: &super::Op| {
        let mut before: Vec<OpId> = op.read().filter_map(|t| producers[t.index()]).collect();
        before.order();
        before.dedup();
        before
    };
    graph.ops.iter().map(of_op).collect()
}

/// An operator on a cycle. Those still waiting may merely come after one, but each has
/// a predecessor that waits too: following those must come back to where it has been.
fn on_cycle(before: &[Vec<OpId>], waiting: &[usize]) -> OpId {
    let mut seen = vec![false; before.len()];
    let mut op = waiting
        .iter()
        .position(|&n| n > 0)
        .map_or(OpId(0), OpId::at);
    while !seen[op.index()] {
        seen[op.index()] = true;
        let mut stuck = before[op.index()].iter().copied();
        op = stuck.find(|b| waiting[b.index()] > 0).unwrap_or(op);
    }
    op
}
