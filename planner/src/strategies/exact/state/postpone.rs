//! What it means that a block is not placed where it could be.

use super::{Change, PLACED, State};
use crate::strategies::Rule;

impl State<'_> {
    /// Excludes `block` from its lowest address, after every branch with it there was tried,
    /// until an unplaced block is placed below it. An error where no plan is left then.
    pub(in crate::strategies::exact) fn postpone(&mut self, block: u32) -> Result<(), Rule> {
        let field = self.field;
        let last = self.low[block as usize];
        let Some(least) = self.least_lifted(block as usize, last) else {
            return Err(Rule::Hatless);
        };
        // With pauses a block may start inside the padded size of another.
        if field.apart.is_some() {
            return Ok(());
        }
        if least > self.high[block as usize] {
            self.refuse(block, least);
            return Err(Rule::Postponed);
        }
        // Its twins are placed after it.
        let mut next = Some(block);
        while let Some(block) = next {
            let index = block as usize;
            self.lows.push(Change {
                block,
                low: self.low[index],
                floor: self.floor[index],
            });
            self.floor[index] = least;
            next = field.next_twin[index];
        }
        let sections = field.sections.ranges[block as usize];
        self.inspect(sections, last)
            .map_err(|_other_rule| Rule::Postponed)
    }

    /// The least address to which a block not yet placed can still lift block `index`, when
    /// nothing more is placed below `last`; `None` where no such block meets it.
    fn least_lifted(&self, index: usize, last: u64) -> Option<u64> {
        let field = self.field;
        let unplaced = field.near.get(index).iter().filter(|&&other| {
            let other = other as usize;
            self.floor[other] != PLACED && field.first_twin[other] != field.first_twin[index]
        });
        let tops = unplaced.map(|&other| {
            let other = other as usize;
            self.floor[other].max(last) + field.padded[other]
        });
        tops.min()
    }
}
