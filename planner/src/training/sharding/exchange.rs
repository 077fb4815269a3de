//! Operators that communicate, and gradients that do.

use std::collections::BTreeMap;

use super::{Collective, Communication, Group};
use crate::graph::{Attribute, Dialect, Op, TensorId};
use crate::operators::Operator;
use crate::units::Bytes;

/// The attribute that says with whom.
const GROUP: &str = "group";
/// The one that says how many take part, as ONNX Runtime calls it.
const DEVICES: &str = "group_size";

/// What the devices of a group do together, whatever its size in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// How.
    pub collective: Collective,
    /// With whom.
    pub group: Group,
    /// How many take part.
    pub devices: u32,
}

/// How the gradients of these tensors, weights or not, become what they are, where a device has only
/// a part of each sum, or only some of the elements.
pub type Gradients = BTreeMap<TensorId, Exchange>;

impl Exchange {
    /// What `op` does, if it communicates.
    #[must_use]
    pub fn of(op: &Op) -> Option<Self> {
        let collective = match op.operator {
            Operator::AllGather => Collective::AllGather,
            Operator::AllReduce => Collective::AllReduce,
            Operator::AllToAll => Collective::AllToAll,
            Operator::ReduceScatter => Collective::ReduceScatter,
            Operator::Receive => Collective::Receive,
            Operator::Send => Collective::Send,
            _ => return None,
        };
        let group = op.text(GROUP);
        let group = Group::ALL.into_iter().find(|it| Some(it.name()) == group);
        let devices = op.int(DEVICES).and_then(|it| u32::try_from(it).ok());
        Some(Self {
            collective,
            // A file may have such operators, too, and does not say with whom.
            group: group.unwrap_or(match collective {
                Collective::Receive | Collective::Send => Group::Pipeline,
                _ => Group::Tensor,
            }),
            devices: devices.unwrap_or(1),
        })
    }

    /// The operator that does so with what it reads.
    #[must_use]
    pub fn op(self, dialect: Dialect, name: &str) -> Op {
        let operator = match self.collective {
            Collective::AllGather => Operator::AllGather,
            Collective::AllReduce => Operator::AllReduce,
            Collective::AllToAll => Operator::AllToAll,
            Collective::ReduceScatter => Operator::ReduceScatter,
            Collective::Receive => Operator::Receive,
            Collective::Send => Operator::Send,
        };
        let group = Attribute::Text(self.group.name().to_owned());
        let devices = Attribute::Int(i64::from(self.devices));
        Op {
            name: name.to_owned(),
            attributes: vec![(GROUP.to_owned(), group), (DEVICES.to_owned(), devices)],
            ..Op::of(dialect, operator)
        }
    }

    /// What its gradients do.
    #[must_use]
    pub const fn transposed(self) -> Self {
        Self {
            collective: self.collective.transposed(),
            ..self
        }
    }

    /// The same of so many bytes, as [`Collective::sent`] counts them.
    #[must_use]
    pub fn communication(self, whole: Bytes) -> Communication {
        Communication {
            collective: self.collective,
            group: self.group,
            sent: self.collective.sent(whole, self.devices.into()),
        }
    }
}
