//! All ways to divide a step among devices and in micro-batches.

use super::Wanted;
use super::kind::Kind;
use crate::training::Sharding;
use crate::units::common_divisor;

/// The most parts of the layers that a stage has.
const CHUNKS: [u32; 3] = [1, 2, 4];

/// A way to divide a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Division {
    /// That of the first stage.
    pub(super) sharding: Sharding,
    /// Samples of a micro-batch of a device.
    pub(super) batch: u64,
}

/// What decides of which operators and weights a device has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Layout {
    pub(super) pipeline: u32,
    pub(super) context: u32,
    pub(super) tensor: u32,
    pub(super) expert: u32,
}

impl Layout {
    /// A device has everything.
    pub(super) const ONE: Self = Self {
        pipeline: 1,
        context: 1,
        tensor: 1,
        expert: 1,
    };

    pub(super) const fn of(own: Sharding) -> Self {
        Self {
            pipeline: own.pipeline,
            context: own.context,
            tensor: own.tensor,
            expert: own.expert,
        }
    }

    /// As few replicas as it can have, of which nothing else is divided.
    pub(super) fn sharding(self, usual: Sharding) -> Sharding {
        Sharding {
            data: self.expert,
            tensor: self.tensor,
            sequence: self.tensor > 1,
            context: self.context,
            expert: self.expert,
            pipeline: self.pipeline,
            ..usual
        }
    }
}

/// All ways in which every device takes part and samples are shared evenly.
pub(super) fn divisions(wanted: &Wanted, experts: bool) -> Vec<Division> {
    let kinds = wanted.kinds;
    let among = |all: u32| match kinds.has(Kind::Divide) {
        true => divisors(all.into()),
        false => vec![1],
    };
    let mut found = Vec::new();
    for pipeline in among(wanted.devices) {
        let left = wanted.devices / narrow(pipeline);
        for context in among(left) {
            let left = left / narrow(context);
            for tensor in among(left) {
                let data = left / narrow(tensor);
                for expert in among(if experts { data } else { 1 }) {
                    let layout = Layout {
                        pipeline: narrow(pipeline),
                        context: narrow(context),
                        tensor: narrow(tensor),
                        expert: narrow(expert),
                    };
                    shared(wanted, (layout, data), &mut found);
                }
            }
        }
    }
    found
}

/// The micro-batches of a layout, and what its replicas divide.
fn shared(wanted: &Wanted, (layout, data): (Layout, u32), found: &mut Vec<Division>) {
    let kinds = wanted.kinds;
    if !wanted.batch.is_multiple_of(data.into()) {
        return;
    }
    let replicas = data.saturating_mul(layout.context);
    let own = wanted.batch / u64::from(data);
    let may = |kind| kinds.has(kind);
    let counts = divisors(own)
        .into_iter()
        .filter(|it| *it == 1 || may(Kind::Micro));
    for micro in counts.filter(|it| *it <= Sharding::MOST.into()) {
        let batch = own / micro;
        let micro = narrow(micro);
        let chunks =
            |it: &u32| *it == 1 || layout.pipeline > 1 && micro.is_multiple_of(layout.pipeline);
        for chunks in CHUNKS.into_iter().filter(chunks) {
            let zeros = (0..=3).filter(|it| *it == 0 || replicas > 1 && may(Kind::Zero));
            for zero in zeros {
                for offload in [false, true] {
                    if offload && !may(Kind::Offload) {
                        continue;
                    }
                    let sharding = Sharding {
                        data,
                        zero,
                        chunks,
                        micro,
                        offload: offload || wanted.recipe.sharding.offload,
                        ..layout.sharding(wanted.recipe.sharding)
                    };
                    found.push(Division { sharding, batch });
                }
            }
        }
    }
}

/// A layout, the chunks of a stage, and samples: context and samples without their common divisor.
pub(super) type Alike = (Layout, u32, u64);

/// What is equal in divisions whose activations take the same bytes. They differ in the ZeRO stage, or
/// in how many devices share samples and how many the tokens of a sample. Those that share tokens also
/// gather keys and values: where data parallelism alone found no better schedule in as much room, they
/// are not searched.
pub(super) fn alike(of: Division) -> Alike {
    let own = of.sharding;
    let common = common_divisor(of.batch, own.context.into()).max(1);
    let context = u64::from(own.context) / common;
    let layout = Layout {
        context: narrow(context),
        ..Layout::of(own)
    };
    (layout, own.chunks, of.batch / common)
}

/// The divisors of a number, ascending.
fn divisors(of: u64) -> Vec<u64> {
    let mut small: Vec<u64> = (1..=of.isqrt())
        .filter(|it| of.is_multiple_of(*it))
        .collect();
    let large = small.iter().rev().map(|it| of / it);
    let large: Vec<u64> = large.filter(|it| small.last() != Some(it)).collect();
    small.extend(large);
    small
}

fn narrow(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
