//! What people choose about how a document is planned, as one value.

use serde::{Deserialize, Serialize};

use crate::units::Bytes;

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
}

/// A set of passes, one bit for each row of the [table of passes](crate::passes::ALL). Its
/// text form is [`passes::text`](crate::passes::text).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PassSet(u32);

impl PassSet {
    /// No optional pass.
    pub const NONE: Self = Self(0);

    /// Whether it holds the pass at `row` of the table.
    #[must_use]
    pub const fn has(self, row: usize) -> bool {
        row < 32 && self.0 >> row & 1 == 1
    }

    /// The passes that are in either.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The same with the pass at `row` of the table, or without it.
    #[must_use]
    pub const fn with(self, row: usize, on: bool) -> Self {
        if row >= 32 {
            return self;
        }
        match on {
            true => Self(self.0 | 1 << row),
            false => Self(self.0 & !(1 << row)),
        }
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
        }
    }
}
