//! The parts of a program that every order runs one after the other, each with the best order
//! found so far. The part with the highest peak decides.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::exact::{self, Found};
use super::problem::Problem;
use super::{Limits, Rule, Watch, bound, listed, search};
use crate::sorting::Sorting as _;
use crate::units::narrow;

/// Where the exact search reaches its limits, it looks once more at the storages alone that take
/// more than one of 2 to this power of the peak. Without the others fewer orders differ, and
/// no order needs less than the best for these.
const SMALL: u32 = 10;

/// The parts of a problem.
pub(super) struct Pieces<'a> {
    problem: &'a Problem,
    list: Vec<Piece>,
    /// What any order needs.
    pub(super) floor: u64,
    /// What is live before each step in the order of the file.
    live: Vec<u64>,
}

struct Piece {
    first: usize,
    len: usize,
    /// Its steps in a better order than the file's, numbered from its own first.
    order: Option<Vec<u32>>,
    /// The most that is live at one, in that order and in the file's.
    peak: u64,
    before: u64,
}

/// What is left of the limits, and for how many parts.
struct Budget {
    states: u64,
    tries: u64,
    parts: u64,
}

impl<'a> Pieces<'a> {
    /// Every part in the order of the file.
    pub(super) fn of(problem: &'a Problem) -> Self {
        let (memory, after) = problem.memory(&problem.in_file_order());
        let mut live = vec![problem.opened()];
        live.extend(after);
        let mut pieces = Self {
            problem,
            list: Vec::new(),
            floor: 0,
            live,
        };
        for part in problem.parts() {
            let peak = memory[part.clone()].iter().copied().max().unwrap_or(0);
            let piece = Piece {
                first: part.start,
                len: part.len(),
                order: None,
                peak,
                before: peak,
            };
            let bound = match piece.len {
                0 | 1 => peak,
                _ => bound::bound(&pieces.part(&piece)),
            };
            pieces.floor = pieces.floor.max(bound);
            pieces.list.push(piece);
        }
        pieces
    }

    fn part(&self, piece: &Piece) -> Problem {
        let range = piece.first..piece.first + piece.len;
        self.problem.part(range, self.live[piece.first])
    }

    /// Improves the part with the highest peak, each with its share of the limits, again and again, until that is one which has
    /// been improved already, or as low as any order can be: then no other counts.
    pub(super) fn improve(&mut self, rule: Rule, limits: &Limits, watch: &mut Watch<'_>) {
        let high = self.list.iter().filter(|it| it.peak > self.floor).count();
        let mut budget = Budget {
            states: limits.states,
            tries: limits.tries,
            parts: high as u64,
        };
        let parts = self.list.iter().enumerate();
        let parts = parts.map(|(index, piece)| (piece.peak, Reverse(index), false));
        let mut parts: BinaryHeap<(u64, Reverse<usize>, bool)> = parts.collect();
        while let Some((peak, Reverse(index), settled)) = parts.pop()
            && !settled
            && peak > self.floor
            && !watch.stopped
        {
            let part = self.part(&self.list[index]);
            let found = self.improved(&part, peak, rule, &mut budget, watch);
            let piece = &mut self.list[index];
            if let Some((order, peak)) = found {
                (piece.order, piece.peak) = (Some(order), peak);
            }
            parts.push((piece.peak, Reverse(index), true));
            budget.parts = budget.parts.saturating_sub(1);
        }
    }

    /// A better order of `part` than the file's, whose peak is `before`, with its own.
    fn improved(
        &mut self,
        part: &Problem,
        before: u64,
        rule: Rule,
        budget: &mut Budget,
        watch: &mut Watch<'_>,
    ) -> Option<(Vec<u32>, u64)> {
        let mut starts = vec![part.in_file_order()];
        if rule != Rule::Greedy {
            starts.push(listed::depth_first(part));
        }
        if rule != Rule::DepthFirst {
            starts.push(listed::greedy(part));
        }
        let mut starts: Vec<(Vec<u32>, u64)> = starts
            .into_iter()
            .map(|order| {
                let peak = part.peak(&order);
                (order, peak)
            })
            .collect();
        starts.order_by_key(|(_, peak)| *peak);
        let mut best = starts[0].clone();
        let mut searched = rule == Rule::Search;
        let earlier = watch.tried;
        // Half of them for a second look.
        let states = budget.states / budget.parts.max(1) / 2;
        let tries = budget.tries / budget.parts.max(1);
        if rule == Rule::Exact && best.1 > self.floor {
            match exact::search(part, (self.floor, best.1), states, watch) {
                Found::Best(order, peak) => best = (order, peak),
                Found::NoBetter => {}
                Found::Open(bound) => {
                    self.floor = self.floor.max(bound);
                    let large = part.clone().without_small(best.1 >> SMALL);
                    let found = exact::search(&large, (self.floor, best.1), states, watch);
                    self.floor = match found {
                        Found::Best(_, bound) | Found::Open(bound) => self.floor.max(bound),
                        Found::NoBetter => best.1,
                    };
                    searched = true;
                }
            }
            if !searched {
                self.floor = self.floor.max(best.1);
            }
        }
        let between = watch.tried;
        budget.states = budget.states.saturating_sub(between - earlier);
        if searched && best.1 > self.floor {
            let starts = starts.into_iter().map(|(order, _)| order).collect();
            let found = search::search(part, starts, (self.floor, tries), watch);
            best = found.filter(|found| found.1 < best.1).unwrap_or(best);
        }
        budget.tries = budget.tries.saturating_sub(watch.tried - between);
        (best.1 < before).then_some(best)
    }

    /// The steps of all parts, those in the order of the file that need no other.
    pub(super) fn order(&self) -> Vec<u32> {
        let peak = self.list.iter().map(|piece| piece.peak).max();
        let mut order = Vec::with_capacity(self.problem.len());
        for piece in &self.list {
            let first = narrow(piece.first);
            match &piece.order {
                Some(own) if Some(piece.before) > peak => {
                    order.extend(own.iter().map(|step| first + step));
                }
                _ => order.extend((first..).take(piece.len)),
            }
        }
        order
    }
}
