//! How long a step takes by the model of the advisor.
//!
//! ```text
//! step = (nodes, each as often as it runs + stalls of swaps + communication)   of one device
//!        · (1 + idle share of the pipeline)
//! ```
//!
//! Nodes take their operations over the device's rate, the one of 16-bit products in mixed
//! precision. What a node sends takes its bytes over the rate of its group. What replicas gather and
//! reduce, and gradients that go to the host, go beside computing: what takes longest counts. What
//! the host's optimizer computes is not counted, the weights that come back are waited for. Of a
//! pipeline of p stages with v parts each and m micro-batches, (p - 1) / (v · m) of the time is
//! waited (Narayanan et al. 2021, section 2.2). Time is counted in units of cost, as that of a
//! [link](crate::training::Link).

use serde::{Deserialize, Serialize};

use crate::training::cost::Needs;
use crate::training::devices::{Device, HOST};
use crate::training::sharding::{Collective, Divided, Group};
use crate::training::{Move, Precision, Problem, Sharding};
use crate::units::{Bytes, narrow};

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

/// What is sent while a step runs, in units of cost.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sent {
    /// While nothing else runs.
    apart: u64,
    /// To replicas and to the host, beside computing.
    data: u64,
    host: u64,
}

impl Sent {
    /// So many bytes to a group; `None` where there is no way.
    pub(super) fn add(
        &mut self,
        clock: Clock,
        (group, bytes): (Group, u64),
        of: Sharding,
    ) -> Option<()> {
        let takes = clock.sends(bytes, clock.rate(group, of))?;
        let lane = match group {
            Group::Data => &mut self.data,
            Group::Host => &mut self.host,
            _ => &mut self.apart,
        };
        *lane = lane.saturating_add(takes);
        Some(())
    }

    /// What replicas tell each other and the host in a step of all micro-batches, and a tensor group of
    /// gradients.
    pub(super) fn replicas(&mut self, clock: Clock, of: &Divided, own: Sharding) -> Option<()> {
        let parts = 0..of.parts.len();
        let sum =
            |each: &dyn Fn(usize) -> u64| parts.clone().map(each).fold(0, u64::saturating_add);
        let weights = sum(&|it| of.gathered(it));
        let gradients = Bytes(sum(&|it| of.gradients(it)));
        let adding = own.replicas();
        let reduce = Collective::ReduceScatter.sent(gradients, adding).0;
        let gather = |bytes: u64| Collective::AllGather.sent(Bytes(bytes), adding).0;
        let micro = u64::from(own.micro.max(1));
        let data = match own.zero {
            0 => Collective::AllReduce.sent(gradients, adding).0,
            1 => reduce.saturating_add(gather(weights)),
            2 => reduce.saturating_mul(micro).saturating_add(gather(weights)),
            _ => {
                let times = |part| if of.stays(of.group(part)) { 1 } else { 2 };
                let gathered = sum(&|it| gather(of.gathered(it)) * times(narrow(it)));
                reduce.saturating_add(gathered).saturating_mul(micro)
            }
        };
        self.add(clock, (Group::Data, data), own)?;
        let summed = Collective::AllReduce.sent(of.summed(), own.tensor.into());
        self.add(clock, (Group::Tensor, summed.0), own)?;
        if own.offload {
            let share = |it: usize| match own.zero {
                0 => of.parts[it].trained.all(),
                _ => of.parts[it].trained.share(own),
            };
            let (weight, gradient) = of.each;
            let share = sum(&share);
            self.add(clock, (Group::Host, share.saturating_mul(gradient)), own)?;
            // The next step waits for its weights.
            let back = clock.sends(share.saturating_mul(weight), clock.device.link)?;
            self.apart = self.apart.saturating_add(back);
        }
        Some(())
    }
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
            Group::Data => (of.tensor, of.context.saturating_mul(of.data)),
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

    /// How long a schedule of a micro-batch takes a device in a step; `None` where something cannot be
    /// sent.
    pub(super) fn time(self, problem: &Problem, (walk, needs): (&[Move], Needs)) -> Option<Time> {
        let divided = problem.divided.as_deref();
        let own = divided.map_or(Sharding::ONE, |it| it.sharding);
        let micro = u64::from(own.micro.max(1));
        let mut sent = Sent::default();
        for step in walk {
            let Move::Compute(node) = *step else {
                continue;
            };
            if let Some(it) = problem.nodes[node].communicates {
                sent.add(self, (it.group, it.sent.0.saturating_mul(micro)), own)?;
            }
        }
        if let Some(divided) = divided {
            sent.replicas(self, divided, own)?;
        }
        let each = |it: u64| it.saturating_mul(micro);
        Some(self.whole((each(needs.cost), each(needs.stall)), sent, own))
    }

    /// A step of so much that is computed and waited for copies.
    pub(super) fn whole(self, (computed, waited): (u64, u64), sent: Sent, of: Sharding) -> Time {
        let beside = sent.data.max(sent.host).saturating_sub(computed);
        let busy = Time {
            computed,
            waited,
            sent: sent.apart.saturating_add(beside),
            idle: 0,
        };
        let waits = u128::from(busy.sum()) * u128::from(of.pipeline.max(1) - 1);
        let parts = u128::from(of.chunks.max(1)) * u128::from(of.micro.max(1));
        Time {
            idle: u64::try_from(waits.div_ceil(parts)).unwrap_or(u64::MAX),
            ..busy
        }
    }
}
