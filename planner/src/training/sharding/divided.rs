//! What the step of one micro-batch does not say of a rank: which weights each part of the model
//! has, and how they are divided among replicas.

use serde::{Deserialize, Serialize};

use crate::settings::{Precision, Recipe};
use crate::training::Sharding;
use crate::training::fixed::Fixed;
use crate::units::Bytes;

/// How a step is divided, beside what its nodes say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Divided {
    /// How.
    pub sharding: Sharding,
    /// The parts of the model on this rank, by [`Node::part`](crate::training::Node::part); what is
    /// before and after the layers is gathered at once, so that the first has the weights of both.
    pub parts: Vec<Part>,
    /// Bytes of a weight, and of its gradient.
    pub each: (u64, u64),
}

/// A part of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// What people call it.
    pub name: String,
    /// The chunk of its stage that it is of.
    pub chunk: u32,
    /// How many weights this rank has of it, whole.
    pub weights: Count,
    /// Those of them that are trained.
    pub trained: Count,
    /// Those of them of which each device of a tensor group has the whole, and the gradient of its own
    /// tokens or heads alone: norms, and biases that are added after sums.
    pub summed: u64,
}

/// Numbers of weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// Those that all replicas have.
    pub common: u64,
    /// Those of experts, which so many replicas have as there are to an expert.
    pub experts: u64,
}

impl Count {
    /// All of them.
    #[must_use]
    pub const fn all(self) -> u64 {
        self.common.saturating_add(self.experts)
    }

    /// The share of a replica, the largest of them.
    #[must_use]
    pub fn share(self, own: Sharding) -> u64 {
        let replicas = own.replicas();
        let of_experts = (replicas / u64::from(own.expert.max(1))).max(1);
        self.common.div_ceil(replicas) + self.experts.div_ceil(of_experts)
    }

    pub(super) fn add(&mut self, count: u64, experts: bool) {
        let own = match experts {
            true => &mut self.experts,
            false => &mut self.common,
        };
        *own = own.saturating_add(count);
    }
}

impl Divided {
    /// Bytes of a part's weights when they are whole.
    #[must_use]
    pub fn gathered(&self, part: usize) -> u64 {
        self.parts[part].weights.all().saturating_mul(self.each.0)
    }

    /// Bytes of the gradients of a part's weights when they are whole.
    #[must_use]
    pub fn gradients(&self, part: usize) -> u64 {
        self.parts[part].trained.all().saturating_mul(self.each.1)
    }

    /// Bytes of the gradients that the devices of a tensor group add up: each has those of its own
    /// tokens or heads. They are copied into one block at the end of the backward pass, as
    /// Megatron-LM does (`finalize_model_grads.py`); of what replicas divide it is the share.
    #[must_use]
    pub fn summed(&self) -> Bytes {
        let all = self.parts.iter().map(|it| it.summed);
        let all = all.fold(0, u64::saturating_add);
        let own = match self.sharding.zero > 1 {
            true => all.div_ceil(self.sharding.replicas()),
            false => all,
        };
        Bytes(own.saturating_mul(self.each.1))
    }

    /// What is gathered with a part.
    #[must_use]
    pub fn group(&self, part: u32) -> usize {
        let part = part as usize;
        if part + 1 >= self.parts.len() {
            0
        } else {
            part
        }
    }

    /// Whether what is gathered stays to the end of the backward pass: what is around the layers is
    /// needed again at once.
    #[must_use]
    pub fn stays(&self, group: usize) -> bool {
        group == 0 || self.sharding.keeps
    }

    /// What stays during the whole step; `None` beyond 64 bits.
    #[must_use]
    pub fn fixed(&self, recipe: Recipe) -> Option<Fixed> {
        let own = self.sharding;
        let sum = |of: fn(&Part) -> Count, divided: bool| {
            let counts = self.parts.iter().map(|part| match divided {
                true => of(part).share(own),
                false => of(part).all(),
            });
            let mut counts = counts;
            counts.try_fold(0_u64, u64::checked_add)
        };
        let weights = |divided| sum(|it| it.weights, divided);
        let trained = |divided| sum(|it| it.trained, divided);
        let on_device = u64::from(!own.offload);
        let master = match recipe.precision {
            Precision::Full => 0,
            Precision::Mixed => 4 * on_device,
        };
        let fixed = Fixed {
            weights: weights(own.zero > 2)?.checked_mul(self.each.0)?,
            master: trained(own.zero > 0)?.checked_mul(master)?,
            gradients: trained(own.zero > 1)?.checked_mul(self.each.1 * on_device)?,
            optimizer: trained(own.zero > 0)?.checked_mul(recipe.optimizer.bytes() * on_device)?,
        };
        fixed.sum().map(|_| fixed)
    }
}
