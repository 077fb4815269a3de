//! Live bytes per step.

use serde::{Deserialize, Serialize};

use super::Lifetimes;
use crate::units::{Bytes, Step};

/// Live bytes as a step function: from each point's step until the next point's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// Points by ascending step; the last one has 0 bytes.
    pub points: Vec<(Step, Bytes)>,
}

/// The profile of `lifetimes`.
#[must_use]
pub fn profile(lifetimes: &Lifetimes) -> Profile {
    let _ = lifetimes;
    Profile::default()
}
