//! Requests put to a model of PyTorch's caching allocator: what is allocated and reserved after
//! each, and what for.
//!
//! A block counts with all of its bytes, as `memory_allocated` does, so that what purposes have
//! sums to what is allocated. There is one stream, so what is active is what is allocated.

use serde::{Deserialize, Serialize};

use super::Estimate;
use super::profile::{PURPOSES, Purpose};
use super::requests::{Act, Event, Request, Requests};
use crate::caching_allocator::{Allocator, AllocatorSettings, Block};
use crate::schedule::Phase;
use crate::sorting::Sorting as _;
use crate::units::Bytes;

/// The most points that an estimate has: of more, each stands for several events.
pub const POINTS: usize = 1 << 12;

/// The most requests that are listed of a peak.
pub const LISTED: usize = 64;

/// What is there after an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Point {
    /// The event, counted from 0.
    pub event: usize,
    /// The step that it belongs to, counted from 1; 0 for before the first.
    pub step: u32,
    /// The part of the step; `None` before the first.
    pub phase: Option<Phase>,
    /// Allocated bytes by purpose, in the order of [`Purpose::ALL`].
    pub bytes: [Bytes; PURPOSES],
    /// What was asked for, before it was rounded up.
    pub requested: Bytes,
    /// What is handed out.
    pub allocated: Bytes,
    /// What is taken from the device.
    pub reserved: Bytes,
}

impl Point {
    /// What a kernel may still use: on one stream what is allocated.
    #[must_use]
    pub const fn active(&self) -> Bytes {
        self.allocated
    }

    /// What is allocated for `purpose`.
    #[must_use]
    pub const fn of(&self, purpose: Purpose) -> Bytes {
        self.bytes[purpose.index()]
    }
}

/// Something that is there at the peak.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// What is in it.
    pub name: String,
    /// What it is for.
    pub purpose: Purpose,
    /// Allocated bytes.
    pub bytes: Bytes,
}

/// The most of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepPeak {
    /// The step, counted from 1; 0 for before the first.
    pub step: u32,
    /// The most bytes that are allocated at a time.
    pub allocated: Bytes,
    /// The most bytes that are reserved at a time.
    pub reserved: Bytes,
}

/// What the allocator makes of `requests` under `settings`, on a device with `capacity` bytes for
/// them. Requests for which there is no room are left out and counted.
#[must_use]
pub fn replay(
    requests: &Requests,
    settings: AllocatorSettings,
    capacity: Option<Bytes>,
) -> Estimate {
    let mut replay = Replay::new(requests, settings, capacity);
    let mut record = Record::new(requests.events.len());
    for (index, event) in requests.events.iter().enumerate() {
        replay.act(event);
        record.take(Point {
            event: index,
            step: event.step,
            phase: event.phase,
            ..replay.point()
        });
    }
    let (holds, more) = held(requests, settings, capacity, record.peak.event);
    Estimate {
        reserved: Bytes(replay.allocator.peak),
        segments: replay.allocator.most_segments,
        failed: replay.failed,
        holds,
        more,
        ..record.estimate()
    }
}

/// What is needed of a device under settings, without what happens at each event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::training) struct Needed {
    /// The most bytes that are allocated at a time.
    pub(in crate::training) allocated: u64,
    /// The most bytes that are reserved at a time.
    pub(in crate::training) reserved: u64,
    /// Whether every request is met.
    pub(in crate::training) met: bool,
}

/// What is needed of a device with `capacity` bytes; it ends with the first request for which there
/// is no room.
pub(in crate::training) fn needed(
    requests: &Requests,
    settings: AllocatorSettings,
    capacity: Option<u64>,
) -> Needed {
    let mut replay = Replay::new(requests, settings, capacity.map(Bytes));
    let mut allocated = 0;
    for event in &requests.events {
        replay.act(event);
        allocated = allocated.max(replay.allocated);
        if replay.failed > 0 {
            break;
        }
    }
    Needed {
        allocated,
        reserved: replay.allocator.peak,
        met: replay.failed == 0,
    }
}

/// What there is after the event at `last`, the largest first, and what is not listed of it.
fn held(
    requests: &Requests,
    settings: AllocatorSettings,
    capacity: Option<Bytes>,
    last: usize,
) -> (Vec<Held>, (usize, Bytes)) {
    let mut replay = Replay::new(requests, settings, capacity);
    let events = requests.events.iter().take(last.saturating_add(1));
    events.for_each(|event| replay.act(event));
    let there = replay.blocks.iter().zip(&requests.list);
    let there = there.filter_map(|(block, request)| {
        let bytes = Bytes(block.as_ref()?.bytes());
        Some((request, bytes))
    });
    list(there.map(|(request, bytes)| (&*request.name, request.purpose, bytes)))
}

/// What is there, the largest first, of equals the first; at most [`LISTED`], and what is beyond.
pub(super) fn list<'a>(
    there: impl Iterator<Item = (&'a str, Purpose, Bytes)>,
) -> (Vec<Held>, (usize, Bytes)) {
    let mut all: Vec<_> = there.collect();
    all.order_by_key(|it| std::cmp::Reverse(it.2));
    let beyond = all.get(LISTED..).unwrap_or_default();
    let bytes = beyond
        .iter()
        .fold(0_u64, |sum, it| sum.saturating_add(it.2.0));
    let more = (beyond.len(), Bytes(bytes));
    let listed = all.iter().take(LISTED).map(|&(name, purpose, bytes)| Held {
        name: name.to_owned(),
        purpose,
        bytes,
    });
    (listed.collect(), more)
}

struct Replay<'a> {
    list: &'a [Request],
    allocator: Allocator,
    blocks: Vec<Option<Block>>,
    bytes: [u64; PURPOSES],
    requested: u64,
    allocated: u64,
    failed: u64,
}

impl<'a> Replay<'a> {
    fn new(requests: &'a Requests, settings: AllocatorSettings, capacity: Option<Bytes>) -> Self {
        Self {
            list: &requests.list,
            allocator: Allocator::new(settings, capacity.map(|it| it.0)),
            blocks: vec![None; requests.list.len()],
            bytes: [0; PURPOSES],
            requested: 0,
            allocated: 0,
            failed: 0,
        }
    }

    fn act(&mut self, event: &Event) {
        let index = event.request as usize;
        let (Some(request), Some(slot)) = (self.list.get(index), self.blocks.get_mut(index)) else {
            return;
        };
        let of_purpose = &mut self.bytes[request.purpose.index()];
        match event.act {
            Act::Allocate => {
                let Some(block) = self.allocator.alloc(request.bytes.0, (0, (0, 0))) else {
                    self.failed += 1;
                    return;
                };
                *of_purpose = of_purpose.saturating_add(block.bytes());
                self.allocated = self.allocated.saturating_add(block.bytes());
                self.requested = self.requested.saturating_add(request.bytes.0);
                *slot = Some(block);
            }
            Act::Free => {
                let Some(block) = slot.take() else {
                    return;
                };
                *of_purpose = of_purpose.saturating_sub(block.bytes());
                self.allocated = self.allocated.saturating_sub(block.bytes());
                self.requested = self.requested.saturating_sub(request.bytes.0);
                self.allocator.free(block);
            }
        }
    }

    /// What there is now, whatever event that is after.
    fn point(&self) -> Point {
        Point {
            bytes: self.bytes.map(Bytes),
            requested: Bytes(self.requested),
            allocated: Bytes(self.allocated),
            reserved: Bytes(self.allocator.reserved),
            ..Point::default()
        }
    }
}

/// Points as they come: of very many, the one with most of each run of events.
pub(super) struct Record {
    each: usize,
    events: usize,
    points: Vec<Point>,
    peak: Point,
    steps: Vec<StepPeak>,
}

impl Record {
    pub(super) fn new(events: usize) -> Self {
        Self {
            each: events.div_ceil(POINTS).max(1),
            events,
            points: Vec::new(),
            peak: Point::default(),
            steps: Vec::new(),
        }
    }

    pub(super) fn take(&mut self, point: Point) {
        let most = |it: &Point| (it.allocated, it.requested);
        if most(&point) > most(&self.peak) {
            self.peak = point;
        }
        match self.points.last_mut() {
            Some(last) if last.event / self.each == point.event / self.each => {
                if most(&point) > most(last) {
                    *last = point;
                }
            }
            _ => self.points.push(point),
        }
        if self.steps.last().is_none_or(|last| last.step != point.step) {
            self.steps.push(StepPeak {
                step: point.step,
                ..StepPeak::default()
            });
        }
        if let Some(step) = self.steps.last_mut() {
            step.allocated = step.allocated.max(point.allocated);
            step.reserved = step.reserved.max(point.reserved);
        }
    }

    /// An estimate with them.
    pub(super) fn estimate(self) -> Estimate {
        Estimate {
            points: self.points,
            peak: self.peak,
            steps: self.steps,
            events: self.events,
            ..Estimate::default()
        }
    }
}
