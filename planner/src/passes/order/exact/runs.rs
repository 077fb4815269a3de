//! What comes next in the exact search: the steps that free a storage.
//!
//! A step that frees nothing can as well wait: behind any step that does not need it what is
//! live between the two is less, and afterwards the same. So of all orders those are enough
//! that take together, again and again, the steps that the next storage to go still needs, all
//! its users and what these wait for, of which the last frees it and the others nothing; and
//! in the end the steps that free nothing at all. Where a storage that may be written over is
//! read for the last time, the step that writes over it comes last, so that it does so.
//!
//! A run that fits below the peak so far and leaves no more than before is taken at once: moved
//! there from their places in any order, its steps can only lower what those between need. For
//! this no smaller run may be inside, and no step may use early what another is to write
//! over something.
//!
//! Where steps may only move so far, and where the first or the last step of the run counts
//! otherwise than the rest, each step is a run of its own.

use super::set::{Members, Set, ones};
use crate::passes::order::problem::{Kept, Problem};
use crate::units::narrow;

/// Finds runs.
pub(super) struct Runs<'a> {
    problem: &'a Problem,
    /// For each step the others that may write over something what the step uses.
    writers: Vec<Vec<u32>>,
    /// Whether each step is a run of its own.
    single: bool,
    /// How many steps may still be looked at.
    pub(super) looks: u64,
}

/// A set with a run behind it.
pub(super) struct Next {
    pub(super) set: Set,
    /// Whether there is no smaller run inside.
    whole: bool,
}

impl<'a> Runs<'a> {
    pub(super) fn of(problem: &'a Problem, looks: u64) -> Self {
        let mut writers = vec![Vec::new(); problem.len()];
        let is_first = problem.position == 0;
        let mut single = problem.window.is_some() || is_first && problem.first > 0;
        for (step, over) in problem.over.iter().enumerate() {
            let Some((read, written)) = over else {
                continue;
            };
            let read = &problem.storages[*read as usize];
            single |= read.kept == Kept::End || is_first && read.opened;
            for &user in &problem.storages[*written as usize].users {
                if user as usize != step {
                    writers[user as usize].push(narrow(step));
                }
            }
        }
        Self {
            problem,
            writers,
            single,
            looks,
        }
    }

    /// Takes the runs behind `set` that may be taken at once.
    pub(super) fn close(&mut self, set: &mut Set) {
        if self.problem.window.is_some() {
            return;
        }
        while self.looks > 0 {
            let (live, limit) = (set.live, set.peak.saturating_add(1));
            let known = set.moves.len();
            let next = self.behind(set, limit).into_iter();
            let mut free = next.filter(|next| next.whole && next.set.live <= live);
            match free.find(|next| self.is_harmless(&next.set, known)) {
                Some(next) => *set = next.set,
                None => return,
            }
        }
    }

    /// Whether no step of the run comes before one that is to write over something what it uses.
    fn is_harmless(&self, set: &Set, known: usize) -> bool {
        let steps = set.moves[known..].iter();
        let mut writers = steps.flat_map(|&step| &self.writers[step as usize]);
        writers.all(|&writer| set.has(writer))
    }

    /// The runs that may come behind `set`, those left out that reach `limit`.
    pub(super) fn behind(&mut self, set: &Set, limit: u64) -> Vec<Next> {
        let problem = self.problem;
        if set.done == problem.len() {
            return Vec::new();
        }
        if self.single {
            let lowest = set.lowest();
            let steps = ones(&set.ready);
            let steps = steps.filter(|&step| problem.allows(step, set.done, lowest));
            let steps: Vec<Next> = steps
                .filter_map(|step| self.taken(set, &[step], limit))
                .collect();
            return steps;
        }
        let (patient, storages) = self.explore(set);
        if storages.is_empty() {
            let all = (0..narrow(problem.len())).filter(|&step| !set.has(step));
            let rest: Vec<u32> = all.collect();
            return self.taken(set, &rest, limit).into_iter().collect();
        }
        let mut runs = Vec::new();
        for storage in storages.all() {
            let users = &problem.storages[storage as usize].users;
            let steps = self.waited(set, users).all().collect();
            let (steps, over) = self.writer_last(storage, steps);
            let before = steps.split_last().map_or(&[][..], |(_, before)| before);
            if !before.iter().all(|&step| patient.has(step)) {
                continue;
            }
            if let Some(mut next) = self.taken(set, &steps, limit) {
                next.whole = self.is_whole(set, &steps);
                if next.whole || over {
                    runs.push(next);
                }
            }
        }
        runs
    }

    /// The steps that can come soon and free nothing, and the storages that they use, or a step
    /// that waits for them alone.
    fn explore(&mut self, set: &Set) -> (Members, Members) {
        let problem = self.problem;
        let mut patient = Members::none(problem.len());
        let mut storages = Members::none(problem.storages.len());
        let mut near = Members::of(&set.ready);
        while let Some(step) = near.take_first() {
            let mut before = problem.before[step as usize].iter();
            if !before.all(|it| set.has(*it) || patient.has(*it)) {
                continue;
            }
            let own = self.waited(set, &[step]);
            let uses = problem.uses[step as usize].iter();
            let uses = uses.filter(|&&it| problem.storages[it as usize].kept == Kept::No);
            storages.extend(uses.clone());
            let goes = |storage: &u32| {
                let mut users = problem.storages[*storage as usize].users.iter();
                users.all(|user| set.has(*user) || own.has(*user))
            };
            if !uses.clone().any(goes) {
                patient.insert(step);
                near.extend(problem.after[step as usize].iter());
            }
        }
        (patient, storages)
    }

    /// Those of `steps` that have not run, with all that they wait for.
    fn waited(&mut self, set: &Set, steps: &[u32]) -> Members {
        let mut found = Members::none(self.problem.len());
        let mut open: Vec<u32> = steps.iter().copied().filter(|it| !set.has(*it)).collect();
        while let Some(step) = open.pop() {
            if found.insert(step) {
                let before = self.problem.before[step as usize].iter();
                open.extend(before.filter(|it| !set.has(**it)));
            }
        }
        self.looks = self.looks.saturating_sub(found.len());
        found
    }

    /// `steps` with the one last that may write over `storage`, where none waits for it; and
    /// whether there is one.
    fn writer_last(&self, storage: u32, mut steps: Vec<u32>) -> (Vec<u32>, bool) {
        let over = |step: &u32| {
            let over = self.problem.over[*step as usize];
            over.is_some_and(|(read, _)| read == storage)
        };
        let Some(at) = steps.iter().rposition(over) else {
            return (steps, false);
        };
        let after = &self.problem.after[steps[at] as usize];
        if !steps[at..].iter().any(|step| after.contains(step)) {
            steps[at..].rotate_left(1);
        }
        (steps, true)
    }

    /// Whether nothing that these steps free needs fewer of them.
    fn is_whole(&mut self, set: &Set, steps: &[u32]) -> bool {
        let problem = self.problem;
        let mut inside = Members::none(problem.len());
        inside.extend(steps.iter());
        let mut seen = Members::none(problem.storages.len());
        let used = steps.iter().flat_map(|&step| &problem.uses[step as usize]);
        for &storage in used {
            let stored = &problem.storages[storage as usize];
            let mut users = stored.users.iter();
            let goes = stored.kept == Kept::No
                && seen.insert(storage)
                && users.all(|user| set.has(*user) || inside.has(*user));
            if goes && self.waited(set, &stored.users).len() < steps.len() as u64 {
                return false;
            }
        }
        true
    }

    /// `set` with `steps` behind it; `None` where one of them reaches `limit`.
    fn taken(&mut self, set: &Set, steps: &[u32], limit: u64) -> Option<Next> {
        let mut set = set.clone();
        self.looks = self.looks.saturating_sub(steps.len() as u64);
        for &step in steps {
            set.run(self.problem, step);
            if set.peak >= limit {
                return None;
            }
        }
        Some(Next { set, whole: true })
    }
}
