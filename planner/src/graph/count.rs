//! Counts: how much operators such as `NonZero` give, which only a run finds.

use serde::{Deserialize, Serialize};

/// An operator of which only a run finds how much it gives, and what it is sized by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// Name of its first output, which names the count.
    pub tensor: String,
    /// Name of the operator.
    pub op: String,
    /// Its kind.
    pub kind: String,
    /// The most that it gives, in elements along the axis that it counts.
    pub most: u64,
    /// What that follows from.
    pub limit: Limit,
}

/// What the most that an operator gives follows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// The sizes of what it reads: it cannot give more.
    Shapes,
    /// The size that the file declares.
    File,
    /// A number that was set.
    Set,
    /// What a run has found: exactly as many.
    Run,
}
