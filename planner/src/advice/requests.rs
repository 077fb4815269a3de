//! What another configuration of PyTorch's caching allocator would have reserved for the same
//! requests.
//!
//! A deployed trace says who asked for how many bytes, on which stream and from which private
//! pool, and when the block could be used again; all of this is the program's and the same
//! under any configuration. So it is asked for again from a model of the allocator, requests that
//! failed among it.
//!
//! The replay begins as the process stood when the trace began: with the segments that were there,
//! and with the blocks in them where they were. Where another configuration has segments of another
//! kind, its blocks are asked for by address, and as many bytes as the process had beyond them
//! are cached.

use std::collections::BTreeMap;

use super::allocator::Surroundings;
use crate::caching_allocator::{Address, Allocator, AllocatorSettings, Block, Home, STITCHED_FROM};
use crate::liveness::Lifetimes;
use crate::plan::{Plan, Segment, Segments};
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Step};

/// What a configuration makes of the requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// Bytes reserved from each step on, where they change.
    pub reserved: Vec<(Step, Bytes)>,
    /// Free bytes that emptying the cache would give back, from each step on, where they change.
    pub idle: Vec<(Step, Bytes)>,
    /// The most bytes reserved at a time.
    pub peak: Bytes,
    /// The most bytes needed at a time: what was asked for, as this configuration rounds it.
    pub needed: Bytes,
    /// The most segments at a time; an expandable one counts from its first page on.
    pub segments: u64,
    /// Requests for which there was no room; they are left out.
    pub failed: u64,
    /// Of these, those that the process met.
    pub failed_anew: u64,
}

/// What is done at a step, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Deed {
    Empty,
    Free(usize),
    /// Where the trace has it, and which buffer.
    Alloc((u64, u64), usize),
    /// One that failed, by index.
    Refused(usize),
}

/// The requests of a trace under `settings`; a buffer without a segment is asked for on stream 0.
#[must_use]
pub fn reserved_under(
    lifetimes: &Lifetimes,
    plan: &Plan,
    settings: AllocatorSettings,
    surroundings: &Surroundings,
) -> Replayed {
    let allocator = Allocator::new(settings, None);
    let own = plan.segments.as_ref().map(|it| it.settings.expandable);
    let stands = own == Some(settings.expandable);
    replay((lifetimes, plan), (allocator, stands), surroundings)
}

/// The same by GMLake with its default limits.
#[must_use]
pub fn reserved_by_gmlake(
    lifetimes: &Lifetimes,
    plan: &Plan,
    surroundings: &Surroundings,
) -> Replayed {
    let allocator = Allocator::stitching(AllocatorSettings::DEFAULT, STITCHED_FROM);
    replay((lifetimes, plan), (allocator, false), surroundings)
}

/// The requests by `allocator`, which `stands` as the process did or is asked for what it had.
fn replay(
    (lifetimes, plan): (&Lifetimes, &Plan),
    (allocator, stands): (Allocator, bool),
    surroundings: &Surroundings,
) -> Replayed {
    let mut requests = Requests {
        lifetimes,
        plan,
        stands,
        surroundings,
        allocator,
        blocks: vec![None; lifetimes.buffers.len()],
        met: Vec::new(),
        needed: 0,
        replayed: Replayed::default(),
    };
    if let Some(segments) = &plan.segments {
        requests.begin(segments);
    }
    let capacity = surroundings.capacity.map(|it| it.0);
    requests.allocator.begin(capacity);
    let deeds = deeds(lifetimes, plan, surroundings);
    if deeds.first().is_none_or(|deed| deed.0 > Step(0)) {
        requests.note(Step(0));
    }
    for at_once in deeds.chunk_by(|one, other| one.0 == other.0) {
        let step = at_once.first().map_or(Step(0), |deed| deed.0);
        for block in std::mem::take(&mut requests.met) {
            requests.give_back(block);
        }
        for &(_, deed) in at_once {
            requests.act(step, deed);
        }
        requests.note(step);
    }
    let Requests {
        allocator,
        mut replayed,
        ..
    } = requests;
    replayed.peak = Bytes(allocator.peak);
    replayed.segments = allocator.most_segments;
    replayed
}

/// A block, and how many of its bytes are needed.
type Met = (Block, u64);

struct Requests<'a> {
    lifetimes: &'a Lifetimes,
    plan: &'a Plan,
    /// Whether it begins with the segments that were there.
    stands: bool,
    surroundings: &'a Surroundings,
    allocator: Allocator,
    /// By buffer.
    blocks: Vec<Option<Met>>,
    /// Of requests of this step that had failed.
    met: Vec<Met>,
    /// Bytes needed now.
    needed: u64,
    replayed: Replayed,
}

impl Requests<'_> {
    /// What was there before the trace.
    fn begin(&mut self, segments: &Segments) {
        let buffers = self.lifetimes.buffers.iter().enumerate();
        let first = &self.surroundings.first;
        let there = buffers.filter(|(index, buffer)| {
            buffer.span.start == Step(0)
                && !buffer.span.is_empty()
                && first.binary_search(index).is_err()
        });
        let there: Vec<usize> = there.map(|(index, _)| index).collect();
        match self.stands {
            true => self.stand(segments, &there),
            false => self.ask_first(segments, &there),
        }
    }

    /// The segments as they were, and what is `there` in them.
    fn stand(&mut self, segments: &Segments, there: &[usize]) {
        let mut starts: BTreeMap<Home, u64> = BTreeMap::new();
        for segment in segments.list.iter().filter(|it| it.expandable) {
            let start = starts.entry(home(segment)).or_insert(segment.address);
            *start = (*start).min(segment.address);
        }
        // Where the runs of each segment lie: offset in the arena and address.
        let mut runs: BTreeMap<(u32, u64), Address> = BTreeMap::new();
        for (index, segment) in (0..).zip(&segments.list) {
            for (low, high) in segment.mapped_at(Step(0)) {
                let (bytes, home) = (high.0.saturating_sub(low.0), home(segment));
                let inside = low.0.saturating_sub(segment.low.0);
                let address = segment.address.saturating_add(inside);
                let start = starts.get(&home).copied().unwrap_or(address);
                let held = match segment.expandable {
                    true => self.allocator.hold_pages(home, address - start, bytes),
                    false => self.allocator.hold(home, address, bytes),
                };
                runs.extend(held.map(|at| ((index, low.0), at)));
            }
        }
        for &buffer in there {
            let offset = self.plan.offsets.get(buffer).map_or(0, |it| it.0);
            let held = segments.of_buffer.get(buffer).and_then(|&segment| {
                let run = runs.range((segment, 0)..=(segment, offset)).next_back();
                let (&(_, low), &at) = run?;
                let size = self.lifetimes.buffers.get(buffer)?.size.0;
                let address = at + Address::from(offset - low);
                self.allocator.hand_out(address, size)
            });
            self.keep(buffer, held);
        }
    }

    /// What is `there` is asked for by address, and what the process had beyond it is cached.
    fn ask_first(&mut self, segments: &Segments, there: &[usize]) {
        let mut homes: BTreeMap<Home, (u64, Vec<usize>)> = BTreeMap::new();
        for segment in &segments.list {
            let runs = segment.mapped_at(Step(0)).into_iter();
            let bytes = runs.fold(0_u64, |sum, (low, high)| {
                sum.saturating_add(high.0.saturating_sub(low.0))
            });
            let sum = &mut homes.entry(home(segment)).or_default().0;
            *sum = sum.saturating_add(bytes);
        }
        for &buffer in there {
            if let Some(segment) = segments.of(buffer) {
                homes.entry(home(segment)).or_default().1.push(buffer);
            }
        }
        for (home, (bytes, mut buffers)) in homes {
            buffers.order_by_key(|&buffer| place(self.plan, buffer));
            let before = self.allocator.reserved;
            for buffer in buffers {
                self.ask(buffer);
            }
            let taken = self.allocator.reserved - before;
            self.allocator.cache(home, bytes.saturating_sub(taken));
        }
    }

    fn act(&mut self, step: Step, deed: Deed) {
        match deed {
            Deed::Empty => {
                self.allocator.empty_cache();
                if step == Step(0) {
                    let capacity = self.surroundings.capacity.map(|it| it.0);
                    self.allocator.begin(capacity);
                }
            }
            Deed::Free(index) => {
                let block = self.blocks.get_mut(index).and_then(Option::take);
                if let Some(block) = block {
                    self.give_back(block);
                }
            }
            Deed::Alloc(_, index) => {
                let there = self.blocks.get(index).is_some_and(Option::is_some);
                if !there {
                    self.ask(index);
                }
            }
            Deed::Refused(index) => {
                let Some(refused) = self.surroundings.refused.get(index) else {
                    return;
                };
                // Where the file does not say the pool, most requests are for none.
                let owner = (refused.stream, refused.pool.unwrap_or_default());
                match self.allocator.alloc(refused.asked.0, owner) {
                    Some(block) => {
                        let needed = self.allocator.rounded(refused.asked.0).min(block.bytes());
                        self.need(needed);
                        self.met.push((block, needed));
                    }
                    None => self.replayed.failed += 1,
                }
            }
        }
    }

    fn ask(&mut self, index: usize) {
        let segment = self.plan.segments.as_ref().and_then(|it| it.of(index));
        let owner = segment.map(|it| (it.stream, it.pool)).unwrap_or_default();
        let block = self.allocator.alloc(self.payload(index), owner);
        let failed = u64::from(block.is_none());
        self.replayed.failed += failed;
        self.replayed.failed_anew += failed;
        self.keep(index, block);
    }

    fn payload(&self, index: usize) -> u64 {
        let buffer = self.lifetimes.buffers.get(index);
        buffer.map_or(0, |it| it.payload.0)
    }

    /// The buffer has this block.
    fn keep(&mut self, index: usize, block: Option<Block>) {
        let Some(block) = block else {
            return;
        };
        let needed = self
            .allocator
            .rounded(self.payload(index))
            .min(block.bytes());
        self.need(needed);
        if let Some(slot) = self.blocks.get_mut(index) {
            *slot = Some((block, needed));
        }
    }

    fn need(&mut self, bytes: u64) {
        self.needed = self.needed.saturating_add(bytes);
        let most = &mut self.replayed.needed.0;
        *most = (*most).max(self.needed);
    }

    fn give_back(&mut self, (block, needed): Met) {
        self.allocator.free(block);
        self.needed = self.needed.saturating_sub(needed);
    }

    /// Writes down what there is after `step`.
    fn note(&mut self, step: Step) {
        let now = (self.allocator.reserved, self.allocator.idle());
        for (points, now) in [
            (&mut self.replayed.reserved, now.0),
            (&mut self.replayed.idle, now.1),
        ] {
            let last = points.last().map_or(0, |last| last.1.0);
            if now != last {
                points.push((step, Bytes(now)));
            }
        }
    }
}

fn home(segment: &Segment) -> Home {
    Home {
        stream: segment.stream,
        pool: segment.pool,
        small: segment.small,
    }
}

/// Where the trace has a buffer.
fn place(plan: &Plan, buffer: usize) -> (u64, u64) {
    let segment = plan.segments.as_ref().and_then(|it| it.of(buffer));
    let offset = plan.offsets.get(buffer).map_or(0, |offset| offset.0);
    (segment.map_or(0, |segment| segment.address), offset)
}

/// All that is to be done, in order.
fn deeds(lifetimes: &Lifetimes, plan: &Plan, surroundings: &Surroundings) -> Vec<(Step, Deed)> {
    let buffers = lifetimes.buffers.iter().enumerate();
    let buffers = buffers.filter(|(_, buffer)| !buffer.span.is_empty());
    let deeds = buffers.flat_map(|(index, buffer)| {
        let start = match surroundings.first.binary_search(&index) {
            Ok(_) => Step(0),
            Err(_) => buffer.span.start,
        };
        [
            (start, Deed::Alloc(place(plan, index), index)),
            (buffer.span.end, Deed::Free(index)),
        ]
    });
    let emptied = surroundings.emptied.iter();
    let refused = surroundings.refused.iter().enumerate();
    let mut deeds: Vec<(Step, Deed)> = emptied
        .map(|&step| (step, Deed::Empty))
        .chain(refused.map(|(index, it)| (it.step, Deed::Refused(index))))
        .chain(deeds)
        .collect();
    // What is there to the end is never given back.
    deeds.retain(|(step, deed)| *step < lifetimes.horizon || matches!(deed, Deed::Empty));
    deeds.order();
    deeds
}
