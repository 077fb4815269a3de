//! GREEDY_BY_SIZE over shared objects, improved: buffers by the positional maximum they fall
//! under, then by nearness in time to a buffer that already has an object.

use alloc::vec::Vec;
use core::cmp::Reverse;

use super::description::{AboveNaive, Capabilities, Description, Family, Growth, Model};
use super::objects::{Assignment, Schedule};
use super::records::{Record, records};
use super::{Match, Observer, PlanError, Strategy};
use crate::liveness::{Lifetimes, profile};
use crate::message;
use crate::plan::{Options, Plan};
use crate::sorting::Sorting as _;

pub(super) const STRATEGY: Description = Description {
    name: "greedy_by_size",
    source: "Pisarchyk and Lee 2020 (arXiv 2001.03288), as in TFLite",
    family: Family::TfliteGpu,
    model: Model::Objects,
    cost: "O(n²), O(n² · objects) at worst",
    growth: Growth::Square,
    capabilities: Capabilities::OBJECTS,
    above_naive: Some(AboveNaive::Padding),
    limit: Some(LIMIT),
};

/// More buffers than this are refused: the time grows with their square.
pub(super) const LIMIT: usize = 1 << 16;

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
    let records = records(lifetimes);
    if records.len() > LIMIT {
        return Err(PlanError::Unsupported {
            what: message!("more than {} buffers by size over shared objects", LIMIT),
        });
    }
    let maxima = profile::positional_maxima(lifetimes);
    let mut waiting: Vec<Waiting> = records
        .into_iter()
        .map(|record| Waiting {
            record,
            position: maxima.partition_point(|maximum| maximum.0 >= record.size),
            nearest: None,
        })
        .collect();
    waiting.order_by_key(|w| (w.position, Reverse(w.record.size)));
    // The first last: it is cheap to take from the end.
    waiting.reverse();
    let mut objects = Assignment::new(lifetimes, observer)?;
    let mut schedules: Vec<Schedule> = Vec::new();
    while let Some(chosen) = next(&waiting) {
        let Waiting {
            record, nearest, ..
        } = waiting.remove(chosen);
        let nearest = nearest.map(|(object, _)| object);
        objects.chosen(&record, Match::NearestInTime, nearest)?;
        let object = objects.give(&record, nearest)?;
        if object == schedules.len() {
            schedules.push(Schedule::default());
        }
        let room = schedules[object].room(&record);
        schedules[object].take(&record);
        for one in &mut waiting {
            one.update(object, &record, room, &schedules);
        }
    }
    objects.into_plan(Strategy::GreedyBySize, options)
}

/// The record to take next: within the first position the first of the nearest. The first
/// stands last.
fn next(waiting: &[Waiting]) -> Option<usize> {
    let position = waiting.last()?.position;
    let in_turn = waiting.iter().enumerate().rev();
    let group = in_turn.take_while(|(_, w)| w.position == position);
    let distance = |w: &Waiting| w.nearest.map_or(u64::MAX, |(_, distance)| distance);
    let nearest = group.min_by_key(|(_, w)| distance(w));
    nearest.map(|(index, _)| index)
}

impl Waiting {
    /// Takes note that `object` now holds `filled` too, which had `room` around it.
    ///
    /// A record that reaches out of that room is no concern of `filled`: something else in
    /// the object overlaps it or is nearer.
    fn update(&mut self, object: usize, filled: &Record, room: (u64, u64), schedules: &[Schedule]) {
        let Record { start, end, .. } = self.record;
        let distance = if end <= filled.start {
            if start < room.0 {
                return;
            }
            filled.start - end + 1
        } else if filled.end <= start {
            if end > room.1 {
                return;
            }
            start - filled.end + 1
        } else {
            if self.nearest.is_some_and(|(nearest, _)| nearest == object) {
                self.nearest = self.search(schedules);
            }
            return;
        };
        if self.nearest.is_none_or(|(_, known)| distance < known) {
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
