//! An estimate beside what was measured: of a snapshot of PyTorch's allocator, or of the buffers
//! that a run of the page made.
//!
//! Each is looked at where it has most. A part that nobody has measured has no figure: a snapshot
//! tells parts only by its stacks and scopes, and nothing of what was there before it began.

use serde::{Deserialize, Serialize};

use super::Estimate;
use super::profile::Purpose;
use crate::attribution::{Attribution, categories};
use crate::deployed::{Arena, Category, Hold, LaneKind, Stacks};
use crate::liveness::profile::profile;
use crate::units::{Bytes, Step};

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Weights, and the copy that the optimizer changes.
    Weights,
    /// What the optimizer keeps.
    Optimizer,
    /// Gradients of weights.
    WeightGradients,
    /// What the model is given; of a run what it returns, too.
    Inputs,
    /// What the forward pass leaves for the backward pass.
    Outputs,
    /// What is gone before the next part of the step: gradients of activations, what lives within
    /// an operator, workspace.
    Temporary,
    /// All values, in one arena.
    Values,
    /// What is measured of which nobody knows what it is for.
    Unknown,
    /// Buffers that a run makes for itself.
    Run,
    /// Everything that is allocated.
    Allocated,
    /// Everything that is taken from the device.
    Reserved,
}

impl Part {
    /// Its name in files and commands.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Weights => "weights",
            Self::Optimizer => "optimizer",
            Self::WeightGradients => "weight_gradients",
            Self::Inputs => "inputs",
            Self::Outputs => "outputs",
            Self::Temporary => "temporary",
            Self::Values => "values",
            Self::Unknown => "unknown",
            Self::Run => "run",
            Self::Allocated => "allocated",
            Self::Reserved => "reserved",
        }
    }

    /// What an estimate says of it; `None` where it says nothing.
    fn estimated(self, estimate: &Estimate) -> Option<Bytes> {
        let purposes: &[Purpose] = match self {
            Self::Weights => &[Purpose::Weights, Purpose::Master],
            Self::Optimizer => &[Purpose::Optimizer],
            Self::WeightGradients => &[Purpose::WeightGradients],
            Self::Inputs => &[Purpose::Inputs],
            Self::Outputs => &[Purpose::Outputs],
            Self::Temporary => &[Purpose::Gradients, Purpose::Ephemeral, Purpose::Workspace],
            Self::Values => &[
                Purpose::Outputs,
                Purpose::Gradients,
                Purpose::Ephemeral,
                Purpose::Workspace,
                Purpose::Idle,
            ],
            Self::Unknown | Self::Run => return None,
            Self::Allocated => return Some(estimate.peak.allocated),
            Self::Reserved => return Some(estimate.reserved),
        };
        let bytes = purposes.iter().map(|it| estimate.peak.of(*it).0);
        Some(Bytes(bytes.fold(0, u64::saturating_add)))
    }
}

/// What was measured, by part; `None` for what was not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// Each part once.
    pub parts: Vec<(Part, Option<Bytes>)>,
}

/// A part of the table of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compared {
    /// The part.
    pub part: Part,
    /// What was estimated; `None` where nothing was.
    pub estimated: Option<Bytes>,
    /// What was measured; `None` where nothing was.
    pub measured: Option<Bytes>,
}

impl Compared {
    /// How many bytes too much were estimated, below nothing for too few; `None` where one of the
    /// two is not known.
    #[must_use]
    pub fn error(&self) -> Option<i128> {
        Some(i128::from(self.estimated?.0) - i128::from(self.measured?.0))
    }

    /// The same in percent of what was measured; `None` where that is nothing.
    #[must_use]
    pub fn percent(&self) -> Option<f64> {
        let measured = self.measured.filter(|it| *it > Bytes::ZERO)?;
        Some(self.error()? as f64 / measured.0 as f64 * 100.0)
    }
}

/// The table of errors.
#[must_use]
pub fn compare(estimate: &Estimate, measured: &Measured) -> Vec<Compared> {
    let parts = measured.parts.iter();
    let compared = parts.map(|&(part, measured)| Compared {
        part,
        estimated: part.estimated(estimate),
        measured,
    });
    compared.collect()
}

/// The parts of a snapshot, each with the category that its stacks and scopes tell, and whether
/// only the profiler tells it.
const PARTS: [(Part, &[Category]); 6] = [
    (Part::Weights, &[Category::Parameter]),
    (Part::Optimizer, &[Category::OptimizerState]),
    (Part::WeightGradients, &[Category::Gradient]),
    (Part::Inputs, &[Category::Input]),
    (Part::Outputs, &[Category::Activation]),
    (
        Part::Temporary,
        &[Category::Temporary, Category::AutogradDetail],
    ),
];

/// What a snapshot measured where it has most allocated. A category that no buffer of it has is
/// not told.
#[must_use]
pub fn of_snapshot(arena: &Arena, stacks: &Stacks) -> Measured {
    let Arena {
        lifetimes,
        notes,
        plan,
        scopes,
        ..
    } = arena;
    let said = Attribution::of(lifetimes, notes, stacks, scopes);
    let inferred = categories(lifetimes, &said.phases);
    let of = |buffer: usize| {
        let noted = notes.get(buffer).and_then(|note| note.category);
        noted.or_else(|| inferred.get(buffer).copied().flatten())
    };
    let (peak, allocated) = fullest(arena);
    let there = |buffer: usize| {
        let held = notes.get(buffer).and_then(|note| note.held);
        let held = held.filter(|it| it.why == Hold::Pending);
        let span = held.map_or(lifetimes.buffers[buffer].span, |it| it.needed);
        span.contains(peak)
    };
    let sum = |wanted: &dyn Fn(Option<Category>) -> bool| {
        let all = (0..lifetimes.buffers.len()).filter(|it| wanted(of(*it)));
        let mut told = false;
        let all = all.inspect(|_| told = true).filter(|it| there(*it));
        let bytes = all.fold(0_u64, |sum, it| {
            sum.saturating_add(lifetimes.buffers[it].size.0)
        });
        told.then_some(Bytes(bytes))
    };
    let parts = PARTS.iter().map(|(part, own)| {
        let of_part = |it: Option<Category>| it.is_some_and(|it| own.contains(&it));
        (*part, sum(&of_part))
    });
    let unknown = (Part::Unknown, sum(&|it| it.is_none()));
    let all = [
        (Part::Allocated, Some(allocated)),
        (Part::Reserved, plan.reserved),
    ];
    Measured {
        parts: parts.chain([unknown]).chain(all).collect(),
    }
}

/// The first step at which a snapshot has most allocated, and how much.
fn fullest(arena: &Arena) -> (Step, Bytes) {
    let mut lanes = arena.lanes.iter();
    let lane = lanes.find(|lane| lane.kind == LaneKind::Allocated);
    let of_lane = lane.and_then(|lane| {
        let most = lane.points.iter().rev().max_by_key(|point| point.1);
        most.copied()
    });
    let of_lane = of_lane.or_else(|| profile(&arena.lifetimes).highest());
    of_lane.unwrap_or_default()
}

/// What a run's ledger lists: every buffer that it made, with the label and the bytes. The labels
/// are those of the executor.
#[must_use]
pub fn of_ledger<'a>(entries: impl IntoIterator<Item = (&'a str, Bytes)>) -> Measured {
    let mut parts = [Part::Weights, Part::Inputs, Part::Values, Part::Run].map(|it| (it, 0_u64));
    let mut all = 0_u64;
    for (label, bytes) in entries {
        let index = match label {
            "weights" => 0,
            "inputs and outputs" => 1,
            "arena" => 2,
            _ => 3,
        };
        parts[index].1 = parts[index].1.saturating_add(bytes.0);
        all = all.saturating_add(bytes.0);
    }
    let parts = parts.into_iter().chain([(Part::Allocated, all)]);
    Measured {
        parts: parts
            .map(|(part, bytes)| (part, Some(Bytes(bytes))))
            .collect(),
    }
}
