//! Arena, peak, fragmentation, reuse: each defined once.

use serde::{Deserialize, Serialize};

use crate::bounds::Bounds;
use crate::liveness::Lifetimes;
use crate::plan::Plan;
use crate::units::Bytes;

/// The figures of one plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// Size of the arena.
    pub arena: Bytes,
    /// The offset bound: what no plan can beat.
    pub bound: Bytes,
    /// The bound for the plan's own model: positional maxima for shared objects, otherwise
    /// the offset bound.
    pub model_bound: Bytes,
    /// (arena - bound) / bound, as a fraction: how much larger than any plan must be. 0 when
    /// nothing is planned.
    pub over_bound: f64,
    /// (arena - bound) / arena, as a fraction: the share of the arena that the bound does not
    /// account for. 0 when nothing is planned.
    pub fragmentation: f64,
    /// Sum of all sizes divided by the arena; 1 for a plan without reuse.
    pub reuse: f64,
    /// Number of shared objects, for plans that have them.
    pub objects: Option<u64>,
    /// Whether the arena equals the offset bound: no plan of any kind is smaller. Not said of
    /// a plan that places nothing.
    pub optimal: bool,
}

/// The figures of `plan`. Without an arena nothing is reused and nothing is wasted.
#[must_use]
pub fn metrics(lifetimes: &Lifetimes, plan: &Plan, bounds: &Bounds) -> Metrics {
    let (arena, bound) = (plan.arena, bounds.offsets);
    let total: u128 = lifetimes.buffers.iter().map(|b| u128::from(b.size.0)).sum();
    Metrics {
        arena,
        bound,
        model_bound: match plan.objects {
            Some(_) => bounds.objects,
            None => bound,
        },
        over_bound: beyond(arena, bound, bound),
        fragmentation: beyond(arena, bound, arena),
        reuse: match arena {
            Bytes::ZERO => 1.0,
            _ => total as f64 / arena.0 as f64,
        },
        objects: plan
            .objects
            .as_ref()
            .map(|objects| objects.sizes.len() as u64),
        optimal: arena == bound && bound > Bytes::ZERO,
    }
}

/// What `arena` has beyond `bound`, as a fraction of `whole`.
fn beyond(arena: Bytes, bound: Bytes, whole: Bytes) -> f64 {
    match whole {
        Bytes::ZERO => 0.0,
        _ => (arena.0 as f64 - bound.0 as f64) / whole.0 as f64,
    }
}
