//! What may come out of subgraphs at most: a file of few bytes must not make a graph without
//! end.

use super::Refusal;
use crate::graph::{Attribute, Body, Op};
use crate::message;

/// Most operators in the place of control flow, all of a graph together.
const MAX_OPS: usize = 1 << 15;
/// Most bytes of names, operands and attributes of them.
const MAX_BYTES: usize = 1 << 27;
/// Bytes of a tensor or operand, about.
const EACH: usize = 16;

/// What may still come.
pub(super) struct Budget {
    ops: usize,
    bytes: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            ops: MAX_OPS,
            bytes: MAX_BYTES,
        }
    }
}

impl Budget {
    /// Counts `op`.
    pub(super) fn op(&mut self, op: &Op) -> Result<(), Refusal> {
        let operands = op.inputs.len() + op.outputs.len() + op.captures.len();
        let attributes = op.attributes.iter();
        let attributes: usize = attributes
            .map(|(key, value)| key.len() + bytes(value))
            .sum();
        self.spend(1, op.name.len() + EACH * operands + attributes)
    }

    /// Counts what an iteration of `body` takes beside its operators.
    pub(super) fn iteration(&mut self, body: &Body) -> Result<(), Refusal> {
        let tensors = body.graph.tensors.iter();
        let bytes: usize = tensors.map(|tensor| EACH + tensor.name.len()).sum();
        self.spend(0, bytes + EACH * body.graph.outputs.len())
    }

    /// Counts an iteration of which no operator has come.
    pub(super) fn idle(&mut self) -> Result<(), Refusal> {
        self.spend(1, 0)
    }

    fn spend(&mut self, ops: usize, bytes: usize) -> Result<(), Refusal> {
        let left = (self.ops.checked_sub(ops), self.bytes.checked_sub(bytes));
        let (Some(ops), Some(bytes)) = left else {
            return Err(message!(
                "its iterations come to more than {} operators, which is the most that we unroll",
                MAX_OPS
            ));
        };
        (self.ops, self.bytes) = (ops, bytes);
        Ok(())
    }
}

fn bytes(value: &Attribute) -> usize {
    match value {
        Attribute::Ints(list) => 8 * list.len(),
        Attribute::Floats(list) => 4 * list.len(),
        Attribute::Text(text) => text.len(),
        Attribute::Texts(list) => list.iter().map(|text| EACH + text.len()).sum(),
        Attribute::Int(_)
        | Attribute::Float(_)
        | Attribute::Tensor(_)
        | Attribute::Subgraph { .. } => EACH,
    }
}
