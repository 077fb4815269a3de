//! Arena, peak, fragmentation, reuse: each defined once.

use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::bounds::{self, Bounds};
use crate::liveness::{Buffer, Lifetimes};
use crate::plan::{Plan, Pools};
use crate::units::{Bytes, Offset};

/// The figures of one plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// Size of the arena.
    pub arena: Bytes,
    /// What was reserved at its peak, where that is what counts and not the arena: see
    /// [`Metrics::counting_reserved`].
    pub reserved: Option<Bytes>,
    /// The offset bound: what no plan can beat; with pools what no plan for these pools can.
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
    /// What the strategy proved: no plan of offsets has a smaller arena.
    pub proved: Option<Bytes>,
    /// Bytes of the buffers that do not live in the pool that they prefer, which have to be
    /// moved; for plans with pools.
    pub spilled: Option<Bytes>,
    /// What any plan for the same pools moves at least; for plans with pools.
    pub must_move: Option<Bytes>,
    /// Whether the arena equals the offset bound, or what was proved if that is more: no plan
    /// of any kind is smaller. Not said of a plan that places nothing. With pools it is said of
    /// their sum: pools end to end are an arena like any other.
    pub optimal: bool,
}

/// The figures of one pool of a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PoolFigures {
    /// First byte of the pool in the arena.
    pub base: Offset,
    /// Bytes used.
    pub used: Bytes,
    /// Bytes that it has; `None` for no limit.
    pub capacity: Option<Bytes>,
    /// Number of buffers in it.
    pub buffers: u64,
    /// Bytes of the buffers in it that would have preferred another.
    pub spilled: Bytes,
}

impl Metrics {
    /// What the plan costs and is compared by: what was reserved at its peak where that counts,
    /// otherwise the arena.
    #[must_use]
    pub fn taken(&self) -> Bytes {
        self.reserved.unwrap_or(self.arena)
    }

    /// The same with what was reserved at its peak in the place of the arena, as is fair where
    /// an allocator's trace is compared: its blocks may reach less high than what was taken
    /// from the device, and segments that are never there together may be drawn end to end.
    /// Unchanged where `reserved` is not known. Whether it is optimal is only figured for what
    /// is valid.
    #[must_use]
    pub fn counting_reserved(self, reserved: Option<Bytes>) -> Self {
        match reserved {
            Some(taken) => Self {
                reserved,
                ..self.taking(taken, Bytes::ZERO)
            },
            None => self,
        }
    }

    /// The same with an arena of `arena` bytes, of which any plan needs at least `least`.
    #[must_use]
    pub(crate) fn with_arena(self, arena: Bytes, least: Bytes) -> Self {
        Self {
            arena,
            ..self.taking(arena, least)
        }
    }

    fn taking(self, taken: Bytes, least: Bytes) -> Self {
        let floor = self.proved.map_or(self.bound, |it| it.max(self.bound));
        Self {
            over_bound: beyond(taken, self.bound, self.bound),
            fragmentation: beyond(taken, self.bound, taken),
            reuse: match taken {
                Bytes::ZERO => 1.0,
                _ => self.reuse * self.arena.0 as f64 / taken.0 as f64,
            },
            optimal: taken == floor.max(least),
            ..self
        }
    }
}

/// The figures of `plan`. Without an arena nothing is reused and nothing is wasted.
#[must_use]
pub fn metrics(lifetimes: &Lifetimes, plan: &Plan, known: &Bounds) -> Metrics {
    let pools = plan.pools.as_ref().map_or(0, |pools| pools.declared.len());
    let pooled = bounds::pooled(lifetimes, pools, known);
    let bound = pooled.map_or(known.offsets, |it| it.bytes);
    let arena = plan.arena;
    let total: u128 = lifetimes.buffers.iter().map(|b| u128::from(b.size.0)).sum();
    Metrics {
        arena,
        reserved: None,
        bound,
        model_bound: match plan.objects {
            Some(_) => known.objects,
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
        proved: plan.proved,
        spilled: plan.pools.as_ref().map(|pools| spilled(lifetimes, pools)),
        must_move: plan.pools.as_ref().map(|pools| {
            let declared = pools.declared.iter().map(|pool| pool.capacity);
            bounds::must_move(lifetimes, &declared.collect::<Vec<_>>())
        }),
        optimal: arena == plan.proved.map_or(bound, |proved| proved.max(bound)),
    }
}

/// The figures of each pool of `plan`, in their order; none for a plan without pools.
#[must_use]
pub fn pools(lifetimes: &Lifetimes, plan: &Plan) -> Vec<PoolFigures> {
    let Some(pools) = &plan.pools else {
        return Vec::new();
    };
    let places = pools.bases.iter().zip(&pools.sizes).enumerate();
    let mut figures: Vec<PoolFigures> = places
        .map(|(pool, (&base, &used))| PoolFigures {
            base,
            used,
            capacity: pools.declared.get(pool).and_then(|it| it.capacity),
            ..PoolFigures::default()
        })
        .collect();
    for (buffer, &pool) in lifetimes.buffers.iter().zip(&pools.of_buffer) {
        if let Some(figures) = figures.get_mut(pool as usize) {
            figures.buffers += 1;
            if pool != preferred(buffer) {
                figures.spilled.0 = figures.spilled.0.saturating_add(buffer.size.0);
            }
        }
    }
    figures
}

fn spilled(lifetimes: &Lifetimes, pools: &Pools) -> Bytes {
    let held = lifetimes.buffers.iter().zip(&pools.of_buffer);
    let elsewhere = held.filter(|&(buffer, &pool)| pool != preferred(buffer));
    Bytes(elsewhere.fold(0, |sum, (buffer, _)| buffer.size.0.saturating_add(sum)))
}

/// The pool that `buffer` would rather live in.
fn preferred(buffer: &Buffer) -> u32 {
    buffer.pools.first().copied().unwrap_or(0)
}

/// What `arena` has beyond `bound`, as a fraction of `whole`.
fn beyond(arena: Bytes, bound: Bytes, whole: Bytes) -> f64 {
    match whole {
        Bytes::ZERO => 0.0,
        _ => (arena.0 as f64 - bound.0 as f64) / whole.0 as f64,
    }
}
