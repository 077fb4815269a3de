//! Which constraints each strategy honours, as one table.

use serde::{Deserialize, Serialize};

use super::{Model, PlanError, Strategy};
use crate::liveness::Lifetimes;
use crate::plan::Options;
use crate::units::Bytes;

/// What a strategy does about one kind of constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Honour {
    /// It is kept, and used where that saves memory and the strategy's own rules allow it:
    /// planners of deployed toolchains hand over whole buffers only.
    Yes,
    /// It is kept, but what it allows is not used: the plan is as if it were not there.
    Conservative,
    /// It is refused with [`PlanError::Unsupported`].
    No,
}

/// What a strategy does about each kind of constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Honours {
    /// Blocks start at multiples of a number.
    pub alignment: Honour,
    /// Buffers have addresses that the problem fixes.
    pub fixed: Honour,
    /// Buffers need only a part of their bytes for some time.
    pub gaps: Honour,
    /// Buffers may be written over others.
    pub handovers: Honour,
    /// There are several pools, with capacities.
    pub pools: Honour,
}

/// A constraint of the problem that a strategy may keep without using what it allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Constraint {
    /// Buffers need only a part of their bytes for some time: it plans whole spans instead.
    Gaps,
    /// Buffers may be written over others: it keeps them apart instead.
    Handovers,
}

/// Why a plan may be larger than one without any reuse.
///
/// Without alignments only [`Blocks`](Self::Blocks) and [`Segments`](Self::Segments) can make
/// it so: every other strategy puts a buffer at most on top of what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AboveNaive {
    /// Only where something is aligned: how much padding lies between blocks depends on their
    /// order.
    Padding,
    /// Every buffer takes whole blocks of so many bytes.
    Blocks(Bytes),
    /// Every buffer takes whole blocks of so many bytes, and they lie in segments of a device,
    /// end to end, which may stay empty in part.
    Segments(Bytes),
}

impl Honours {
    /// Offsets that keep whole buffers apart.
    const WHOLE: Self = Self {
        alignment: Honour::Yes,
        fixed: Honour::Yes,
        gaps: Honour::Conservative,
        handovers: Honour::Conservative,
        pools: Honour::Yes,
    };
    /// Offsets that know of everything.
    const ALL: Self = Self {
        gaps: Honour::Yes,
        handovers: Honour::Yes,
        ..Self::WHOLE
    };
    /// Offsets that lie where an allocator puts them.
    const UNFIXED: Self = Self {
        fixed: Honour::No,
        ..Self::WHOLE
    };
    /// Shared objects laid end to end.
    const OBJECTS: Self = Self {
        fixed: Honour::No,
        pools: Honour::No,
        ..Self::WHOLE
    };
}

impl Strategy {
    /// What it does about each kind of constraint.
    #[must_use]
    pub fn honours(self) -> Honours {
        match self {
            Self::OffsetsBySize
            | Self::OffsetsByBreadth
            | Self::OffsetsInOrder
            | Self::Skyline
            | Self::Best => Honours::ALL,
            // The search keeps handed over buffers and windows apart; its first plan need not.
            Self::Exact => Honours::ALL,
            Self::StripBestFit => Honours {
                gaps: Honour::Yes,
                ..Honours::WHOLE
            },
            Self::LitertArena | Self::OnnxruntimePattern => Honours {
                handovers: Honour::Yes,
                ..Honours::WHOLE
            },
            Self::TflmGreedy | Self::Xnnpack | Self::IreeSlices | Self::ExecutorchGreedy => {
                Honours::WHOLE
            }
            // XLA's heaps use hand-overs without a shift only.
            Self::XlaSpatial
            | Self::XlaTemporal
            | Self::XlaBest
            | Self::MegenginePushdown
            | Self::MegengineIntervalMove
            | Self::MegengineBestFit => Honours {
                handovers: Honour::Yes,
                ..Honours::UNFIXED
            },
            Self::NnvmTokens | Self::NnvmAuto | Self::NnvmColors => Honours {
                handovers: Honour::Yes,
                ..Honours::OBJECTS
            },
            _ => match self.model() {
                Model::Objects => Honours::OBJECTS,
                Model::Offsets => Honours::UNFIXED,
            },
        }
    }
}

impl Strategy {
    /// Why its arena may be larger than that of [`Strategy::Naive`]; `None` for that one.
    #[must_use]
    pub fn above_naive(self) -> Option<AboveNaive> {
        match self {
            Self::Naive => None,
            Self::TensorflowBfc => Some(AboveNaive::Blocks(Bytes(256))),
            Self::PytorchCaching => Some(AboveNaive::Segments(Bytes(512))),
            _ => Some(AboveNaive::Padding),
        }
    }

    /// What `lifetimes` allow and this strategy keeps without using it, so that its plan may
    /// be larger than it would have to be.
    #[must_use]
    pub fn unused(self, lifetimes: &Lifetimes) -> Vec<Constraint> {
        let honours = self.honours();
        let gaps = lifetimes.buffers.iter().any(|it| !it.gaps.is_empty());
        let asked = [
            (gaps, honours.gaps, Constraint::Gaps),
            (
                !lifetimes.handovers.is_empty(),
                honours.handovers,
                Constraint::Handovers,
            ),
        ];
        let unused = asked
            .into_iter()
            .filter(|(asked, honour, _)| *asked && *honour == Honour::Conservative);
        unused.map(|(_, _, constraint)| constraint).collect()
    }
}

/// Refuses what `strategy` does not honour.
pub(super) fn refuse(
    strategy: Strategy,
    lifetimes: &Lifetimes,
    options: &Options,
) -> Result<(), PlanError> {
    let honours = strategy.honours();
    let no = |honour: Honour| honour == Honour::No;
    let buffers = || lifetimes.buffers.iter();
    if no(honours.fixed)
        && let Some(buffer) = buffers().find(|it| it.fixed.is_some())
    {
        return Err(unsupported(format!(
            "the fixed address of {:?}",
            buffer.name
        )));
    }
    if no(honours.gaps)
        && let Some(buffer) = buffers().find(|it| !it.gaps.is_empty())
    {
        return Err(unsupported(format!("the gaps of {:?}", buffer.name)));
    }
    if no(honours.handovers)
        && let Some(handover) = lifetimes.handovers.first()
    {
        let name = buffers().nth(handover.after).map(|it| it.name.as_str());
        let name = name.unwrap_or_default();
        return Err(unsupported(format!("the handover to {name:?}")));
    }
    if no(honours.alignment)
        && let Some(buffer) = buffers().find(|it| super::alignment(it, options).0 > 1)
    {
        return Err(unsupported(format!("the alignment of {:?}", buffer.name)));
    }
    match options.pools.first() {
        Some(pool) if no(honours.pools) => {
            let name = &pool.name;
            Err(unsupported(match options.pools.len() {
                1 => format!("the pool {name:?}"),
                count => format!("{count} pools, of which {name:?} is the first"),
            }))
        }
        _ => Ok(()),
    }
}

fn unsupported(what: String) -> PlanError {
    PlanError::Unsupported { what }
}
