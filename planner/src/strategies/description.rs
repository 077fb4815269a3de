//! What is known of a strategy: one [`Description`] in each strategy's file.

use serde::{Deserialize, Serialize};

use crate::units::Bytes;

/// Everything that is known of a strategy beside its steps.
#[derive(Debug)]
pub struct Description {
    /// Its name on command lines, in links and in files, and the key of its words elsewhere.
    pub name: &'static str,
    /// Where it comes from: a paper or a code base.
    pub source: &'static str,
    /// Where it is listed.
    pub family: Family,
    /// How it sees memory.
    pub model: Model,
    /// Time for n buffers, k of which conflict with a buffer on average.
    pub cost: &'static str,
    /// How that time grows, to decide what to plan unasked.
    pub growth: Growth,
    /// What it does about each kind of constraint.
    pub capabilities: Capabilities,
    /// Why its arena may be larger than one without reuse; `None` where it never is.
    pub above_naive: Option<AboveNaive>,
    /// The most buffers, among those with bytes and steps, that it does not refuse; `None` for
    /// no such limit.
    pub limit: Option<usize>,
}

/// How a strategy sees memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Model {
    /// Every buffer gets its own address in one arena.
    Offsets,
    /// Every buffer gets a shared object that one buffer at a time fills; the objects are
    /// laid end to end in one arena.
    Objects,
}

/// Where a strategy comes from, for listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// What the others are measured against.
    Baseline,
    /// TFLite's GPU delegate and the papers behind it.
    TfliteGpu,
    /// What other toolchains deploy, bit for bit.
    Deployed,
    /// Allocators that see one request at a time, replayed.
    Online,
    /// Colourings of the interference graph.
    Coloring,
    /// One pass over the buffers in some order.
    Packing,
    /// Searches, within a budget.
    Search,
}

/// How the time of a strategy grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Growth {
    /// Little faster than the number of buffers, or of pairs that are live together.
    Linear,
    /// With the square of the number of buffers, at worst.
    Square,
    /// With its cube.
    Cube,
    /// With a fixed number of attempts, each of which plans everything.
    Attempts,
    /// With [`Options::effort`](crate::plan::Options::effort): it searches for as long as that lasts.
    Effort,
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

/// What a strategy does about one kind of constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Capability {
    /// It is kept, and used where that saves memory and the strategy's own rules allow it:
    /// planners of deployed toolchains hand over whole buffers only.
    Yes,
    /// It is kept, but what it allows is not used: the plan is as if it were not there.
    Conservative,
    /// It is refused with [`PlanError::Unsupported`](super::PlanError::Unsupported).
    No,
}

/// What a strategy does about each kind of constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capabilities {
    /// Blocks start at multiples of a number.
    pub alignment: Capability,
    /// Buffers have addresses that the problem fixes.
    pub fixed: Capability,
    /// Buffers need only a part of their bytes for some time.
    pub pauses: Capability,
    /// Buffers may be written over others.
    pub handovers: Capability,
    /// There are several pools, with capacities.
    pub pools: Capability,
}

impl Capabilities {
    /// Offsets that keep whole buffers apart.
    pub(super) const WHOLE: Self = Self {
        alignment: Capability::Yes,
        fixed: Capability::Yes,
        pauses: Capability::Conservative,
        handovers: Capability::Conservative,
        pools: Capability::Yes,
    };
    /// Offsets that know of everything.
    pub(super) const ALL: Self = Self {
        pauses: Capability::Yes,
        handovers: Capability::Yes,
        ..Self::WHOLE
    };
    /// Offsets that lie where an allocator puts them.
    pub(super) const UNFIXED: Self = Self {
        fixed: Capability::No,
        ..Self::WHOLE
    };
    /// Shared objects laid end to end.
    pub(super) const OBJECTS: Self = Self {
        fixed: Capability::No,
        pools: Capability::No,
        ..Self::WHOLE
    };
}
