//! The walk along the free spaces between placed blocks, which most arena planners share;
//! they differ in the order of the buffers and in which space they take.

use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::strategies::by_address::{Block, ByAddress};
use crate::strategies::conflicts::TimeIndex;
use crate::strategies::layout::Layout;
use crate::strategies::records::Record;
use crate::strategies::{Note, Observer, PlanError, Refusal, Strategy, overflow};
use crate::units::{Bytes, Offset};

/// Where more than one in so many placed blocks conflicts, all are walked in order of
/// address; elsewhere the conflicting ones are looked up and sorted.
const DENSE: usize = 32;

/// Which free space a planner takes. Where none does, it goes behind the last block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Habit {
    /// The closest fit, by LiteRT's measure: a space is compared by what it offers from its
    /// first aligned address on, but remembered with the bytes before that address. So a
    /// later space can win against one that is just as large, or slightly smaller.
    ClosestFit,
    /// The first that is large enough.
    FirstFit,
    /// The closest fit, the lowest on ties, but never the space below the lowest block.
    ClosestFitAbove,
}

/// A free space below a placed block that is live at the same time.
#[derive(Clone, Copy, Debug)]
struct Space {
    /// First address in it that the alignment allows.
    from: u64,
    /// Bytes from there to the block, at least 1.
    size: u64,
    /// Bytes in all, those before `from` with them.
    whole: u64,
    /// Whether it is the space below the lowest block.
    leading: bool,
}

/// Blocks being placed.
pub(super) struct Walk<'a> {
    layout: Layout<'a>,
    lifetimes: &'a Lifetimes,
    records: &'a [Record],
    habit: Habit,
    by_time: TimeIndex,
    by_address: ByAddress,
    /// Block of each placed record: first byte and first byte behind it.
    places: Vec<(u64, u64)>,
    /// Kept between walks for their memory.
    found: Vec<usize>,
    spaces: Vec<Space>,
}

/// Places `records` in `order`; those with a fixed address before all others.
pub(super) fn place_all(
    strategy: Strategy,
    lifetimes: &Lifetimes,
    (records, order): (&[Record], &[usize]),
    habit: Habit,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let mut walk = Walk::new(lifetimes, records, habit, options, observer)?;
    for &index in order {
        walk.place(index)?;
    }
    Ok(walk.into_plan(strategy))
}

impl<'a> Walk<'a> {
    /// Places what has a fixed address.
    pub(super) fn new(
        lifetimes: &'a Lifetimes,
        records: &'a [Record],
        habit: Habit,
        options: &'a Options,
        observer: &'a mut dyn Observer,
    ) -> Result<Self, PlanError> {
        let mut walk = Self {
            layout: Layout::new(lifetimes, options, observer)?,
            lifetimes,
            records,
            habit,
            by_time: TimeIndex::new(records),
            by_address: ByAddress::new(),
            places: vec![(0, 0); records.len()],
            found: Vec::new(),
            spaces: Vec::new(),
        };
        for (index, record) in records.iter().enumerate() {
            if let Some(fixed) = walk.layout.fixed(record) {
                walk.put(index, fixed)?;
            }
        }
        Ok(walk)
    }

    /// Places the record at `index` by the planner's habit, unless it is fixed, and returns
    /// where it lies.
    pub(super) fn place(&mut self, index: usize) -> Result<u64, PlanError> {
        let record = self.records[index];
        if let Some(fixed) = self.layout.fixed(&record) {
            return Ok(fixed);
        }
        let top = self.look(&record)?;
        let chosen = self.habit.choose(&self.spaces, record.size);
        if self.layout.wants_reasons() {
            self.layout.note_size(&record)?;
            if let Some(space) = chosen.map(|chosen| self.spaces[chosen]) {
                let (from, size) = (Offset(space.from), Bytes(space.size));
                self.layout.note(&record, Note::Chosen { from, size })?;
            }
            let chosen = chosen.map(|chosen| (chosen, self.spaces[chosen]));
            for (at, space) in self.spaces.iter().enumerate() {
                if let Some(why) = self.habit.refusal(*space, at, chosen, record.size) {
                    self.layout.refuse(&record, (space.from, space.size), why)?;
                }
            }
        }
        let offset = chosen.map_or(top, |chosen| self.spaces[chosen].from);
        self.put(index, offset)?;
        Ok(offset)
    }

    /// Says that the record at `index` is put where those that take over its bytes, the last
    /// of which is `last`, find room too.
    pub(super) fn note_chain(&mut self, index: usize, last: usize) -> Result<(), PlanError> {
        self.layout.note(&self.records[index], Note::Chain { last })
    }

    /// Puts a buffer that shares the bytes of a placed one.
    pub(super) fn put_on(&mut self, shared: &Record, offset: u64) -> Result<(), PlanError> {
        self.layout.put(shared, offset).map(|_behind| ())
    }

    /// The plan.
    pub(super) fn into_plan(self, strategy: Strategy) -> Plan {
        self.layout.into_plan(strategy)
    }

    fn put(&mut self, index: usize, offset: u64) -> Result<(), PlanError> {
        let record = self.records[index];
        let buffer = &self.lifetimes.buffers[record.buffer];
        let behind = offset.checked_add(record.size);
        let behind = behind.ok_or_else(|| overflow(buffer))?;
        self.layout.put(&record, offset)?;
        self.by_time.insert(index);
        self.places[index] = (offset, behind);
        self.by_address.insert(Block {
            offset,
            behind,
            start: record.start,
            end: record.end,
        });
        Ok(())
    }

    /// Lists the spaces between the blocks that are live with `record`, and returns the first
    /// address behind them all.
    fn look(&mut self, record: &Record) -> Result<u64, PlanError> {
        self.found.clear();
        self.spaces.clear();
        let few = self.by_address.len() / DENSE;
        let steps = (record.start, record.end);
        self.by_time.overlapping(steps, few, &mut self.found);
        // Who takes the first space need not see the others, unless they are to be told.
        let first = self.habit == Habit::FirstFit && !self.layout.wants_reasons();
        let enough = if first { record.size } else { u64::MAX };
        let (layout, spaces) = (&self.layout, &mut self.spaces);
        if self.found.len() > few {
            let blocks = self.by_address.iter();
            let blocks = blocks.filter(|b| b.start < record.end && record.start < b.end);
            let blocks = blocks.map(|b| (b.offset, b.behind));
            return list(layout, record, blocks, enough, spaces);
        }
        let places = self.found.iter().map(|&other| self.places[other]);
        let mut blocks: Vec<(u64, u64)> = places.collect();
        blocks.sort_unstable();
        list(layout, record, blocks.into_iter(), enough, spaces)
    }
}

/// Appends the spaces between `blocks` (first byte and first byte behind, by address) to
/// `spaces`, and returns the first address behind them all, aligned for `record`. Stops at a
/// space of `enough` bytes.
fn list(
    layout: &Layout<'_>,
    record: &Record,
    blocks: impl Iterator<Item = (u64, u64)>,
    enough: u64,
    spaces: &mut Vec<Space>,
) -> Result<u64, PlanError> {
    let mut behind = 0;
    let mut leading = true;
    for (start, end) in blocks {
        if behind < start {
            let from = layout.align(record, behind)?;
            if from < start {
                spaces.push(Space {
                    from,
                    size: start - from,
                    whole: start - behind,
                    leading,
                });
                if start - from >= enough {
                    break;
                }
            }
        }
        behind = behind.max(end);
        leading = false;
    }
    layout.align(record, behind)
}

impl Habit {
    /// Which of the spaces takes `size` bytes.
    fn choose(self, spaces: &[Space], size: u64) -> Option<usize> {
        let mut fitting = spaces.iter().enumerate().filter(|(_, s)| s.size >= size);
        match self {
            Self::FirstFit => fitting.next().map(|(at, _)| at),
            Self::ClosestFitAbove => {
                let above = fitting.filter(|(_, space)| !space.leading);
                above.min_by_key(|(_, space)| space.whole).map(|(at, _)| at)
            }
            Self::ClosestFit => {
                let mut best = None;
                let mut least = u64::MAX;
                for (at, space) in fitting {
                    if space.size < least {
                        best = Some(at);
                        least = space.whole;
                    }
                }
                best
            }
        }
    }

    /// Why the space number `at` was not taken for `size` bytes; `None` for the `chosen` one
    /// and for those that the planner did not look at and could not have used.
    fn refusal(
        self,
        space: Space,
        at: usize,
        chosen: Option<(usize, Space)>,
        size: u64,
    ) -> Option<Refusal> {
        let fits = space.size >= size;
        let looked_at = match self {
            Self::ClosestFit => true,
            Self::FirstFit => chosen.is_none_or(|(chosen, _)| at <= chosen),
            Self::ClosestFitAbove => !space.leading,
        };
        let as_close = chosen.is_some_and(|(_, chosen)| space.size <= chosen.size);
        match (fits, looked_at) {
            _ if chosen.is_some_and(|(chosen, _)| chosen == at) => None,
            (true, true) if as_close && space.whole > space.size => Some(Refusal::Remembered {
                whole: Bytes(space.whole),
            }),
            (true, true) if as_close => Some(Refusal::NotFirst),
            (false, true) => Some(Refusal::TooSmall),
            (false, false) => None,
            (true, true) => Some(Refusal::LooserFit),
            (true, false) if self == Self::FirstFit => Some(Refusal::NotFirst),
            (true, false) => Some(Refusal::Overlooked),
        }
    }
}
