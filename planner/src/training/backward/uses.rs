//! What the backward pass of an operator reads.

use std::collections::BTreeSet;

use super::saves::{Operand, Saves};
use crate::graph::{Op, TensorId};

/// What an operator's backward pass reads for one gradient.
#[derive(Clone, Debug, Default)]
pub(super) struct Use {
    /// The node of the operator.
    pub(super) reader: usize,
    /// Values of nodes.
    pub(super) reads: BTreeSet<usize>,
    /// Inputs of the model.
    pub(super) inputs: BTreeSet<TensorId>,
    /// What it costs.
    pub(super) cost: u64,
    /// Of gradients of weights that are values of the step, what they take.
    pub(super) bytes: u64,
}

/// Where the elements of a tensor are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// In a constant, or nowhere.
    Fixed,
    /// In an input of the model.
    Input(TensorId),
    /// In the value of a node.
    Value(usize),
}

/// An operator at work.
pub(super) struct Reading<'a> {
    pub(super) op: &'a Op,
    pub(super) saved: Saves,
    pub(super) node: usize,
    pub(super) beside: Option<usize>,
    pub(super) places: &'a [Origin],
}

impl Reading<'_> {
    /// What the gradient of the input at `index` reads.
    pub(super) fn reads(&self, index: usize) -> Use {
        let mut found = Use::default();
        let mut operands = self.saved.reads(self.op, index);
        // What follows in the same operator is a function of what it writes.
        let fused = |name: &str| self.op.text(name).is_some_and(|it| it != "NONE");
        if fused("fused_activation_function") || fused("fused_activation") {
            operands.push(Operand::Output);
        }
        for operand in operands {
            let place = match operand {
                Operand::Input(input) => self.places.get(input).copied(),
                Operand::Output => Some(Origin::Value(self.node)),
                Operand::Beside => self.beside.map(Origin::Value),
            };
            match place {
                Some(Origin::Value(node)) => {
                    found.reads.insert(node);
                }
                Some(Origin::Input(id)) => {
                    found.inputs.insert(id);
                }
                Some(Origin::Fixed) | None => {}
            }
        }
        found
    }
}

impl Use {
    /// Reads what the other does too.
    pub(super) fn join(&mut self, other: Self) {
        self.reads.extend(other.reads);
        self.inputs.extend(other.inputs);
    }
}
