//! Lower bounds that no plan can beat, each with its witness.
//!
//! | kind | what cannot be smaller |
//! |---|---|
//! | live | any plan: what is needed at one step |
//! | largest | any plan: one buffer, pauses or not |
//! | partition | any plan: what is needed at one step, for each stretch of time on its own |
//! | aligned | any plan: what is needed at one step, all but one block rounded up |
//! | fixed | any plan: what finds no room beside the blocks with fixed addresses |
//! | pools | any plan for pools: what each pool needs for what may live nowhere else, added up |
//! | maxima | plans of shared objects: the sum of the positional maxima |
//! | proved | any plan of offsets: what an exact search has ruled out |

mod aligned;
mod fixed;
mod moved;
mod partitions;
mod pooled;

use alloc::vec;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::liveness::profile::{self, Profile};
use crate::liveness::{Buffer, Lifetimes, savings};
use crate::units::{Bytes, Span, Step};

pub use moved::must_move;
pub use partitions::LISTED as PARTITIONS_LISTED;
pub use pooled::pooled;

/// The bounds of one set of lifetimes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    /// No plan of offsets needs less: the strongest bound of [`list`](Self::list) that holds
    /// for all plans.
    pub offsets: Bytes,
    /// The step at which that bound is reached, the first of several.
    pub peak: Step,
    /// The buffers that reach it there, by index, largest first.
    pub witness: Vec<usize>,
    /// No plan of shared objects needs less than the sum of the positional maxima.
    pub objects: Bytes,
    /// The positional maxima: the largest, the largest second-largest, ... over all steps.
    pub maxima: Vec<Bytes>,
    /// Every bound that says something, the live bytes first.
    pub list: Vec<Bound>,
    /// Number of stretches of time that no buffer connects.
    pub partitions: u64,
}

/// One bound: the least that any plan needs, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bound {
    /// Why it holds.
    pub kind: BoundKind,
    /// Bytes that no plan is below.
    pub bytes: Bytes,
    /// The step at which it is reached, the first of several; `None` for the positional maxima
    /// and for what was proved, which no single step reaches.
    pub step: Option<Step>,
    /// The buffers that cannot be smaller together, by index, largest first. For the
    /// positional maxima one buffer for each, in their order; none for what was proved.
    pub witness: Vec<usize>,
    /// Bytes of these that count once although two buffers need them, because the one can
    /// be handed over to the other.
    pub shared: Bytes,
}

/// Why a bound holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum BoundKind {
    /// The largest sum of the bytes needed at one step.
    Live,
    /// The largest buffer; said only where pauses hide it from the live bytes.
    Largest,
    /// The largest sum of the bytes needed at one step of a stretch of time that no buffer
    /// leaves. Said only where there is more than one, of at most [`PARTITIONS_LISTED`].
    Partition {
        /// The stretch.
        span: Span,
    },
    /// The largest sum with all blocks but one rounded up to the common alignment.
    Aligned {
        /// The largest number that divides every alignment.
        alignment: Bytes,
    },
    /// What finds no room beside the blocks with fixed addresses.
    Fixed {
        /// End, exclusive, of the highest fixed block of that step.
        top: Bytes,
        /// Bytes of the free ranges below it that can hold one of the others.
        free_below: Bytes,
    },
    /// The sum over pools of what may live nowhere else.
    Pools,
    /// The sum of the positional maxima, for plans of shared objects.
    Maxima,
    /// What an exact search has proved.
    Proved,
}

impl BoundKind {
    /// Whether it holds for plans of offsets and of objects alike.
    #[must_use]
    pub fn is_for_all_plans(self) -> bool {
        !matches!(self, Self::Maxima)
    }

    /// One word for tables and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Largest => "largest",
            Self::Partition { .. } => "partition",
            Self::Aligned { .. } => "aligned",
            Self::Fixed { .. } => "fixed",
            Self::Pools => "pools",
            Self::Maxima => "maxima",
            Self::Proved => "proved",
        }
    }
}

impl Bound {
    /// Where starts are rounded: what they are multiples of, and what the witness needs at its
    /// step without that. The rest of [`Bound::bytes`] is what rounding adds.
    #[must_use]
    pub fn rounded(&self, lifetimes: &Lifetimes) -> Option<(Bytes, Bytes)> {
        let BoundKind::Aligned { alignment } = self.kind else {
            return None;
        };
        let witness = self.witness.iter();
        let needs = witness
            .filter_map(|&index| lifetimes.buffers.get(index))
            .flat_map(Buffer::needs);
        let step = self.step?;
        let here = needs.filter(|need| need.span.contains(step));
        let sum = here.fold(0, |sum, need| need.bytes().0.saturating_add(sum));
        Some((alignment, Bytes(sum)))
    }
}

impl Bounds {
    /// The largest for plans of offsets that buffers witness; of equals the first.
    #[must_use]
    pub fn witnessed(&self) -> Option<&Bound> {
        let listed = self.list.iter().rev();
        let of_offsets = |bound: &&Bound| bound.kind.is_for_all_plans();
        listed
            .filter(of_offsets)
            .filter(|bound| !bound.witness.is_empty())
            .max_by_key(|bound| bound.bytes)
    }

    /// Adds what pools need together, for plans for that many pools.
    pub fn count_pools(&mut self, lifetimes: &Lifetimes, pools: usize) {
        if let Some(bound) = pooled(lifetimes, pools, self) {
            self.offsets = bound.bytes;
            self.witness.clone_from(&bound.witness);
            self.list.push(bound);
        }
    }

    /// Adds what an exact search has proved: no plan of offsets is below `bytes`.
    pub fn prove(&mut self, bytes: Bytes) {
        self.list.retain(|bound| bound.kind != BoundKind::Proved);
        self.list.push(Bound {
            kind: BoundKind::Proved,
            bytes,
            step: None,
            witness: Vec::new(),
            shared: Bytes::ZERO,
        });
        self.offsets = self.offsets.max(bytes);
    }
}

/// The bounds of `lifetimes` for plans whose blocks are aligned as each buffer asks for.
/// Sums beyond 64 bits are shown as the largest number.
#[must_use]
pub fn bounds(lifetimes: &Lifetimes) -> Bounds {
    aligned(lifetimes, Bytes(1))
}

/// The bounds of `lifetimes` for plans whose blocks are aligned to `alignment` bytes, and
/// each as its buffer asks for. Sums beyond 64 bits are shown as the largest number.
#[must_use]
pub fn aligned(lifetimes: &Lifetimes, alignment: Bytes) -> Bounds {
    let profile = profile::profile(lifetimes);
    let (partitions, stretches) = partitions::partitions(lifetimes, &profile);
    let live = live(lifetimes, &profile);
    let largest = largest(lifetimes).filter(|bound| bound.bytes > live.bytes);
    let mut list = vec![live];
    list.extend(largest);
    list.extend(stretches);
    list.extend(aligned::aligned(lifetimes, alignment));
    list.extend(fixed::fixed(lifetimes));
    let for_all = list.iter().enumerate().rev();
    let strongest = for_all.max_by_key(|(_, bound)| bound.bytes);
    let strongest = list[strongest.map_or(0, |(index, _)| index)].clone();
    let holders = profile::maxima_holders(lifetimes);
    let sizes = holders.iter().map(|&holder| lifetimes.buffers[holder].size);
    let maxima: Vec<Bytes> = sizes.collect();
    let objects = maxima
        .iter()
        .fold(0_u64, |sum, it| sum.saturating_add(it.0));
    list.push(Bound {
        kind: BoundKind::Maxima,
        bytes: Bytes(objects),
        step: None,
        witness: holders,
        shared: Bytes::ZERO,
    });
    Bounds {
        offsets: strongest.bytes,
        peak: strongest.step.unwrap_or_default(),
        witness: strongest.witness,
        objects: Bytes(objects),
        maxima,
        list,
        partitions,
    }
}

/// The largest sum of bytes needed at one step (Pisarchyk and Lee 2020).
fn live(lifetimes: &Lifetimes, profile: &Profile) -> Bound {
    let mut peak = (Bytes::ZERO, Step::default());
    for &(step, live) in &profile.points {
        if live > peak.0 {
            peak = (live, step);
        }
    }
    at_step(lifetimes, BoundKind::Live, peak)
}

/// A bound whose witness is all that is live at its step.
fn at_step(lifetimes: &Lifetimes, kind: BoundKind, (bytes, step): (Bytes, Step)) -> Bound {
    let witness = match bytes {
        Bytes::ZERO => Vec::new(),
        _ => profile::live_at(lifetimes, step),
    };
    let here = savings(lifetimes)
        .into_iter()
        .filter(|saving| saving.0 == step);
    let shared = here.fold(0, |sum, (_, _, bytes)| bytes.0.saturating_add(sum));
    Bound {
        kind,
        bytes,
        step: Some(step),
        witness,
        shared: Bytes(shared),
    }
}

fn largest(lifetimes: &Lifetimes) -> Option<Bound> {
    let needed = lifetimes.buffers.iter().enumerate().rev();
    let needed = needed.filter(|(_, buffer)| buffer.is_needed());
    let largest = needed.max_by_key(|(_, buffer)| buffer.size);
    let bound = |(index, buffer): (usize, &Buffer)| Bound {
        kind: BoundKind::Largest,
        bytes: buffer.size,
        step: Some(buffer.span.start),
        witness: vec![index],
        shared: Bytes::ZERO,
    };
    largest.map(bound)
}
