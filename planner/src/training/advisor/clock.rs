//! How long a step takes by the model of the advisor.
//!
//! ```text
//! step = (nodes, each as often as it runs + stalls of swaps + communication)   of one device
//!        · (1 + idle share of the pipeline)
//! ```
//!
//! Nodes take their operations over the device's rate, the one of 16-bit products in mixed
//! precision. What a node sends takes its bytes over the rate of its group. What replicas gather and
//! reduce, and what goes to the host, each goes beside computing: of both the longer counts. Of a
//! pipeline of p stages with v parts each and m micro-batches, (p - 1) / (v · m) of the time is
//! waited (Narayanan et al. 2021, section 2.2). Time is counted in units of cost, as that of a
//! [link](crate::training::Link).

use serde::{Deserialize, Serialize};

use crate::training::cost::Needs;
use crate::training::devices::{Device, HOST};
use crate::training::sharding::Group;
use crate::training::{Move, Precision, Problem, Sharding};

/// How long a step takes, in units of cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Time {
    /// What is computed.
    pub computed: u64,
    /// What is waited for copies of the host.
    pub waited: u64,
    /// What is waited for other devices.
    pub sent: u64,
    /// What a stage of a pipeline waits until it has something to do.
    pub idle: u64,
}

/// A device that measures.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    device: Device,
}

/// What is sent to each group while a step runs, in units of cost.
#[derive(Clone, Copy, Debug, Default)]
struct Sent {
    /// While nothing else runs.
    apart: u64,
    /// To replicas and to the host, beside computing.
    data: u64,
    host: u64,
}

impl Time {
    /// All of it.
    #[must_use]
    pub const fn sum(self) -> u64 {
        self.computed
            .saturating_add(self.waited)
            .saturating_add(self.sent)
            .saturating_add(self.idle)
    }
}

impl Clock {
    pub(super) const fn new(device: Device, precision: Precision) -> Self {
        let device = device.computing_in(precision);
        Self { device }
    }

    /// Bytes in a second that a device sends to its group. The devices of a host that are in one group
    /// share what they all can send to other hosts. Devices are numbered by tensor, context, data and
    /// pipeline, the first one fastest.
    fn rate(self, group: Group, of: Sharding) -> u64 {
        let inner = of.tensor.saturating_mul(of.context);
        let (stride, size) = match group {
            Group::Tensor => (1, of.tensor),
            Group::Context => (of.tensor, of.context),
            Group::Expert => (inner, of.expert),
            Group::Data => (inner, of.data),
            Group::Pipeline => (inner.saturating_mul(of.data), of.pipeline),
            Group::Host => return self.device.link,
        };
        if stride.saturating_mul(size) <= HOST {
            return self.device.peers;
        }
        let members = match group {
            Group::Pipeline => 1,
            _ => (HOST / stride).max(1),
        };
        let shared = self.device.network.saturating_mul(members.into());
        shared.min(self.device.peers)
    }

    /// What it takes to send so many bytes; `None` where there is no way.
    fn sends(self, bytes: u64, rate: u64) -> Option<u64> {
        if bytes == 0 {
            return Some(0);
        }
        let cost = u128::from(bytes) * u128::from(self.device.flops / 2);
        let cost = cost.div_ceil(u128::from((rate > 0).then_some(rate)?));
        Some(u64::try_from(cost).unwrap_or(u64::MAX))
    }

    fn sent(self, problem: &Problem, walk: &[Move], of: Sharding) -> Option<Sent> {
        let mut sent = Sent::default();
        for step in walk {
            let Move::Compute(node) = *step else {
                continue;
            };
            if let Some(it) = problem.nodes[node].communicates {
                let takes = self.sends(it.sent.0, self.rate(it.group, of))?;
                let lane = match it.group {
                    Group::Data => &mut sent.data,
                    Group::Host => &mut sent.host,
                    _ => &mut sent.apart,
                };
                *lane = lane.saturating_add(takes);
            }
        }
        Some(sent)
    }

    /// How long a walk takes that needs so much; `None` where something cannot be sent.
    pub(super) fn time(
        self,
        problem: &Problem,
        (walk, needs): (&[Move], Needs),
        of: Sharding,
    ) -> Option<Time> {
        let sent = self.sent(problem, walk, of)?;
        let beside = sent.data.max(sent.host).saturating_sub(needs.cost);
        let busy = Time {
            computed: needs.cost,
            waited: needs.stall,
            sent: sent.apart.saturating_add(beside),
            idle: 0,
        };
        let waits = u128::from(busy.sum()) * u128::from(of.pipeline.max(1) - 1);
        let parts = u128::from(of.chunks.max(1)) * u128::from(of.micro.max(1));
        Some(Time {
            idle: u64::try_from(waits.div_ceil(parts)).unwrap_or(u64::MAX),
            ..busy
        })
    }
}
