//! What another configuration of PyTorch's caching allocator would have reserved for the same
//! requests.
//!
//! A deployed trace says who asked for how many bytes, on which stream and from which private
//! pool, and when the block could be used again; all of this is the program's and the same
//! under any configuration. So it is asked for again from a model of the allocator. What was
//! there before the trace is asked for first, by address: how the free bytes around it came
//! about, and what was cached, the trace does not say. A request that failed is in no trace.
//!
//! Segments that went back to the device, with none taken right after them, were given back by
//! the program's own `empty_cache`, or by a request that failed all the same: that comes in
//! every replay. Where one is taken right after them and would have gone beyond the most
//! that was ever reserved, the device may have had no room for it: then that most stands for
//! the device's capacity, if the file's own configuration, replayed so, reserves what the
//! trace says. Otherwise it was the program here, too.

use crate::caching_allocator::{Allocator, AllocatorSettings, Block};
use crate::liveness::Lifetimes;
use crate::plan::{Plan, Segments};
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
}

/// What a configuration makes of the requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// Bytes reserved from each step on, where they change.
    pub reserved: Vec<(Step, Bytes)>,
    /// The most of them at a time.
    pub peak: Bytes,
    /// The most segments at a time; an expandable one counts from its first page on.
    pub segments: u64,
    /// Requests for which there was no room; they are left out.
    pub failed: u64,
}

/// The surroundings as far as a trace shows them, see the module; with a `capacity` where it is
/// known.
#[must_use]
pub fn surroundings(lifetimes: &Lifetimes, plan: &Plan, capacity: Option<Bytes>) -> Surroundings {
    let none = Segments::default();
    let segments = plan.segments.as_ref().unwrap_or(&none);
    let points = segments.reserved();
    let most = points.iter().map(|point| point.1).max();
    let (mut emptied, mut forced) = releases(segments.settings, &points);
    for _ in 0..TRIES {
        let full = capacity.or(most.filter(|_| !forced.is_empty()));
        let found = Surroundings {
            capacity: full,
            emptied: emptied.clone(),
        };
        let replayed = reserved_under(lifetimes, plan, segments.settings, &found);
        let differs = first_difference(lifetimes, &points, &replayed.reserved);
        let wrong = differs.and_then(|step| forced.iter().rposition(|it| *it <= step));
        let Some(wrong) = wrong else {
            return found;
        };
        emptied.push(forced.remove(wrong));
        emptied.order();
    }
    emptied.append(&mut forced);
    emptied.order();
    Surroundings { capacity, emptied }
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
    let at = |points: &[(Step, Bytes)], step: Step| {
        let after = points.partition_point(|point| point.0 <= step);
        let last = after.checked_sub(1).and_then(|last| points.get(last));
        last.map_or(Bytes::ZERO, |point| point.1)
    };
    let starts = lifetimes.buffers.iter().map(|buffer| buffer.span.start);
    starts
        .filter(|&step| at(one, step) != at(other, step))
        .min()
}

/// What is done at a step, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Deed {
    Empty,
    Free(usize),
    /// Where the trace has it, and which buffer.
    Alloc((u64, u64), usize),
}

/// The requests of a trace under `settings`; a buffer without a segment is asked for on stream 0.
#[must_use]
pub fn reserved_under(
    lifetimes: &Lifetimes,
    plan: &Plan,
    settings: AllocatorSettings,
    surroundings: &Surroundings,
) -> Replayed {
    let segment = |buffer| plan.segments.as_ref().and_then(|it| it.of(buffer));
    let capacity = surroundings.capacity.map(|it| it.0);
    let mut allocator = Allocator::new(settings, capacity);
    let mut blocks: Vec<Option<Block>> = vec![None; lifetimes.buffers.len()];
    let mut replayed = Replayed::default();
    let deeds = deeds(lifetimes, plan, surroundings);
    for at_once in deeds.chunk_by(|one, other| one.0 == other.0) {
        for &(_, deed) in at_once {
            match deed {
                Deed::Empty => allocator.empty_cache(),
                Deed::Free(index) => {
                    let block = blocks.get_mut(index).and_then(Option::take);
                    if let Some(block) = block {
                        allocator.free(block);
                    }
                }
                Deed::Alloc(_, index) => {
                    let payload = lifetimes.buffers.get(index).map_or(0, |it| it.payload.0);
                    let owner = segment(index).map(|it| (it.stream, it.pool));
                    let block = allocator.alloc(payload, owner.unwrap_or_default());
                    replayed.failed += u64::from(block.is_none());
                    if let Some(slot) = blocks.get_mut(index) {
                        *slot = block;
                    }
                }
            }
        }
        let now = Bytes(allocator.reserved);
        let last = replayed.reserved.last().map_or(Bytes::ZERO, |last| last.1);
        if let Some(&(step, _)) = at_once.first()
            && now != last
        {
            replayed.reserved.push((step, now));
        }
    }
    replayed.peak = Bytes(allocator.peak);
    replayed.segments = allocator.most_segments;
    replayed
}

/// All that is to be done, in order.
fn deeds(lifetimes: &Lifetimes, plan: &Plan, surroundings: &Surroundings) -> Vec<(Step, Deed)> {
    let buffers = lifetimes.buffers.iter().enumerate();
    let buffers = buffers.filter(|(_, buffer)| !buffer.span.is_empty());
    let deeds = buffers.flat_map(|(index, buffer)| {
        let segment = plan.segments.as_ref().and_then(|it| it.of(index));
        let offset = plan.offsets.get(index).map_or(0, |offset| offset.0);
        let place = (segment.map_or(0, |segment| segment.address), offset);
        [
            (buffer.span.start, Deed::Alloc(place, index)),
            (buffer.span.end, Deed::Free(index)),
        ]
    });
    let emptied = surroundings.emptied.iter();
    let mut deeds: Vec<(Step, Deed)> = emptied
        .map(|&step| (step, Deed::Empty))
        .chain(deeds)
        .collect();
    // What is there to the end is never given back.
    deeds.retain(|(step, deed)| *step < lifetimes.horizon || matches!(deed, Deed::Empty));
    deeds.order();
    deeds
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
