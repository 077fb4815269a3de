//! GREEDY_IN_ORDER: buffers in order of first use, each into the free object of the closest
//! size.

use alloc::collections::BTreeSet;

use super::description::{AboveNaive, Capabilities, Description, Family, Growth, Model};
use super::objects::Assignment;
use super::records::{InUse, in_order};
use super::{Match, Observer, PlanError, Strategy};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};

pub(super) const STRATEGY: Description = Description {
    name: "greedy_in_order",
    source: "Lee et al. 2019 (arXiv 1907.01989), as in TFLite GREEDY_IN_ORDER",
    family: Family::TfliteGpu,
    model: Model::Objects,
    cost: "O(n log n)",
    growth: Growth::Linear,
    capabilities: Capabilities::OBJECTS,
    above_naive: Some(AboveNaive::Padding),
    limit: None,
};

/// Buffers in order of first use; each takes the free object whose size is closest to its
/// own, the larger one on ties, however bad the match; the object grows if it must.
pub(super) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let mut objects = Assignment::new(lifetimes, observer)?;
    let mut free = BTreeSet::new();
    let mut in_use = InUse::default();
    for record in in_order(lifetimes) {
        while let Some(object) = in_use.release(record.start) {
            free.insert((objects.size(object), object));
        }
        let chosen = closest(&free, record.size);
        if let Some(entry) = chosen {
            free.remove(&entry);
        }
        let object = chosen.map(|(_, object)| object);
        objects.chosen(&record, Match::ClosestSize, object)?;
        let object = objects.give(&record, object)?;
        in_use.add(record.end, object);
    }
    objects.into_plan(Strategy::GreedyInOrder, options)
}

/// The entry (size, object) closest to `wanted`: of the larger ones the smallest with the
/// lowest id, of the smaller ones the largest with the highest id.
fn closest(free: &BTreeSet<(u64, usize)>, wanted: u64) -> Option<(u64, usize)> {
    let larger = free.range((wanted, 0)..).next().copied();
    let smaller = free.range(..(wanted, 0)).next_back().copied();
    match (smaller, larger) {
        (Some(below), Some(above)) if wanted - below.0 < above.0 - wanted => Some(below),
        (below, above) => above.or(below),
    }
}
