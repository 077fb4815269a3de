//! Whether sections still hold what is left to place in them.

use core::ops;

use super::{Broke, PLACED, State};
use crate::strategies::Rule;
use crate::strategies::exact::sections::Range;
use crate::units::narrow;

impl State<'_> {
    /// Whether each section of `range` still holds what is unplaced in it, when nothing more
    /// is placed below `last`.
    pub(super) fn inspect(&mut self, range: Range, last: u64) -> Result<(), Rule> {
        if !self.rules.section_inference {
            return Ok(());
        }
        let last = if self.rules.monotonic() { last } else { 0 };
        if !self.rules.unallocated_floor {
            return self.inspect_tops(range, last);
        }
        let mut sections = range.indices();
        while let Some(section) = self.unwatched(sections.clone(), last) {
            self.watch_another(section, last)?;
            sections.start = section + 1;
        }
        Ok(())
    }

    /// The first of `range` whose watched block does not speak for it any longer.
    fn unwatched(&self, range: ops::Range<usize>, last: u64) -> Option<usize> {
        let lows = &self.floor[..];
        let from = range.start;
        let mut sections = self.watch[range.clone()].iter().zip(&self.room[range]);
        let found = sections.position(|(&watch, &room)| lows[watch as usize].max(last) > room);
        found.map(|section| from + section)
    }

    /// Finds another block to watch in `section`, the first that will do.
    fn watch_another(&mut self, section: usize, last: u64) -> Result<(), Rule> {
        let room = self.room[section];
        let mut floor = PLACED;
        let mut found = None;
        let lows = &self.floor[..];
        for &block in self.field.sections.members.get(section) {
            let low = lows[block as usize];
            if low.max(last) <= room {
                found = Some(block);
                break;
            }
            floor = floor.min(low);
        }
        if found.is_none() && floor != PLACED {
            return Err(self.too_full(section, floor, last));
        }
        // Where nothing is left, the number of blocks stands for an address of 0.
        let found = found.unwrap_or(narrow(self.field.len()));
        let before = core::mem::replace(&mut self.watch[section], found);
        self.watches.push((narrow(section), before));
        Ok(())
    }

    fn too_full(&mut self, section: usize, floor: u64, last: u64) -> Rule {
        let room = self.room[section];
        let needed = self.capacity + floor.max(last) - room;
        self.broke = Broke {
            block: None,
            section: Some(section),
            floor: floor.max(last),
            needed,
        };
        self.beyond = self.beyond.min(needed);
        if floor > room {
            Rule::SectionInference
        } else {
            Rule::MonotonicFloor
        }
    }

    /// As `inspect`, with the tops of the placed blocks for floors.
    fn inspect_tops(&mut self, range: Range, last: u64) -> Result<(), Rule> {
        for section in range.indices() {
            let mut floor = 0;
            let mut unplaced = false;
            for &block in self.field.sections.members.get(section) {
                if self.low[block as usize] == PLACED {
                    let known = &self.field.blocks[block as usize];
                    floor = floor.max(self.at[block as usize] + known.size);
                } else {
                    unplaced = true;
                }
            }
            if unplaced && floor.max(last) > self.room[section] {
                return Err(self.too_full(section, floor, last));
            }
        }
        Ok(())
    }
}
