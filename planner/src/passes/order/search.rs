//! Local search: steps are moved, and the order is kept where its peak is no higher.
//!
//! A move brings the users of a storage that is live at the peak together: those behind the
//! peak before it, with all that they wait for, or those before the peak behind it, with all
//! that waits for them. Or it takes any step to another place between those that it waits for
//! and those that wait for it. Only what lies between the places is counted anew.

use std::ops::Range;

use super::Watch;
use super::problem::{Problem, Stored};
use crate::random::Random;
use crate::units::narrow;

/// Work that one move of the budget stands for, in uses of storages.
const WORK: u64 = 1 << 9;

/// The longest range of places that a move may change.
const REACH: usize = 1 << 12;

/// How far from the peak a step is near it.
const NEAR: usize = 16;

/// After so many moves without a lower peak, another place that reaches it is looked at.
const VAIN: u32 = 32;

/// Improves on `starts` until the peak is `floor` or the budget of `tries` is used up, and
/// returns the best order with its peak; the first of `starts` where none is better.
pub(super) fn search(
    problem: &Problem,
    starts: Vec<Vec<u32>>,
    (floor, tries): (u64, u64),
    watch: &mut Watch<'_>,
) -> Option<(Vec<u32>, u64)> {
    let share = tries / (starts.len() as u64).max(1);
    let mut best: Option<(Vec<u32>, u64)> = None;
    for start in starts {
        let mut search = Search::of(problem, start);
        let mut moves = 0;
        while moves < share && search.work < share.saturating_mul(WORK) {
            if search.peak <= floor || !watch.goes_on(1) {
                break;
            }
            search.step();
            moves += 1;
        }
        if best.as_ref().is_none_or(|(_, peak)| search.peak < *peak) {
            best = Some((search.order, search.peak));
        }
        if watch.stopped || best.as_ref().is_some_and(|(_, peak)| *peak <= floor) {
            break;
        }
    }
    best
}

/// An order, what is live in it, and room for a change.
struct Search<'a> {
    problem: &'a Problem,
    order: Vec<u32>,
    places: Vec<u32>,
    /// What is live at each place, and after it.
    memory: Vec<u64>,
    after: Vec<u64>,
    /// The places of the first and the last user of each storage.
    spans: Vec<(u32, u32)>,
    peak: u64,
    /// The places that reach the peak, and one of them.
    peaks: Vec<u32>,
    at: usize,
    /// The storages that are live there and not used there.
    across: Vec<u32>,
    /// How many users each storage has in the range that is counted, and how many so far.
    counts: Vec<(u32, u32)>,
    /// Steps that are to be brought together.
    marked: Vec<bool>,
    /// A range of steps in another order, what would be live at each, and after it.
    draft: Vec<u32>,
    drafted: Vec<(u64, u64)>,
    random: Random,
    vain: u32,
    work: u64,
}

impl<'a> Search<'a> {
    fn of(problem: &'a Problem, order: Vec<u32>) -> Self {
        let (memory, after) = problem.memory(&order);
        let mut search = Self {
            problem,
            places: vec![0; order.len()],
            memory,
            after,
            spans: Vec::new(),
            peak: 0,
            peaks: Vec::new(),
            at: 0,
            across: Vec::new(),
            counts: vec![(0, 0); problem.storages.len()],
            marked: vec![false; order.len()],
            draft: Vec::new(),
            drafted: Vec::new(),
            random: Random::new(1),
            vain: 0,
            work: 0,
            order,
        };
        for (place, &step) in search.order.iter().enumerate() {
            search.places[step as usize] = narrow(place);
        }
        let places = &search.places;
        let span = |storage: &Stored| {
            let users = storage.users.iter().map(|&user| places[user as usize]);
            users.fold((u32::MAX, 0), |(low, high), at| (low.min(at), high.max(at)))
        };
        search.spans = problem.storages.iter().map(span).collect();
        search.look();
        search
    }

    /// Finds the peak, and what is live at one of the places that reach it.
    fn look(&mut self) {
        self.peak = self.memory.iter().copied().max().unwrap_or(0);
        let peaks = self.memory.iter().enumerate();
        let peaks = peaks.filter(|(_, memory)| **memory == self.peak);
        self.peaks = peaks.map(|(place, _)| narrow(place)).collect();
        let chosen = self.random.index(self.peaks.len());
        let at = self.peaks.get(chosen).copied().unwrap_or(0);
        let across = (0..).zip(&self.spans);
        let across = across.filter(|(_, span)| span.0 < at && at < span.1);
        self.across = across.map(|(storage, _)| storage).collect();
        self.at = at as usize;
        self.vain = 0;
        self.work += (self.order.len() + self.spans.len()) as u64 / 8;
    }

    /// Tries one move.
    fn step(&mut self) {
        self.vain += 1;
        if self.vain > VAIN {
            self.look();
        }
        let chosen = self.random.index(self.across.len());
        let storage = self.across.get(chosen).copied();
        let range = match (self.random.index(8), storage) {
            (0..3, Some(storage)) => self.pull(storage),
            (3..6, Some(storage)) => self.push(storage),
            _ => self.shift(),
        };
        if let Some(range) = range
            && self.keeps_window(&range)
        {
            self.count(&range);
            self.decide(&range);
        }
    }

    /// Drafts an order in which the users of `storage` behind the peak come before it, with
    /// all that they wait for.
    fn pull(&mut self, storage: u32) -> Option<Range<usize>> {
        let problem = self.problem;
        let end = self.spans[storage as usize].1 as usize + 1;
        let range = self.at..end;
        if range.len() > REACH {
            return None;
        }
        for &user in &problem.storages[storage as usize].users {
            self.marked[user as usize] = true;
        }
        for place in range.clone().rev() {
            let step = self.order[place] as usize;
            if self.marked[step] {
                for &before in &problem.before[step] {
                    self.marked[before as usize] |= range.contains(&self.place(before));
                }
            }
        }
        self.divide(storage, &range, true);
        Some(range)
    }

    /// Drafts an order in which the users of `storage` before the peak come behind it, with
    /// all that waits for them.
    fn push(&mut self, storage: u32) -> Option<Range<usize>> {
        let problem = self.problem;
        let range = self.spans[storage as usize].0 as usize..self.at + 1;
        if range.len() > REACH {
            return None;
        }
        for &user in &problem.storages[storage as usize].users {
            self.marked[user as usize] = true;
        }
        for place in range.clone() {
            let step = self.order[place] as usize;
            if self.marked[step] {
                for &after in &problem.after[step] {
                    self.marked[after as usize] |= range.contains(&self.place(after));
                }
            }
        }
        self.divide(storage, &range, false);
        Some(range)
    }

    fn place(&self, step: u32) -> usize {
        self.places[step as usize] as usize
    }

    /// Drafts the range with the marked steps `first`, or last, and clears the marks.
    fn divide(&mut self, storage: u32, range: &Range<usize>, first: bool) {
        let steps = &self.order[range.clone()];
        let is_marked = |step: &&u32| self.marked[**step as usize];
        self.draft.clear();
        self.draft
            .extend(steps.iter().filter(|it| is_marked(it) == first));
        self.draft
            .extend(steps.iter().filter(|it| is_marked(it) != first));
        let users = &self.problem.storages[storage as usize].users;
        for &step in users.iter().chain(&self.draft) {
            self.marked[step as usize] = false;
        }
    }

    /// Drafts an order in which one step, near the peak or anywhere, has another place.
    fn shift(&mut self) -> Option<Range<usize>> {
        let len = self.order.len();
        let place = match self.random.index(2) {
            0 => (self.at + self.random.index(2 * NEAR)).checked_sub(NEAR)?,
            _ => self.random.index(len),
        };
        let step = *self.order.get(place)? as usize;
        let before = self.problem.before[step].iter();
        let low = before.map(|&it| self.place(it) + 1).max().unwrap_or(0);
        let after = self.problem.after[step].iter();
        let high = after.map(|&it| self.place(it)).min().unwrap_or(len);
        let low = low.max(place.saturating_sub(REACH));
        let high = high.min(place.saturating_add(REACH));
        let to = low + self.random.index(high.saturating_sub(low));
        if to == place {
            return None;
        }
        let range = to.min(place)..to.max(place) + 1;
        self.draft.clear();
        self.draft.extend(&self.order[range.clone()]);
        match to < place {
            true => self.draft.rotate_right(1),
            false => self.draft.rotate_left(1),
        }
        Some(range)
    }

    fn keeps_window(&self, range: &Range<usize>) -> bool {
        let near = |(place, step): (usize, &u32), window| place.abs_diff(*step as usize) <= window;
        let window = self.problem.window;
        let mut draft = range.clone().zip(&self.draft);
        window.is_none_or(|window| draft.all(|it| near(it, window)))
    }

    /// Counts what would be live at the steps of the draft, which are those of `range`.
    fn count(&mut self, range: &Range<usize>) {
        let problem = self.problem;
        let (low, high) = (narrow(range.start), narrow(range.end));
        for &step in &self.draft {
            for &storage in &problem.uses[step as usize] {
                self.counts[storage as usize].0 += 1;
                self.work += 1;
            }
        }
        let mut live = match range.start.checked_sub(1) {
            Some(before) => self.after[before],
            None => problem.opened(),
        };
        self.drafted.clear();
        for (place, &step) in range.clone().zip(&self.draft) {
            let begins = |storage: u32| {
                let index = storage as usize;
                let opened = problem.storages[index].opened || self.spans[index].0 < low;
                !opened && self.counts[index].1 == 0
            };
            let is_last = |storage: u32| {
                let (users, so_far) = self.counts[storage as usize];
                self.spans[storage as usize].1 < high && so_far + 1 == users
            };
            let (during, after) = problem.at(problem.position + place, step, live, begins, is_last);
            self.drafted.push((during, after));
            live = after;
            for &storage in &problem.uses[step as usize] {
                self.counts[storage as usize].1 += 1;
            }
        }
        self.forget();
    }

    fn forget(&mut self) {
        for &step in &self.draft {
            for &storage in &self.problem.uses[step as usize] {
                self.counts[storage as usize] = (0, 0);
            }
        }
    }

    /// Takes the draft where the peak is no higher, and is reached no more often.
    fn decide(&mut self, range: &Range<usize>) {
        let peak = self.peak;
        let old = self.memory[range.clone()].iter();
        let old = old.filter(|memory| **memory >= peak).count();
        let new = self
            .drafted
            .iter()
            .filter(|(during, _)| *during >= peak)
            .count();
        if new > old || self.drafted.iter().any(|(during, _)| *during > peak) {
            return;
        }
        let (low, high) = (narrow(range.start), narrow(range.end));
        let drafted = self.draft.iter().zip(&self.drafted);
        for (place, (&step, &(during, after))) in range.clone().zip(drafted) {
            self.order[place] = step;
            self.places[step as usize] = narrow(place);
            (self.memory[place], self.after[place]) = (during, after);
            for &storage in &self.problem.uses[step as usize] {
                let (span, seen) = (
                    &mut self.spans[storage as usize],
                    &mut self.counts[storage as usize].1,
                );
                if *seen == 0 && span.0 >= low {
                    span.0 = narrow(place);
                }
                if span.1 < high {
                    span.1 = narrow(place);
                }
                *seen = 1;
            }
        }
        self.forget();
        if old > 0 {
            self.look();
        }
    }
}
