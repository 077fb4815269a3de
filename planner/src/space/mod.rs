//! What lies at a place of a plan: the buffer that holds it and what that rests on, or the
//! free range and what would fit into it. The free bytes of the whole arena over time, and what
//! is empty while it is highest.

mod chain;
mod envelopes;
mod free_ranges;
mod lanes;
mod loss;
mod neighbours;
mod peak;
mod refusal;
mod segments;

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use crate::liveness::{Buffer, Lifetimes};
use crate::plan::{Mapped, Plan, Segment};
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Offset, Span, Step};

pub use chain::{Rest, chain};
pub use envelopes::{Envelope, envelopes};
pub use free_ranges::{FreeRange, RANGES_LISTED, free_ranges};
pub use lanes::{FreePoint, free};
pub use loss::{Blocker, HOLES_LISTED, Hole, Loss, Why, loss, loss_with};
pub use neighbours::{Neighbours, neighbours};
pub use peak::{Relief, reliefs};
pub use refusal::{Failure, FreeFor, Misfit, failure, free_for};
pub use segments::{SegmentAt, segments_at};

/// What lies at one byte at one step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Spot {
    /// Bytes that these buffers need, by index; more than one where they share them.
    Held(Vec<usize>),
    /// Bytes that no buffer needs.
    Empty(FreeSpot),
    /// Bytes that no allocator had taken from its device then.
    NotTaken,
    /// No byte of the arena, or no step of the plan.
    Outside,
}

/// Bytes that no buffer needs: as high as they are free at one step, for as long as all of them
/// are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FreeSpot {
    /// First byte.
    pub low: Offset,
    /// End, exclusive.
    pub high: Offset,
    /// When all of them are free.
    pub span: Span,
    /// The buffer that ends where it begins at that step; `None` for the arena's floor.
    pub below: Option<usize>,
    /// The buffer that begins where it ends at that step; `None` for the arena's top.
    pub above: Option<usize>,
    /// A buffer that holds some of these bytes just before.
    pub before: Option<usize>,
    /// A buffer that holds some of these bytes just after.
    pub after: Option<usize>,
    /// Buffers that lie elsewhere and would fit, largest first; at most [`FITTING_LISTED`].
    pub fitting: Vec<usize>,
    /// How many would fit.
    pub fitting_count: u64,
    /// The segment that it lies in, by index; `None` where the plan has none.
    pub segment: Option<u32>,
}

impl FreeSpot {
    /// Its height in bytes.
    #[must_use]
    pub fn height(&self) -> Bytes {
        Bytes(self.high.0.saturating_sub(self.low.0))
    }
}

/// The most buffers that [`FreeSpot::fitting`] names.
pub const FITTING_LISTED: usize = 100;

/// Bytes that a buffer needs during some steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    buffer: usize,
    span: Span,
    low: u64,
    high: u64,
}

impl Block {
    /// Bytes of a segment that are not there, which end free ranges as a block does.
    fn wall(missing: Mapped) -> Self {
        Self {
            buffer: usize::MAX,
            span: missing.span,
            low: missing.low.0,
            high: missing.high.0,
        }
    }

    /// The buffer; `None` for bytes that are not there.
    fn of_buffer(self) -> Option<usize> {
        (self.buffer < usize::MAX).then_some(self.buffer)
    }
}

/// The segments of a plan; none where it is one address space.
fn segments(plan: &Plan) -> &[Segment] {
    let segments = plan.segments.as_ref();
    segments.map_or(&[], |segments| segments.list.as_slice())
}

/// Every block of the plan. Addresses beyond 64 bits are cut off there.
fn blocks<'p>(lifetimes: &'p Lifetimes, plan: &'p Plan) -> impl Iterator<Item = Block> + 'p {
    let placed = lifetimes.buffers.iter().zip(&plan.offsets).enumerate();
    placed.flat_map(|(buffer, (it, offset))| {
        it.needs().map(move |need| Block {
            buffer,
            span: need.span,
            low: offset.0.saturating_add(need.window.0.0),
            high: offset.0.saturating_add(need.window.1.0),
        })
    })
}

/// Where free bytes at one byte and step can reach at most: in the arena, or in the segment that
/// holds them.
struct Room {
    low: u64,
    high: u64,
    span: Span,
    segment: Option<u32>,
}

impl Room {
    /// `None` where no segment holds the byte at that step.
    fn at(lifetimes: &Lifetimes, plan: &Plan, step: Step, offset: Offset) -> Option<Self> {
        let Some(segments) = &plan.segments else {
            return Some(Self {
                low: 0,
                high: plan.arena.0,
                span: Span {
                    start: Step::default(),
                    end: lifetimes.horizon,
                },
                segment: None,
            });
        };
        let (index, segment) = segments.at(step, offset)?;
        let mut runs = segment.mapped_at(step).into_iter();
        let (low, high) = runs.find(|run| run.0 <= offset && offset < run.1)?;
        Some(Self {
            low: low.0,
            high: high.0,
            span: segment.span,
            segment: Some(index),
        })
    }
}

/// What lies at byte `offset` of the arena at `step`. Linear in the number of buffers.
#[must_use]
pub fn at(lifetimes: &Lifetimes, plan: &Plan, step: Step, offset: Offset) -> Spot {
    if offset.0 >= plan.top().0 || step >= lifetimes.horizon {
        return Spot::Outside;
    }
    let now = || blocks(lifetimes, plan).filter(|block| block.span.contains(step));
    let holds = |block: &Block| block.low <= offset.0 && offset.0 < block.high;
    let holders: Vec<usize> = now().filter(holds).map(|block| block.buffer).collect();
    if !holders.is_empty() {
        return Spot::Held(holders);
    }
    let Some(room) = Room::at(lifetimes, plan, step, offset) else {
        return Spot::NotTaken;
    };
    let below = now().filter(|block| room.low < block.high && block.high <= offset.0);
    let below = below.max_by_key(|block| (block.high, Reverse(block.buffer)));
    let above = now().filter(|block| offset.0 < block.low && block.low < room.high);
    let above = above.min_by_key(|block| (block.low, block.buffer));
    let (low, high) = (
        below.map_or(room.low, |block| block.high),
        above.map_or(room.high, |block| block.low),
    );
    let segment = room
        .segment
        .and_then(|index| segments(plan).get(index as usize));
    let missing = segment.map(Segment::unmapped).unwrap_or_default();
    let walls = || missing.iter().map(|it| Block::wall(*it));
    let across = || blocks(lifetimes, plan).chain(walls());
    let across = || across().filter(move |it| it.low < high && low < it.high);
    let within = || across().filter(|it| it.span.overlaps(room.span));
    let before = within().filter(|block| block.span.end <= step);
    let before = before.max_by_key(|block| (block.span.end, Reverse(block.buffer)));
    let after = within().filter(|block| block.span.start > step);
    let after = after.min_by_key(|block| (block.span.start, block.buffer));
    let span = Span {
        start: before.map_or(room.span.start, |block| block.span.end),
        end: after.map_or(room.span.end, |block| block.span.start),
    };
    let (fitting, fitting_count) = fitting(lifetimes, (low, high), span);
    Spot::Empty(FreeSpot {
        low: Offset(low),
        high: Offset(high),
        span,
        below: below.map(|block| block.buffer),
        above: above.map(|block| block.buffer),
        before: before.and_then(Block::of_buffer),
        after: after.and_then(Block::of_buffer),
        fitting,
        fitting_count,
        segment: room.segment,
    })
}

/// The buffers that could lie in `[low, high)` for their whole life, which has to lie within
/// `span`; largest first, ties by index. None of them lies there already, because no buffer does.
fn fitting(lifetimes: &Lifetimes, (low, high): (u64, u64), span: Span) -> (Vec<usize>, u64) {
    let fits = |buffer: &Buffer| {
        let start = Offset(low).align_up(buffer.alignment);
        let end = start.and_then(|start| start.end(buffer.size));
        buffer.is_needed()
            && span.start <= buffer.span.start
            && buffer.span.end <= span.end
            && end.is_some_and(|end| end.0 <= high)
    };
    let buffers = lifetimes.buffers.iter().enumerate();
    let fitting = buffers.filter(|(_, buffer)| fits(buffer));
    let mut fitting: Vec<usize> = fitting.map(|(index, _)| index).collect();
    let count = fitting.len() as u64;
    fitting.order_by_key(|&index| Reverse(lifetimes.buffers[index].size));
    fitting.truncate(FITTING_LISTED);
    (fitting, count)
}
