//! What an order is chosen for: steps that wait for steps, and storages that are live from
//! their first user to their last.

use crate::units::narrow;
use std::ops::Range;

/// Steps, numbered from 0 as the file has them, and what they keep in memory.
#[derive(Clone)]
pub(super) struct Problem {
    /// For each step those that must come before it, ascending; all have lower numbers.
    pub(super) before: Vec<Vec<u32>>,
    /// For each step those that must come after it, ascending.
    pub(super) after: Vec<Vec<u32>>,
    /// The storages that some step uses.
    pub(super) storages: Vec<Stored>,
    /// The storages that each step uses, ascending.
    pub(super) uses: Vec<Vec<u32>>,
    /// Where a step may write over what it reads: the storages that it reads and writes.
    pub(super) over: Vec<Option<(u32, u32)>>,
    /// Bytes that are live at every step.
    pub(super) always: u64,
    /// Bytes that are live at the first step of the run alone.
    pub(super) first: u64,
    /// How many steps of the run stand before these.
    pub(super) position: usize,
    /// Steps of the whole run.
    pub(super) total: usize,
    /// How many places a step may move away from its number.
    pub(super) window: Option<usize>,
}

/// A storage.
#[derive(Clone, Debug)]
pub(super) struct Stored {
    /// What it takes, rounded up.
    pub(super) bytes: u64,
    /// The steps that read or write it, ascending, at least one.
    pub(super) users: Vec<u32>,
    /// Whether it is live before the first step.
    pub(super) opened: bool,
    /// Whether it stays live after its last user.
    pub(super) kept: Kept,
}

/// How long a storage stays after its last user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// It goes.
    No,
    /// Steps that stand after all of these use it.
    Later,
    /// It stays to the end of the run.
    End,
}

impl Problem {
    /// Number of steps.
    pub(super) fn len(&self) -> usize {
        self.uses.len()
    }

    /// The steps as the file has them.
    pub(super) fn in_file_order(&self) -> Vec<u32> {
        (0..self.len()).map(narrow).collect()
    }

    /// The most that is live at a step of `order`.
    pub(super) fn peak(&self, order: &[u32]) -> u64 {
        self.memory(order).0.into_iter().max().unwrap_or(0)
    }

    /// What is live at each step of `order`, and after it.
    pub(super) fn memory(&self, order: &[u32]) -> (Vec<u64>, Vec<u64>) {
        let mut live = Live::of(self);
        order.iter().map(|&step| live.run(step)).unzip()
    }

    /// What is live at `step`, which is number `at` of the run, and after it: `live` is what was
    /// before. The others say whether the step is the first to use a storage that was not
    /// there, and whether it is the last to use one.
    ///
    /// It writes over what it reads where it is the last to use the one, which was there
    /// before, and the first to use the other.
    pub(super) fn at(
        &self,
        at: usize,
        step: u32,
        live: u64,
        begins: impl Fn(u32) -> bool,
        is_last: impl Fn(u32) -> bool,
    ) -> (u64, u64) {
        let (mut during, mut ended) = (live, 0);
        for &index in &self.uses[step as usize] {
            let storage = &self.storages[index as usize];
            if begins(index) {
                during += storage.bytes;
            }
            if storage.kept == Kept::No && is_last(index) {
                ended += storage.bytes;
            }
        }
        let after = during - ended;
        if at == 0 {
            during += self.first;
        }
        if let Some((read, written)) = self.over[step as usize] {
            let (old, new) = (
                &self.storages[read as usize],
                &self.storages[written as usize],
            );
            let there = at > 0 && !begins(read);
            let goes = is_last(read) && old.goes_at(at, self.total);
            if there && goes && begins(written) {
                during -= old.bytes.min(new.bytes);
            }
        }
        (during, after)
    }

    /// Whether `step` may be the one after `done` others, of which `lowest` is the first in
    /// the file that is none.
    ///
    /// When a step comes before one that stands before it in the file, that one comes later
    /// than in the file. The lowest is passed most often, and where its place is kept, the
    /// others, which have fewer that passed them, can all follow in file order.
    pub(super) fn allows(&self, step: u32, done: usize, lowest: u32) -> bool {
        self.window.is_none_or(|window| {
            step as usize <= done.saturating_add(window)
                && (step == lowest || done < (lowest as usize).saturating_add(window))
        })
    }

    /// The parts in which every order runs the same steps, one part after the other, as
    /// ranges of steps.
    ///
    /// The steps before a place of the file come first in every order when each of them that
    /// nothing before the place waits for must precede each behind it that waits for
    /// nothing behind it. Found where there is one of these on either side. As what is live
    /// at such a place is the same in every order, the parts can be ordered one by one, and
    /// the least peak of all is the largest of theirs.
    pub(super) fn parts(&self) -> Vec<Range<usize>> {
        let len = self.len();
        let heir = |step: usize| self.after[step].first().map_or(len, |&it| it as usize);
        let parent = |step: usize| self.before[step].last().map(|&it| it as usize);
        // How many steps before a place are waited for only behind it, and the reverse.
        let (mut sinks, mut sources) = (vec![0_i64; len + 2], vec![0_i64; len + 2]);
        for step in 0..len {
            sinks[step + 1] += 1;
            sinks[heir(step) + 1] -= 1;
            sources[parent(step).map_or(0, |parent| parent + 1)] += 1;
            sources[step + 1] -= 1;
        }
        let (mut waited, mut free) = (0, sources[0]);
        let (mut parts, mut start) = (Vec::new(), 0);
        for place in 1..len {
            waited += sinks[place];
            free += sources[place];
            let last = place - 1;
            let follow = self.after[last].iter().map(|&it| it as usize);
            let follow = follow.filter(|&it| parent(it) == Some(last)).count();
            let lead = self.before[place].iter().map(|&it| it as usize);
            let lead = lead.filter(|&it| heir(it) == place).count();
            let same = |count: i64, all: usize| usize::try_from(count) == Ok(all);
            if waited == 1 && same(free, follow) || free == 1 && same(waited, lead) {
                parts.push(start..place);
                start = place;
            }
        }
        parts.push(start..len);
        parts
    }

    /// The steps `range` as a problem of their own; `live` is what is live before them.
    pub(super) fn part(&self, range: Range<usize>, live: u64) -> Self {
        let (low, high) = (narrow(range.start), narrow(range.end));
        let near = |own: &Vec<u32>| -> Vec<u32> {
            let inside = own.iter().filter(|&&it| low <= it && it < high);
            inside.map(|it| it - low).collect()
        };
        let used = self.uses[range.clone()].iter().flatten();
        let mut used: Vec<u32> = used.copied().collect();
        used.sort_unstable();
        used.dedup();
        let new = |old: &u32| used.binary_search(old).map_or(u32::MAX, narrow);
        let within = |old: &u32| self.storages[*old as usize].within(low, high);
        let storages: Vec<Stored> = used.iter().map(within).collect();
        let opened: u64 = opened(&storages);
        let own = |uses: &Vec<u32>| uses.iter().map(new).collect();
        let over = |over: &Option<(u32, u32)>| over.map(|(old, to)| (new(&old), new(&to)));
        Self {
            before: self.before[range.clone()].iter().map(near).collect(),
            after: self.after[range.clone()].iter().map(near).collect(),
            uses: self.uses[range.clone()].iter().map(own).collect(),
            over: self.over[range.clone()].iter().map(over).collect(),
            always: live - opened,
            storages,
            first: self.first,
            position: self.position + range.start,
            total: self.total,
            window: self.window,
        }
    }

    /// The same where storages of at most so many bytes take none: no order needs more here.
    pub(super) fn without_small(mut self, bytes: u64) -> Self {
        for storage in self.storages.iter_mut().filter(|it| it.bytes <= bytes) {
            storage.bytes = 0;
        }
        self
    }

    /// What is live before the first step.
    pub(super) fn opened(&self) -> u64 {
        self.always + opened(&self.storages)
    }
}

fn opened(storages: &[Stored]) -> u64 {
    let opened = storages.iter().filter(|it| it.opened);
    opened.map(|it| it.bytes).sum()
}

impl Stored {
    /// What the steps from `low` up to and without `high` see of it.
    fn within(&self, low: u32, high: u32) -> Self {
        let from = self.users.partition_point(|&user| user < low);
        let until = self.users.partition_point(|&user| user < high);
        let users = self.users[from..until].iter().map(|user| user - low);
        Self {
            bytes: self.bytes,
            users: users.collect(),
            opened: self.opened || from > 0,
            kept: match until == self.users.len() {
                true => self.kept,
                false => Kept::Later,
            },
        }
    }

    /// Whether it goes with its last user, at this step of so many.
    fn goes_at(&self, step: usize, total: usize) -> bool {
        match self.kept {
            Kept::No => true,
            Kept::Later => false,
            Kept::End => step + 1 == total,
        }
    }
}

/// What is live while steps run one after the other.
pub(super) struct Live<'a> {
    problem: &'a Problem,
    /// How many users of each storage have not run.
    left: Vec<u32>,
    ran: Vec<bool>,
    done: usize,
    bytes: u64,
}

impl<'a> Live<'a> {
    pub(super) fn of(problem: &'a Problem) -> Self {
        let left = problem.storages.iter().map(|it| narrow(it.users.len()));
        Self {
            problem,
            left: left.collect(),
            ran: vec![false; problem.len()],
            done: 0,
            bytes: problem.opened(),
        }
    }

    /// How many steps have run.
    pub(super) fn done(&self) -> usize {
        self.done
    }

    /// Whether a step has run.
    pub(super) fn has_run(&self, step: u32) -> bool {
        self.ran[step as usize]
    }

    /// What is live now.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What would be live at `step` if it came next, and after it.
    pub(super) fn would(&self, step: u32) -> (u64, u64) {
        let at = self.problem.position + self.done;
        let is_last = |storage: u32| self.left[storage as usize] == 1;
        let begins = |storage: u32| {
            let stored = &self.problem.storages[storage as usize];
            !stored.opened && self.left[storage as usize] as usize == stored.users.len()
        };
        self.problem.at(at, step, self.bytes, begins, is_last)
    }

    /// Runs `step`, and says what is live at it and after it.
    pub(super) fn run(&mut self, step: u32) -> (u64, u64) {
        let (during, after) = self.would(step);
        for &index in &self.problem.uses[step as usize] {
            self.left[index as usize] -= 1;
        }
        self.ran[step as usize] = true;
        self.done += 1;
        self.bytes = after;
        (during, after)
    }

    /// The steps for which [`would`](Self::would) changes because `step` was the last to run:
    /// those that use what it began, and the last that use what it used.
    pub(super) fn touched(&self, step: u32) -> impl Iterator<Item = u32> + '_ {
        let own = self.problem.uses[step as usize].iter();
        let changed = own.flat_map(|&index| {
            let storage = &self.problem.storages[index as usize];
            let left = self.left[index as usize] as usize;
            let changes = left == 1 || left + 1 == storage.users.len();
            storage.users.iter().filter(move |_| changes)
        });
        changed.copied().filter(|&user| !self.has_run(user))
    }
}
