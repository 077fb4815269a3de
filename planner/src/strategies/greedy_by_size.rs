//! GREEDY_BY_SIZE over shared objects, improved: buffers by the positional maximum they fall
//! under, then by nearness in time to a buffer that already has an object.

use std::cmp::Reverse;

use super::objects::{Assignment, Schedule};
use super::records::{Record, records};
use super::{Observer, PlanError, Strategy};
use crate::liveness::{Lifetimes, profile};
use crate::plan::{Options, Plan};

/// A record without an object, and the nearest object that suits it.
struct Waiting {
    record: Record,
    /// How many positional maxima hold it.
    position: usize,
    /// Object and distance in steps.
    nearest: Option<(usize, u64)>,
}

/// Repeatedly takes the buffer with the lowest position, then the smallest distance to a
/// suitable object, then the largest size, then the lowest index; it joins that object, or
/// opens one when none suits it.
///
/// Distances are kept up to date as objects fill instead of being computed anew: a record's
/// nearest object changes only when the object just filled comes closer, or stops suiting.
pub(super) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let maxima = profile::positional_maxima(lifetimes);
    let mut waiting: Vec<Waiting> = records(lifetimes)
        .into_iter()
        .map(|record| Waiting {
            record,
            position: maxima.partition_point(|maximum| maximum.0 >= record.size),
            nearest: None,
        })
        .collect();
    waiting.sort_by_key(|w| (w.position, Reverse(w.record.size)));
    let mut objects = Assignment::new(lifetimes, observer)?;
    let mut schedules: Vec<Schedule> = Vec::new();
    while let Some(chosen) = next(&waiting) {
        let Waiting {
            record, nearest, ..
        } = waiting.remove(chosen);
        let object = objects.give(&record, nearest.map(|(object, _)| object))?;
        if object == schedules.len() {
            schedules.push(Schedule::default());
        }
        schedules[object].take(&record);
        for one in &mut waiting {
            one.update(object, &record, &schedules);
        }
    }
    objects.into_plan(Strategy::GreedyBySize, options)
}

/// The record to take next: within the first position the first of the nearest.
fn next(waiting: &[Waiting]) -> Option<usize> {
    let position = waiting.first()?.position;
    let group = waiting.iter().take_while(|w| w.position == position);
    let distance = |w: &Waiting| w.nearest.map_or(u64::MAX, |(_, distance)| distance);
    let nearest = group.enumerate().min_by_key(|(_, w)| distance(w));
    nearest.map(|(index, _)| index)
}

impl Waiting {
    /// Takes note that `object` now holds `filled` too.
    fn update(&mut self, object: usize, filled: &Record, schedules: &[Schedule]) {
        let distance = if self.record.end <= filled.start {
            filled.start - self.record.end + 1
        } else if filled.end <= self.record.start {
            self.record.start - filled.end + 1
        } else {
            if self.nearest.is_some_and(|(nearest, _)| nearest == object) {
                self.nearest = self.search(schedules);
            }
            return;
        };
        let closer = self.nearest.is_none_or(|(_, known)| distance < known);
        if closer && schedules[object].distance(&self.record).is_some() {
            self.nearest = Some((object, distance));
        }
    }

    /// The nearest suitable object, the lowest id on ties.
    fn search(&self, schedules: &[Schedule]) -> Option<(usize, u64)> {
        let distance = |schedule: &Schedule| schedule.distance(&self.record);
        let suitable = schedules.iter().map(distance).enumerate();
        let suitable = suitable.filter_map(|(object, distance)| Some((object, distance?)));
        suitable.min_by_key(|&(_, distance)| distance)
    }
}
