//! A deployed plan's bytes, split into why they are there; the parts sum to the arena.
//!
//! Each part is the difference of two lower bounds, from the most favourable view of the
//! problem to the problem as it was deployed:
//!
//! | part | the bound rises because |
//! |---|---|
//! | needed | (the first bound) payloads, while their values are needed |
//! | pending | blocks are given back, but another stream still uses them; left out where the file does not say so of any |
//! | padding | blocks are larger than what was asked for |
//! | pinned | inputs and outputs keep their bytes while they are not needed |
//! | whole life | variables keep theirs for the whole run |
//! | alignment | blocks start at multiples |
//! | fragmentation | (no bound) the plan reaches beyond the last of them |
//! | tail | (no bound) the arena is larger than what lies in it; left out where it is not |
//! | not listed | (no bound) the same of a file that lists the largest buffers only, of which neither policy, alignment nor fragmentation is known |
//!
//! A plan in segments, of which each is an address space, is split otherwise: what was reserved
//! where most is needed into needed, pending, padding, free segments and free inside segments, all
//! at one step; and once more where most is reserved. An allocator that keeps what it once had may
//! reserve most at a step at which little is needed.
//!
//! A plan in pools is split pool by pool, for no buffer of one can lie in the bytes of another:
//! the parts are sums. What lies between pools is alignment.
//!
//! Bytes that are handed over count once in all of them: what one operator reads for the last
//! time and another writes over, and what a loop carries from step to step. So nothing is
//! needed that a valid plan does not have.
//!
//! So policy never counts as fragmentation, and what is called fragmentation can be gained by
//! a better plan of the same blocks if the bound can be met at all.

mod pooled;
mod reserved;

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use crate::bounds::Bounds;
use crate::deployed::{Hold, Note};
use crate::liveness::profile::{live_at, profile};
use crate::liveness::{Buffer, Lifetimes};
use crate::plan::{Plan, Stated};
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Step};

pub use reserved::fullest;

/// The parts of one arena, in the order of the table above.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waste {
    /// What they sum to: the arena, or what was reserved at its peak.
    pub arena: Bytes,
    /// Whether it is what was reserved: see [`Waste::counting_reserved`].
    pub reserved: bool,
    /// Every part, those of no bytes too.
    pub parts: Vec<Part>,
    /// What an allocator held is split where most is needed; here once more where most is
    /// reserved, if that is another step.
    #[serde(default)]
    pub fullest: Option<Box<Self>>,
}

/// One part of an arena.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Why these bytes are there.
    pub kind: WasteKind,
    /// How many; below zero only for the fragmentation of a plan that breaks rules and so lies
    /// below the bound.
    pub bytes: i64,
    /// The step at which they count.
    pub step: Step,
    /// The buffers that make them, by index, those that make most first; none for
    /// what is made of free ranges.
    pub buffers: Vec<usize>,
    /// Of a plan in pools, which count at a step of their own each: every pool that has some of
    /// the bytes, by number, with its step.
    #[serde(default)]
    pub pools: Vec<(u32, Step)>,
}

/// Why bytes of an arena are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum WasteKind {
    /// Values that are needed at the same time.
    Needed,
    /// Blocks that are given back, but still used by another stream.
    Pending,
    /// Blocks that are larger than what was asked for.
    Padding,
    /// Inputs and outputs that keep their bytes.
    Pinned,
    /// Variables that keep their bytes for the whole run.
    WholeLife,
    /// Blocks that start at multiples.
    Alignment,
    /// What the plan has beyond the bound.
    Fragmentation,
    /// What was reserved behind the last byte.
    Tail,
    /// What is there beyond the largest buffers, which are all that the file lists.
    NotListed,
    /// Segments of an allocator in which no block is.
    FreeSegments,
    /// Free bytes of the segments in which blocks are.
    FreeInside,
}

impl WasteKind {
    /// Every kind, in the order in which they are listed.
    pub const ALL: [Self; 11] = [
        Self::Needed,
        Self::Pending,
        Self::Padding,
        Self::Pinned,
        Self::WholeLife,
        Self::Alignment,
        Self::Fragmentation,
        Self::Tail,
        Self::NotListed,
        Self::FreeSegments,
        Self::FreeInside,
    ];

    /// The name in code, files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Needed => "needed",
            Self::Pending => "pending",
            Self::Padding => "padding",
            Self::Pinned => "pinned",
            Self::WholeLife => "whole_life",
            Self::Alignment => "alignment",
            Self::Fragmentation => "fragmentation",
            Self::Tail => "tail",
            Self::NotListed => "not_listed",
            Self::FreeSegments => "free_segments",
            Self::FreeInside => "free_inside",
        }
    }
}

impl Part {
    /// What `buffer`, one of those that make it, has of its bytes: of what is needed what was
    /// asked for, of padding the rest.
    #[must_use]
    pub fn bytes_of(&self, buffer: &Buffer) -> Bytes {
        let window = buffer.needed_at(self.step);
        let whole = window.map_or(buffer.size, |(start, end)| {
            Bytes(end.0.saturating_sub(start.0))
        });
        let padding = buffer.padding_in(whole);
        match self.kind {
            WasteKind::Needed => Bytes(whole.0 - padding.0),
            WasteKind::Padding => padding,
            _ => whole,
        }
    }
}

impl WasteKind {
    /// Whether it is made of free ranges, and not by buffers.
    #[must_use]
    pub fn is_free(self) -> bool {
        matches!(
            self,
            Self::Fragmentation | Self::FreeSegments | Self::FreeInside
        )
    }

    /// Whether a free range is one of those that make it. `whole_segment` says of one in a
    /// segment that no block is in there; `None` where the plan has no segments.
    #[must_use]
    pub fn is_made_by(self, whole_segment: Option<bool>) -> bool {
        match self {
            Self::Fragmentation => whole_segment.is_none(),
            Self::FreeSegments => whole_segment == Some(true),
            Self::FreeInside => whole_segment == Some(false),
            _ => false,
        }
    }
}

impl Waste {
    /// The part that is made of free ranges, of which there are any.
    #[must_use]
    pub fn free(&self) -> Option<&Part> {
        let mut parts = self.parts.iter();
        parts.find(|part| part.kind.is_free() && part.bytes > 0)
    }

    /// The same split of what was reserved at its peak, of which what was not needed counts as
    /// fragmentation; unchanged where `reserved` is not known. See
    /// [`Metrics::counting_reserved`](crate::metrics::Metrics::counting_reserved).
    #[must_use]
    pub fn counting_reserved(mut self, reserved: Option<Bytes>) -> Self {
        if let Some(taken) = reserved.filter(|_| !self.reserved) {
            let more = signed(taken).saturating_sub(signed(self.arena));
            let mut parts = self.parts.iter_mut();
            if let Some(part) = parts.find(|part| part.kind == WasteKind::Fragmentation) {
                part.bytes = part.bytes.saturating_add(more);
            }
            (self.arena, self.reserved) = (taken, true);
        }
        self
    }

    /// What was asked for and cannot be used again yet: the bound without what an allocator
    /// rounds up.
    #[must_use]
    pub fn asked(&self) -> Option<u64> {
        let pending = self.part(WasteKind::Pending).map_or(0, |part| part.bytes);
        u64::try_from(self.part(WasteKind::Needed)?.bytes.saturating_add(pending)).ok()
    }

    /// What was reserved at most, or the arena.
    #[must_use]
    pub fn most(&self) -> Bytes {
        self.fullest.as_ref().map_or(self.arena, |it| it.arena)
    }

    /// The part of this kind; `None` for one that is not listed.
    #[must_use]
    pub fn part(&self, kind: WasteKind) -> Option<&Part> {
        self.parts.iter().find(|part| part.kind == kind)
    }
}

/// Splits the arena of `plan`, whatever was reserved for it; of a plan in segments what was
/// reserved where most is needed. `notes` are those of the buffers, or
/// none; `bounds` are those of `lifetimes` under the alignment that the plan was made for.
#[must_use]
pub fn waste(lifetimes: &Lifetimes, notes: &[Note], plan: &Plan, bounds: &Bounds) -> Waste {
    if let Some(segments) = &plan.segments {
        let needed = profile(&favourable(lifetimes, notes)).highest();
        let needed = needed.map(|it| it.0).unwrap_or_default();
        return reserved::split(lifetimes, notes, (plan, segments), needed);
    }
    if let Some(pools) = plan.memories() {
        return pooled::split((lifetimes, notes), plan, pools, bounds);
    }
    if plan.partial || plan.stated != Stated::default() {
        return of_largest((lifetimes, notes), plan, bounds);
    }
    let mut view = favourable(lifetimes, notes);
    let mut parts = Vec::new();
    // The live bytes come first.
    let live = bounds.list.first().and_then(|live| live.step);
    let live = live.unwrap_or(bounds.peak);
    let (mut below, mut at) = peak(&view, live);
    parts.push(Part {
        buffers: live_at(&view, at),
        ..free(WasteKind::Needed, signed(below), at)
    });
    let pends = notes.iter().any(is_pending);
    let kinds = [WasteKind::Padding, WasteKind::Pinned, WasteKind::WholeLife];
    for kind in pends.then_some(WasteKind::Pending).into_iter().chain(kinds) {
        let touched = adopt(&mut view, lifetimes, notes, kind);
        // Of larger buffers more may seem to be handed over; what holds without that holds.
        let found = peak(&view, live);
        let (bytes, step) = match touched.is_empty() || found.0 < below {
            true => (below, at),
            false => found,
        };
        parts.push(Part {
            buffers: makers(&view, touched, step),
            ..free(kind, signed(bytes).saturating_sub(signed(below)), step)
        });
        (below, at) = (bytes, step);
    }
    parts.extend(above(lifetimes, plan, bounds, below));
    Waste {
        arena: plan.arena,
        reserved: false,
        parts,
        fullest: None,
    }
}

/// What a plan takes above the `below` bytes that its buffers need whatever the plan.
fn above(lifetimes: &Lifetimes, plan: &Plan, bounds: &Bounds, below: Bytes) -> Vec<Part> {
    let bound = bounds.offsets.max(below);
    // A bound that rounds sizes up may lie within the tail.
    let reach = reach(lifetimes, plan).max(bound);
    let highest = highest(lifetimes, plan);
    let part = |kind, to, from, step| free(kind, signed(to).saturating_sub(signed(from)), step);
    let aligned = Part {
        buffers: match bounds.offsets > below {
            true => bounds.witness.clone(),
            false => Vec::new(),
        },
        ..part(WasteKind::Alignment, bound, below, bounds.peak)
    };
    let fragmented = part(
        WasteKind::Fragmentation,
        plan.arena.min(reach),
        bound,
        highest,
    );
    let tail = (plan.arena > reach).then(|| part(WasteKind::Tail, plan.arena, reach, highest));
    [aligned, fragmented].into_iter().chain(tail).collect()
}

/// The split of the largest buffers, which are all that a file lists, and what is there beyond them.
fn of_largest((lifetimes, notes): (&Lifetimes, &[Note]), plan: &Plan, bounds: &Bounds) -> Waste {
    let listed = Plan {
        partial: false,
        stated: Stated::default(),
        ..plan.clone()
    };
    let mut parts = waste(lifetimes, notes, &listed, bounds).parts;
    parts.retain(|part| matches!(part.kind, WasteKind::Needed | WasteKind::Padding));
    let stated = [
        (WasteKind::Fragmentation, plan.stated.fragmentation),
        (WasteKind::Tail, plan.stated.reserved),
    ];
    let stated = stated.into_iter().filter(|(_, bytes)| bytes.0 > 0);
    parts.extend(stated.map(|(kind, bytes)| free(kind, signed(bytes), bounds.peak)));
    let sum = parts
        .iter()
        .fold(0, |sum: i64, it| sum.saturating_add(it.bytes));
    let rest = signed(plan.arena).saturating_sub(sum);
    if plan.partial || rest != 0 {
        parts.push(free(WasteKind::NotListed, rest, bounds.peak));
    }
    Waste {
        arena: plan.arena,
        parts,
        ..Waste::default()
    }
}

/// Whether the buffer is given back before its bytes may be used again.
fn is_pending(note: &Note) -> bool {
    note.held.is_some_and(|held| held.why == Hold::Pending)
}

/// The problem at its most favourable: payloads, while they are needed.
/// Nothing has a name in it, for there may be a million of them.
fn favourable(lifetimes: &Lifetimes, notes: &[Note]) -> Lifetimes {
    let buffers = lifetimes.buffers.iter().enumerate();
    let buffers = buffers.map(|(index, buffer)| {
        let held = notes.get(index).and_then(|note| note.held);
        Buffer {
            name: String::new(),
            size: buffer.payload.min(buffer.size),
            span: held.map_or(buffer.span, |held| held.needed),
            pauses: buffer.pauses.clone(),
            pools: Vec::new(),
            ..*buffer
        }
    });
    Lifetimes {
        buffers: buffers.collect(),
        horizon: lifetimes.horizon,
        handovers: lifetimes.handovers.clone(),
        ..Lifetimes::default()
    }
}

/// Makes `view` one step less favourable and returns what this touched: buffers by index, as
/// they were before.
fn adopt(
    view: &mut Lifetimes,
    real: &Lifetimes,
    notes: &[Note],
    kind: WasteKind,
) -> Vec<(usize, Buffer)> {
    let why = |index: usize| Some(notes.get(index)?.held?.why);
    let mut touched = Vec::new();
    for (index, (buffer, real)) in view.buffers.iter_mut().zip(&real.buffers).enumerate() {
        let (size, span) = match kind {
            WasteKind::Padding => (real.size, buffer.span),
            WasteKind::Pinned if why(index) == Some(Hold::Pinned) => (buffer.size, real.span),
            WasteKind::WholeLife if why(index) == Some(Hold::WholeLife) => (buffer.size, real.span),
            WasteKind::Pending if why(index) == Some(Hold::Pending) => (buffer.size, real.span),
            _ => continue,
        };
        if (size, span) != (buffer.size, buffer.span) {
            touched.push((index, buffer.clone()));
            (buffer.size, buffer.span) = (size, span);
        }
    }
    touched
}

/// The largest sum of bytes needed at one step, and where: at the step of the peak of what was
/// deployed if that has as many, otherwise the first such step.
fn peak(view: &Lifetimes, deployed: Step) -> (Bytes, Step) {
    let profile = profile(view);
    let points = profile.points.iter().rev();
    match points.max_by_key(|point| point.1) {
        Some(&(step, bytes)) if profile.at(deployed) < bytes => (bytes, step),
        _ => (profile.at(deployed), deployed),
    }
}

/// Which of the `touched` buffers, which come as they were before, count at `step` more than
/// they did then: those that count most first.
fn makers(after: &Lifetimes, touched: Vec<(usize, Buffer)>, step: Step) -> Vec<usize> {
    let bytes = |buffer: &Buffer| {
        let needed = buffer.needed_at(step);
        needed.map_or(0, |(start, end)| end.0 - start.0)
    };
    let growth = touched.into_iter().filter_map(|(index, before)| {
        let growth = bytes(after.buffers.get(index)?).saturating_sub(bytes(&before));
        (growth > 0).then_some((index, growth))
    });
    let mut makers: Vec<(usize, u64)> = growth.collect();
    makers.order_by_key(|&(_, growth)| Reverse(growth));
    makers.into_iter().map(|(index, _)| index).collect()
}

/// The first step of the buffer that reaches highest, the first of several.
fn highest(lifetimes: &Lifetimes, plan: &Plan) -> Step {
    let ends = lifetimes.buffers.iter().zip(&plan.offsets);
    let ends = ends.filter(|(buffer, _)| buffer.is_needed());
    let reach = ends
        .rev()
        .max_by_key(|(buffer, offset)| offset.end(buffer.size));
    reach.map_or(Step::default(), |(buffer, _)| buffer.span.start)
}

/// A part that no buffer makes.
fn free(kind: WasteKind, bytes: i64, step: Step) -> Part {
    Part {
        kind,
        bytes,
        step,
        buffers: Vec::new(),
        pools: Vec::new(),
    }
}

/// End of everything that lies in the arena: blocks, shared objects and pools.
pub(crate) fn reach(lifetimes: &Lifetimes, plan: &Plan) -> Bytes {
    let sizes = lifetimes.buffers.iter().map(|it| it.size);
    let blocks = plan.offsets.iter().copied().zip(sizes);
    let objects = plan.objects.iter();
    let objects = objects.flat_map(|it| it.offsets.iter().copied().zip(it.sizes.iter().copied()));
    let pools = plan.pools.iter();
    let pools = pools.flat_map(|it| it.bases.iter().copied().zip(it.sizes.iter().copied()));
    let all = blocks.chain(objects).chain(pools);
    let ends = all.map(|(offset, size)| Bytes(offset.0.saturating_add(size.0)));
    ends.max().unwrap_or_default()
}

/// Sizes stay below 2^62, see [`LIMIT`](crate::liveness::LIMIT).
fn signed(bytes: Bytes) -> i64 {
    i64::try_from(bytes.0).unwrap_or(i64::MAX)
}
