//! Does what a script says under a budget.

use std::collections::{BTreeMap, BTreeSet};

use super::lanes::Lanes;
use super::link::Link;
use super::run::Run;
use super::script::{Absence, How, Script};
use crate::sorting::Sorting;
use crate::training::{Problem, Walk};
use crate::units::Bytes;

/// What came of a script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Played {
    /// The walk.
    pub walk: Walk,
    /// Its times.
    pub run: Run,
    /// The values that left because there was no room, in order.
    pub evicted: Vec<usize>,
}

/// There is no room for a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRoom {
    /// The node whose turn it was.
    pub node: usize,
    /// So many bytes too many.
    pub over: Bytes,
}

/// Where a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Nowhere.
    None,
    There,
    /// It leaves when its copy has ended, or stays if it is needed before.
    Leaving,
    /// On the host.
    Away,
}

/// Plays `script`: nodes in their order, what is missing brought back before the node that reads
/// it, values leaving as soon as their copies have ended. Where there is no room under `budget`,
/// what is leaving is waited for, the first to have left first. What the link cannot copy stays.
///
/// # Errors
/// [`NoRoom`] where that is not enough.
pub fn play(problem: &Problem, script: &Script, budget: Option<Bytes>) -> Result<Played, NoRoom> {
    let mut play = Play::new(problem, script, budget);
    for node in 0..problem.nodes.len() {
        play.node(node)?;
    }
    let (walk, run) = play.lanes.finish();
    Ok(Played {
        walk,
        run,
        evicted: play.evicted,
    })
}

struct Play<'a> {
    problem: &'a Problem,
    lanes: Lanes<'a>,
    budget: u64,
    layers_end_together: bool,
    passive: bool,
    /// The last node that reads each value.
    last: Vec<Option<usize>>,
    /// The absences of each value.
    absences: Vec<Vec<Absence>>,
    /// The values that are given up after each node, copied after it, and fetched with it.
    given_up: Vec<Vec<Absence>>,
    copies: Vec<Vec<usize>>,
    fetches: Vec<Vec<usize>>,
    places: Vec<Place>,
    leaving: Vec<usize>,
    /// What is to be fetched and had no room.
    waiting: Vec<usize>,
    /// After how many uses of any value each was used last.
    used: Vec<usize>,
    uses: usize,
    evicted: Vec<usize>,
}

impl<'a> Play<'a> {
    fn new(problem: &'a Problem, script: &Script, budget: Option<Bytes>) -> Self {
        let count = problem.nodes.len();
        let mut play = Self {
            problem,
            lanes: Lanes::new(problem),
            budget: budget.map_or(u64::MAX, |budget| budget.0),
            layers_end_together: script.layers_end_together,
            passive: script.passive,
            last: problem
                .readers()
                .iter()
                .map(|it| it.last().copied())
                .collect(),
            absences: vec![Vec::new(); count],
            given_up: vec![Vec::new(); count],
            copies: vec![Vec::new(); count],
            fetches: vec![Vec::new(); count],
            places: vec![Place::None; count],
            leaving: Vec::new(),
            waiting: Vec::new(),
            used: vec![0; count],
            uses: 0,
            evicted: Vec::new(),
        };
        let mut absences = script.absences.clone();
        absences.order_by_key(|it| (it.value, it.after));
        for absence in absences {
            if let How::Swap { copy, fetch } = absence.how {
                if !play.can_copy(absence.value) {
                    continue;
                }
                if copy < absence.after {
                    play.copies[copy].push(absence.value);
                }
                if fetch < absence.before {
                    play.fetches[fetch].push(absence.value);
                }
            }
            play.given_up[absence.after].push(absence);
            play.absences[absence.value].push(absence);
        }
        play
    }

    fn can_copy(&self, value: usize) -> bool {
        let link = self.problem.link.unwrap_or(Link::NONE);
        link.times(self.problem.nodes[value].bytes).is_some()
    }

    fn node(&mut self, node: usize) -> Result<(), NoRoom> {
        self.bring(node)?;
        let reads = &self.problem.nodes[node].reads;
        self.compute(node, node, &|value| reads.binary_search(&value).is_ok())?;
        let fetched = std::mem::take(&mut self.fetches[node]);
        self.waiting.extend(fetched);
        self.fetch(self.lanes.began);
        self.after(node);
        self.fetch(self.lanes.ended);
        Ok(())
    }

    /// Whether a value is to be kept once `node` has run.
    fn is_wanted(&self, value: usize, node: usize) -> bool {
        let away = |it: &Absence| it.after <= node && node < it.before;
        self.last[value].is_some_and(|last| last > node) && !self.absences[value].iter().any(away)
    }

    /// Brings what `node` reads.
    fn bring(&mut self, node: usize) -> Result<(), NoRoom> {
        let problem = self.problem;
        let reads = &problem.nodes[node].reads;
        let mut missing = BTreeSet::new();
        let mut open: Vec<usize> = reads.clone();
        while let Some(value) = open.pop() {
            self.stay(value);
            let place = self.places[value];
            if place != Place::There && missing.insert(value) && place == Place::None {
                open.extend(&problem.nodes[value].reads);
            }
        }
        // How many nodes still read each value.
        let mut readers: BTreeMap<usize, usize> = BTreeMap::new();
        let run_now = missing.iter().filter(|it| self.places[**it] == Place::None);
        for read in run_now
            .flat_map(|it| &problem.nodes[*it].reads)
            .chain(reads)
        {
            *readers.entry(*read).or_default() += 1;
        }
        for &value in &missing {
            if self.places[value] == Place::Away {
                let pinned = |value: usize| readers.contains_key(&value);
                self.room(
                    problem.nodes[value].bytes.0,
                    self.lanes.ended,
                    node,
                    &pinned,
                )?;
                self.swap_in(value, self.lanes.ended);
                continue;
            }
            self.compute(value, node, &|value| readers.contains_key(&value))?;
            for &source in &problem.nodes[value].reads {
                match readers.get_mut(&source) {
                    Some(left) if *left > 1 => *left -= 1,
                    _ => {
                        readers.remove(&source);
                        if missing.contains(&source) && !self.is_wanted(source, node) {
                            self.give_up(source, node);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// A value that is leaving does not.
    fn stay(&mut self, value: usize) {
        if self.places[value] == Place::Leaving {
            self.places[value] = Place::There;
            self.leaving.retain(|it| *it != value);
        }
    }

    /// A value is not needed for now; what is on the host stays there.
    fn give_up(&mut self, value: usize, node: usize) {
        let later = self.last[value].is_some_and(|last| last > node);
        if later && self.lanes.is_copied(value) {
            self.lanes.swap_out(value);
            self.places[value] = Place::Away;
        } else {
            self.lanes.forget(value);
            self.places[value] = Place::None;
        }
    }

    fn compute(
        &mut self,
        value: usize,
        node: usize,
        pinned: &dyn Fn(usize) -> bool,
    ) -> Result<(), NoRoom> {
        let own = &self.problem.nodes[value];
        self.room(own.bytes.0, self.lanes.next(value), node, pinned)?;
        self.lanes.compute(value);
        self.places[value] = Place::There;
        for &used in own.reads.iter().chain([&value]) {
            self.uses += 1;
            self.used[used] = self.uses;
        }
        Ok(())
    }

    fn swap_in(&mut self, value: usize, from: u64) {
        self.lanes.swap_in(value, from);
        self.places[value] = Place::There;
        self.uses += 1;
        self.used[value] = self.uses;
    }

    /// Of what is leaving the first to have left.
    fn next_leaving(&self) -> Option<(u64, usize)> {
        let leaving = self.leaving.iter();
        leaving.map(|it| (self.lanes.leaves(*it), *it)).min()
    }

    fn swap_out(&mut self, value: usize) {
        self.leaving.retain(|it| *it != value);
        self.lanes.swap_out(value);
        self.places[value] = Place::Away;
    }

    /// What has left by then is away.
    fn gone(&mut self, by: u64) {
        while let Some((time, value)) = self.next_leaving()
            && time <= by
        {
            self.swap_out(value);
        }
    }

    fn fits(&self, bytes: u64) -> bool {
        let wanted = self.lanes.live().checked_add(bytes);
        wanted.is_some_and(|wanted| wanted <= self.budget)
    }

    /// Makes room for so many bytes that are needed by then, at the turn of `node`.
    fn room(
        &mut self,
        bytes: u64,
        by: u64,
        node: usize,
        pinned: &dyn Fn(usize) -> bool,
    ) -> Result<(), NoRoom> {
        self.gone(by);
        while !self.fits(bytes) {
            if let Some((_, value)) = self.next_leaving() {
                self.swap_out(value);
                continue;
            }
            let victim = self.victim(pinned).filter(|_| self.passive);
            let Some(value) = victim else {
                let over = self.lanes.live().saturating_add(bytes) - self.budget;
                let over = Bytes(over);
                return Err(NoRoom { node, over });
            };
            self.copy_out(value);
            self.swap_out(value);
            self.evicted.push(value);
        }
        Ok(())
    }

    /// The value that was used longest ago, one that has arrived if there is one.
    fn victim(&self, pinned: &dyn Fn(usize) -> bool) -> Option<usize> {
        let may = |value: &usize| {
            self.places[*value] == Place::There
                && !pinned(*value)
                && (self.lanes.is_copied(*value) || self.can_copy(*value))
        };
        let values = (0..self.places.len()).filter(may);
        values.min_by_key(|it| (self.lanes.ready(*it) > self.lanes.ended, self.used[*it]))
    }

    /// What waits to be fetched is, one after another, as long as there is room by then.
    fn fetch(&mut self, by: u64) {
        if self.waiting.is_empty() {
            return;
        }
        self.gone(by);
        for value in std::mem::take(&mut self.waiting) {
            let full = self
                .waiting
                .iter()
                .any(|it| self.places[*it] == Place::Away);
            match self.places[value] {
                // One after another.
                Place::Away if full || !self.fits(self.problem.nodes[value].bytes.0) => {
                    self.waiting.push(value);
                }
                Place::Away => self.swap_in(value, self.lanes.began),
                Place::Leaving => self.waiting.push(value),
                Place::None | Place::There => {}
            }
        }
    }

    /// What the script has after `node`.
    fn after(&mut self, node: usize) {
        for &value in self.problem.nodes[node].reads.iter().chain([&node]) {
            let done = self.last[value].is_none_or(|last| last <= node);
            if done && self.places[value] == Place::There {
                self.give_up(value, node);
            }
        }
        for absence in std::mem::take(&mut self.given_up[node]) {
            let value = absence.value;
            if self.places[value] != Place::There {
                continue;
            }
            match absence.how {
                How::Recompute => self.give_up(value, node),
                How::Swap { .. } => {
                    self.copy_out(value);
                    self.places[value] = Place::Leaving;
                    self.leaving.push(value);
                }
            }
        }
        if self.layers_end_together {
            self.gone(u64::MAX);
            self.lanes.end_layer();
        }
        for value in std::mem::take(&mut self.copies[node]) {
            if self.places[value] == Place::There {
                self.copy_out(value);
            }
        }
    }

    /// A copy begins, unless there is one.
    fn copy_out(&mut self, value: usize) {
        if !self.lanes.is_copied(value) {
            self.lanes.copy_out(value, self.lanes.ended);
        }
    }
}
