//! Experts divided among devices (Lepikhin et al., "GShard", ICLR 2021, section 3.2): each has some
//! of them, and the rows of tokens go to the device that has their expert, and back.
//!
//! Experts are taken to be used evenly: a device is sent as many rows as it sends.

use std::collections::{BTreeMap, BTreeSet};

use super::writer::added;
use crate::graph::{Graph, Op, Role, Tensor, TensorId};
use crate::operators::{Family, Operator};
use crate::training::sharding::{Collective, Exchange, Group};
use crate::{Message, message};

struct Writer<'a> {
    before: &'a Graph,
    after: Graph,
    /// For each operator the one that it is, or comes before.
    of_op: Vec<usize>,
    devices: u32,
    /// Rows that are where their expert is.
    sent: BTreeSet<TensorId>,
    /// Those that were sent, or sent back.
    exchanged: BTreeMap<TensorId, TensorId>,
}

/// The graph of a device that has some of the experts, and for each operator of it the one of `graph`
/// that it is, or was put before.
///
/// # Errors
/// Where devices cannot have as many experts each.
pub(super) fn divided(graph: &Graph, devices: u32) -> Result<(Graph, Vec<usize>), Message> {
    let mut writer = Writer {
        before: graph,
        after: Graph {
            ops: Vec::with_capacity(graph.ops.len()),
            ..graph.clone()
        },
        of_op: Vec::new(),
        devices,
        sent: BTreeSet::new(),
        exchanged: BTreeMap::new(),
    };
    for (index, op) in graph.ops.iter().enumerate() {
        writer.operator(op)?;
        writer.of_op.resize(writer.after.ops.len(), index);
    }
    Ok((writer.after, writer.of_op))
}

impl Writer<'_> {
    fn is_constant(&self, id: TensorId) -> bool {
        self.before.tensor(id).role == Role::Constant
    }

    fn operator(&mut self, op: &Op) -> Result<(), Message> {
        let mut made = op.clone();
        let grouped = op.is(Operator::GroupedMatMul);
        if grouped && let Some(Some(weights)) = op.inputs.get(1) {
            self.divide(*weights)?;
        }
        let is_sent = |id: &TensorId| self.sent.contains(id);
        let each = matches!(op.facts().family, Family::ElementWise(_)) || op.is(Operator::Dropout);
        let goes = grouped || each && op.read().any(|id| is_sent(&id));
        for (place, input) in made.inputs.iter_mut().enumerate() {
            let Some(id) = *input else { continue };
            // Whose rows they are is told beside.
            let here = self.is_constant(id) || grouped && place > 0;
            if !here && self.sent.contains(&id) != goes {
                *input = Some(self.exchanged(id));
            }
        }
        if goes {
            self.sent.extend(op.written());
        }
        self.after.ops.push(made);
        Ok(())
    }

    /// Rows sent to where they are needed.
    fn exchanged(&mut self, id: TensorId) -> TensorId {
        if let Some(made) = self.exchanged.get(&id) {
            return *made;
        }
        let before = self.before.tensor(id);
        let name = format!("{}.exchanged", before.name);
        let tensor = Tensor {
            dims: before.dims.clone(),
            declared: before.declared.clone(),
            ..Tensor::new(name.clone(), before.dtype)
        };
        let made = added(&mut self.after, tensor);
        let exchange = Exchange {
            collective: Collective::AllToAll,
            group: Group::Expert,
            devices: self.devices,
        };
        self.after.ops.push(Op {
            inputs: vec![Some(id)],
            outputs: vec![Some(made)],
            ..exchange.op(self.before.dialect, &name)
        });
        self.exchanged.insert(id, made);
        made
    }

    /// Leaves some of the experts.
    fn divide(&mut self, weights: TensorId) -> Result<(), Message> {
        let Some([experts, rest @ ..]) = self.before.tensor(weights).dims.as_deref() else {
            return Ok(());
        };
        if !experts.is_multiple_of(u64::from(self.devices)) {
            return Err(message!(
                "{} experts cannot be divided evenly among {} devices",
                *experts,
                self.devices
            ));
        }
        let own = experts / u64::from(self.devices);
        let dims = std::iter::once(own).chain(rest.iter().copied()).collect();
        super::writer::resized(&mut self.after.tensors[weights.index()], dims);
        Ok(())
    }
}
