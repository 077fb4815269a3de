//! Which addresses were taken from the device, and when: rectangles of addresses and steps.
//! Those that must keep their distance from each other carry marks that are one.

use std::collections::BTreeMap;

use super::{Home, Segment};

/// Addresses that are there for a while.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rect {
    /// Start and end.
    pub(super) addresses: (u64, u64),
    /// Start and end.
    pub(super) steps: (u64, u64),
    /// What it keeps its distance with, as [`Marks`] have it.
    pub(super) mark: usize,
    /// How it is used.
    pub(super) home: Home,
}

/// Marks of which some are one and the same.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks(Vec<usize>);

impl Marks {
    /// One more.
    pub(super) fn fresh(&mut self) -> usize {
        self.0.push(self.0.len());
        self.0.len() - 1
    }

    /// The lowest of those that are one with `mark`.
    pub(super) fn lowest(&mut self, mut mark: usize) -> usize {
        while let Some(&above) = self.0.get(mark).filter(|above| **above != mark) {
            // The way is halved for the next lookup.
            let next = self.0.get(above).copied().unwrap_or(above);
            if let Some(slot) = self.0.get_mut(mark) {
                *slot = next;
            }
            mark = next;
        }
        mark
    }

    /// Makes two marks one.
    pub(super) fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.lowest(one), self.lowest(other));
        if let Some(slot) = self.0.get_mut(one.max(other)) {
            *slot = one.min(other);
        }
    }
}

/// What is there now and what was there before.
#[derive(Clone, Debug, Default)]
pub(super) struct Mapped {
    /// What is there no longer.
    past: Vec<Rect>,
    /// What is there now, by first byte, without overlap.
    now: BTreeMap<u64, Rect>,
    pub(super) marks: Marks,
}

impl Mapped {
    /// `segment` is there from `step` on. It does not overlap with what is there. A part of
    /// an expandable segment keeps its distance from its neighbours.
    pub(super) fn add(&mut self, segment: Segment, step: u64) {
        let Segment {
            address,
            size,
            home,
        } = segment;
        let end = address.saturating_add(size);
        let same = |its: Home| home.expandable && its.expandable && its.stream == home.stream;
        let below = self.now.range(..address).next_back();
        let below = below.filter(|(_, rect)| rect.addresses.1 == address);
        let neighbours = [below.map(|it| *it.1), self.now.get(&end).copied()];
        let mut marks = neighbours.into_iter().flatten();
        let mut marks = marks.by_ref().filter(|it| same(it.home)).map(|it| it.mark);
        let mark = marks.next().unwrap_or_else(|| self.marks.fresh());
        if let Some(other) = marks.next() {
            self.marks.join(mark, other);
        }
        let rect = Rect {
            addresses: (address, end),
            steps: (step, step),
            mark,
            home,
        };
        self.now.insert(address, rect);
    }

    /// `size` bytes at `address`, all of which are there, are there no longer from `step` on.
    pub(super) fn remove(&mut self, address: u64, size: u64, step: u64) {
        let end = address.saturating_add(size);
        let below = self.now.range(..=address).next_back();
        let mut at = below.map_or(address, |it| *it.0);
        while let Some((&start, &rect)) = self.now.range(at..end).next() {
            at = start.saturating_add(1);
            let (from, to) = rect.addresses;
            if to <= address {
                continue;
            }
            self.now.remove(&start);
            self.close(rect, step);
            for (from, to) in [(from, address), (end, to)] {
                if from < to {
                    let left = Rect {
                        addresses: (from, to),
                        steps: (step, step),
                        ..rect
                    };
                    self.now.insert(from, left);
                }
            }
        }
    }

    fn close(&mut self, rect: Rect, step: u64) {
        let steps = (rect.steps.0, step);
        if steps.0 < steps.1 {
            self.past.push(Rect { steps, ..rect });
        }
    }

    /// The mark of what is there at `address`.
    pub(super) fn mark(&self, address: u64) -> Option<usize> {
        let (_, rect) = self.now.range(..=address).next_back()?;
        (address < rect.addresses.1).then_some(rect.mark)
    }

    /// All rectangles; what is there now stays up to `horizon`.
    pub(super) fn close_all(mut self, horizon: u64) -> (Vec<Rect>, Marks) {
        for rect in std::mem::take(&mut self.now).into_values() {
            self.close(rect, horizon);
        }
        (self.past, self.marks)
    }
}
