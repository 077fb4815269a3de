//! The skyline greedy without a single pair of conflicting blocks.
//!
//! ```text
//!  address    ┌─────┐            The skyline is a row of lines, each a stretch of moments
//!    ▲   ┌────┘     │     ┌──    with the height from which on it is free. No block can lie
//!    │   │          └─────┘      lower than the lowest line, and those that can lie on it
//!    └──────────────── ^^^ ──▶   are those that are live only during it.
//! ```
//!
//! So the block that can lie lowest is the best-ranked one inside a lowest line. Where no
//! waiting block lies inside it, every one that meets the line also meets a neighbour, and
//! the line is lifted to its lower neighbour without a change to where anything can lie.
//! Each block adds at most two lines and each lift takes one away, so that n blocks take
//! O(n) searches in [`Within`].

use alloc::collections::BinaryHeap;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

use super::blocks::Blocks;
use super::within::{NONE, Within};
use crate::strategies::PlanError;

/// A block in so many lets the caller know that work goes on.
const TICK: usize = 1 << 10;

/// The lines and the waiting blocks; its memory serves one attempt after the other.
pub(super) struct Lines<'a> {
    blocks: &'a Blocks,
    waiting: Within,
    /// Line that starts at each moment; one that ends at 0 is none.
    lines: Vec<Line>,
    /// Height, best rank and start of the lines; those that are no longer so are passed over.
    queue: BinaryHeap<Reverse<(u64, u32, u32)>>,
    /// Where each block starts after an attempt.
    pub(super) offsets: Vec<u64>,
    /// The blocks as they were placed.
    pub(super) placed: Vec<u32>,
}

#[derive(Clone, Copy, Default)]
struct Line {
    height: u64,
    end: u32,
    /// Start of the line before it.
    before: u32,
    /// Rank of the best block inside.
    best: u32,
}

impl<'a> Lines<'a> {
    /// Room for attempts at `blocks`.
    pub(super) fn new(blocks: &'a Blocks) -> Self {
        Self {
            blocks,
            waiting: Within::new(&blocks.spans),
            lines: vec![Line::default(); blocks.moments as usize],
            queue: BinaryHeap::new(),
            offsets: vec![0; blocks.len()],
            placed: Vec::new(),
        }
    }

    /// Places the blocks of `order`, the best-ranked first, each on top of `floor`: stretches
    /// of moments with a height, none overlapping, by moment; 0 elsewhere. Returns where the
    /// last of them ends; `None` as soon as that is `limit` or more.
    ///
    /// # Errors
    /// Those of `tick`, which receives from time to time how many blocks were placed.
    pub(super) fn place(
        &mut self,
        order: &[u32],
        (floor, limit): (&[(u32, u32, u64)], u64),
        tick: &mut dyn FnMut(usize) -> Result<(), PlanError>,
    ) -> Result<Option<u64>, PlanError> {
        self.waiting.fill(order);
        self.lay(floor);
        self.placed.clear();
        let mut arena = 0;
        while let Some(Reverse((height, rank, start))) = self.queue.pop() {
            let line = self.lines[start as usize];
            if line.end == 0 || (line.height, line.best) != (height, rank) {
                continue;
            }
            let Some(&block) = order.get(rank as usize) else {
                if self.placed.len() == order.len() {
                    break;
                }
                self.lift(start);
                continue;
            };
            let offset = self.blocks.align(block as usize, height);
            let end = offset + self.blocks.records[block as usize].size;
            if end >= limit {
                return Ok(None);
            }
            arena = arena.max(end);
            self.offsets[block as usize] = offset;
            self.placed.push(block);
            self.waiting.remove(block);
            let span = self.blocks.spans[block as usize];
            self.raise(start, span, self.blocks.top(end));
            if self.placed.len().is_multiple_of(TICK) {
                tick(self.placed.len())?;
            }
        }
        Ok(Some(arena))
    }

    /// Starts anew with the skyline of `floor`.
    fn lay(&mut self, floor: &[(u32, u32, u64)]) {
        self.queue.clear();
        self.lines.fill(Line::default());
        let last = self.blocks.moments.saturating_sub(1);
        let mut row: Vec<(u32, u64)> = vec![(0, 0)];
        for &(from, to, height) in floor {
            row.extend([(from, height), (to, 0)]);
        }
        row.push((last, 0));
        let mut before = NONE;
        let mut pending: Option<(u32, u64)> = None;
        for pair in row.windows(2) {
            let ((from, height), to) = (pair[0], pair[1].0);
            match pending {
                _ if from >= to => {}
                Some((_, known)) if known == height => {}
                _ => {
                    if let Some((start, known)) = pending {
                        self.set(start, from, known, before);
                        before = start;
                    }
                    pending = Some((from, height));
                }
            }
        }
        if let Some((start, known)) = pending {
            self.set(start, last, known, before);
        }
    }

    /// Makes `[start, end)` a line, and itself known to the next line.
    fn set(&mut self, start: u32, end: u32, height: u64, before: u32) {
        let best = self.waiting.best(start, end);
        self.lines[start as usize] = Line {
            height,
            end,
            before,
            best,
        };
        self.lines[end as usize].before = start;
        self.queue.push(Reverse((height, best, start)));
    }

    /// The line that starts at `start`, unless that is past the last.
    fn line(&self, start: u32) -> Option<Line> {
        let line = self.lines.get(start as usize).copied();
        line.filter(|line| line.end != 0)
    }

    /// Raises the moments `[from, to)` of the line at `start` to `top`.
    fn raise(&mut self, start: u32, (from, to): (u32, u32), top: u64) {
        let line = self.lines[start as usize];
        self.lines[start as usize].end = 0;
        let mut before = line.before;
        if start < from {
            self.set(start, from, line.height, before);
            before = start;
        }
        self.join((from, to), top, before);
        if to < line.end {
            let before = self.lines[to as usize].before;
            self.set(to, line.end, line.height, before);
        }
    }

    /// Lifts the line at `start`, which has no block inside, to its lower neighbour.
    fn lift(&mut self, start: u32) {
        let line = self.lines[start as usize];
        let before = self.line(line.before).map(|line| line.height);
        let after = self.line(line.end).map(|line| line.height);
        if let Some(height) = before.into_iter().chain(after).min() {
            self.lines[start as usize].end = 0;
            self.join((start, line.end), height, line.before);
        }
    }

    /// Makes `[start, end)` a line, together with neighbours of the same height.
    fn join(&mut self, (mut start, mut end): (u32, u32), height: u64, mut before: u32) {
        if let Some(known) = self.line(before).filter(|known| known.height == height) {
            self.lines[before as usize].end = 0;
            (start, before) = (before, known.before);
        }
        if let Some(known) = self.line(end).filter(|known| known.height == height) {
            self.lines[end as usize].end = 0;
            end = known.end;
        }
        self.set(start, end, height, before);
    }
}
