//! Schedule: what happens at each step. Operators compute, and what holds their results is
//! freed, evicted, swapped or encoded between them.
//!
//! ```text
//! step     0          1          2         3            4
//!          compute f  compute g  evict a   recompute f  compute h(a)
//! a        ██████████████████████          ████████████████████████   two residencies
//! ```
//!
//! A step is one unit of time, whatever happens at it. [`check`] finds the steps that cannot
//! happen; liveness makes residencies of the others.

mod possible;

use serde::{Deserialize, Serialize};

use crate::graph::{Graph, OpId};
use crate::storage::StorageId;
use crate::units::Step;
use crate::{Message, impl_message, message};

pub use possible::check;

/// The steps of a run, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    /// What happens at step 0, 1, 2, ….
    pub steps: Vec<ScheduledStep>,
}

/// What happens at one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScheduledStep {
    /// What is done, and to what.
    pub action: Action,
    /// The part of a training step, or inference.
    pub phase: Phase,
    /// What it costs; `None` where it is not given.
    pub cost: Option<Cost>,
}

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Action {
    /// The operator runs for the first time.
    Compute(OpId),
    /// The operator runs again: what it writes begins a new residency.
    Recompute(OpId),
    /// The storage's bytes are given back, and its values are not needed any more.
    Free(StorageId),
    /// The storage's bytes are given back, and its values will be recomputed.
    Evict(StorageId),
    /// The storage is copied to other memory during the step and given back at its end.
    SwapOut(StorageId),
    /// The storage is copied back during the step.
    SwapIn(StorageId),
    /// One storage is packed into another, smaller one, and given back at the end of the step.
    Encode {
        /// What is packed.
        from: StorageId,
        /// What holds the packed values.
        to: StorageId,
    },
    /// A packed storage is unpacked again.
    Decode {
        /// What holds the packed values.
        from: StorageId,
        /// What holds the values from here on.
        to: StorageId,
    },
}

/// The part of a training step that a step of the schedule belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// No training.
    #[default]
    Inference,
    /// From the inputs to the loss.
    Forward,
    /// The loss itself.
    Loss,
    /// From the loss to the gradients.
    Backward,
    /// The optimizer.
    Update,
}

impl Phase {
    /// As queries have it; empty where there is no training.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Inference => "",
            Self::Forward => "forward",
            Self::Loss => "loss",
            Self::Backward => "backward",
            Self::Update => "optimizer",
        }
    }
}

/// What a step costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cost {
    /// Floating point operations.
    Flops(u64),
    /// Time.
    Nanoseconds(u64),
}

/// A step that cannot happen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScheduleError {
    /// Which one; the number of steps for what is missing at the end.
    pub step: Step,
    /// Why not, naming the tensor.
    pub message: Message,
}

impl Action {
    /// The operator that runs, if one does.
    #[must_use]
    pub fn op(self) -> Option<OpId> {
        match self {
            Self::Compute(op) | Self::Recompute(op) => Some(op),
            _ => None,
        }
    }

    /// What files and step names call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Compute(_) => "compute",
            Self::Recompute(_) => "recompute",
            Self::Free(_) => "free",
            Self::Evict(_) => "evict",
            Self::SwapOut(_) => "swap_out",
            Self::SwapIn(_) => "swap_in",
            Self::Encode { .. } => "encode",
            Self::Decode { .. } => "decode",
        }
    }
}

impl ScheduledStep {
    /// An inference step of unknown cost.
    #[must_use]
    pub fn new(action: Action) -> Self {
        Self {
            action,
            phase: Phase::default(),
            cost: None,
        }
    }
}

impl Schedule {
    /// Every operator of `graph` that runs, once, in file order: all but those whose every
    /// output is constant, for their results are known before the run.
    #[must_use]
    pub fn in_file_order(graph: &Graph) -> Self {
        let runs = |index: &usize| graph.runs(&graph.ops[*index]);
        let running = (0..graph.ops.len()).filter(runs).map(OpId::at);
        Self::from_iter(running)
    }

    /// Number of steps.
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether nothing happens.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The operator that runs at step `index`; `None` where none does, or beyond the end.
    #[must_use]
    pub fn op(&self, index: usize) -> Option<OpId> {
        self.steps.get(index)?.action.op()
    }

    /// Whether every step computes an operator for the first time.
    #[must_use]
    pub fn only_computes(&self) -> bool {
        let computes = |step: &ScheduledStep| matches!(step.action, Action::Compute(_));
        self.steps.iter().all(computes)
    }
}

impl FromIterator<OpId> for Schedule {
    /// Every operator once, in this order.
    fn from_iter<I: IntoIterator<Item = OpId>>(ops: I) -> Self {
        let steps = ops.into_iter().map(Action::Compute);
        Self {
            steps: steps.map(ScheduledStep::new).collect(),
        }
    }
}

impl ScheduleError {
    /// The sentence.
    #[must_use]
    pub fn message(&self) -> Message {
        message!("step {}: {}", self.step.0, self.message)
    }
}

impl_message!(ScheduleError);
impl std::error::Error for ScheduleError {}
