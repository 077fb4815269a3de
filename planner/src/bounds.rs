//! Lower bounds that no plan can beat, each with its witness.

use serde::{Deserialize, Serialize};

use crate::liveness::Lifetimes;
use crate::units::{Bytes, Step};

/// Both bounds of one set of lifetimes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    /// No plan of offsets needs less than the largest sum of simultaneously live sizes.
    pub offsets: Bytes,
    /// The first step at which that much is live.
    pub peak: Step,
    /// The buffers live at that step, by index, largest first.
    pub witness: Vec<usize>,
    /// No plan of shared objects needs less than the sum of the positional maxima.
    pub objects: Bytes,
    /// The positional maxima: the largest, the largest second-largest, ... over all steps.
    pub maxima: Vec<Bytes>,
}

/// The bounds of `lifetimes`.
#[must_use]
pub fn bounds(lifetimes: &Lifetimes) -> Bounds {
    let _ = lifetimes;
    Bounds::default()
}
