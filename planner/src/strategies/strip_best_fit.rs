//! Strip packing, best fit: fills the lowest place of the skyline with the longest-lived
//! buffer that lies wholly above it (Sekiyama et al. 2018, after Burke et al. 2004).
//!
//! ```text
//!  offset     ┌─────┐            The skyline is a row of lines, each a stretch of steps
//!    ▲   ┌────┘     │     ┌──    with the address from which on it is free. Here the next
//!    │   │          └─────┘      buffer goes onto the line marked ^, or, when none fits,
//!    └──────────────── ^^^ ──▶   that line is lifted to its lower neighbour and joins it.
//! ```

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use super::description::{
    AboveNaive, Capabilities, Capability, Description, Family, Growth, Model,
};
use super::layout::Layout;
use super::longest::Longest;
use super::records::{Record, records};
use super::{Observer, PlanError, Search, Strategy, Taken};
use crate::free_space::Fit;
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::sorting::Sorting as _;

pub(super) const STRATEGY: Description = Description {
    name: "strip_best_fit",
    source: "Sekiyama et al. 2018 (arXiv 1804.10001), after Burke et al. 2004",
    family: Family::Packing,
    model: Model::Offsets,
    cost: "O(n log n), O(n²) at worst",
    growth: Growth::Linear,
    capabilities: Capabilities {
        pauses: Capability::Yes,
        ..Capabilities::WHOLE
    },
    above_naive: Some(AboveNaive::Padding),
    limit: None,
};

/// Repeatedly takes the lowest line, the earliest on ties, and puts on it the longest-lived
/// buffer live only during its steps, ties to the larger, then to the lower index.
///
/// Buffers with a fixed address come first; what lies below them is given up. During a pause of
/// a buffer the line is raised only to the top of what is needed of it, so that others can
/// lie there. Handovers are left unused.
pub(super) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let records = records(lifetimes);
    let mut layout = Layout::new(lifetimes, options, observer)?;
    let mut fixed = Vec::new();
    let mut waiting = Vec::new();
    for record in &records {
        let Some(offset) = layout.fixed(record) else {
            waiting.push(*record);
            continue;
        };
        let top = layout.put(record, offset)?;
        fixed.push((*record, top));
    }
    let mut skyline = Skyline::over(&waiting, &fixed);
    let mut candidates = Longest::new(&waiting);
    while let Some((height, start)) = skyline.lowest() {
        let end = skyline.end(start);
        if let Some(index) = candidates.take_within(start, end) {
            let record = &waiting[index];
            let offset = layout.align(record, height)?;
            layout.chosen(record, Search::Free(Fit::OnTop), Taken::Open)?;
            let top = layout.put(record, offset)?;
            let buffer = &lifetimes.buffers[record.buffer];
            if buffer.pauses.is_empty() {
                skyline.raise(start, record, top);
            } else {
                for need in buffer.needs() {
                    let piece = Record {
                        start: need.span.start.0,
                        end: need.span.end.0,
                        ..*record
                    };
                    skyline.raise_within(&piece, offset.saturating_add(need.window.1.0));
                }
            }
        } else if candidates.is_empty() || !skyline.lift(start) {
            break;
        }
    }
    Ok(layout.into_plan(Strategy::StripBestFit))
}

/// Lines that adjoin, no two neighbours of the same height.
#[derive(Default)]
struct Skyline {
    /// End and height of each line, by its first step.
    lines: BTreeMap<u64, (u64, u64)>,
    /// Height and first step of each line.
    by_height: BTreeSet<(u64, u64)>,
}

impl Skyline {
    /// A flat skyline over all of `waiting`, raised to the tops of `fixed`.
    fn over(waiting: &[Record], fixed: &[(Record, u64)]) -> Self {
        let mut skyline = Self::default();
        let start = waiting.iter().map(|record| record.start).min();
        let end = waiting.iter().map(|record| record.end).max();
        let (Some(start), Some(end)) = (start, end) else {
            return skyline;
        };
        let mut changes: Vec<(u64, bool, (u64, usize))> = Vec::new();
        for (index, (record, top)) in fixed.iter().enumerate() {
            changes.push((record.start.max(start), true, (*top, index)));
            changes.push((record.end.max(start), false, (*top, index)));
        }
        changes.order();
        let mut tops = BTreeSet::new();
        let mut from = start;
        for (step, begins, top) in changes {
            skyline.append(from, step.min(end), highest(&tops));
            from = step.min(end);
            if begins {
                tops.insert(top);
            } else {
                tops.remove(&top);
            }
        }
        skyline.append(from, end, highest(&tops));
        skyline
    }

    /// Adds a line after the last, or makes that one longer.
    fn append(&mut self, start: u64, end: u64, height: u64) {
        if start >= end {
            return;
        }
        if let Some((_, (last_end, last_height))) = self.lines.iter_mut().next_back()
            && *last_height == height
        {
            *last_end = end;
            return;
        }
        self.insert(start, end, height);
    }

    fn insert(&mut self, start: u64, end: u64, height: u64) {
        if start < end {
            self.lines.insert(start, (end, height));
            self.by_height.insert((height, start));
        }
    }

    fn remove(&mut self, start: u64) -> Option<(u64, u64)> {
        let (end, height) = self.lines.remove(&start)?;
        self.by_height.remove(&(height, start));
        Some((end, height))
    }

    /// Height and first step of the lowest line, the earliest on ties.
    fn lowest(&self) -> Option<(u64, u64)> {
        self.by_height.first().copied()
    }

    /// End of the line that starts at `start`.
    fn end(&self, start: u64) -> u64 {
        self.lines.get(&start).map_or(start, |line| line.0)
    }

    /// Raises the steps of `record`, which lie within the line at `start`, to `top`.
    fn raise(&mut self, start: u64, record: &Record, top: u64) {
        let Some((end, height)) = self.remove(start) else {
            return;
        };
        self.insert(start, record.start, height);
        self.insert(record.end, end, height);
        self.insert_joined(record.start, record.end, top);
    }

    /// Raises the steps of `piece`, which lie within one line, to `top`.
    fn raise_within(&mut self, piece: &Record, top: u64) {
        let line = self.lines.range(..=piece.start).next_back();
        if let Some((&start, _)) = line {
            self.raise(start, piece, top);
        }
    }

    /// Lifts the line at `start` to its lower neighbour; false when it has none.
    fn lift(&mut self, start: u64) -> bool {
        let Some(&(end, _)) = self.lines.get(&start) else {
            return false;
        };
        let before = self.lines.range(..start).next_back().map(|line| line.1.1);
        let after = self.lines.get(&end).map(|line| line.1);
        let Some(height) = before.into_iter().chain(after).min() else {
            return false;
        };
        self.remove(start);
        self.insert_joined(start, end, height);
        true
    }

    /// Adds a line and joins it with neighbours of the same height.
    fn insert_joined(&mut self, mut start: u64, mut end: u64, height: u64) {
        let before = self.lines.range(..start).next_back();
        if let Some((&first, _)) = before.filter(|line| line.1.1 == height) {
            self.remove(first);
            start = first;
        }
        let after = self.lines.get(&end).copied();
        if let Some((last, _)) = after.filter(|line| line.1 == height) {
            self.remove(end);
            end = last;
        }
        self.insert(start, end, height);
    }
}

fn highest(tops: &BTreeSet<(u64, usize)>) -> u64 {
    tops.last().map_or(0, |top| top.0)
}
