//! Two dumps of one program: what is larger, what is new, and why the arena grew.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::arenas::ArenaGrowth;
use super::growth::{Growth, growth};
use super::pairs::{How, Pair, Paired, Traced, paired};
use super::traces::lived;
use crate::bounds;
use crate::deployed::{Arena, Refused};
use crate::liveness::Buffer;
use crate::plan::Plan;
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Span, Step};
use crate::waste::{Part, Waste, WasteKind, waste};

/// Two arenas of one program, before and after.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dumps {
    /// The arena before and after, split; the parts of each sum to it, so their differences
    /// sum to what the arena grew by. Where both are traces of an allocator, what is split is
    /// what was reserved where most is needed; [`Waste::reserved`] says so.
    pub waste: (Waste, Waste),
    /// The bound of each.
    pub bounds: (Bytes, Bytes),
    /// The step of each at which the bound is reached.
    pub peaks: (Step, Step),
    /// What is in both and differs, those that grew most first.
    pub changed: Vec<Change>,
    /// What is in both and is as large for as long.
    pub unchanged: u64,
    /// What is in one of them only, the largest first.
    pub only: Vec<Only>,
    /// What grew at the peak by the stack that asked for it, those that grew most first; nothing
    /// where no stacks are known.
    pub growth: Vec<Growth>,
    /// The same of what traces never give back.
    pub kept: Vec<Growth>,
    /// The requests that failed in each.
    pub failed: (Failed, Failed),
    /// Every arena of both dumps, where they have several; nothing is said of them here but by
    /// who knows both files whole.
    pub arenas: Vec<ArenaGrowth>,
}

/// Requests that failed in one of two dumps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failed {
    /// How many.
    pub requests: u64,
    /// The last of them.
    pub last: Option<Refused>,
}

impl Failed {
    fn of(arena: &Arena) -> Self {
        Self {
            requests: arena.refused.len() as u64,
            last: arena.refused.last().copied(),
        }
    }
}

/// A buffer that is in both and differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Which it is in each.
    pub pair: Pair,
    /// Its size before and after.
    pub sizes: (Bytes, Bytes),
    /// Its life before and after.
    pub spans: (Span, Span),
    /// By how much its life is longer: steps; of two traces, whose steps are events of one of
    /// them, allocations that are in both, with the end of the trace as the last one.
    pub lengthening: i64,
    /// Bytes that it has at the peak of each; 0 where it is not live then.
    pub at_peak: (Bytes, Bytes),
}

/// A buffer that has no partner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Only {
    /// Where it is.
    pub side: Side,
    /// Its index there.
    pub buffer: usize,
    /// Its size.
    pub size: Bytes,
    /// Its life.
    pub span: Span,
    /// Bytes that it has at the peak there.
    pub at_peak: Bytes,
}

/// One of two dumps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The first.
    Before,
    /// The second.
    After,
}

impl Dumps {
    /// Whether fewer than a fifth of the buffers of the smaller dump have a partner, or all that
    /// have one differ and merely stand in the same order, as in dumps of two programs.
    #[must_use]
    pub fn has_few_pairs(&self) -> bool {
        let pairs = self.unchanged + self.changed.len() as u64;
        let gone = self.only.iter().filter(|it| it.side == Side::Before);
        let gone = gone.count() as u64;
        let new = self.only.len() as u64 - gone;
        let few = pairs.saturating_mul(5) < pairs + gone.min(new);
        let guessed = self.changed.iter().all(|it| it.pair.how == How::Order);
        few || (pairs > 0 && self.unchanged == 0 && guessed)
    }
}

impl Dumps {
    /// The parts of both arenas, a part that only one of them has with no bytes in the other.
    #[must_use]
    pub fn parts(&self) -> Vec<(WasteKind, i64, i64)> {
        let (before, after) = &self.waste;
        let both = WasteKind::ALL.into_iter().filter_map(|kind| {
            let (one, other) = (before.part(kind), after.part(kind));
            one.or(other)?;
            let bytes = |part: Option<&Part>| part.map_or(0, |part| part.bytes);
            Some((kind, bytes(one), bytes(other)))
        });
        both.collect()
    }
}

impl Change {
    /// Bytes that it grew by.
    #[must_use]
    pub fn growth(&self) -> i128 {
        i128::from(self.sizes.1.0) - i128::from(self.sizes.0.0)
    }
}

/// What differs between `one` and `other`, two dumps of one program. A buffer that lies
/// elsewhere, or whose whole life is at another time, is not changed by that: offsets and
/// steps shift whenever anything is added. Of two traces of an allocator only what is in both
/// counts for how long something lives. O(n log n), and up to some thousand times n where
/// a compiler numbers anew, or in traces of some thousand blocks.
#[must_use]
pub fn dumps(one: Traced<'_>, other: Traced<'_>) -> Dumps {
    let (before, after) = (one.0, other.0);
    // Only like is compared with like.
    let reserved = before.plan.reserved.is_some() && after.plan.reserved.is_some();
    let segments = before.plan.segments.is_some() && after.plan.segments.is_some();
    let sides = (
        Measured::new(before, (reserved, segments)),
        Measured::new(after, (reserved, segments)),
    );
    let Paired { pairs, clock } = paired(one, other);
    let horizons = (before.lifetimes.horizon, after.lifetimes.horizon);
    let lives = |spans: (Span, Span)| match &clock {
        Some(clock) => (
            lived(&clock.0, spans.0, horizons.0),
            lived(&clock.1, spans.1, horizons.1),
        ),
        None => (steps(spans.0), steps(spans.1)),
    };
    let mut alone = (
        vec![true; before.lifetimes.buffers.len()],
        vec![true; after.lifetimes.buffers.len()],
    );
    let mut changed = Vec::new();
    for &pair in &pairs {
        alone.0[pair.before] = false;
        alone.1[pair.after] = false;
        let buffers = (sides.0.buffer(pair.before), sides.1.buffer(pair.after));
        let spans = (buffers.0.span, buffers.1.span);
        let lives = lives(spans);
        let change = Change {
            pair,
            sizes: (buffers.0.size, buffers.1.size),
            spans,
            lengthening: lives.1.saturating_sub(lives.0),
            at_peak: (sides.0.at_peak(pair.before), sides.1.at_peak(pair.after)),
        };
        if change.growth() != 0 || change.lengthening != 0 {
            changed.push(change);
        }
    }
    let unchanged = pairs.len() as u64 - changed.len() as u64;
    changed.order_by_key(|it| Reverse((it.growth(), it.lengthening)));
    let mut only = sides.0.only(Side::Before, &alone.0);
    only.extend(sides.1.only(Side::After, &alone.1));
    only.order_by_key(|it| (Reverse(it.size), it.side, it.buffer));
    let at_peak = (
        |index: usize| sides.0.at_peak(index),
        |index: usize| sides.1.at_peak(index),
    );
    let kept = (
        |index: usize| sides.0.kept(index),
        |index: usize| sides.1.kept(index),
    );
    Dumps {
        growth: growth(one, other, &pairs, at_peak),
        kept: match segments {
            true => growth(one, other, &pairs, kept),
            false => Vec::new(),
        },
        failed: (Failed::of(before), Failed::of(after)),
        arenas: Vec::new(),
        bounds: (sides.0.bound, sides.1.bound),
        peaks: (sides.0.peak, sides.1.peak),
        waste: (sides.0.waste, sides.1.waste),
        changed,
        unchanged,
        only,
    }
}

/// One dump with what is known of it as a whole.
struct Measured<'a> {
    arena: &'a Arena,
    waste: Waste,
    bound: Bytes,
    peak: Step,
}

impl<'a> Measured<'a> {
    /// With `reserved`, what was reserved counts; with `segments`, each is a space of its own.
    fn new(arena: &'a Arena, (reserved, segments): (bool, bool)) -> Self {
        let bounds = bounds::aligned(&arena.lifetimes, Bytes(1));
        let plan = Plan {
            segments: arena.plan.segments.clone().filter(|_| segments),
            ..arena.plan.clone()
        };
        let waste = waste(&arena.lifetimes, &arena.notes, &plan, &bounds);
        Self {
            waste: waste.counting_reserved(plan.reserved.filter(|_| reserved)),
            bound: bounds.offsets,
            peak: bounds.peak,
            arena,
        }
    }

    fn buffer(&self, index: usize) -> &'a Buffer {
        &self.arena.lifetimes.buffers[index]
    }

    fn at_peak(&self, index: usize) -> Bytes {
        let window = self.buffer(index).needed_at(self.peak);
        window.map_or(Bytes::ZERO, |(start, end)| {
            Bytes(end.0.saturating_sub(start.0))
        })
    }

    /// Bytes of a buffer that is never given back.
    fn kept(&self, index: usize) -> Bytes {
        let buffer = self.buffer(index);
        match buffer.span.end == self.arena.lifetimes.horizon {
            true => buffer.size,
            false => Bytes::ZERO,
        }
    }

    fn only(&self, side: Side, alone: &[bool]) -> Vec<Only> {
        let alone = alone.iter().enumerate().filter(|(_, alone)| **alone);
        let only = |(buffer, _): (usize, &bool)| Only {
            side,
            buffer,
            size: self.buffer(buffer).size,
            span: self.buffer(buffer).span,
            at_peak: self.at_peak(buffer),
        };
        alone.map(only).collect()
    }
}

fn steps(span: Span) -> i64 {
    i64::try_from(span.len()).unwrap_or(i64::MAX)
}
