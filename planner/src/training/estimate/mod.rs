//! What a training step takes on a device, before it runs: the tensors that a framework asks for,
//! over time, put to a model of its allocator.
//!
//! ```text
//! weights        ████████████████████████████████████████████  on start, to the exit
//! optimizer                          ░░░░░░░░█████████████████  on demand, to the exit
//! gradients                  ███████████████  ████████████████  on demand, to the exit or to death
//! outputs            ▁▃▅▇█▇▅▃▁           ▁▃▅▇█▇▅▃▁              on demand, to death
//!                    first step           second step
//! ```
//!
//! After Gao et al., "Estimating GPU Memory Consumption of Deep Learning Models" (ESEC/FSE 2020):
//! memory is told apart by what it is for, a framework is a [`Profile`] that says of each when it
//! is asked for and when it is given back, and what is asked for is put to the framework's
//! allocator, because what a device has to have is what that reserves.
//!
//! [`requests`] makes a list of requests of a walk through a step, [`replayed`] puts it to
//! PyTorch's caching allocator, [`arena`] plans it in advance instead. [`verdict`] says which
//! devices it fits into and under which settings, [`measured`] sets it beside what was measured.
//!
//! What is not counted: what a kernel needs on the way, unless a number is given; constants that
//! are no weights, such as running means by autograd's rule; the labels, whose size no model
//! says. A value of several results is one request.

pub mod arena;
pub mod measured;
pub mod profile;
pub mod replayed;
pub mod requests;
pub mod run;
mod unscheduled;
pub mod verdict;
mod weights;

use serde::{Deserialize, Serialize};

use super::backward::Step;
use super::stage::{self, NoStep};
use super::table::Row;
use super::{Walk, choice};
use crate::caching_allocator::AllocatorSettings;
use crate::graph::Graph;
use crate::liveness::TooLarge;
use crate::settings::Training;
use crate::strategies::{PlanError, Strategy};
use crate::units::Bytes;

pub use profile::{Allocation, Life, Profile, Purpose};
pub use replayed::{Held, Point, StepPeak};
pub use requests::{Act, Event, Request, Requests};
pub(super) use unscheduled::Unscheduled;
pub use verdict::{Fit, Remedy, Verdict, fits};
pub(super) use weights::weights;
pub use weights::{Share, Weight};

/// The most steps that are estimated one after the other: from the second on all are alike.
pub const MAX_STEPS: u32 = 8;

/// What is to be estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// The training step and what makes its schedule.
    pub training: Training,
    /// How many steps, one after the other.
    pub steps: u32,
    /// What each operator that computes has beside its value while it runs; `None` where nobody
    /// knows, which counts as nothing.
    pub workspace: Option<Bytes>,
    /// What the device's driver takes for a process; `None` where nobody knows.
    pub context: Option<Bytes>,
    /// Who is asked for memory.
    pub by: Allocator,
}

/// Who is asked for memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Allocator {
    /// PyTorch's caching allocator, tensor by tensor as the program runs.
    Caching(AllocatorSettings),
    /// Nobody while it runs: values have an arena that this strategy planned in advance, all
    /// else has its memory from the start.
    Planned(Strategy),
}

/// What a training step takes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Estimate {
    /// What is there after each event; of very many only some, those with most.
    pub points: Vec<Point>,
    /// The point at which most is allocated; of those with as much that with most in use, then the
    /// first.
    pub peak: Point,
    /// What is there at the peak, the largest first, up to [`LISTED`](replayed::LISTED).
    pub holds: Vec<Held>,
    /// How many more are there at the peak, and their bytes.
    pub more: (usize, Bytes),
    /// The most of each step.
    pub steps: Vec<StepPeak>,
    /// The most bytes that are taken from the device, without the driver's own.
    pub reserved: Bytes,
    /// The most segments at a time; 0 where everything is planned in advance.
    pub segments: u64,
    /// Requests for which there was no room.
    pub failed: u64,
    /// What the driver takes, where a person said it.
    pub context: Option<Bytes>,
    /// What each operator has while it runs, where a person said it.
    pub workspace: Option<Bytes>,
    /// How many requests were made and given back.
    pub events: usize,
}

impl Estimate {
    /// What the device has to have; without the driver's own where nobody said it.
    #[must_use]
    pub fn total(&self) -> Bytes {
        let context = self.context.unwrap_or_default();
        Bytes(self.reserved.0.saturating_add(context.0))
    }
}

/// Why there is no estimate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum NoEstimate {
    /// There is no training step.
    NoStep(NoStep),
    /// The policy has no schedule for it.
    NoSchedule(Box<Row>),
    /// The schedule is beyond what can be planned.
    TooLarge(TooLarge),
    /// The strategy has no plan.
    NoPlan(PlanError),
}

impl From<NoStep> for NoEstimate {
    fn from(why: NoStep) -> Self {
        Self::NoStep(why)
    }
}

impl From<TooLarge> for NoEstimate {
    fn from(why: TooLarge) -> Self {
        Self::TooLarge(why)
    }
}

/// A training step, its weights and the way it is run.
#[derive(Clone, Debug, Default)]
pub struct Scheduled {
    /// The step.
    pub step: Step,
    /// Its weights.
    pub weights: Vec<Weight>,
    /// The model's inputs: names and bytes.
    pub inputs: Vec<(String, Bytes)>,
    /// The way.
    pub walk: Walk,
}

/// The training step of a sized graph as it is chosen. `on_progress` is the policy's.
///
/// # Errors
/// [`NoEstimate::NoStep`] or [`NoEstimate::NoSchedule`].
pub fn scheduled(
    graph: &Graph,
    training: Training,
    on_progress: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Scheduled, NoEstimate> {
    let made = Unscheduled::of(graph, training.batch, training.recipe)?;
    let problem = &made.step.problem;
    let found = stage::found(problem, training, on_progress);
    let policy = choice::policy(training);
    let row = Row::new(problem, policy, training.budget, &found);
    let walk = found.walk.ok_or(NoEstimate::NoSchedule(Box::new(row)))?;
    Ok(made.scheduled(walk))
}

/// Estimates what the training step of a sized graph takes. `on_progress` is the policy's.
///
/// # Errors
/// [`NoEstimate`].
pub fn estimate(
    graph: &Graph,
    asked: &Asked,
    on_progress: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Estimate, NoEstimate> {
    let scheduled = scheduled(graph, asked.training, on_progress)?;
    of_schedule(&scheduled, asked)
}

/// What a training step takes, and which devices it fits into.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// What it takes.
    pub estimate: Estimate,
    /// In the order of the devices that were asked about.
    pub fits: Vec<Fit>,
}

/// Estimates what the training step of a sized graph takes, and which devices, by name and bytes,
/// it fits into. `on_progress` is the policy's.
///
/// # Errors
/// [`NoEstimate`].
pub fn answer(
    graph: &Graph,
    asked: &Asked,
    devices: &[(String, Bytes)],
    on_progress: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Answer, NoEstimate> {
    let scheduled = scheduled(graph, asked.training, on_progress)?;
    Ok(Answer {
        estimate: of_schedule(&scheduled, asked)?,
        fits: fits(graph, (&scheduled, asked), devices, on_progress)?,
    })
}

/// The estimate of a step that has its schedule.
///
/// # Errors
/// [`NoEstimate::TooLarge`] or [`NoEstimate::NoPlan`].
pub fn of_schedule(scheduled: &Scheduled, asked: &Asked) -> Result<Estimate, NoEstimate> {
    let found = match asked.by {
        Allocator::Caching(settings) => {
            let requests = requests::requests(scheduled, asked);
            replayed::replay(&requests, settings, None)
        }
        Allocator::Planned(strategy) => arena::planned(scheduled, asked, strategy)?,
    };
    Ok(Estimate {
        context: asked.context,
        workspace: asked.workspace,
        ..found
    })
}
