//! A set of steps that have run.

use crate::passes::order::problem::Problem;
use crate::units::narrow;

/// Steps that have run, none without those that must come before it, and the best way to them.
#[derive(Clone)]
pub(super) struct Set {
    /// The steps that have run, as bits.
    pub(super) ran: Vec<u64>,
    /// Those that can run next.
    pub(super) ready: Vec<u64>,
    /// The most that was live at a step.
    pub(super) peak: u64,
    /// What is live now.
    pub(super) live: u64,
    /// How many have run.
    pub(super) done: usize,
    /// The last of them, in order.
    pub(super) moves: Vec<u32>,
}

pub(super) fn has(bits: &[u64], step: u32) -> bool {
    bits[step as usize / 64] >> (step % 64) & 1 == 1
}

/// The numbers of the bits that are set, ascending.
pub(super) fn ones(bits: &[u64]) -> impl Iterator<Item = u32> + '_ {
    bits.iter().enumerate().flat_map(|(word, &bits)| {
        let mut rest = bits;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros())?;
            rest &= rest - 1;
            Some(narrow(word * 64) + bit)
        })
    })
}

/// Some steps, or some storages, by their bits: as quick as the numbers are close.
pub(super) struct Members {
    bits: Vec<u64>,
    count: u64,
}

impl Members {
    /// None of `most`.
    pub(super) fn none(most: usize) -> Self {
        Self {
            bits: vec![0; most.div_ceil(64)],
            count: 0,
        }
    }

    pub(super) fn of(bits: &[u64]) -> Self {
        Self {
            bits: bits.to_vec(),
            count: bits.iter().map(|word| u64::from(word.count_ones())).sum(),
        }
    }

    /// Puts one in; whether it was not there.
    pub(super) fn insert(&mut self, one: u32) -> bool {
        let is_new = !self.has(one);
        self.bits[one as usize / 64] |= 1 << (one % 64);
        self.count += u64::from(is_new);
        is_new
    }

    pub(super) fn extend<'a>(&mut self, some: impl Iterator<Item = &'a u32>) {
        for &one in some {
            self.insert(one);
        }
    }

    /// Takes the first one out.
    pub(super) fn take_first(&mut self) -> Option<u32> {
        let at = self.bits.iter().position(|word| *word != 0)?;
        let bit = self.bits[at].trailing_zeros();
        self.bits[at] &= self.bits[at] - 1;
        self.count -= 1;
        Some(narrow(at * 64) + bit)
    }

    pub(super) fn has(&self, one: u32) -> bool {
        has(&self.bits, one)
    }

    /// All of them, ascending.
    pub(super) fn all(&self) -> impl Iterator<Item = u32> + '_ {
        ones(&self.bits)
    }

    pub(super) fn len(&self) -> u64 {
        self.count
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }
}

impl Set {
    /// No step of `problem`; a peak of `floor` is as good as any below it.
    pub(super) fn none(problem: &Problem, floor: u64) -> Self {
        let words = problem.len().div_ceil(64);
        let mut ready = vec![0; words];
        for (step, before) in problem.before.iter().enumerate() {
            if before.is_empty() {
                ready[step / 64] |= 1 << (step % 64);
            }
        }
        Self {
            ran: vec![0; words],
            ready,
            peak: floor,
            live: problem.opened(),
            done: 0,
            moves: Vec::new(),
        }
    }

    pub(super) fn has(&self, step: u32) -> bool {
        has(&self.ran, step)
    }

    /// The first step in the file that has not run.
    pub(super) fn lowest(&self) -> u32 {
        let full = self.ran.iter().take_while(|word| **word == u64::MAX);
        let full = full.count();
        let rest = self.ran.get(full).map_or(0, |word| word.trailing_ones());
        narrow(full * 64) + rest
    }

    /// Whether `step` is the last to use `storage`.
    pub(super) fn is_last(&self, problem: &Problem, storage: u32, step: u32) -> bool {
        let mut users = problem.storages[storage as usize].users.iter();
        users.all(|&user| user == step || self.has(user))
    }

    /// Runs `step`.
    pub(super) fn run(&mut self, problem: &Problem, step: u32) {
        let begins = |storage: u32| {
            let storage = &problem.storages[storage as usize];
            !storage.opened && !storage.users.iter().any(|&user| self.has(user))
        };
        let is_last = |storage: u32| self.is_last(problem, storage, step);
        let at = problem.position + self.done;
        let (during, live) = problem.at(at, step, self.live, begins, is_last);
        self.peak = self.peak.max(during);
        self.live = live;
        let index = step as usize;
        self.ran[index / 64] |= 1 << (index % 64);
        self.ready[index / 64] &= !(1 << (index % 64));
        for &after in &problem.after[index] {
            let mut before = problem.before[after as usize].iter();
            if before.all(|&it| self.has(it)) {
                self.ready[after as usize / 64] |= 1 << (after % 64);
            }
        }
        self.done += 1;
        self.moves.push(step);
    }
}
