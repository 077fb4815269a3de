//! A walk as a program: operators, tensors and the schedule that runs them, for liveness, any
//! strategy, the judge and the picture.

use std::collections::BTreeSet;

use super::sharding::expanded;
use super::{Move, Node, Problem, Walk};
use crate::graph::{DType, Dialect, Dim, Graph, Op, OpId, Role, Tensor, TensorId};
use crate::program::Program;
use crate::schedule::{Action, Cost, Phase, Schedule, ScheduledStep};
use crate::storage::{StorageId, StorageKind, Storages};

/// The version of ONNX's operators: none of these is one.
const OPSET: u32 = 17;

/// The program that `walk` is: an operator, a tensor and a storage for each node, with its index. Of a
/// step that is divided among devices it is all that a rank runs.
#[must_use]
pub fn program(problem: &Problem, walk: &Walk) -> Program {
    match expanded(problem, walk) {
        None => of_walk(problem, walk),
        Some(all) => of_walk(&all.problem, &all.walk),
    }
}

fn of_walk(problem: &Problem, walk: &Walk) -> Program {
    let graph = graph(problem);
    let mut storages = Storages::one_each(&graph);
    for (storage, node) in storages.list.iter_mut().zip(&problem.nodes) {
        if node.communicates.is_some() {
            storage.kind = StorageKind::Communication;
        } else if node.phase == Phase::Backward {
            storage.kind = StorageKind::Gradient;
        }
    }
    Program {
        schedule: schedule(problem, walk),
        storages,
        graph,
        in_place: Vec::new(),
        as_written: true,
    }
}

fn graph(problem: &Problem) -> Graph {
    let tensors = problem.nodes.iter().map(|node| {
        let dims = vec![Dim::Fixed(node.bytes.0)];
        Tensor {
            declared: Some(dims),
            dims: Some(vec![node.bytes.0]),
            role: Role::Intermediate,
            ..Tensor::new(node.name.clone(), DType::U8)
        }
    });
    let ops = problem.nodes.iter().enumerate().map(|(index, node)| Op {
        name: node.name.clone(),
        inputs: node
            .reads
            .iter()
            .map(|read| Some(TensorId::at(*read)))
            .collect(),
        outputs: vec![Some(TensorId::at(index))],
        ..Op::new(Dialect::Onnx { opset: OPSET }, "", kind(node))
    });
    Graph {
        name: problem.name.clone(),
        dialect: Dialect::Onnx { opset: OPSET },
        tensors: tensors.collect(),
        ops: ops.collect(),
        ..Graph::default()
    }
}

/// What an operator is called: what devices tell each other has kinds of its own.
fn kind(node: &Node) -> &'static str {
    if let Some(told) = node.communicates {
        return told.collective.operator();
    }
    match node.phase {
        Phase::Inference | Phase::Forward => "Forward",
        Phase::Loss => "Loss",
        Phase::Backward => "Backward",
        Phase::Update => "Update",
    }
}

fn schedule(problem: &Problem, walk: &Walk) -> Schedule {
    // What runs later is evicted, what does not is freed.
    let mut later = BTreeSet::new();
    let mut again = vec![false; walk.len()];
    for (at, step) in walk.iter().enumerate().rev() {
        match *step {
            Move::Compute(node) => {
                later.insert(node);
            }
            Move::Forget(node) => again[at] = later.contains(&node),
            Move::SwapOut(_) | Move::SwapIn(_) => {}
        }
    }
    let mut ran = vec![false; problem.nodes.len()];
    let steps = walk.iter().zip(again).map(|(step, again)| {
        let node = step.node();
        let own = &problem.nodes[node];
        let (op, storage) = (OpId::at(node), StorageId::at(node));
        let (action, cost) = match step {
            Move::Compute(_) if std::mem::replace(&mut ran[node], true) => {
                (Action::Recompute(op), Some(Cost::Flops(own.cost)))
            }
            Move::Compute(_) => (Action::Compute(op), Some(Cost::Flops(own.cost))),
            Move::Forget(_) if again => (Action::Evict(storage), None),
            Move::Forget(_) => (Action::Free(storage), None),
            Move::SwapOut(_) => (Action::SwapOut(storage), None),
            Move::SwapIn(_) => (Action::SwapIn(storage), None),
        };
        ScheduledStep {
            action,
            phase: own.phase,
            cost,
        }
    });
    Schedule {
        steps: steps.collect(),
    }
}
