//! Fixed addresses that contradict each other, and those that no alignment would give.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::{Buffer, Lifetimes};
use crate::sorting::{Sorting as _, inserted};
use crate::units::{Bytes, Offset, Span, Step};
use crate::{Message, impl_message, message};

/// Two buffers whose fixed addresses collide: there is no plan, whatever the strategy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clash {
    /// The two, by ascending index.
    pub buffers: [FixedBlock; 2],
    /// The first step at which both need the same byte.
    pub step: Step,
}

/// A buffer with a fixed address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FixedBlock {
    /// Index of the buffer.
    pub buffer: usize,
    /// Its name.
    pub name: String,
    /// Its first byte.
    pub at: Offset,
    /// Its bytes.
    pub size: Bytes,
    /// When it is live, half-open.
    pub span: Span,
}

impl Clash {
    /// The sentence.
    #[must_use]
    pub fn message(&self) -> Message {
        let [one, other] = &self.buffers;
        message!(
            "the fixed addresses of {} and {} collide at step {}, so that there is no plan, \
             whatever the strategy: move one of the two, or leave its address open",
            one,
            other,
            self.step.0
        )
    }
}

impl FixedBlock {
    /// The block in a sentence.
    #[must_use]
    pub fn message(&self) -> Message {
        message!(
            "{} (bytes {} to {}, steps {} to {})",
            format_args!("{:?}", self.name),
            self.at.0,
            self.at.0.saturating_add(self.size.0),
            self.span.start.0,
            self.span.end.0.saturating_sub(1)
        )
    }
}

impl_message!(Clash, FixedBlock);

/// Bytes that a fixed buffer takes for some time.
struct Piece {
    buffer: usize,
    span: Span,
    /// Start and end.
    bytes: (u64, u64),
}

/// Two buffers with fixed addresses that need the same byte at the same step and may not be
/// handed over so; `None` where there are none.
#[must_use]
pub fn clash(lifetimes: &Lifetimes) -> Option<Clash> {
    let mut pieces: Vec<Piece> = Vec::new();
    for (buffer, known) in lifetimes.buffers.iter().enumerate() {
        pieces.extend(
            known
                .fixed
                .into_iter()
                .flat_map(|at| taken(buffer, known, at)),
        );
    }
    pieces.order_by_key(|piece| (piece.span.start, piece.buffer));
    // What is handed over shares its bytes rightly, which a sweep cannot see.
    let found = match handed_over(lifetimes) {
        handed if handed.is_empty() => first_overlap(&pieces),
        handed => first_overlap(&pieces).and_then(|_| first_pair(&pieces, &handed)),
    };
    let (one, other, step) = found?;
    let block = |buffer: usize| {
        let known = lifetimes.buffers.get(buffer)?;
        Some(FixedBlock {
            buffer,
            name: known.name.clone(),
            at: known.fixed?,
            size: known.size,
            span: known.span,
        })
    };
    Some(Clash {
        buffers: [block(one.min(other))?, block(one.max(other))?],
        step,
    })
}

/// The buffers whose fixed address is no multiple of what `alignment` and they themselves ask
/// for, by index: the address holds all the same, because it is the problem's own.
#[must_use]
pub fn fixed_unaligned(lifetimes: &Lifetimes, alignment: Bytes) -> Vec<usize> {
    let off = |(_, buffer): &(usize, &Buffer)| {
        let alignment = buffer.alignment.max(alignment).max(Bytes(1));
        buffer
            .fixed
            .is_some_and(|at| !at.0.is_multiple_of(alignment.0))
    };
    let buffers = lifetimes.buffers.iter().enumerate();
    buffers.filter(off).map(|(buffer, _)| buffer).collect()
}

fn taken(buffer: usize, known: &Buffer, at: Offset) -> impl Iterator<Item = Piece> + '_ {
    let needs = known.needs().filter(|_| known.is_needed());
    needs.map(move |need| Piece {
        buffer,
        span: need.span,
        bytes: (
            at.0.saturating_add(need.window.0.0),
            at.0.saturating_add(need.window.1.0),
        ),
    })
}

/// The pairs of fixed buffers that lie exactly as a handover allows.
fn handed_over(lifetimes: &Lifetimes) -> BTreeSet<(usize, usize)> {
    let lies = |it: &&super::Handover| {
        let before = lifetimes.buffers.get(it.before);
        let (Some(before), Some(after)) = (before, lifetimes.buffers.get(it.after)) else {
            return false;
        };
        let meet = after.span.start.0.checked_add(1) == Some(before.span.end.0);
        let from = before.fixed.and_then(|at| at.0.checked_add(it.shift.0));
        meet && from.is_some() && from == after.fixed.map(|at| at.0)
    };
    let lying = lifetimes.handovers.iter().filter(lies);
    inserted(lying.map(|it| (it.before.min(it.after), it.before.max(it.after))))
}

/// Two pieces that share a byte, found in a sweep over the steps: as long as what is live is
/// disjoint, a new piece can only hit the one below or above it.
fn first_overlap(pieces: &[Piece]) -> Option<(usize, usize, Step)> {
    let mut live: BTreeMap<u64, (u64, usize)> = BTreeMap::new();
    let mut ends: BTreeSet<(Step, u64)> = BTreeSet::new();
    for piece in pieces {
        while let Some(&(end, start)) = ends.first()
            && end <= piece.span.start
        {
            ends.pop_first();
            live.remove(&start);
        }
        let (start, end) = piece.bytes;
        if let Some((_, &(other_end, other))) = live.range(..end).next_back()
            && other_end > start
        {
            return Some((other, piece.buffer, piece.span.start));
        }
        live.insert(start, (end, piece.buffer));
        ends.insert((piece.span.end, start));
    }
    None
}

/// The same by looking at every pair that is live together, but for those of `handed`.
fn first_pair(pieces: &[Piece], handed: &BTreeSet<(usize, usize)>) -> Option<(usize, usize, Step)> {
    for (place, one) in pieces.iter().enumerate() {
        let later = pieces[place + 1..].iter();
        for other in later.take_while(|other| other.span.start < one.span.end) {
            let share = one.bytes.0.max(other.bytes.0) < one.bytes.1.min(other.bytes.1);
            let pair = (one.buffer.min(other.buffer), one.buffer.max(other.buffer));
            if share && pair.0 != pair.1 && !handed.contains(&pair) {
                return Some((one.buffer, other.buffer, other.span.start));
            }
        }
    }
    None
}
