//! Where every block is or could be, and what each section still has to hold: changed by
//! placing a block and put back by taking it up again.

mod inspect;
mod postpone;

use super::field::{Field, Needs};
use super::rules::Rules;
use super::sections::Range;
use crate::strategies::{Rule, Stop};
use crate::units::{Bytes, Offset, narrow};
use alloc::vec;
use alloc::vec::Vec;

/// The address of a placed block in `State::low`.
pub(super) const PLACED: u64 = u64::MAX;

/// What `low` and `floor` of a block were before they changed.
#[derive(Clone, Copy, Debug)]
struct Change {
    block: u32,
    low: u64,
    floor: u64,
}

/// What a rule looked at that ended a branch.
#[derive(Clone, Copy, Debug, Default)]
struct Broke {
    /// The block that would be too high, if it was one.
    block: Option<u32>,
    /// The section that is too full, if it was one.
    section: Option<usize>,
    /// The address of the block, or the floor of the section.
    floor: u64,
    /// Where it would end.
    needed: u64,
}

/// How far the state had been changed at some moment.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mark {
    lows: usize,
    watches: usize,
}

/// The blocks of a field on their way to a plan that is at most `capacity` high.
pub(super) struct State<'a> {
    pub(super) field: &'a Field,
    pub(super) rules: Rules,
    pub(super) capacity: u64,
    /// The lowest address left to each unplaced block, [`PLACED`] for placed ones. One more
    /// at the end, 0, for sections that have nothing left.
    pub(super) low: Vec<u64>,
    /// The lowest address at which each unplaced block can still end up: its `low`, or more
    /// while it is postponed. [`PLACED`] and one more at the end as in `low`.
    pub(super) floor: Vec<u64>,
    /// The highest address allowed to each block.
    pub(super) high: Vec<u64>,
    /// Address of each placed block.
    pub(super) at: Vec<u64>,
    /// The highest floor at which each section still holds what is unplaced in it.
    room: Vec<u64>,
    /// For each section an unplaced block whose lowest address is not above `room`: while it
    /// is there, the section need not be looked at.
    watch: Vec<u32>,
    /// Unplaced blocks that are live in each section and in the next.
    pub(super) ties: Vec<u32>,
    /// Whether the last placed block tore two neighbouring sections apart.
    pub(super) torn: bool,
    /// The least capacity at which any branch would not have been given up.
    pub(super) beyond: u64,
    /// What the last rule looked at that ended a branch.
    broke: Broke,
    lows: Vec<Change>,
    watches: Vec<(u32, u32)>,
}

impl<'a> State<'a> {
    /// Nothing placed; `None` when even that is too much for `capacity`.
    pub(super) fn new(field: &'a Field, rules: Rules, capacity: u64) -> Option<Self> {
        if field.bound() > capacity {
            return None;
        }
        let sections = field.sections.len();
        let high = field.blocks.iter().map(|block| {
            let high = capacity - block.size;
            block.fixed.map_or(high, |fixed| fixed.min(high))
        });
        let room = field.totals.iter().zip(&field.slope);
        let mut ties = vec![0; sections];
        for range in &field.sections.ranges {
            for tie in &mut ties[range.inner()] {
                *tie += 1;
            }
        }
        let mut low = field.lowest.clone();
        low.push(0);
        let watch = |section: usize| {
            let members = field.sections.members.get(section).iter();
            let lowest = members
                .copied()
                .min_by_key(|&block| field.lowest[block as usize]);
            lowest.unwrap_or(narrow(field.len()))
        };
        Some(Self {
            field,
            rules,
            capacity,
            floor: low.clone(),
            low,
            high: high.collect(),
            at: vec![0; field.len()],
            room: room
                .map(|(total, slope)| capacity + slope - total)
                .collect(),
            watch: (0..sections).map(watch).collect(),
            ties,
            torn: false,
            beyond: u64::MAX,
            broke: Broke::default(),
            lows: Vec::new(),
            watches: Vec::new(),
        })
    }

    /// How far the state has been changed.
    pub(super) fn mark(&self) -> Mark {
        Mark {
            lows: self.lows.len(),
            watches: self.watches.len(),
        }
    }

    /// Places `block` at its lowest address and looks at the sections `range`; when a rule
    /// ends the branch, everything is as before.
    pub(super) fn place(&mut self, block: u32, range: Range) -> Result<(), Rule> {
        let mark = self.mark();
        let index = block as usize;
        let offset = self.low[index];
        self.raise(index, PLACED);
        self.at[index] = offset;
        if !self.lift(index, offset) {
            self.restore(mark);
            return Err(Rule::Capacity);
        }
        match self.field.needs(index) {
            Needs::Whole(sections, need) => {
                for room in &mut self.room[sections] {
                    *room += need;
                }
            }
            Needs::Parts(parts) => {
                for &(section, need) in parts {
                    self.room[section as usize] += need;
                }
            }
        }
        if let Err(rule) = self.inspect(range, offset) {
            self.close(index);
            self.restore(mark);
            return Err(rule);
        }
        self.torn = false;
        for tie in &mut self.ties[self.field.sections.ranges[index].inner()] {
            *tie -= 1;
            self.torn |= *tie == 0;
        }
        Ok(())
    }

    /// What the rule looked at that has just ended the branch of `block` at `offset`.
    pub(super) fn stop(&self, block: u32, offset: u64) -> Stop {
        let Broke {
            block: other,
            section,
            floor,
            needed,
        } = self.broke;
        // All who need bytes in a section are live when the last of them begins.
        let members = section.map(|section| self.field.sections.members.get(section).iter());
        let start = |&member: &u32| self.field.blocks[member as usize].start;
        Stop {
            other: other.map(|other| self.field.blocks[other as usize].buffer),
            step: members.and_then(|members| members.map(start).max()),
            floor: Bytes(floor),
            needed: Bytes(needed),
            ..self.skip(block, offset)
        }
    }

    /// `block` at `offset`, which is left out.
    pub(super) fn skip(&self, block: u32, offset: u64) -> Stop {
        Stop {
            buffer: self.field.blocks[block as usize].buffer,
            offset: Offset(offset),
            other: None,
            step: None,
            floor: Bytes::ZERO,
            needed: Bytes::ZERO,
            capacity: Bytes(self.capacity),
        }
    }

    /// Bytes still to be placed in the fullest section of `block`.
    pub(super) fn fullest(&self, block: u32) -> u64 {
        let own = self.field.sections.of_block.get(block as usize).iter();
        let left = own.map(|&(section, _)| {
            let section = section as usize;
            self.capacity + self.field.slope[section] - self.room[section]
        });
        left.max().unwrap_or(0)
    }

    /// Takes `block` up again, which was placed at `mark`.
    pub(super) fn take_up(&mut self, block: u32, mark: Mark) {
        let index = block as usize;
        for tie in &mut self.ties[self.field.sections.ranges[index].inner()] {
            *tie += 1;
        }
        self.close(index);
        self.restore(mark);
    }

    fn close(&mut self, index: usize) {
        match self.field.needs(index) {
            Needs::Whole(sections, need) => {
                for room in &mut self.room[sections] {
                    *room -= need;
                }
            }
            Needs::Parts(parts) => {
                for &(section, need) in parts {
                    self.room[section as usize] -= need;
                }
            }
        }
    }

    /// Sets the lowest address of a block.
    fn raise(&mut self, index: usize, to: u64) {
        self.lows.push(Change {
            block: narrow(index),
            low: self.low[index],
            floor: self.floor[index],
        });
        self.low[index] = to;
        self.floor[index] = to;
    }

    /// Undoes every change since `mark`, but for what placed blocks need.
    pub(super) fn restore(&mut self, mark: Mark) {
        while self.lows.len() > mark.lows {
            if let Some(Change { block, low, floor }) = self.lows.pop() {
                self.low[block as usize] = low;
                self.floor[block as usize] = floor;
            }
        }
        while self.watches.len() > mark.watches {
            if let Some((section, block)) = self.watches.pop() {
                self.watch[section as usize] = block;
            }
        }
    }

    /// Lifts what shares a step with the block placed at `offset` above it. False when one
    /// of them then ends above the capacity, or cannot have its fixed address.
    fn lift(&mut self, index: usize, offset: u64) -> bool {
        match self.field.aligned {
            true => self.lift_aligned(index, offset + self.field.padded[index]),
            false => self.lift_each(index, offset),
        }
    }

    /// As `lift`, where `top` is an address for every block.
    fn lift_aligned(&mut self, index: usize, top: u64) -> bool {
        let (lows, highs) = (&mut self.low[..], &self.high[..]);
        let floors = &mut self.floor[..];
        // Placed blocks are above everything.
        for &other in self.field.near.get(index) {
            let low = &mut lows[other as usize];
            if *low < top {
                if top > highs[other as usize] {
                    self.refuse(other, top);
                    return false;
                }
                let floor = &mut floors[other as usize];
                self.lows.push(Change {
                    block: other,
                    low: *low,
                    floor: *floor,
                });
                *low = top;
                *floor = top;
            }
        }
        true
    }

    fn lift_each(&mut self, index: usize, offset: u64) -> bool {
        let field = self.field;
        let top = offset + field.padded[index];
        for (place, &other) in field.near.get(index).iter().enumerate() {
            let low = self.low[other as usize];
            if low == PLACED {
                continue;
            }
            let top = match &field.apart {
                Some(apart) => offset + apart.get(index)[place],
                None => top,
            };
            if low < top {
                let block = &field.blocks[other as usize];
                let to = match block.fixed {
                    Some(_) => top,
                    None => top.next_multiple_of(block.alignment),
                };
                if to > self.high[other as usize] {
                    self.refuse(other, to);
                    return false;
                }
                self.raise(other as usize, to);
            }
        }
        true
    }

    /// Block `other` would have to lie at `to`, which is too high.
    #[cold]
    pub(super) fn refuse(&mut self, other: u32, to: u64) {
        let block = &self.field.blocks[other as usize];
        self.broke = Broke {
            block: Some(other),
            section: None,
            floor: to,
            needed: to + block.size,
        };
        if block.fixed.is_none() {
            self.beyond = self.beyond.min(to + block.size);
        }
    }
}
