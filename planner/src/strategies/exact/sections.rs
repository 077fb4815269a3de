//! Sections: the moments that are looked at, and who is live there.
//!
//! Without pauses only the last steps of buffers count: whatever is live at another step is live
//! at one of these. Not each of them is the fullest around, but a section with fewer buffers
//! can have a higher floor. With pauses every stretch of time between two changes is a section.

use alloc::vec;
use alloc::vec::Vec;
use core::ops;

use super::problem::{Block, Problem};
use crate::sorting::Sorting as _;
use crate::strategies::separation::window;
use crate::units::narrow;

/// The sections of one group of blocks, seen from the blocks and from the sections.
pub(super) struct Sections {
    /// The sections in which each block is live.
    pub(super) ranges: Vec<Range>,
    /// The sections in which each block needs bytes, with their number.
    pub(super) of_block: Lists<(u32, u64)>,
    /// The blocks that need bytes in each section, in their order.
    pub(super) members: Lists<u32>,
}

/// Consecutive sections, half-open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Range {
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Range {
    /// As indices.
    pub(super) fn indices(self) -> ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The sections of which the next is here too.
    pub(super) fn inner(self) -> ops::Range<usize> {
        self.start as usize..(self.end.max(self.start + 1) - 1) as usize
    }
}

/// Lists laid end to end.
pub(super) struct Lists<T> {
    /// Where each list begins, and the end of the last.
    bounds: Vec<u32>,
    items: Vec<T>,
}

impl<T: Copy> Lists<T> {
    /// Puts `(list, item)` pairs into `count` lists, in the order in which they stand.
    pub(super) fn new(count: usize, filler: T, pairs: &[(u32, T)]) -> Self {
        let mut bounds = vec![0_u32; count + 1];
        for &(list, _) in pairs {
            bounds[list as usize + 1] += 1;
        }
        for list in 0..count {
            bounds[list + 1] += bounds[list];
        }
        let mut next = bounds.clone();
        let mut items = vec![filler; pairs.len()];
        for &(list, item) in pairs {
            items[next[list as usize] as usize] = item;
            next[list as usize] += 1;
        }
        Self { bounds, items }
    }

    /// One list.
    pub(super) fn get(&self, list: usize) -> &[T] {
        &self.items[self.bounds[list] as usize..self.bounds[list + 1] as usize]
    }

    /// Number of lists.
    pub(super) fn len(&self) -> usize {
        self.bounds.len() - 1
    }
}

impl Sections {
    /// The sections of `blocks`, in whose order they are numbered.
    pub(super) fn new(problem: &Problem<'_>, blocks: &[Block]) -> Self {
        let (ranges, moments) = if problem.pauses {
            stretches(problem, blocks)
        } else {
            peaks(blocks)
        };
        let mut needs: Vec<(u32, (u32, u64))> = Vec::new();
        for (block, range) in (0_u32..).zip(&ranges) {
            let known = &blocks[block as usize];
            let buffer = &problem.lifetimes.buffers[known.buffer];
            for section in range.start..range.end {
                let need = if buffer.pauses.is_empty() {
                    Some(known.padded)
                } else {
                    let part = window(buffer, moments[section as usize]);
                    part.map(|(first, end)| end.saturating_sub(first))
                };
                if let Some(need) = need.filter(|&need| need > 0) {
                    needs.push((block, (section, need)));
                }
            }
        }
        let members: Vec<(u32, u32)> = needs.iter().map(|&(b, (s, _))| (s, b)).collect();
        Self {
            of_block: Lists::new(blocks.len(), (0, 0), &needs),
            members: Lists::new(moments.len(), 0, &members),
            ranges,
        }
    }

    /// Number of sections.
    pub(super) fn len(&self) -> usize {
        self.members.len()
    }
}

/// Range of sections of each block, and a moment of each section.
type Ranges = (Vec<Range>, Vec<u64>);

/// A section at each step before which a block ends: what is live until then.
fn peaks(blocks: &[Block]) -> Ranges {
    let mut changes: Vec<(u64, bool, usize)> = Vec::with_capacity(2 * blocks.len());
    for (index, block) in blocks.iter().enumerate() {
        changes.push((block.start, true, index));
        changes.push((block.end, false, index));
    }
    // Ends come before the starts of the same step.
    changes.order();
    let mut ranges = vec![Range { start: 0, end: 0 }; blocks.len()];
    let mut moments = Vec::new();
    for (step, begins, block) in changes {
        if begins {
            ranges[block].start = narrow(moments.len());
            continue;
        }
        // Every block is live at the step before its end.
        let moment = step - 1;
        if moments.last() != Some(&moment) {
            moments.push(moment);
        }
        ranges[block].end = narrow(moments.len());
    }
    (ranges, moments)
}

/// A section between any two changes.
fn stretches(problem: &Problem<'_>, blocks: &[Block]) -> Ranges {
    let mut moments = Vec::new();
    for block in blocks {
        moments.extend([block.start, block.end]);
        for pause in &problem.lifetimes.buffers[block.buffer].pauses {
            moments.extend([pause.span.start.0, pause.span.end.0]);
        }
    }
    moments.order();
    moments.dedup();
    let at = |step: u64| narrow(moments.partition_point(|&moment| moment < step));
    let range = |block: &Block| Range {
        start: at(block.start),
        end: at(block.end),
    };
    (blocks.iter().map(range).collect(), moments)
}
