//! What there is to see, as columns of rectangles: one per buffer, and of a buffer that is not
//! needed all the time one for each stretch in which it is. Tensors that are views of a buffer
//! are rectangles inside it.

use std::collections::BTreeMap;
use std::sync::Arc;

use planner::bounds::Bounds;
use planner::deployed::Clock;
use planner::{Bytes, Lifetimes, Mapped, Plan, Profile, Residencies, Span};

/// Rectangles per block: small enough to skip most of a zoomed-in scene, large enough
/// that the blocks themselves cost nothing.
pub const BLOCK: usize = 64;

/// The pattern of pauses, by its place among [`PATTERNS`](crate::palette::PATTERNS).
pub const HATCH: u8 = 2;

/// The pattern of views, likewise: they share the colour of their buffer.
pub const VIEW: u8 = 1;

/// The pattern of what is in memory again, likewise.
pub const AGAIN: u8 = 6;

/// A rectangle in data space: steps across, bytes up, both half-open.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// First step, or when it began.
    pub x0: f64,
    /// End, exclusive.
    pub x1: f64,
    /// Offset in bytes.
    pub y0: f64,
    /// End, exclusive.
    pub y1: f64,
}

/// How a rectangle is filled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fill {
    /// Index into [`Theme::fills`](crate::palette::Theme::fills), taken modulo its length.
    pub color: u8,
    /// Index into [`PATTERNS`](crate::palette::PATTERNS), taken modulo its length; 0 is plain.
    pub pattern: u8,
}

/// How far the scene reaches from the origin. Both are at least 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extents {
    /// One step past the last.
    pub horizon: f64,
    /// One byte past the highest thing drawn, in bytes.
    pub top: f64,
}

/// Columns of rectangles, and lines. Later rectangles are drawn over earlier ones.
///
/// Rectangle `i` is buffer `i`, unless some buffer has pauses or views: see
/// [`Scene::with_parts`].
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    pub(crate) x0: Vec<f64>,
    pub(crate) x1: Vec<f64>,
    pub(crate) y0: Vec<f64>,
    pub(crate) y1: Vec<f64>,
    pub(crate) fill: Vec<u8>,
    pub(crate) pattern: Vec<u8>,
    pub(crate) blocks: Vec<Rect>,
    /// The buffer that each rectangle belongs to; empty where rectangle `i` is buffer `i`.
    owner: Vec<usize>,
    /// First rectangle of what each buffer needs, and the end, exclusive; empty likewise.
    pieces: Vec<usize>,
    /// The tensors that rectangles are views of their buffers for, by rectangle.
    views: BTreeMap<usize, String>,
    /// How many rectangles, from the first, lie dimmed under everything: absences, then the whole
    /// spans of buffers with pauses.
    outlines: usize,
    /// Of these, how many are absences: they come first.
    absences: usize,
    /// How far it reaches.
    pub extents: Extents,
    /// Live bytes as a step function: from each point's step on, that many bytes.
    pub curve: Vec<(f64, f64)>,
    /// The lower bound, in bytes; 0 when there is none.
    pub bound: f64,
    /// The arena's size, in bytes.
    pub arena: f64,
    /// What may be live at once, likewise.
    pub budget: f64,
    /// First byte of each pool that the arena is made of; none for one pool.
    pub pools: Vec<f64>,
    /// Where a buffer is written over another one: the step in which both are live, and the
    /// bytes that they share.
    pub seams: Vec<Rect>,
    /// The segments that it lies in, each an address space of its own; none for one space.
    pub segments: Vec<Rect>,
    /// Where steps are across, where they are not one after the other: see [`Scene::timed`].
    clock: Option<Arc<Clock>>,
}

/// The lines of a scene that are not rectangles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lines {
    /// See [`Scene::curve`].
    pub curve: Vec<(f64, f64)>,
    /// See [`Scene::bound`].
    pub bound: f64,
    /// See [`Scene::arena`].
    pub arena: f64,
}

impl Scene {
    /// The scene of a plan; `coloring` gives each buffer's fill by its index.
    ///
    /// A plan with fewer offsets than there are buffers shows only the buffers it places.
    #[must_use]
    pub fn new(
        lifetimes: &Lifetimes,
        plan: &Plan,
        (bounds, profile): (&Bounds, &Profile),
        coloring: &dyn Fn(usize) -> Fill,
    ) -> Self {
        let placed = lifetimes.buffers.iter().zip(&plan.offsets);
        let rects: Vec<Rect> = placed
            .map(|(buffer, offset)| Rect {
                x0: buffer.span.start.0 as f64,
                x1: buffer.span.end.0.max(buffer.span.start.0) as f64,
                y0: offset.0 as f64,
                y1: offset.0.saturating_add(buffer.size.0) as f64,
            })
            .collect();
        let lines = Lines {
            curve: profile
                .points
                .iter()
                .map(|(step, bytes)| (step.0 as f64, bytes.0 as f64))
                .collect(),
            bound: bounds.offsets.0 as f64,
            arena: plan.arena.0 as f64,
        };
        let mut scene = Self::from_rects(&rects, coloring, lines);
        scene.extents.horizon = scene.extents.horizon.max(lifetimes.horizon.0 as f64);
        let bases = plan.pools.iter().flat_map(|pools| &pools.bases);
        scene.pools = bases.map(|base| base.0 as f64).collect();
        scene.extents.top = scene.extents.top.max(plan.top().0 as f64);
        let segments = plan.segments.iter().flat_map(|segments| &segments.list);
        let mapped = segments.flat_map(|segment| &segment.mapped);
        let rect = |it: &Mapped| Rect {
            x0: it.span.start.0 as f64,
            x1: it.span.end.0 as f64,
            y0: it.low.0 as f64,
            y1: it.high.0 as f64,
        };
        scene.segments = mapped.map(rect).collect();
        scene.seams = seams(lifetimes, plan);
        for (_, again) in Residencies::of(lifetimes).returns() {
            if let Some(pattern) = scene.pattern.get_mut(again) {
                *pattern = AGAIN;
            }
        }
        scene.with_parts(lifetimes)
    }

    /// The same, where rectangle `i` is buffer `i` so far, with what buffers do not need all
    /// the time taken apart: the whole spans of buffers with pauses lie under everything and are
    /// drawn dimmed, so that others are seen inside their pauses; over them lies what is needed,
    /// when it is; and over that the tensors that are views of a buffer. Where a storage is
    /// away between two stays, its absence lies dimmed under everything, at the address that it
    /// left.
    #[must_use]
    pub fn with_parts(self, lifetimes: &Lifetimes) -> Self {
        let whole = |index: usize| {
            let rect = self.at(index);
            let pauses = lifetimes.buffers.get(index).map(|buffer| &buffer.pauses);
            // What has no place yet is out of sight, and needs none.
            pauses.is_none_or(Vec::is_empty) || rect.x1 <= rect.x0
        };
        let count = self.len();
        let absences = self.absences(lifetimes);
        if lifetimes.views.is_empty() && absences.is_empty() && (0..count).all(whole) {
            return self;
        }
        let mut apart = Apart::default();
        for (index, rect) in absences {
            apart.push(rect, index, self.fill[index], HATCH);
        }
        let absences = apart.rects.len();
        let mut views = lifetimes.views.iter().peekable();
        for index in (0..count).filter(|&index| !whole(index)) {
            apart.push(self.at(index), index, self.fill[index], HATCH);
        }
        let outlines = apart.rects.len();
        let mut pieces = Vec::with_capacity(count + 1);
        for index in 0..count {
            pieces.push(apart.rects.len());
            let (rect, fill, pattern) = (self.at(index), self.fill[index], self.pattern[index]);
            let part = |span: Span, window: (Bytes, Bytes)| Rect {
                x0: span.start.0 as f64,
                x1: span.end.0 as f64,
                y0: rect.y0 + window.0.0 as f64,
                y1: rect.y0 + window.1.0 as f64,
            };
            if whole(index) {
                apart.push(rect, index, fill, pattern);
            } else {
                for need in lifetimes.buffers[index].needs() {
                    apart.push(part(need.span, need.window), index, fill, pattern);
                }
            }
            while let Some(view) = views.next_if(|view| view.buffer <= index) {
                let inner = part(view.span, view.window);
                if view.buffer == index && inner != rect && rect.x0 < rect.x1 {
                    apart.views.insert(apart.rects.len(), view.name.clone());
                    apart.push(inner, index, fill, VIEW);
                }
            }
        }
        pieces.push(apart.rects.len());
        Self {
            x0: apart.rects.iter().map(|rect| rect.x0).collect(),
            x1: apart.rects.iter().map(|rect| rect.x1).collect(),
            y0: apart.rects.iter().map(|rect| rect.y0).collect(),
            y1: apart.rects.iter().map(|rect| rect.y1).collect(),
            blocks: apart.rects.chunks(BLOCK).map(hull).collect(),
            fill: apart.fill,
            pattern: apart.pattern,
            owner: apart.owner,
            views: apart.views,
            pieces,
            absences,
            outlines,
            ..self
        }
    }

    /// Where storages are away between two stays, with the buffer before.
    fn absences(&self, lifetimes: &Lifetimes) -> Vec<(usize, Rect)> {
        let residencies = Residencies::of(lifetimes);
        let away = residencies.returns().filter_map(|(left, again)| {
            let placed = left.max(again) < self.len();
            let (left_at, again_at) = (placed.then(|| self.at(left))?, self.at(again));
            let is_seen = left_at.x0 < left_at.x1 && left_at.x1 < again_at.x0;
            let rect = Rect {
                x0: left_at.x1,
                x1: again_at.x0,
                ..left_at
            };
            is_seen.then_some((left, rect))
        });
        away.collect()
    }

    /// A scene of any rectangles.
    #[must_use]
    pub fn from_rects(rects: &[Rect], coloring: &dyn Fn(usize) -> Fill, lines: Lines) -> Self {
        let mut extents = Extents {
            horizon: 1.0,
            top: lines.arena.max(lines.bound).max(1.0),
        };
        for rect in rects {
            extents.horizon = extents.horizon.max(rect.x1);
            extents.top = extents.top.max(rect.y1);
        }
        let fills: Vec<Fill> = (0..rects.len()).map(coloring).collect();
        Self {
            x0: rects.iter().map(|rect| rect.x0).collect(),
            x1: rects.iter().map(|rect| rect.x1).collect(),
            y0: rects.iter().map(|rect| rect.y0).collect(),
            y1: rects.iter().map(|rect| rect.y1).collect(),
            fill: fills.iter().map(|fill| fill.color).collect(),
            pattern: fills.iter().map(|fill| fill.pattern).collect(),
            blocks: rects.chunks(BLOCK).map(hull).collect(),
            owner: Vec::new(),
            pieces: Vec::new(),
            views: BTreeMap::new(),
            absences: 0,
            outlines: 0,
            extents,
            curve: lines.curve,
            bound: lines.bound,
            arena: lines.arena,
            budget: 0.0,
            pools: Vec::new(),
            seams: Vec::new(),
            segments: Vec::new(),
            clock: None,
        }
    }

    /// The same with steps as long as they took: across are microseconds.
    #[must_use]
    pub fn timed(mut self, clock: Option<&Arc<Clock>>) -> Self {
        let Some(clock) = clock.filter(|clock| !clock.is_empty()) else {
            return self;
        };
        let at = |step: &mut f64| *step = clock.at(*step);
        self.x0.iter_mut().chain(&mut self.x1).for_each(at);
        self.curve.iter_mut().for_each(|point| at(&mut point.0));
        let lines = self.segments.iter_mut().chain(&mut self.seams);
        for rect in self.blocks.iter_mut().chain(lines) {
            at(&mut rect.x0);
            at(&mut rect.x1);
        }
        at(&mut self.extents.horizon);
        self.extents.horizon = self.extents.horizon.max(1.0);
        self.clock = Some(Arc::clone(clock));
        self
    }

    /// The clock that says where steps are across; `None` where they are one after the other.
    #[must_use]
    pub fn clock(&self) -> Option<&Clock> {
        self.clock.as_deref()
    }

    /// Where a step is across.
    #[must_use]
    pub fn across(&self, step: f64) -> f64 {
        self.clock().map_or(step, |clock| clock.at(step))
    }

    /// A rectangle over steps where it is across.
    pub(crate) fn placed(&self, rect: &Rect) -> Rect {
        Rect {
            x0: self.across(rect.x0),
            x1: self.across(rect.x1),
            ..*rect
        }
    }

    /// Number of rectangles.
    #[must_use]
    pub fn len(&self) -> usize {
        self.x0.len()
    }

    /// Whether there is no rectangle.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.x0.is_empty()
    }

    /// Number of buffers; beyond it, there are only more rectangles of the same ones.
    #[must_use]
    pub fn buffers(&self) -> usize {
        self.pieces.len().checked_sub(1).unwrap_or(self.len())
    }

    /// All of buffer `index`, its pauses included; `None` beyond the last.
    #[must_use]
    pub fn rect(&self, index: usize) -> Option<Rect> {
        (index < self.buffers()).then(|| self.at(self.outline(index)))
    }

    /// The fill of buffer `index` where it is needed; `None` beyond the last.
    #[must_use]
    pub fn fill(&self, index: usize) -> Option<Fill> {
        let rectangle = self.pieces(index).start;
        (index < self.buffers()).then(|| Fill {
            color: self.fill[rectangle],
            pattern: self.pattern[rectangle],
        })
    }

    /// The tensor that a rectangle stands for, where it is a view of its buffer.
    #[must_use]
    pub fn view(&self, rectangle: usize) -> Option<&str> {
        self.views.get(&rectangle).map(String::as_str)
    }

    /// The buffer that a rectangle belongs to.
    #[must_use]
    #[inline]
    pub fn owner(&self, rectangle: usize) -> usize {
        self.owner.get(rectangle).copied().unwrap_or(rectangle)
    }

    /// Whether a rectangle is the whole span of a buffer with pauses. It is drawn under
    /// everything: its pattern and edge in the colour of the fill, on that colour dimmed.
    #[must_use]
    #[inline]
    pub fn is_outline(&self, rectangle: usize) -> bool {
        rectangle < self.outlines
    }

    /// The rectangles of what buffer `index` needs; of one that needs nothing its whole span.
    /// Empty beyond the last.
    #[must_use]
    pub fn pieces(&self, index: usize) -> std::ops::Range<usize> {
        let own = match (self.pieces.get(index), self.pieces.get(index + 1)) {
            (Some(&start), Some(&end)) if start < end => return start..end,
            (Some(_), Some(_)) => self.outline(index),
            _ if self.pieces.is_empty() => index,
            _ => self.len(),
        };
        own..(own + 1).min(self.len()).max(own)
    }

    /// The rectangle of all of a buffer that is there.
    fn outline(&self, index: usize) -> usize {
        let Some(&first) = self.pieces.get(index) else {
            return index;
        };
        let outlines = &self.owner[self.absences..self.outlines];
        let found = outlines.binary_search(&index);
        found.map_or(first, |at| self.absences + at)
    }

    /// Rectangle `index` of those that are drawn, which must be there.
    pub(crate) fn at(&self, index: usize) -> Rect {
        Rect {
            x0: self.x0[index],
            x1: self.x1[index],
            y0: self.y0[index],
            y1: self.y1[index],
        }
    }

    /// The indices of each block with the block's hull, in drawing order.
    pub(crate) fn blocks(
        &self,
    ) -> impl DoubleEndedIterator<Item = (std::ops::Range<usize>, &Rect)> {
        let len = self.len();
        let span = move |block: usize| block * BLOCK..((block + 1) * BLOCK).min(len);
        self.blocks
            .iter()
            .enumerate()
            .map(move |(block, hull)| (span(block), hull))
    }
}

/// Rectangles of buffers that were taken apart.
#[derive(Default)]
struct Apart {
    rects: Vec<Rect>,
    owner: Vec<usize>,
    fill: Vec<u8>,
    pattern: Vec<u8>,
    views: BTreeMap<usize, String>,
}

impl Apart {
    fn push(&mut self, rect: Rect, owner: usize, fill: u8, pattern: u8) {
        self.rects.push(rect);
        self.owner.push(owner);
        self.fill.push(fill);
        self.pattern.push(pattern);
    }
}

impl Rect {
    /// Whether the point lies inside, half-open on both axes.
    #[must_use]
    pub fn contains(&self, x: f64, y: f64) -> bool {
        self.x0 <= x && x < self.x1 && self.y0 <= y && y < self.y1
    }
}

/// The handovers that a plan takes: the later buffer starts where it may be written over the
/// earlier one.
fn seams(lifetimes: &Lifetimes, plan: &Plan) -> Vec<Rect> {
    let taken = lifetimes.handovers.iter().filter_map(|handover| {
        let of = |index: usize| Some((lifetimes.buffers.get(index)?, plan.offsets.get(index)?));
        let ((before, low), (after, at)) = (of(handover.before)?, of(handover.after)?);
        let there = low.0.checked_add(handover.shift.0) == Some(at.0);
        let shared = before.span.start < after.span.start && after.span.start < before.span.end;
        let top = low.0.saturating_add(before.size.0);
        (there && shared && at.0 < top).then(|| Rect {
            x0: after.span.start.0 as f64,
            x1: before.span.end.0 as f64,
            y0: at.0 as f64,
            y1: top.min(at.0.saturating_add(after.size.0)) as f64,
        })
    });
    taken.collect()
}

pub(crate) fn hull(rects: &[Rect]) -> Rect {
    let grow = |hull: Rect, rect: &Rect| Rect {
        x0: hull.x0.min(rect.x0),
        x1: hull.x1.max(rect.x1),
        y0: hull.y0.min(rect.y0),
        y1: hull.y1.max(rect.y1),
    };
    rects
        .iter()
        .fold(rects.first().copied().unwrap_or_default(), grow)
}
