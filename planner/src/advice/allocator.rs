//! What the file shows of an allocator's surroundings, and the settings that are tried.
//!
//! Segments that went back to the device, with none taken right after them, were given back by
//! the program's own `empty_cache`, or by a request that failed all the same: that comes in
//! every replay. Where one is taken right after them and would have gone beyond the most
//! that was ever reserved, the device may have had no room for it: then that most stands for
//! the device's capacity, if the file's own configuration, replayed so, reserves what the
//! trace says. Otherwise it was the program here, too.
//!
//! A request that failed says what the device had left then: with what was reserved, that is its
//! capacity. Where the device had room for the request itself, the program was limited to less,
//! and the most that was ever reserved stands for the limit.

use super::requests::reserved_under;
use crate::caching_allocator::AllocatorSettings;
use crate::deployed::Refused;
use crate::liveness::Lifetimes;
use crate::plan::{Plan, Segment, Segments};
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Step};

const MIB: u64 = 1 << 20;

/// How many releases are taken for the device's at first and found to be the program's, before
/// all are.
const TRIES: usize = 8;

/// What the allocator takes memory from, and when it is told to give it back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// Bytes that it may reserve; `None` for no limit.
    pub capacity: Option<Bytes>,
    /// Steps before which everything cached is given back, ascending.
    pub emptied: Vec<Step>,
    /// Requests that failed, by step: they are made again, and what they get is given back with
    /// the next step, for what the program would have done with it nobody knows.
    pub refused: Vec<Refused>,
    /// Buffers that are asked for right after what was there before the trace, by index, ascending.
    pub first: Vec<usize>,
}

/// The surroundings as far as a trace shows them, see the module; with a `capacity` where it is
/// known.
#[must_use]
pub fn surroundings(
    lifetimes: &Lifetimes,
    plan: &Plan,
    refused: &[Refused],
    capacity: Option<Bytes>,
) -> Surroundings {
    let none = Segments::default();
    let segments = plan.segments.as_ref().unwrap_or(&none);
    let points = segments.reserved();
    let shown = |capacity| shown((lifetimes, plan, segments), &points, refused, capacity);
    let Some(device) = capacity.or_else(|| device(&points, refused)) else {
        return shown(None);
    };
    let limited = refused
        .last()
        .is_some_and(|it| Segment::has_room(it.asked, it.device_free));
    match capacity.is_none() && limited {
        true => shown(points.iter().map(|point| point.1).max()),
        false => shown(Some(device)),
    }
}

/// Bytes that the device has for this program, from what it had left when a request failed.
fn device(points: &[(Step, Bytes)], refused: &[Refused]) -> Option<Bytes> {
    let sums = refused.iter().map(|it| {
        let reserved = at(points, it.step);
        Bytes(reserved.0.saturating_add(it.device_free.0))
    });
    let most = points.iter().map(|point| point.1).max();
    sums.max().max(most.filter(|_| !refused.is_empty()))
}

/// The surroundings under `capacity`.
fn shown(
    (lifetimes, plan, segments): (&Lifetimes, &Plan, &Segments),
    points: &[(Step, Bytes)],
    refused: &[Refused],
    capacity: Option<Bytes>,
) -> Surroundings {
    let most = points.iter().map(|point| point.1).max();
    let (mut emptied, mut forced) = releases(segments.settings, points);
    let mut found = Surroundings {
        refused: refused.to_vec(),
        ..Surroundings::default()
    };
    let replay = |found: &Surroundings| reserved_under(lifetimes, plan, segments.settings, found);
    for _ in 0..TRIES {
        found.capacity = capacity.or(most.filter(|_| !forced.is_empty()));
        found.emptied.clone_from(&emptied);
        let replayed = replay(&found);
        let differs = first_difference(lifetimes, points, &replayed.reserved);
        let wrong = differs.and_then(|step| forced.iter().rposition(|it| *it <= step));
        let Some(wrong) = wrong else {
            return found;
        };
        emptied.push(forced.remove(wrong));
        emptied.order();
    }
    emptied.append(&mut forced);
    emptied.order();
    (found.capacity, found.emptied) = (capacity, emptied);
    found
}

/// The first steps of the runs of releases: those of the program, and those that may have made
/// room for the segment taken right after them.
fn releases(settings: AllocatorSettings, points: &[(Step, Bytes)]) -> (Vec<Step>, Vec<Step>) {
    let most = points.iter().map(|point| point.1).max().unwrap_or_default();
    let (mut emptied, mut forced) = (Vec::new(), Vec::new());
    // Its first and its last step, and what was reserved before it.
    let mut run: Option<(Step, Step, Bytes)> = None;
    let mut was = Bytes::ZERO;
    for &(step, now) in points {
        let before = run.take();
        let next = before.filter(|(_, last, _)| last.0.saturating_add(1) == step.0);
        match (before, next) {
            (_, Some((first, _, full))) if now < was => run = Some((first, step, full)),
            (_, Some((first, _, full))) => {
                let taken = now.0.saturating_sub(was.0);
                let beyond = full.0.saturating_add(taken) > most.0;
                match beyond || settings.collect_above > 0 {
                    true => forced.push(first),
                    false => emptied.push(first),
                }
            }
            (before, None) => {
                emptied.extend(before.map(|it| it.0));
                run = (now < was).then_some((step, step, was));
            }
        }
        was = now;
    }
    // Everything ends after the last step, which is no release.
    emptied.extend(run.filter(|it| it.0 < it.1).map(|it| it.0));
    (emptied, forced)
}

/// The first step with a request after which two curves differ.
fn first_difference(
    lifetimes: &Lifetimes,
    one: &[(Step, Bytes)],
    other: &[(Step, Bytes)],
) -> Option<Step> {
    let starts = lifetimes.buffers.iter().map(|buffer| buffer.span.start);
    starts
        .filter(|&step| at(one, step) != at(other, step))
        .min()
}

/// What a curve has at `step`.
fn at(points: &[(Step, Bytes)], step: Step) -> Bytes {
    let after = points.partition_point(|point| point.0 <= step);
    let last = after.checked_sub(1).and_then(|last| points.get(last));
    last.map_or(Bytes::ZERO, |point| point.1)
}

/// `own` with one of its settings at a usual value, each once.
pub(super) fn usual(own: AllocatorSettings) -> Vec<AllocatorSettings> {
    let mut all = vec![AllocatorSettings::DEFAULT];
    all.extend([false, true].map(|expandable| AllocatorSettings { expandable, ..own }));
    let sizes = [32, 64, 128, 256, 512];
    all.extend(sizes.map(|mib| AllocatorSettings {
        max_split: mib * MIB,
        ..own
    }));
    all.extend([4, 8, 16].map(|parts| AllocatorSettings {
        divisions: [parts; 16],
        ..own
    }));
    all.extend([0.6, 0.8].map(|share| AllocatorSettings {
        collect_above: AllocatorSettings::collects_above(share),
        ..own
    }));
    let mut once: Vec<AllocatorSettings> = Vec::new();
    for settings in all {
        if settings != own && !once.contains(&settings) {
            once.push(settings);
        }
    }
    once
}
