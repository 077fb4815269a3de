//! Objects as colours, the most constrained buffer first. Source: D. Brélaz, "New methods to
//! color the vertices of a graph", 1979 (DSATUR).

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::cmp::Reverse;

use super::lowest_free::{Painter, admit, degrees};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::strategies::conflicts::TimeIndex;
use crate::strategies::description::{
    AboveNaive, Capabilities, Description, Family, Growth, Model,
};
use crate::strategies::objects::Schedule;
use crate::strategies::records::{Record, records};
use crate::strategies::{Observer, PlanError, Strategy};

pub(in crate::strategies) const STRATEGY: Description = Description {
    name: "coloring_dsatur",
    source: "Brélaz 1979, DSATUR",
    family: Family::Coloring,
    model: Model::Objects,
    cost: "O((n + conflicts) log n)",
    growth: Growth::Square,
    capabilities: Capabilities::OBJECTS,
    above_naive: Some(AboveNaive::Padding),
    limit: None,
};

/// The most pairs of conflicting buffers that are looked at: each moves a buffer in a queue.
/// 5,000 buffers that are all live at once stay below it.
const PAIRS: u64 = 1 << 24;

/// Rank of a record: colours around it, conflicts without a colour, and the lower index; the
/// last in order is next.
type Rank = (usize, u64, Reverse<usize>);

/// Always the buffer whose conflicting buffers have the most different colours, ties by most
/// conflicts among those without a colour, then by lower index; it gets the lowest object
/// that no buffer live at the same time has.
///
/// Refuses problems of more than 2^24 conflicts.
pub(in crate::strategies) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let records = records(lifetimes);
    let degrees = degrees(&records);
    admit(&degrees, PAIRS)?;
    let mut queue = Queue::new(&records, &degrees);
    let mut painter = Painter::new(lifetimes, &records, observer)?;
    let mut members: Vec<Schedule> = Vec::new();
    while let Some(index) = queue.pop() {
        let color = painter.paint(index)?;
        if color == members.len() {
            members.push(Schedule::default());
        }
        queue.update(&records, index, &members[color]);
        members[color].take(&records[index]);
    }
    painter.objects.into_plan(Strategy::ColoringDsatur, options)
}

/// The records without a colour, the next one last.
struct Queue {
    ranks: BTreeSet<Rank>,
    /// Colours around each record, and its conflicts without a colour.
    known: Vec<(usize, u64)>,
    uncolored: TimeIndex,
}

impl Queue {
    fn new(records: &[Record], degrees: &[u64]) -> Self {
        let mut uncolored = TimeIndex::new(records);
        for index in 0..records.len() {
            uncolored.insert(index);
        }
        let known: Vec<(usize, u64)> = degrees.iter().map(|&degree| (0, degree)).collect();
        let ranks = known.iter().enumerate();
        let ranks = ranks.map(|(index, &(colors, degree))| (colors, degree, Reverse(index)));
        Self {
            ranks: ranks.collect(),
            known,
            uncolored,
        }
    }

    fn pop(&mut self) -> Option<usize> {
        let (_, _, Reverse(index)) = self.ranks.pop_last()?;
        self.uncolored.remove(index);
        Some(index)
    }

    /// The record at `index` has got the colour of `members`, of which it is none yet: each
    /// that conflicts with it has one conflict less without a colour, and sees one colour
    /// more unless it saw that one before.
    fn update(&mut self, records: &[Record], index: usize, members: &Schedule) {
        let mut found = Vec::new();
        let steps = (records[index].start, records[index].end);
        self.uncolored.overlapping(steps, usize::MAX, &mut found);
        for other in found {
            let (colors, degree) = self.known[other];
            let unseen = members.distance(&records[other]).is_some();
            let next = (colors + usize::from(unseen), degree - 1);
            self.known[other] = next;
            self.ranks.remove(&(colors, degree, Reverse(other)));
            self.ranks.insert((next.0, next.1, Reverse(other)));
        }
    }
}
