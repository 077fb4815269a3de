//! What a rank holds at its peak while one thing is chosen otherwise: the stage, what replicas
//! divide, a degree, the micro-batch, or the length of sequences.

use serde::{Deserialize, Serialize};

use crate::graph::Graph;
use crate::settings::Training;
use crate::training::estimate::{self, Asked, NoEstimate, Point};
use crate::training::{Policy, Sharding, choice};
use crate::units::Bytes;

/// The most bars.
pub const MOST: usize = 8;

/// What is chosen otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    /// The stage of the pipeline that is looked at.
    #[default]
    Stage,
    /// What replicas divide.
    Zero,
    /// The number of replicas.
    Data,
    /// Among how many products are divided.
    Tensor,
    /// Among how many sequences are divided.
    Context,
    /// The number of stages.
    Pipeline,
    /// The samples of a micro-batch.
    Batch,
    /// The tokens of a sequence, which no step knows: it is of a graph that is sized so.
    Sequence,
}

/// A rank where something is chosen otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bar {
    /// The value that is chosen.
    pub value: u64,
    /// What is there at the peak, and what is reserved; or why there is none.
    pub found: Result<(Point, Bytes), NoEstimate>,
}

impl Axis {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Stage,
        Self::Zero,
        Self::Data,
        Self::Tensor,
        Self::Context,
        Self::Pipeline,
        Self::Batch,
        Self::Sequence,
    ];

    /// Its name in files, links and commands.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stage => "stage",
            Self::Zero => "zero",
            Self::Data => "data",
            Self::Tensor => "tensor",
            Self::Context => "context",
            Self::Pipeline => "pipeline",
            Self::Batch => "batch",
            Self::Sequence => "sequence",
        }
    }

    /// What it is now; of sequences, `tokens`.
    #[must_use]
    pub fn value(self, of: &Training, tokens: u64) -> u64 {
        let own = of.recipe.sharding;
        match self {
            Self::Stage => own.stage.into(),
            Self::Zero => own.zero.into(),
            Self::Data => own.data.into(),
            Self::Tensor => own.tensor.into(),
            Self::Context => own.context.into(),
            Self::Pipeline => own.pipeline.into(),
            Self::Batch => of.batch,
            Self::Sequence => tokens,
        }
    }

    /// What is tried: every stage or, of many, some of them with the first and the last; else powers
    /// of two, with what is chosen now.
    #[must_use]
    pub fn values(self, of: &Training, tokens: u64) -> Vec<u64> {
        let now = self.value(of, tokens);
        let mut values: Vec<u64> = match self {
            Self::Zero => (0..4).collect(),
            Self::Stage => {
                let last = u64::from(of.recipe.sharding.pipeline).saturating_sub(1);
                let most = MOST as u64;
                match last < most {
                    true => (0..=last).collect(),
                    // With what is chosen now there are as many as there can be.
                    false => (0..most - 1).map(|it| it * last / (most - 2)).collect(),
                }
            }
            Self::Batch | Self::Sequence => {
                let doubled = (0..6).map(|times| now.checked_shl(times));
                let halves = [now / 4, now / 2].map(Some);
                halves.into_iter().chain(doubled).flatten().collect()
            }
            _ => (0..MOST - 1).map(|power| 1 << power).collect(),
        };
        values.push(now);
        values.retain(|it| *it > 0 || matches!(self, Self::Stage | Self::Zero));
        values.sort_unstable();
        values.dedup();
        values.truncate(MOST);
        values
    }

    /// The same step where this is chosen. Of another number of stages the one that is looked at is
    /// the last at most, and as many micro-batches run as there are stages at least.
    #[must_use]
    pub fn with(self, of: Training, value: u64) -> Training {
        let mut of = of;
        let own = &mut of.recipe.sharding;
        let number = u32::try_from(value).unwrap_or(Sharding::MOST);
        match self {
            Self::Stage => own.stage = number,
            Self::Zero => own.zero = u8::try_from(value).unwrap_or(3),
            Self::Data => own.data = number,
            Self::Tensor => own.tensor = number,
            Self::Context => own.context = number,
            Self::Pipeline => {
                own.pipeline = number;
                own.stage = own.stage.min(number.saturating_sub(1));
                own.micro = own.micro.max(number);
            }
            Self::Batch => of.batch = value,
            Self::Sequence => {}
        }
        of
    }
}

/// The rank of a sized graph with this value. `on_progress` is the policy's. Where everything is kept
/// no budget counts: what is too large is to be seen.
pub fn bar(
    graph: &Graph,
    (asked, axis, value): (&Asked, Axis, u64),
    on_progress: &mut dyn FnMut(u64, u64) -> bool,
) -> Bar {
    let mut training = axis.with(asked.training, value);
    if choice::policy(training) == Policy::KeepAll {
        training.budget = None;
    }
    let asked = Asked { training, ..*asked };
    let found = estimate::estimate(graph, &asked, on_progress);
    Bar {
        value,
        found: found.map(|it| (it.peak, it.total())),
    }
}
