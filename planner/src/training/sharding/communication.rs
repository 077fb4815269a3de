//! What devices tell each other in a training step.

use serde::{Deserialize, Serialize};

use crate::units::Bytes;

/// A value that is written by communicating.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Communication {
    /// How.
    pub collective: Collective,
    /// With whom.
    pub group: Group,
    /// The bytes that this device sends.
    pub sent: Bytes,
}

/// What is done with what each device of a group has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Collective {
    /// Each has the parts of all.
    AllGather,
    /// Each has a part of the sum.
    ReduceScatter,
    /// Each has the sum.
    AllReduce,
    /// Each has a part of what every other one had.
    AllToAll,
    /// What one device has is sent to another.
    Send,
    /// The same, to this one.
    Receive,
}

/// Which devices take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// Those that divide products of matrices.
    Tensor,
    /// Those that divide sequences.
    Context,
    /// Those that divide experts.
    Expert,
    /// The replicas.
    Data,
    /// The stage before or after.
    Pipeline,
    /// The host of the device.
    Host,
}

impl Collective {
    /// Its name in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AllGather => "all_gather",
            Self::ReduceScatter => "reduce_scatter",
            Self::AllReduce => "all_reduce",
            Self::AllToAll => "all_to_all",
            Self::Send => "send",
            Self::Receive => "receive",
        }
    }

    /// As an operator is called.
    #[must_use]
    pub const fn operator(self) -> &'static str {
        match self {
            Self::AllGather => "AllGather",
            Self::ReduceScatter => "ReduceScatter",
            Self::AllReduce => "AllReduce",
            Self::AllToAll => "AllToAll",
            Self::Send => "Send",
            Self::Receive => "Receive",
        }
    }

    /// What does the same to gradients, in the other direction.
    #[must_use]
    pub const fn transposed(self) -> Self {
        match self {
            Self::AllGather => Self::ReduceScatter,
            Self::ReduceScatter => Self::AllGather,
            Self::AllReduce => Self::AllReduce,
            Self::AllToAll => Self::AllToAll,
            Self::Send => Self::Receive,
            Self::Receive => Self::Send,
        }
    }

    /// The bytes that each of `devices` sends, where `whole` is what all have together: by the ring
    /// (Patarasuk and Yuan 2009) each sends its part `devices - 1` times, and twice as often for the
    /// sum of everything.
    #[must_use]
    pub fn sent(self, whole: Bytes, devices: u64) -> Bytes {
        let devices = u128::from(devices.max(1));
        let ring = u128::from(whole.0) * (devices - 1) / devices;
        let bytes = match self {
            Self::AllGather | Self::ReduceScatter | Self::AllToAll => ring,
            Self::AllReduce => 2 * ring,
            Self::Send => u128::from(whole.0),
            Self::Receive => 0,
        };
        Bytes(u64::try_from(bytes).unwrap_or(u64::MAX))
    }
}

impl Group {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Tensor,
        Self::Context,
        Self::Expert,
        Self::Data,
        Self::Pipeline,
        Self::Host,
    ];

    /// Its name in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tensor => "tensor",
            Self::Context => "context",
            Self::Expert => "expert",
            Self::Data => "data",
            Self::Pipeline => "pipeline",
            Self::Host => "host",
        }
    }
}
