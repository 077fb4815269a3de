//! Lower bounds that no plan can beat, each with its witness.

use serde::{Deserialize, Serialize};

use crate::liveness::{Lifetimes, profile};
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

/// The bounds of `lifetimes`, as Pisarchyk and Lee 2020 define both. Sums beyond 64 bits are
/// shown as the largest number.
#[must_use]
pub fn bounds(lifetimes: &Lifetimes) -> Bounds {
    let profile = profile::profile(lifetimes);
    let mut offsets = Bytes::ZERO;
    let mut peak = Step::default();
    for (step, live) in profile.points {
        if live > offsets {
            (peak, offsets) = (step, live);
        }
    }
    let witness = match offsets {
        Bytes::ZERO => Vec::new(),
        _ => profile::live_at(lifetimes, peak),
    };
    let maxima = profile::positional_maxima(lifetimes);
    let objects = maxima
        .iter()
        .fold(0_u64, |sum, maximum| sum.saturating_add(maximum.0));
    Bounds {
        offsets,
        peak,
        witness,
        objects: Bytes(objects),
        maxima,
    }
}
