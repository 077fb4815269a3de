//! What a picture shows of a decision: the free ranges that there were, what a buffer stands on,
//! and the decision with which the arena got its height.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use super::sharing::{handed_over, pairs};
use super::{BufferPlace, Change, Layout, Outcome, Picture, Trace};
use crate::free_space;
use crate::liveness::Lifetimes;
use crate::sorting::Sorting as _;
use crate::strategies::Trial;
use crate::strategies::separation::separation;
use crate::units::{Bytes, Offset, Step};

pub use super::sharing::{Shared, Sharing, is_unused, shared, unused_below};

/// A free range between placed buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FreeRange {
    /// First byte.
    pub from: Offset,
    /// Bytes; `None` for the open space above everything.
    pub size: Option<Bytes>,
    /// The buffer that it lies on; `None` for the arena's start.
    pub below: Option<usize>,
    /// The buffer that it lies under; `None` for the open space.
    pub above: Option<usize>,
}

/// What a buffer stands on, down to the arena's start or to a free range.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stack {
    /// From the buffer itself downwards, each on the next.
    pub buffers: Vec<usize>,
    /// Free bytes right under the last of them: first byte and size.
    pub free: Option<(Offset, Bytes)>,
    /// Two of them that are never live together, the upper first, as far apart in the stack
    /// as there are.
    pub apart: Option<(usize, usize)>,
}

/// What a whole trace comes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// The kept decision with which the arena got its final height, where that is above the
    /// bound. `None` when it is not; when the strategy proved that no plan is smaller; when
    /// the trace is sampled; and where no single decision can be named: in searches, with
    /// several pools, and when no buffer was decided with it.
    pub decisive: Option<usize>,
    /// The largest arena of all pictures.
    pub highest: Bytes,
}

/// The free ranges between the placed buffers that are live together with `buffer` or
/// before `until`, as far as they are in its way, by address; the open space is the last.
/// `buffer` itself counts as not placed. Only its own pool counts.
#[must_use]
pub fn free_ranges(
    lifetimes: &Lifetimes,
    layout: &Layout,
    buffer: usize,
    until: Option<Step>,
) -> Vec<FreeRange> {
    let floor = layout.base(layout.pool(buffer));
    let blocks = beside(lifetimes, layout, buffer, until);
    let ranges = free_space::free_ranges(floor, blocks.into_iter());
    let known = ranges.map(|range| FreeRange {
        from: range.start,
        size: range.end.map(|end| Bytes(end.0 - range.start.0)),
        below: range.below,
        above: range.above,
    });
    known.collect()
}

/// The placed buffers that keep `buffer` from lying where they do, as long as it is live or
/// until `until`: start of what they take of it, its exclusive end, and index, by address.
/// Pauses in the lives of both count. Those that it is handed over with where it lies are
/// left out.
fn beside(
    lifetimes: &Lifetimes,
    layout: &Layout,
    buffer: usize,
    until: Option<Step>,
) -> Vec<(Offset, Offset, usize)> {
    let Some(known) = lifetimes.buffers.get(buffer) else {
        return Vec::new();
    };
    let longer = until.filter(|&until| until > known.span.end).map(|until| {
        let mut longer = known.clone();
        longer.span.end = until;
        longer
    });
    let own = longer.as_ref().unwrap_or(known);
    let (pool, pairs) = (layout.pool(buffer), pairs(lifetimes, buffer));
    let placed = lifetimes.buffers.iter().zip(&layout.offsets).enumerate();
    let mut found: Vec<_> = placed
        .filter(|(index, (other, _))| {
            *index != buffer && other.span.overlaps(own.span) && layout.pool(*index) == pool
        })
        .filter_map(|(index, (other, offset))| {
            let at = (*offset)?;
            let (below, above) = (separation(own, other)?, separation(other, own)?);
            if handed_over(&pairs, layout, buffer, index).is_some() {
                return None;
            }
            let start = at.0.checked_add(own.size.0)? - below;
            Some((Offset(start), at.end(Bytes(above))?, index))
        })
        .collect();
    found.order();
    found
}

/// What `buffer` stands on. Blocks start at multiples of `alignment` or of what they ask for
/// themselves, so fewer bytes than that are no free range.
#[must_use]
pub fn stack(lifetimes: &Lifetimes, layout: &Layout, buffer: usize, alignment: Bytes) -> Stack {
    let mut stack = Stack {
        buffers: vec![buffer],
        ..Stack::default()
    };
    let mut top = buffer;
    let bottom = layout.base(layout.pool(buffer));
    while let Some(&Some(start)) = layout.offsets.get(top)
        && start > bottom
        && stack.buffers.len() <= lifetimes.buffers.len()
    {
        let under = beside(lifetimes, layout, top, None);
        let under = under.into_iter().filter(|&(_, end, _)| end <= start);
        let support = under.max_by_key(|&(from, end, index)| (end, from, index));
        let floor = support.map_or(bottom, |(_, end, _)| end);
        let own = lifetimes.buffers[top].alignment.max(alignment);
        if floor.align_up(own) < Some(start) {
            stack.free = Some((floor, Bytes(start.0 - floor.0)));
            break;
        }
        let Some((_, _, next)) = support else { break };
        if stack.buffers.contains(&next) {
            break;
        }
        stack.buffers.push(next);
        top = next;
    }
    stack.apart = apart(lifetimes, &stack.buffers);
    stack
}

/// The two of `buffers` that are farthest apart in the list and never live together.
fn apart(lifetimes: &Lifetimes, buffers: &[usize]) -> Option<(usize, usize)> {
    let never = |a: usize, b: usize| {
        let (a, b) = (lifetimes.buffers[a].span, lifetimes.buffers[b].span);
        a.end <= b.start || b.end <= a.start
    };
    (1..buffers.len()).rev().find_map(|distance| {
        let mut pairs = buffers.windows(distance + 1);
        pairs.find_map(|pair| {
            let (upper, lower) = (pair[0], pair[distance]);
            never(upper, lower).then_some((upper, lower))
        })
    })
}

/// Goes through a whole trace once. `bound` is the bound of the trace's way of planning.
#[must_use]
pub fn survey(trace: &Trace, lifetimes: &Lifetimes, bound: Bytes) -> Survey {
    let frames = trace.frames();
    let attempt = |outcome: &Outcome| matches!(outcome, Outcome::Attempt { .. });
    let last = frames.iter().rposition(|frame| attempt(&frame.outcome));
    let mut survey = Survey::default();
    let mut picture = Picture::new(lifetimes.buffers.len());
    let mut ends = Ends::default();
    // With which decision the arena rose, and from which height.
    let mut rises: Vec<(usize, Bytes)> = Vec::new();
    let mut before = Bytes::ZERO;
    for index in 0..frames.len() {
        for &change in trace.changes(index) {
            ends.follow(change, lifetimes, &mut picture);
        }
        let arena = ends.arena();
        survey.highest = survey.highest.max(arena);
        while rises.last().is_some_and(|&(_, from)| from >= arena) {
            rises.pop();
        }
        if arena > before {
            rises.push((index, before));
        }
        before = arena;
    }
    let decided = |&(index, _): &(usize, Bytes)| {
        last.is_none_or(|last| index > last) && frames[index].outcome.buffer().is_some()
    };
    let proved = trace.proved.is_some_and(|proved| proved >= before);
    let named = before > bound && !proved && trace.sampled.is_none() && trace.pools.is_empty();
    if named && !frames.iter().any(|frame| searches(&frame.outcome)) {
        let last = rises.last().filter(|rise| decided(rise));
        survey.decisive = last.map(|&(index, _)| index);
    }
    survey
}

/// Whether it belongs to a search, which no single decision of the plan that it found stands
/// for.
fn searches(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Unplaced { .. } => true,
        Outcome::Attempt { trial, .. } => {
            matches!(
                trial,
                Trial::Moves { .. } | Trial::Proof { .. } | Trial::Walk { .. }
            )
        }
        _ => false,
    }
}

/// The ends of all that is placed, kept up to date.
#[derive(Default)]
struct Ends {
    /// How many placed buffers end at each address.
    of_buffers: BTreeMap<u64, usize>,
    /// Sum of the objects' sizes.
    objects: u64,
}

impl Ends {
    fn follow(&mut self, change: Change, lifetimes: &Lifetimes, picture: &mut Picture) {
        match change {
            Change::Clear => *self = Self::default(),
            Change::Object(object, size) => {
                let before = picture.objects().get(object as usize).copied();
                let before = before.unwrap_or_default().0;
                self.objects = self.objects.saturating_sub(before).saturating_add(size.0);
            }
            Change::Range(..) | Change::Closed(..) | Change::Pool(..) | Change::Base(..) => {}
            Change::At(buffer, _) | Change::In(buffer, _) | Change::Out(buffer) => {
                let buffer = buffer as usize;
                let size = lifetimes.buffers.get(buffer).map(|known| known.size);
                let end = |place: Option<BufferPlace>| match place {
                    Some(BufferPlace::At(offset)) => offset.end(size?).map(|end| end.0),
                    Some(BufferPlace::In(_)) | None => None,
                };
                let was = picture.places().get(buffer).copied().flatten();
                if let Some(was) = end(was)
                    && let Some(count) = self.of_buffers.get_mut(&was)
                {
                    *count -= 1;
                    if *count == 0 {
                        self.of_buffers.remove(&was);
                    }
                }
                if let Change::At(_, offset) = change
                    && let Some(now) = end(Some(BufferPlace::At(offset)))
                {
                    *self.of_buffers.entry(now).or_default() += 1;
                }
            }
        }
        picture.change(change);
    }

    fn arena(&self) -> Bytes {
        let buffers = self.of_buffers.last_key_value().map_or(0, |(&end, _)| end);
        Bytes(buffers.max(self.objects))
    }
}
