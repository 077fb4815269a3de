//! A plan as what an allocator would have recorded: events in their order, and the segments with
//! their blocks at the end.
//!
//! The plan of a trace gives its own events back, one a step. Of any other plan every buffer is
//! taken at its first step and given back at its end, at one made-up base address.

use std::collections::BTreeMap;

use crate::deployed::{Hold, Note, Refused, Scope, Stacks};
use crate::liveness::Lifetimes;
use crate::plan::{Plan, Segment, Segments};
use crate::sorting::Sorting as _;
use crate::units::{Span, Step};

/// Where a plan that knows no addresses begins: above what a process has by itself.
const BASE: u64 = 0x7f00_0000_0000;

/// A plan with what is known of it.
#[derive(Clone, Copy)]
pub struct Recorded<'p> {
    /// What it is called.
    pub name: &'p str,
    /// What is placed.
    pub lifetimes: &'p Lifetimes,
    /// Where.
    pub plan: &'p Plan,
    /// What the file says of each buffer, in the buffers' order, or nothing.
    pub notes: &'p [Note],
    /// The stacks that the notes lead to.
    pub stacks: &'p Stacks,
    /// What the program said that it was about.
    pub scopes: &'p [Scope],
    /// Requests that failed.
    pub refused: &'p [Refused],
    /// When each step began, in microseconds, or nothing.
    pub clock: &'p [u64],
    /// The operator that writes each buffer, in the buffers' order; empty where none is known.
    pub makers: &'p [String],
    /// Names of the steps, or nothing.
    pub steps: &'p [&'p str],
}

/// What an allocator does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum What {
    FreeRequested,
    FreeCompleted,
    Return,
    Take,
    OutOfMemory,
    Alloc,
    Nothing,
}

/// One event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub(super) step: u64,
    pub(super) what: What,
    /// The buffer, of what takes or gives back one; the request, of one that failed.
    pub(super) of: usize,
    pub(super) address: u64,
    pub(super) size: u64,
    pub(super) stream: i64,
    /// Whether a segment grows in place.
    pub(super) expandable: bool,
}

/// What is there at the end.
#[derive(Clone, Debug)]
pub(super) struct Left {
    pub(super) address: u64,
    pub(super) size: u64,
    pub(super) stream: i64,
    pub(super) pool: (i64, i64),
    pub(super) small: bool,
    pub(super) expandable: bool,
    /// Address and buffer.
    pub(super) blocks: Vec<(u64, usize)>,
}

/// What is written.
pub(super) struct Recording {
    pub(super) events: Vec<Event>,
    pub(super) segments: Vec<Left>,
    /// Whether these are the events of a trace, whose blocks an allocator has rounded.
    pub(super) traced: bool,
}

impl Recorded<'_> {
    /// How many buffers cannot be said: those that share bytes with another one at the same time
    /// end early, and those without bytes are left out.
    #[must_use]
    pub fn not_in_recording(&self) -> usize {
        if self.traced().is_some() {
            return 0;
        }
        let (_, cut) = self.stays();
        let empty = self.lifetimes.buffers.iter().filter(|it| it.size.0 == 0);
        cut + empty.count()
    }

    /// Its segments, where it is the plan of a trace.
    fn traced(&self) -> Option<&Segments> {
        let segments = self.plan.segments.as_ref()?;
        let count = self.lifetimes.buffers.len();
        let known = self.notes.len() == count && segments.of_buffer.len() == count;
        let streams = self.notes.iter().all(|note| note.stream.is_some());
        Some(segments).filter(|_| known && streams)
    }

    pub(super) fn recording(&self) -> Recording {
        match self.traced() {
            Some(segments) => Recording {
                events: self.events_of_trace(segments),
                segments: self.left_of_trace(segments),
                traced: true,
            },
            None => {
                let (stays, _) = self.stays();
                Recording {
                    events: self.events_of_plan(&stays),
                    segments: self.left_of_plan(&stays),
                    traced: false,
                }
            }
        }
    }

    /// When a step began, in microseconds; a step a microsecond where that is not known.
    pub(super) fn time(&self, step: u64) -> u64 {
        let index = usize::try_from(step).unwrap_or(usize::MAX);
        match self.clock.get(index).or(self.clock.last()) {
            Some(&time) => time,
            None => step,
        }
    }

    fn offset(&self, buffer: usize) -> u64 {
        self.plan.offsets.get(buffer).map_or(0, |offset| offset.0)
    }

    fn horizon(&self) -> u64 {
        self.lifetimes.horizon.0
    }
}

/// Traces.
impl Recorded<'_> {
    /// One event a step, from step 1 on; where nothing is known of a step, [`What::Nothing`].
    fn events_of_trace(&self, segments: &Segments) -> Vec<Event> {
        let mut found: BTreeMap<u64, Event> = BTreeMap::new();
        let mut put = |event: Event| {
            let known = found.entry(event.step).or_insert(event);
            // A block that is taken where another one still lies ends it: one event.
            if event.what > known.what {
                *known = event;
            }
        };
        for event in self.moves(segments) {
            put(event);
        }
        for event in self.blocks(segments) {
            put(event);
        }
        for (index, refused) in self.refused.iter().enumerate() {
            put(Event {
                step: refused.step.0,
                what: What::OutOfMemory,
                of: index,
                address: refused.device_free.0,
                size: refused.asked.0,
                stream: refused.stream,
                expandable: false,
            });
        }
        // What was asked for a step before it was done had nobody to wait for.
        let done: Vec<Event> = found.values().copied().collect();
        for event in done {
            let buffer = self.lifetimes.buffers.get(event.of);
            let before = event.step.saturating_sub(1);
            let waits = self.pending(event.of).is_some();
            if event.what == What::FreeCompleted
                && !waits
                && buffer.is_some_and(|it| it.span.start.0 < before)
            {
                found.entry(before).or_insert(Event {
                    step: before,
                    what: What::FreeRequested,
                    ..event
                });
            }
        }
        let event = |step| {
            found.get(&step).copied().unwrap_or(Event {
                step,
                what: What::Nothing,
                of: 0,
                address: 0,
                size: 0,
                stream: 0,
                expandable: false,
            })
        };
        (1..self.horizon()).map(event).collect()
    }

    /// When a buffer was needed that another stream used for longer.
    fn pending(&self, buffer: usize) -> Option<Span> {
        let held = self.notes.get(buffer)?.held?;
        (held.why == Hold::Pending).then_some(held.needed)
    }

    fn address(&self, segments: &Segments, buffer: usize) -> u64 {
        let offset = self.offset(buffer);
        let segment = segments.of(buffer);
        segment.map_or(offset, |it| device_address(it, offset))
    }

    fn blocks(&self, segments: &Segments) -> Vec<Event> {
        let mut events = Vec::new();
        for (index, buffer) in self.lifetimes.buffers.iter().enumerate() {
            let mut put = |what, step: Step| {
                if Step(0) < step && step.0 < self.horizon() {
                    events.push(Event {
                        step: step.0,
                        what,
                        of: index,
                        address: self.address(segments, index),
                        size: buffer.payload.0,
                        stream: self.notes.get(index).and_then(|it| it.stream).unwrap_or(0),
                        expandable: false,
                    });
                }
            };
            put(What::Alloc, buffer.span.start);
            put(What::FreeCompleted, buffer.span.end);
            if let Some(needed) = self.pending(index) {
                put(What::FreeRequested, needed.end);
            }
        }
        events
    }

    /// What was taken from the device and given back to it; what moved together is one event. A
    /// range that is drawn with another segment from a step on has not moved.
    fn moves(&self, segments: &Segments) -> Vec<Event> {
        let mut moved: BTreeMap<u64, [Vec<Range>; 2]> = BTreeMap::new();
        for (index, segment) in segments.list.iter().enumerate() {
            for part in &segment.mapped {
                let low = device_address(segment, part.low.0);
                let range = (low, low.saturating_add(part.high.0 - part.low.0), index);
                for (way, step) in [part.span.start.0, part.span.end.0].into_iter().enumerate() {
                    if 0 < step && step < self.horizon() {
                        moved.entry(step).or_default()[way].push(range);
                    }
                }
            }
        }
        let mut events = Vec::new();
        for (step, [taken, given]) in moved {
            let ways = [
                (What::Take, without(&taken, &given)),
                (What::Return, without(&given, &taken)),
            ];
            for (what, ranges) in ways {
                events.extend(ranges.into_iter().filter_map(|(low, high, index)| {
                    let segment = segments.list.get(index)?;
                    Some(Event {
                        step,
                        what,
                        of: 0,
                        address: low,
                        size: high - low,
                        stream: segment.stream,
                        expandable: segment.expandable,
                    })
                }));
            }
        }
        events
    }

    fn left_of_trace(&self, segments: &Segments) -> Vec<Left> {
        let mut left: Vec<Left> = Vec::new();
        for segment in &segments.list {
            let first = left.len();
            let parts = segment.mapped.iter();
            let parts = parts.filter(|it| it.span.end.0 >= self.horizon());
            let mut parts: Vec<(u64, u64)> = parts.map(|it| (it.low.0, it.high.0)).collect();
            parts.order();
            for (low, high) in parts {
                let address = device_address(segment, low);
                let size = high - low;
                let last = left.get_mut(first..).and_then(<[Left]>::last_mut);
                let joined = last.filter(|last| {
                    segment.expandable && last.address.checked_add(last.size) == Some(address)
                });
                if let Some(last) = joined {
                    last.size = last.size.saturating_add(size);
                    continue;
                }
                left.push(Left {
                    address,
                    size,
                    stream: segment.stream,
                    pool: segment.pool,
                    small: segment.small,
                    expandable: segment.expandable,
                    blocks: Vec::new(),
                });
            }
        }
        left.order_by_key(|it| it.address);
        let buffers = self.lifetimes.buffers.iter().enumerate();
        let alive = buffers.filter(|(_, it)| it.span.end.0 >= self.horizon());
        let alive = alive.map(|(index, _)| (self.address(segments, index), index));
        place(&mut left, alive.collect());
        left
    }
}

/// Addresses from, to before, of the segment of this index.
type Range = (u64, u64, usize);

/// What of `ranges` is in none of `others`; what lies end to end is one.
fn without(ranges: &[Range], others: &[Range]) -> Vec<Range> {
    let mut others = others.to_vec();
    others.order();
    let mut ranges = ranges.to_vec();
    ranges.order();
    let mut left: Vec<Range> = Vec::new();
    for (mut low, high, index) in ranges {
        let mut keep = |from: u64, to: u64| match left.last_mut() {
            _ if from >= to => {}
            Some(last) if last.1 == from => last.1 = to,
            _ => left.push((from, to, index)),
        };
        let first = others.partition_point(|it| it.1 <= low);
        let near = others.get(first..).unwrap_or_default().iter();
        for &(from, to, _) in near.take_while(|it| it.0 < high) {
            keep(low, from.max(low));
            low = low.max(to);
        }
        keep(low, high);
    }
    left
}

fn device_address(segment: &Segment, offset: u64) -> u64 {
    let inside = offset.saturating_sub(segment.low.0);
    segment.address.saturating_add(inside)
}

/// Puts the blocks into what holds them.
fn place(left: &mut [Left], mut alive: Vec<(u64, usize)>) {
    alive.order();
    for (address, buffer) in alive {
        let after = left.partition_point(|it| it.address <= address);
        let holder = after.checked_sub(1).and_then(|at| left.get_mut(at));
        if let Some(holder) = holder {
            holder.blocks.push((address, buffer));
        }
    }
}

/// A buffer while its bytes are its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stay {
    buffer: usize,
    span: Span,
}

/// Other plans.
impl Recorded<'_> {
    /// When each buffer has its bytes for itself, in the order of events, and how many end early
    /// because another one that shares bytes with them begins.
    fn stays(&self) -> (Vec<Stay>, usize) {
        let mut stays: Vec<Stay> = Vec::new();
        for (buffer, it) in self.lifetimes.buffers.iter().enumerate() {
            if it.size.0 == 0 {
                continue;
            }
            let mut start = it.span.start;
            for pause in it.pauses.iter().filter(|pause| pause.window.is_none()) {
                let span = Span::new(start.0, pause.span.start.0);
                stays.push(Stay { buffer, span });
                start = pause.span.end;
            }
            let span = Span::new(start.0, it.span.end.0);
            stays.push(Stay { buffer, span });
        }
        stays.retain(|stay| stay.span.start < stay.span.end);
        stays.order_by_key(|stay| (stay.span.start, stay.buffer));
        let mut cut = 0;
        // By first byte: end, and place in `stays`.
        let mut live: BTreeMap<u64, (u64, usize)> = BTreeMap::new();
        let mut ends: BTreeMap<Step, Vec<u64>> = BTreeMap::new();
        for place in 0..stays.len() {
            let Stay { buffer, span } = stays[place];
            while let Some(entry) = ends.first_entry().filter(|it| *it.key() <= span.start) {
                for low in entry.remove() {
                    let over = live.get(&low).and_then(|it| stays.get(it.1));
                    if over.is_some_and(|it| it.span.end <= span.start) {
                        live.remove(&low);
                    }
                }
            }
            let low = self.offset(buffer);
            let size = self.lifetimes.buffers.get(buffer).map_or(0, |it| it.size.0);
            let high = low.saturating_add(size);
            loop {
                let below = live.range(..high).next_back();
                let Some((&from, &(_, other))) = below.filter(|(_, it)| it.0 > low) else {
                    break;
                };
                live.remove(&from);
                cut += 1;
                if let Some(other) = stays.get_mut(other) {
                    other.span.end = span.start.max(other.span.start);
                }
            }
            live.insert(low, (high, place));
            ends.entry(span.end).or_default().push(low);
        }
        // Nothing is left of one that begins with the other.
        stays.retain(|stay| stay.span.start < stay.span.end);
        (stays, cut)
    }

    fn events_of_plan(&self, stays: &[Stay]) -> Vec<Event> {
        let mut events: Vec<Event> = Vec::new();
        for stay in stays {
            let size = self
                .lifetimes
                .buffers
                .get(stay.buffer)
                .map_or(0, |it| it.size.0);
            let mut put = |what, step: Step| {
                events.push(Event {
                    step: step.0,
                    what,
                    of: stay.buffer,
                    address: BASE.saturating_add(self.offset(stay.buffer)),
                    size,
                    stream: 0,
                    expandable: false,
                });
            };
            put(What::Alloc, stay.span.start);
            if stay.span.end.0 < self.horizon() {
                put(What::FreeRequested, stay.span.end);
                put(What::FreeCompleted, stay.span.end);
            }
        }
        // What is given back in a step is given back before anything is taken.
        events.order_by_key(|it| (it.step, it.what));
        events
    }

    /// The arena, or each pool of it.
    fn left_of_plan(&self, stays: &[Stay]) -> Vec<Left> {
        let left = |number: i64, low: u64, size: u64| Left {
            address: BASE.saturating_add(low),
            size,
            stream: 0,
            pool: (0, number),
            small: false,
            expandable: false,
            blocks: Vec::new(),
        };
        let mut all: Vec<Left> = match self.plan.memories() {
            None => vec![left(0, 0, self.plan.arena.0)],
            Some(pools) => {
                let ranges = pools.bases.iter().zip(&pools.sizes);
                let ranges = (0..).zip(ranges);
                ranges
                    .map(|(at, (low, size))| left(at, low.0, size.0))
                    .collect()
            }
        };
        all.retain(|it| it.size > 0);
        let alive = stays.iter().filter(|it| it.span.end.0 >= self.horizon());
        let alive = alive.map(|it| (BASE.saturating_add(self.offset(it.buffer)), it.buffer));
        place(&mut all, alive.collect());
        all
    }
}
