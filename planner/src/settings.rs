//! What people choose about how a document is planned, as one value.

mod recipe;
mod sharding;

use serde::{Deserialize, Serialize};

use crate::units::Bytes;

pub use recipe::{Gist, Optimizer, Precision, Rates, Recipe, Rule, Sparse};
pub use sharding::Sharding;

/// What people choose before a plan is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Sizes are rounded up to a multiple of this many bytes, and offsets are multiples of it.
    pub alignment: Bytes,
    /// Where graph inputs and outputs live.
    pub io: Io,
    /// Which of the optional passes rewrite a model before it is planned.
    pub passes: PassSet,
    /// Which operators may run at the same time.
    pub parallel: Parallel,
    /// Which arena of a deployed plan that has several, by index; the first where there is no
    /// such.
    #[serde(default)]
    pub arena: u32,
    /// The last row of the [table of passes](crate::passes::ALL) that runs, so that what is
    /// planned is an earlier stage; `None` where all chosen passes run.
    #[serde(default)]
    pub until: Option<u8>,
    /// The training step that is planned in place of the model; `None` for the model.
    #[serde(default)]
    pub training: Option<Training>,
    /// The most bytes that the device gives in one allocation; `None` for no such limit. Only
    /// `ggml_gallocr` looks at it.
    #[serde(default)]
    pub largest_allocation: Option<Bytes>,
}

/// How a model is trained: which schedule its training step has. Its text form is
/// [`training::choice`](crate::training::choice).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Training {
    /// What makes the schedule, by row of [`Policy::ALL`](crate::training::Policy::ALL).
    pub policy: u8,
    /// How many samples a step has; a sample is the model as it is bound.
    pub batch: u64,
    /// What the values may take at once, fixed bytes aside; `None` for no limit.
    #[serde(default)]
    pub budget: Option<Bytes>,
    /// What a step is made of.
    #[serde(default)]
    pub recipe: Recipe,
    /// The memory budget of torch.compile's partitioner in hundredths, where its policy is chosen;
    /// `None` for the cheapest one that fits.
    #[serde(default)]
    pub share: Option<u8>,
}

/// A set of passes, each with the rule that it follows: four bits for each row of the [table
/// of passes](crate::passes::ALL). Its text form is [`passes::text`](crate::passes::text).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PassSet(u64);

impl PassSet {
    /// No optional pass.
    pub const NONE: Self = Self(0);

    /// Rows of the table that it has room for.
    const ROWS: usize = 16;

    /// Whether it holds the pass at `row` of the table.
    #[must_use]
    pub const fn has(self, row: usize) -> bool {
        self.rule(row).is_some()
    }

    /// The rule that the pass at `row` follows, by index into
    /// [`Pass::rules`](crate::passes::Pass::rules), 0 for one without rules; `None` where the
    /// pass is not in the set.
    #[must_use]
    pub const fn rule(self, row: usize) -> Option<u8> {
        if row >= Self::ROWS {
            return None;
        }
        match (self.0 >> (4 * row) & 15) as u8 {
            0 => None,
            rule => Some(rule - 1),
        }
    }

    /// The passes that are in either, with the rules of `self` where both have one.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        let rows = (0..Self::ROWS).filter(|row| !self.has(*row));
        rows.fold(self, |set, row| set.with(row, other.rule(row)))
    }

    /// The same with the pass at `row` of the table following `rule`, or without it.
    #[must_use]
    pub fn with(self, row: usize, rule: Option<u8>) -> Self {
        if row >= Self::ROWS {
            return self;
        }
        let bits = rule.map_or(0, |rule| u64::from(rule.min(14)) + 1);
        Self(self.0 & !(15 << (4 * row)) | bits << (4 * row))
    }
}

/// Where graph inputs and outputs live.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Io {
    /// Beside the arena, in the caller's hands.
    #[default]
    Beside,
    /// In the arena, both live for the whole run.
    WholeRun,
    /// In the arena as LiteRT's `ArenaPlanner` has it: inputs live for the whole run; outputs,
    /// and what nobody reads, from the operator that writes them to the end.
    Litert,
    /// In the arena as TFLite Micro has it: inputs from the start to their last reader,
    /// outputs from the operator that writes them to the end. It runs every operator of a
    /// TFLite model as the file has it, so that nothing is folded or fused before.
    Tflm,
    /// In the arena as ggml's graph allocator has it: inputs from the start to their last
    /// reader, so that an operator may write over one; outputs from the operator that writes
    /// them to the end.
    Ggml,
}

/// Which operators may run at the same time; spans are widened so that a plan adds no
/// dependency that the graph does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Parallel {
    /// None: one operator after the other, in the order of the schedule.
    #[default]
    Serial,
    /// Operators of one stream one after the other, those of different streams at any time
    /// that their inputs allow. An operator without a stream belongs to the first.
    Streams,
    /// Every operator as soon as its inputs are there.
    Free,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            alignment: Bytes(64),
            io: Io::Beside,
            passes: PassSet::NONE,
            parallel: Parallel::Serial,
            arena: 0,
            until: None,
            training: None,
            largest_allocation: None,
        }
    }
}
