//! What a strategy looked at and did not take, and why: derived from what is placed so far and
//! from where the strategy says that it looked.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::Reason;
use super::ranges::Ranges;
use super::refusals::{Wanted, refusals};
use crate::free_space::{FreeRange, free_ranges};
use crate::liveness::Lifetimes;
use crate::sorting::Sorting as _;
use crate::strategies::conflicts::TimeIndex;
use crate::strategies::records::Record;
use crate::strategies::separation::separation;
use crate::strategies::{Choice, Match, Note, Refusal, Search, Taken};
use crate::units::{Bytes, Offset, Step, narrow};

/// The most objects of which one decision is explained, where a strategy looks at all.
const EXPLAINED: usize = 64;

/// What is placed and assigned, as the strategy counts it.
#[derive(Debug)]
pub(super) struct Considered<'a> {
    lifetimes: &'a Lifetimes,
    by_time: TimeIndex,
    /// Bytes that each placed buffer keeps.
    held: Vec<u64>,
    objects: Vec<Object>,
}

/// A shared object: its size, and the end and the index of each of its buffers by start.
#[derive(Debug, Default)]
struct Object {
    size: Bytes,
    holders: BTreeMap<u64, (u64, usize)>,
}

/// The pool that is planned: what lies where, its index, and its first byte.
#[derive(Clone, Copy)]
pub(super) struct InPool<'a> {
    pub(super) places: &'a [(Option<Offset>, u32)],
    pub(super) ranges: &'a Ranges,
    pub(super) pool: u32,
    pub(super) base: u64,
}

/// A placed buffer: its start from that of the pool, the end of what it keeps, and its index.
type Block = (u64, u64, usize);

impl<'a> Considered<'a> {
    /// Nothing is placed.
    pub(super) fn new(lifetimes: &'a Lifetimes) -> Self {
        let buffers = lifetimes.buffers.iter().enumerate();
        let records: Vec<Record> = buffers
            .map(|(buffer, known)| Record {
                buffer,
                size: known.size.0,
                start: known.span.start.0,
                end: known.span.end.0,
            })
            .collect();
        Self {
            lifetimes,
            by_time: TimeIndex::new(&records),
            held: records.iter().map(|record| record.size).collect(),
            objects: Vec::new(),
        }
    }

    /// `buffer` lies somewhere, and keeps other bytes until another step than its own where
    /// `held` says so.
    pub(super) fn put(&mut self, buffer: usize, held: Option<(Bytes, Step)>) {
        let Some(known) = self.lifetimes.buffers.get(buffer) else {
            return;
        };
        if known.is_needed() {
            let (bytes, until) = held.unwrap_or((known.size, known.span.end));
            self.held[buffer] = bytes.0;
            self.by_time.insert_until(buffer, until.0);
        }
    }

    /// `buffer` lies nowhere.
    pub(super) fn take_up(&mut self, buffer: usize) {
        if buffer < self.held.len() {
            self.by_time.remove(buffer);
        }
    }

    /// There is no object any more.
    pub(super) fn forget_objects(&mut self) {
        self.objects.clear();
    }

    /// An object has this size now.
    pub(super) fn size_object(&mut self, object: usize, size: Bytes) {
        if object >= self.objects.len() {
            self.objects.resize_with(object + 1, Object::default);
        }
        self.objects[object].size = size;
    }

    /// `buffer` was given to an object.
    pub(super) fn assign(&mut self, buffer: usize, object: usize) {
        let known = self.lifetimes.buffers.get(buffer);
        let known = known.filter(|known| known.is_needed());
        if let (Some(known), Some(object)) = (known, self.objects.get_mut(object)) {
            let (start, end) = (known.span.start.0, known.span.end.0);
            object.holders.insert(start, (end, buffer));
        }
    }

    /// What there is to say of a choice for `buffer`, in the order in which it was looked at.
    pub(super) fn reasons(
        &self,
        buffer: usize,
        choice: &Choice,
        within: InPool<'_>,
    ) -> Vec<Reason> {
        match choice.search {
            Search::Free(_) | Search::FreeInPauses(_) | Search::FreeBelow(..) => {
                self.free(buffer, choice, within)
            }
            Search::Blocks { class } => self.blocks((buffer, choice), class, within),
            Search::Chunks => self.blocks((buffer, choice), 0, within),
            Search::OpenedRanges => self.opened(buffer, choice, within),
            Search::Objects(by) => self.passed(buffer, choice, by),
            Search::Unaddressed => Vec::new(),
        }
    }

    /// What is placed in the pool and live with `buffer`, by address.
    fn beside(&self, buffer: usize, choice: &Choice, within: InPool<'_>) -> Vec<Block> {
        let Some(own) = self.lifetimes.buffers.get(buffer) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        let steps = (own.span.start.0, choice.until.0);
        self.by_time.overlapping(steps, usize::MAX, &mut found);
        let in_pauses = matches!(choice.search, Search::FreeInPauses(_));
        let block = |&index: &usize| {
            let (at, pool) = *within.places.get(index)?;
            let at = at?.0.checked_sub(within.base)?;
            if index == buffer || pool != within.pool {
                return None;
            }
            if !in_pauses {
                return Some((at, at.checked_add(self.held[index])?, index));
            }
            let other = &self.lifetimes.buffers[index];
            let (below, above) = (separation(own, other)?, separation(other, own)?);
            let start = at.checked_add(own.size.0)?.checked_sub(below)?;
            Some((start, at.checked_add(above)?, index))
        };
        let mut blocks: Vec<Block> = found.iter().filter_map(block).collect();
        blocks.order();
        blocks
    }

    fn free(&self, buffer: usize, choice: &Choice, within: InPool<'_>) -> Vec<Reason> {
        let (fit, top) = match choice.search {
            Search::FreeBelow(fit, Offset(top)) => (fit, Some(top.saturating_sub(within.base))),
            Search::Free(fit) | Search::FreeInPauses(fit) => (fit, None),
            Search::Blocks { .. }
            | Search::Chunks
            | Search::OpenedRanges
            | Search::Unaddressed
            | Search::Objects(_) => return Vec::new(),
        };
        let blocks = self.beside(buffer, choice, within);
        let ranges = free_ranges(0, blocks.into_iter()).map(|range| FreeRange {
            end: range.end.or(top),
            ..range
        });
        let ranges = ranges.filter(|range| range.end.is_none_or(|end| range.start < end));
        let wanted = Wanted {
            size: choice.bytes.0,
            alignment: choice.alignment,
            fit,
            taken: match choice.taken {
                Taken::Range { from, size } => Taken::Range {
                    from: Offset(from.0.saturating_sub(within.base)),
                    size,
                },
                other => other,
            },
        };
        let refused = refusals(ranges, wanted).into_iter();
        let reasons = refused.map(|(range, why)| Reason::FreeRange {
            from: Offset(within.base.saturating_add(range.start)),
            size: range.size.map(Bytes),
            why,
        });
        reasons.collect()
    }

    /// The free blocks of an allocator: in each of its segments, or up from the start of the
    /// pool where it takes none.
    fn blocks(
        &self,
        (buffer, choice): (usize, &Choice),
        class: u32,
        within: InPool<'_>,
    ) -> Vec<Reason> {
        let beside = self.beside(buffer, choice, within);
        let mut segments: Vec<(u64, Option<u64>, u32)> = Vec::new();
        for range in within.ranges.open_in(within.pool) {
            segments.push((range.from, range.from.checked_add(range.size), range.class));
        }
        if segments.is_empty() {
            segments.push((0, None, class));
        }
        let taken = match choice.taken {
            Taken::Range { from, size } => Some((from.0.saturating_sub(within.base), size.0)),
            Taken::Open | Taken::InPlace | Taken::Object(_) => None,
        };
        let chunks = choice.search == Search::Chunks;
        let mut reasons = Vec::new();
        for (first, last, of_class) in segments {
            let inside = beside.iter().copied();
            let inside =
                inside.filter(|block| first <= block.0 && last.is_none_or(|last| block.0 < last));
            for range in free_ranges(first, inside) {
                let size = range
                    .end
                    .or(last)
                    .map(|end| end.saturating_sub(range.start));
                let own = taken.is_some_and(|(from, _)| from == range.start);
                let why = match size {
                    _ if own || size == Some(0) => continue,
                    None if taken.is_none() => continue,
                    None => Refusal::LooserFit,
                    Some(size) if size < choice.bytes.0 => Refusal::TooSmall,
                    Some(_) if of_class != class => Refusal::OtherPool,
                    Some(_) if chunks && taken.zip(last).is_some_and(|it| it.1 <= it.0.0) => {
                        Refusal::EarlierChunk
                    }
                    Some(size) if taken.is_some_and(|taken| taken.1 == size) => match chunks {
                        true => Refusal::LowerTie,
                        false => Refusal::NotFirst,
                    },
                    Some(_) => Refusal::LooserFit,
                };
                reasons.push(Reason::FreeRange {
                    from: Offset(within.base.saturating_add(range.start)),
                    size: size.map(Bytes),
                    why,
                });
            }
        }
        reasons
    }

    /// The ranges of fixed size up to the one that `buffer` joins.
    fn opened(&self, buffer: usize, choice: &Choice, within: InPool<'_>) -> Vec<Reason> {
        let blocks = self.beside(buffer, choice, within);
        let start = self.lifetimes.buffers.get(buffer);
        let start = start.map_or(0, |own| own.span.start.0);
        let live = |from: u64, size: u64| {
            let inside = blocks.iter().copied();
            inside.filter(move |block| from <= block.0 && block.0 - from < size)
        };
        let joined = match choice.taken {
            Taken::Object(range) => Some(narrow(range)),
            Taken::Range { .. } | Taken::Open | Taken::InPlace => None,
        };
        let open: Vec<_> = within.ranges.open_in(within.pool).collect();
        let into = open.iter().find(|range| Some(range.index) == joined);
        let found_empty = into.is_some_and(|it| live(it.from, it.size).next().is_none());
        let mut reasons = Vec::new();
        for range in &open {
            let own = Some(range.index) == joined;
            let (index, from) = (range.index as usize, range.from);
            // Of those that are there when it starts, or else first, the highest.
            let first = live(from, range.size).min_by_key(|&(at, _, by)| {
                let begins = self.lifetimes.buffers[by].span.start.0;
                (begins.max(start), core::cmp::Reverse(at))
            });
            let top = live(from, range.size).map(|(_, end, _)| end).max();
            let top = top.unwrap_or(from);
            let Some(Offset(at)) = Offset(top).align_up(choice.alignment) else {
                break;
            };
            let note = match first {
                _ if own => Note::Joined {
                    range: index,
                    below: Bytes(top - from),
                    padding: Bytes(at - top),
                },
                Some((.., by)) if found_empty => Note::InUse { range: index, by },
                _ => Note::Full {
                    range: index,
                    left: Bytes(from.saturating_add(range.size).saturating_sub(at)),
                    live: first.is_some(),
                },
            };
            reasons.push(Reason::Note(note));
            if own {
                break;
            }
        }
        reasons
    }

    /// The objects that were not taken.
    fn passed(&self, buffer: usize, choice: &Choice, by: Match) -> Vec<Reason> {
        let Some(own) = self.lifetimes.buffers.get(buffer) else {
            return Vec::new();
        };
        let taken = match choice.taken {
            Taken::Object(object) => Some(object),
            Taken::Range { .. } | Taken::Open | Taken::InPlace => None,
        };
        let others = self.objects.iter().enumerate();
        let others = others.filter(|(object, _)| Some(*object) != taken);
        // A strategy that takes the lowest does not look at the others.
        let (most, last) = match by {
            Match::Lowest | Match::BeingFilled => (usize::MAX, taken.unwrap_or(usize::MAX)),
            Match::Range { .. } => (usize::MAX, usize::MAX),
            Match::SameSize
            | Match::ClosestSize
            | Match::SmallestThatHolds
            | Match::NearestInTime => (EXPLAINED, usize::MAX),
        };
        let best = taken.and_then(|object| Some(self.objects.get(object)?.size));
        let (start, end) = (own.span.start.0, own.span.end.0);
        let why = |object: &Object| {
            let holder = match by {
                // Nothing that starts later is there yet, or counts.
                Match::BeingFilled => object.holders.range(..=start).next_back(),
                _ => object.holders.range(..end).next_back(),
            };
            match holder {
                Some((_, &(until, by))) if until > start => Refusal::Busy { by },
                last => {
                    let free_since = last.map_or(0, |(_, &(end, _))| end);
                    let wanted = (own.span.start, choice.bytes);
                    self.unmatched(object.size, wanted, by, (best, free_since))
                }
            }
        };
        let looked_at = others.filter(|(object, _)| *object < last).take(most);
        let passed = looked_at.map(|(index, object)| Reason::Object {
            object: index,
            why: why(object),
        });
        passed.collect()
    }

    /// Why an object of `size` bytes that no buffer holds was not taken, when one of `best` was.
    fn unmatched(
        &self,
        size: Bytes,
        (start, wanted): (Step, Bytes),
        by: Match,
        (best, free_since): (Option<Bytes>, u64),
    ) -> Refusal {
        let color = |step: u64| {
            let at = usize::try_from(step).ok();
            at.and_then(|at| self.lifetimes.colors.get(at)).copied()
        };
        let released = free_since.saturating_sub(1);
        match by {
            Match::SameSize if size == wanted => Refusal::NotFirst,
            Match::SameSize => Refusal::OutOfRange,
            Match::NearestInTime => Refusal::LooserFit,
            Match::Range { low, high, .. } if size < low || high < size => Refusal::OutOfRange,
            Match::Range { colored: true, .. }
                if color(released).unwrap_or(0) != color(start.0).unwrap_or(0) =>
            {
                Refusal::OtherColor
            }
            // Larger ones are looked at before smaller ones, each from the wanted size.
            Match::Range { .. } if best >= Some(wanted) && size < wanted => Refusal::NotFirst,
            Match::SmallestThatHolds
                if best.is_some_and(|best| best != size && best >= wanted) && size < wanted =>
            {
                Refusal::TooSmall
            }
            _ if best == Some(size) => Refusal::NotFirst,
            _ => Refusal::LooserFit,
        }
    }
}
