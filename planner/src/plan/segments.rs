//! Memory that an allocator took from its device in segments. Each is an address space of its
//! own: no block reaches from one into the next, though the picture draws them end to end.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::caching_allocator::AllocatorSettings;
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Offset, Span, Step};

/// The segments of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segments {
    /// Every segment, by its first step, then by where it lies in the arena.
    pub list: Vec<Segment>,
    /// Index of the segment that holds each buffer, in the buffers' order.
    pub of_buffer: Vec<u32>,
    /// How their allocator is configured.
    #[serde(default)]
    pub settings: AllocatorSettings,
}

/// Memory that is taken from the device for a while.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// Its first byte in the arena.
    pub low: Offset,
    /// Its end in the arena, exclusive.
    pub high: Offset,
    /// When any of it is there.
    pub span: Span,
    /// Its first byte on the device.
    pub address: u64,
    /// The stream that it is for.
    pub stream: i64,
    /// The private pool that it belongs to, (0, 0) for none.
    pub pool: (i64, i64),
    /// Whether it is for small blocks.
    pub small: bool,
    /// The parts of it that are there, and when; all of it where it cannot grow.
    pub mapped: Vec<Mapped>,
    /// Whether it can grow and shrink in place.
    pub expandable: bool,
}

/// Bytes of a segment that are there for a while.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Mapped {
    /// First byte in the arena.
    pub low: Offset,
    /// End, exclusive.
    pub high: Offset,
    /// When.
    pub span: Span,
}

impl Segment {
    /// A segment that is taken for a request is larger than it by at most this.
    const BEYOND: u64 = 20 << 20;

    /// Whether a device with `free` bytes has room for the segment of any request for `asked`.
    #[must_use]
    pub fn has_room(asked: Bytes, free: Bytes) -> bool {
        free.0 >= asked.0.saturating_add(Self::BEYOND)
    }
}

impl Segments {
    /// The segment that holds byte `offset` of the arena at `step`.
    #[must_use]
    pub fn at(&self, step: Step, offset: Offset) -> Option<(u32, &Segment)> {
        let holds = |it: &Segment| {
            it.span.contains(step) && it.low <= offset && offset < it.high && {
                let mut mapped = it.mapped.iter();
                mapped.any(|it| it.span.contains(step) && it.low <= offset && offset < it.high)
            }
        };
        (0..).zip(&self.list).find(|(_, it)| holds(it))
    }

    /// The segment of a buffer.
    #[must_use]
    pub fn of(&self, buffer: usize) -> Option<&Segment> {
        self.list.get(*self.of_buffer.get(buffer)? as usize)
    }

    /// Bytes that are there at `step`: O(n).
    #[must_use]
    pub fn reserved_at(&self, step: Step) -> Bytes {
        let mapped = self.list.iter().flat_map(|segment| &segment.mapped);
        let here = mapped.filter(|it| it.span.contains(step));
        let bytes = here.map(|it| it.high.0.saturating_sub(it.low.0));
        Bytes(bytes.fold(0, u64::saturating_add))
    }

    /// Bytes that are there, from each step on: O(n log n).
    #[must_use]
    pub fn reserved(&self) -> Vec<(Step, Bytes)> {
        let mapped = self.list.iter().flat_map(|segment| &segment.mapped);
        let mut changes: BTreeMap<Step, i128> = BTreeMap::new();
        for it in mapped {
            let bytes = i128::from(it.high.0.saturating_sub(it.low.0));
            *changes.entry(it.span.start).or_insert(0) += bytes;
            *changes.entry(it.span.end).or_insert(0) -= bytes;
        }
        let mut now = 0;
        let points = changes.into_iter().map(|(step, change)| {
            now += change;
            (step, Bytes(u64::try_from(now).unwrap_or_default()))
        });
        points.collect()
    }
}

impl Segment {
    /// The bytes that are there at `step`, each run of them once, by address.
    #[must_use]
    pub fn mapped_at(&self, step: Step) -> Vec<(Offset, Offset)> {
        let here = self.mapped.iter().filter(|it| it.span.contains(step));
        let mut runs: Vec<(Offset, Offset)> = here.map(|it| (it.low, it.high)).collect();
        runs.order();
        runs.dedup_by(|next, run| {
            let joins = next.0 <= run.1;
            if joins {
                run.1 = run.1.max(next.1);
            }
            joins
        });
        runs
    }

    /// Bytes of it that are not there while others are: none where it cannot grow. O(n log n)
    /// in its parts.
    pub(crate) fn unmapped(&self) -> Vec<Mapped> {
        let edges = self.mapped.iter().flat_map(|it| {
            let run = (it.low, it.high);
            [(it.span.start, true, run), (it.span.end, false, run)]
        });
        let mut edges: Vec<_> = edges.collect();
        edges.order();
        let mut missing = Missing {
            now: BTreeMap::from([(self.low, (self.high, self.span.start))]),
            past: Vec::new(),
        };
        for (step, comes, (low, high)) in edges {
            match comes {
                true => missing.cut(low, high, step),
                false => missing.join(low, high, step),
            }
        }
        for low in missing.now.keys().copied().collect::<Vec<_>>() {
            missing.close(low, self.span.end);
        }
        missing.past
    }
}

/// Bytes that are not there.
struct Missing {
    /// Runs by first byte: end, and since when.
    now: BTreeMap<Offset, (Offset, Step)>,
    past: Vec<Mapped>,
}

impl Missing {
    /// Ends the run that begins at `low`, and returns its end.
    fn close(&mut self, low: Offset, step: Step) -> Option<Offset> {
        let (high, start) = self.now.remove(&low)?;
        let span = Span { start, end: step };
        if start < step && low < high {
            self.past.push(Mapped { low, high, span });
        }
        Some(high)
    }

    /// `[low, high)` is there from `step` on.
    fn cut(&mut self, low: Offset, high: Offset, step: Step) {
        let run = self.now.range(..=low).next_back().map(|(&from, _)| from);
        let Some((from, to)) = run.and_then(|from| Some((from, self.close(from, step)?))) else {
            return;
        };
        for (from, to) in [(from, low), (high, to)] {
            if from < to {
                self.now.insert(from, (to, step));
            }
        }
    }

    /// `[low, high)` is there no longer.
    fn join(&mut self, low: Offset, high: Offset, step: Step) {
        let below = self.now.range(..low).next_back();
        let below = below.filter(|(_, run)| run.0 == low).map(|(&from, _)| from);
        let end = self.close(high, step).unwrap_or(high);
        let start = below.unwrap_or(low);
        self.close(start, step);
        self.now.insert(start, (end, step));
    }
}
