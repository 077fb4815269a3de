//! Program: a graph with the schedule that runs it and the storages that hold its tensors.
//! What passes rewrite and liveness reads. No algorithm.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::graph::{Bindings, Graph, Op, OpId, TensorId, Value, infer};
use crate::schedule::{Action, Schedule};
use crate::storage::{StorageId, StorageKind, Storages};

/// A graph, when its operators run, and where its tensors are stored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// The operators and tensors.
    pub graph: Graph,
    /// What happens at each step.
    pub schedule: Schedule,
    /// What holds the tensors' bytes.
    pub storages: Storages,
    /// Where an operator may write its output over its input, if a plan does so; in the
    /// order of the operators.
    pub in_place: Vec<InPlaceAlias>,
    /// Whether its operators are planned as they are written: no pass may change them.
    pub as_written: bool,
}

/// An operator that may write `output` over `input`, which no operator reads after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InPlaceAlias {
    /// The operator.
    pub op: OpId,
    /// What it reads for the last time.
    pub input: TensorId,
    /// What it writes.
    pub output: TensorId,
}

impl Program {
    /// `graph` in file order, with a storage for each tensor.
    #[must_use]
    pub fn new(graph: Graph) -> Self {
        Self {
            schedule: Schedule::in_file_order(&graph),
            storages: Storages::one_each(&graph),
            graph,
            in_place: Vec::new(),
            as_written: false,
        }
    }

    /// The elements of small tensors that are known before the run, those alone whose operators
    /// say of type and shape what the program says.
    #[must_use]
    pub fn known(&self, bindings: &Bindings) -> BTreeMap<TensorId, Value> {
        let mut sized = self.graph.clone();
        let mut values = infer(&mut sized, bindings);
        values.retain(|&id, value| {
            let (own, found) = (self.graph.tensor(id), sized.tensor(id));
            own.dims.as_ref() == Some(&value.dims) && own.dtype == found.dtype
        });
        values
    }

    /// The storages of which `alias` can give the second the bytes of the first: each tensor is
    /// all of its storage, in its own order, and nobody but operators reads the first one.
    #[must_use]
    pub fn handed_over(&self, alias: &InPlaceAlias) -> Option<(StorageId, StorageId)> {
        let whole = |tensor| self.storages.whole(&self.graph, tensor);
        let pair = (whole(alias.input)?, whole(alias.output)?);
        let kept = matches!(
            self.storages.list.get(pair.0.index())?.kind,
            StorageKind::Input | StorageKind::Output | StorageKind::Weight | StorageKind::State
        );
        (!kept && pair.0 != pair.1).then_some(pair)
    }

    /// The operator that runs at each step, in order; steps without one are left out.
    pub fn operators(&self) -> impl Iterator<Item = &Op> {
        let steps = self.schedule.steps.iter();
        let ops = steps.filter_map(|step| step.action.op());
        ops.filter_map(|op| self.graph.ops.get(op.index()))
    }

    /// What people call each step, empty where it has no name.
    #[must_use]
    pub fn step_names(&self) -> Vec<String> {
        let names = (0..self.schedule.len()).map(|step| self.step_name(step));
        names.map(Option::unwrap_or_default).collect()
    }

    /// What people call step `index`: the operator that runs, or what is done to which tensor.
    fn step_name(&self, index: usize) -> Option<String> {
        let action = self.schedule.steps.get(index)?.action;
        let storage = match action {
            Action::Compute(op) => return Some(self.graph.ops.get(op.index())?.name.clone()),
            Action::Recompute(op) => {
                let name = &self.graph.ops.get(op.index())?.name;
                return Some(format!("recompute {name}"));
            }
            Action::Free(storage)
            | Action::Evict(storage)
            | Action::SwapOut(storage)
            | Action::SwapIn(storage)
            | Action::Encode { from: storage, .. }
            | Action::Decode { to: storage, .. } => storage,
        };
        let tensor = self.storages.list.get(storage.index())?.tensor;
        let name = &self.graph.tensor(tensor).name;
        Some(format!("{} {name}", action.name().replace('_', " ")))
    }
}
