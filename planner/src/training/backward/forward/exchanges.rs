//! Operators with which devices tell each other.
//!
//! | operator | value | gradient of what it reads |
//! |---|---|---|
//! | `AllReduce` | summed up in place: that of the node before | the same |
//! | `AllGather` | gathered again for the backward pass, its parts alone are kept | summed up, and scattered |
//! | `ReduceScatter` | saves nothing | gathered |
//! | `AllToAll` | saves nothing | sent back |
//! | `Send`, `Receive` | of another stage | received, and sent |

use super::super::layout::Layout;
use super::super::uses::Origin;
use super::Builder;
use crate::graph::Op;
use crate::training::sharding::{Collective, Exchange};
use crate::training::stage::NoStep;
use crate::units::Bytes;

impl Builder<'_> {
    /// Whether `op` sums up, in place, what devices have: the sum is then the value of the same node.
    pub(super) fn adds_up(&mut self, op: &Op) -> bool {
        let exchange = Exchange::of(op).filter(|it| it.collective == Collective::AllReduce);
        let (Some(exchange), Some(Some(id))) = (exchange, op.inputs.first()) else {
            return false;
        };
        let (Origin::Value(node), Layout::InOrder) = self.places[id.index()] else {
            return false;
        };
        let own = &mut self.made.nodes[node];
        if own.communicates.is_some() || self.viewed.contains(id) {
            return false;
        }
        own.communicates = Some(exchange.communication(own.bytes));
        for written in op.written() {
            self.places[written.index()] = (Origin::Value(node), Layout::InOrder);
        }
        true
    }

    /// Notes how the value of the node comes from other devices, and the gradient of what it reads.
    pub(super) fn communicates(
        &mut self,
        op: &Op,
        node: usize,
        read: Option<Origin>,
    ) -> Result<(), NoStep> {
        let Some(exchange) = Exchange::of(op) else {
            return Ok(());
        };
        let whole = match (exchange.collective, op.inputs.first()) {
            (Collective::ReduceScatter | Collective::Send, Some(Some(id))) => {
                Bytes(self.tensor_bytes(*id)?)
            }
            _ => self.made.nodes[node].bytes,
        };
        self.made.nodes[node].communicates = Some(exchange.communication(whole));
        let back = Some(exchange.transposed().communication(whole));
        match (exchange.collective, read) {
            (Collective::Receive, _) => self.made.gradients[node] = back,
            (Collective::AllReduce, _) => {}
            (collective, Some(Origin::Value(read))) => {
                self.made.gradients[read] = back;
                if collective == Collective::AllGather {
                    self.made.gathered.insert(node);
                }
            }
            _ => {}
        }
        Ok(())
    }
}
