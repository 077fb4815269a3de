//! MINCOSTFLOW: which buffer follows which in an object, as a minimum-cost flow.
//!
//! ```text
//!            0                 max(0, size i - size j)             0
//!  source ──────▶ left j ─────────────────────────────▶ right i ──────▶ sink
//!     └──────────────────────────── size i ─────────────────▲
//! ```
//! Every right vertex receives one unit: from the source when its buffer opens an object,
//! from left j when it follows buffer j, whose use has ended by then. Costs are pairwise,
//! so a chain that grows, shrinks and grows again pays twice and the result need not be
//! the best one.
//!
//! Which of several cheapest flows is found follows from the order in which successive
//! shortest paths relax edges (breadth levels, edges in order of creation); that order is
//! kept here. The edges are not: those of left j lead to all records from the first that
//! starts after j's end, so costs come from sizes and residual capacity from which follows
//! which.

use super::description::{AboveNaive, Capabilities, Description, Family, Growth, Model};
use super::objects::Assignment;
use super::records::{Record, in_order};
use super::{Observer, PlanError, Strategy};
use crate::liveness::Lifetimes;
use crate::message;
use crate::plan::{Options, Plan};
use alloc::vec;
use alloc::vec::Vec;

pub(super) const STRATEGY: Description = Description {
    name: "min_cost_flow",
    source: "Lee et al. 2019, as in TFLite MINCOSTFLOW",
    family: Family::TfliteGpu,
    model: Model::Objects,
    cost: "O(n³)",
    growth: Growth::Cube,
    capabilities: Capabilities::OBJECTS,
    above_naive: Some(AboveNaive::Padding),
    limit: Some(LIMIT),
};

/// More buffers than this are refused: the time grows with their cube.
const LIMIT: usize = 4096;

const UNREACHED: i64 = i64::MAX;
/// Edges between two reports of progress.
const REPORT: usize = 1 << 22;
/// Right vertices that are skipped together when none of them can come nearer.
const BLOCK: usize = 32;

/// Where the flow into a right vertex, or the shortest path to it, comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    Source,
    Left(usize),
    Sink,
}

/// A vertex of the flow network.
#[derive(Clone, Copy, Debug)]
enum Vertex {
    Source,
    Left(usize),
    Right(usize),
    Sink,
}

/// Finds the flow and reads the chains off it: one object each, as large as its largest.
pub(super) fn plan(
    lifetimes: &Lifetimes,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    let records = in_order(lifetimes);
    if records.len() > LIMIT {
        return Err(PlanError::Unsupported {
            what: message!("a minimum-cost flow over more than {} buffers", LIMIT),
        });
    }
    let mut objects = Assignment::new(lifetimes, observer)?;
    let mut flow = Flow::new(lifetimes, &records)?;
    let mut done = 0;
    while flow.shortest_path(|| objects.progress(done, records.len()))? {
        flow.augment();
        done += 1;
    }
    for first in 0..records.len() {
        if flow.before[first] != Some(From::Source) {
            continue;
        }
        let mut object = None;
        let mut next = Some(first);
        while let Some(index) = next {
            object = Some(objects.give(&records[index], object)?);
            next = flow.follower[index];
        }
    }
    objects.into_plan(Strategy::MinCostFlow, options)
}

/// The network, the flow so far and the shortest paths of the current round.
struct Flow {
    sizes: Vec<i64>,
    /// First record that may follow each record.
    first: Vec<usize>,
    /// What each right vertex receives its unit from, if it has one.
    before: Vec<Option<From>>,
    /// What each left vertex gives its unit to.
    follower: Vec<Option<usize>>,
    /// Distances from the source.
    left: Vec<i64>,
    right: Vec<i64>,
    sink: i64,
    /// Last edge of the shortest path: into a right vertex, into a left vertex (from the
    /// right one it gave to; `None` from the source), into the sink.
    into_right: Vec<From>,
    into_left: Vec<Option<usize>>,
    into_sink: usize,
    /// For each block of right vertices no less than the largest distance, and the largest
    /// distance less the size.
    farthest: Vec<(i64, i64)>,
    /// Vertices to visit in the next level, and in which level each was last listed.
    queue: Vec<Vertex>,
    level: u32,
    listed_left: Vec<u32>,
    listed_right: Vec<u32>,
    listed_sink: u32,
}

impl Flow {
    fn new(lifetimes: &Lifetimes, records: &[Record]) -> Result<Self, PlanError> {
        let mut sizes = Vec::with_capacity(records.len());
        let mut total = 0_i64;
        for record in records {
            // No path costs more than all sizes together, so no sum below overflows.
            let size = i64::try_from(record.size).ok();
            let sum = size.and_then(|size| total.checked_add(size));
            let buffer = &lifetimes.buffers[record.buffer];
            total = sum.ok_or_else(|| super::overflow(buffer))?;
            sizes.extend(size);
        }
        let after = |record: &Record| records.partition_point(|next| next.start < record.end);
        let count = records.len();
        Ok(Self {
            sizes,
            first: records.iter().map(after).collect(),
            before: vec![None; count],
            follower: vec![None; count],
            left: vec![UNREACHED; count],
            right: vec![UNREACHED; count],
            sink: UNREACHED,
            into_right: vec![From::Source; count],
            into_left: vec![None; count],
            into_sink: 0,
            farthest: vec![(UNREACHED, UNREACHED); count.div_ceil(BLOCK)],
            queue: Vec::new(),
            level: 0,
            listed_left: vec![0; count],
            listed_right: vec![0; count],
            listed_sink: 0,
        })
    }

    /// Finds the shortest path to the sink level by level; false when there is none.
    fn shortest_path(
        &mut self,
        mut progress: impl FnMut() -> Result<(), PlanError>,
    ) -> Result<bool, PlanError> {
        self.left.fill(UNREACHED);
        self.right.fill(UNREACHED);
        self.farthest.fill((UNREACHED, UNREACHED));
        self.sink = UNREACHED;
        self.queue = vec![Vertex::Source];
        let mut edges = 0;
        while !self.queue.is_empty() {
            self.level = self.level.wrapping_add(1);
            for vertex in core::mem::take(&mut self.queue) {
                edges += match vertex {
                    Vertex::Source => self.leave_source(),
                    Vertex::Left(left) => self.leave_left(left),
                    Vertex::Right(right) => self.leave_right(right),
                    Vertex::Sink => self.leave_sink(),
                };
                if edges > REPORT {
                    progress()?;
                    edges = 0;
                }
            }
        }
        progress()?;
        Ok(self.sink != UNREACHED)
    }

    fn leave_source(&mut self) -> usize {
        for index in 0..self.sizes.len() {
            if self.follower[index].is_none() {
                self.reach_left(index, 0, None);
            }
            if self.before[index] != Some(From::Source) {
                self.reach_right(index, self.sizes[index], From::Source);
            }
        }
        self.sizes.len()
    }

    /// Relaxes the edges of `left`, which lead to all right vertices from its first on.
    ///
    /// A path of length d over left j brings right i nearer than r exactly when d < r and
    /// d - size j < r - size i. So a block is skipped when one of the two fails even for the
    /// largest r, or the largest r - size i, in it. Nearly all are.
    fn leave_left(&mut self, left: usize) -> usize {
        let distance = self.left[left];
        let own = self.sizes[left];
        let count = self.sizes.len();
        let mut edges = 0;
        for block in self.first[left] / BLOCK..count.div_ceil(BLOCK) {
            edges += 1;
            let (farthest, slack) = self.farthest[block];
            if distance >= farthest || distance - own >= slack {
                continue;
            }
            let range = block * BLOCK..count.min((block + 1) * BLOCK);
            edges += BLOCK;
            for right in range.start.max(self.first[left])..range.end {
                if self.follower[left] != Some(right) {
                    let cost = (self.sizes[right] - own).max(0);
                    self.reach_right(right, distance + cost, From::Left(left));
                }
            }
            let known = self.right[range.clone()].iter().zip(&self.sizes[range]);
            self.farthest[block] = known.fold((0, i64::MIN), |(farthest, slack), (&r, &size)| {
                (farthest.max(r), slack.max(r - size))
            });
        }
        edges
    }

    fn leave_right(&mut self, right: usize) -> usize {
        let distance = self.right[right];
        match self.before[right] {
            None if distance < self.sink => {
                self.sink = distance;
                self.into_sink = right;
                if self.listed_sink != self.level {
                    self.listed_sink = self.level;
                    self.queue.push(Vertex::Sink);
                }
            }
            Some(From::Left(left)) => {
                let refund = (self.sizes[right] - self.sizes[left]).max(0);
                self.reach_left(left, distance - refund, Some(right));
            }
            _ => {}
        }
        1
    }

    fn leave_sink(&mut self) -> usize {
        for right in 0..self.sizes.len() {
            if self.before[right].is_some() {
                self.reach_right(right, self.sink, From::Sink);
            }
        }
        self.sizes.len()
    }

    fn reach_left(&mut self, left: usize, distance: i64, from: Option<usize>) {
        if distance < self.left[left] {
            self.left[left] = distance;
            self.into_left[left] = from;
            if self.listed_left[left] != self.level {
                self.listed_left[left] = self.level;
                self.queue.push(Vertex::Left(left));
            }
        }
    }

    fn reach_right(&mut self, right: usize, distance: i64, from: From) {
        if distance < self.right[right] {
            self.right[right] = distance;
            self.into_right[right] = from;
            if self.listed_right[right] != self.level {
                self.listed_right[right] = self.level;
                self.queue.push(Vertex::Right(right));
            }
        }
    }

    /// Sends one unit along the path found, from the sink backwards. A path back out of the
    /// sink is never part of a shortest one, so it does not occur.
    fn augment(&mut self) {
        let mut right = self.into_sink;
        loop {
            let from = self.into_right[right];
            self.before[right] = Some(from);
            let From::Left(left) = from else {
                return;
            };
            self.follower[left] = Some(right);
            match self.into_left[left] {
                Some(previous) => right = previous,
                None => return,
            }
        }
    }
}
