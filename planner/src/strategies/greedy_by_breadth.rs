//! GREEDY_BY_BREADTH: the step with the most live bytes decides first.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::cmp::Reverse;

use super::breadth::by_breadth;
use super::description::{AboveNaive, Capabilities, Description, Family, Growth, Model};
use super::objects::{Assignment, Schedule};
use super::records::{Record, records};
use super::{Match, Observer, PlanError, Strategy};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};

pub(super) const STRATEGY: Description = Description {
    name: "greedy_by_breadth",
    source: "Pisarchyk and Lee 2020 (arXiv 2001.03288), as in TFLite",
    family: Family::TfliteGpu,
    model: Model::Objects,
    cost: "O(n · objects · log n)",
    growth: Growth::Linear,
    capabilities: Capabilities::OBJECTS,
    above_naive: Some(AboveNaive::Padding),
    limit: None,
};

/// Steps by breadth; at each the buffers by size. Each takes the smallest suitable object
/// that holds it, else the largest suitable one, which grows, else a new one. An object is
/// suitable when none of its buffers is live at the same time.
pub(super) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let records = records(lifetimes);
    let mut objects = Assignment::new(lifetimes, observer)?;
    let mut pool = Pool::default();
    for index in by_breadth(&records) {
        let record = &records[index];
        let found = pool.find(record);
        if let Some((size, object)) = found {
            pool.by_size.remove(&(size, object));
            pool.by_size_down.remove(&(Reverse(size), object));
        } else {
            pool.schedules.push(Schedule::default());
        }
        let object = found.map(|(_, object)| object);
        objects.chosen(record, Match::SmallestThatHolds, object)?;
        let object = objects.give(record, object)?;
        pool.schedules[object].take(record);
        pool.by_size.insert((objects.size(object), object));
        pool.by_size_down
            .insert((Reverse(objects.size(object)), object));
    }
    objects.into_plan(Strategy::GreedyByBreadth, options)
}

/// The objects, by ascending and by descending size; lower ids first among equals in both.
#[derive(Default)]
struct Pool {
    schedules: Vec<Schedule>,
    by_size: BTreeSet<(u64, usize)>,
    by_size_down: BTreeSet<(Reverse<u64>, usize)>,
}

impl Pool {
    fn find(&self, record: &Record) -> Option<(u64, usize)> {
        let suits = |object: usize| self.schedules[object].distance(record).is_some();
        let larger = self.by_size.range((record.size, 0)..);
        let smaller = self
            .by_size_down
            .range((Reverse(record.size), usize::MAX)..)
            .map(|&(Reverse(size), object)| (size, object));
        let mut candidates = larger.copied().chain(smaller);
        candidates.find(|&(_, object)| suits(object))
    }
}
