//! The linear relaxation of the cheapest walk.
//!
//! Stage t begins when node t − 1 has run for the first time and ends when node t has. Of any
//! walk, whatever the order in which a stage runs its nodes and however often:
//!
//! - `kept[t][i]`: the value of node i is there when stage t begins (Checkmate's S), at the very
//!   moment at which node t − 1 has run: what t − 1 reads is there too.
//! - `runs[t][i]`: node i runs at least once in stage t (R).
//!
//! Then, as in section 4.2 of the paper, a value is there because it was or because its node ran
//! (1b), and a node reads what is there or runs (1a, 1c). Memory is counted where order does not
//! matter, which is not how the paper counts it (4.4: one run of a node in a stage, in the order
//! of their numbers; its optimum can be above that of all walks):
//!
//! - when a stage ends: the values that are there are no more than the budget;
//! - when node k runs in stage t: what k reads, its value, and all that lies through the stage
//!   (there at its end and not run in it) are no more than the budget.
//!
//! Where values can be swapped there is a third: `fetched[t][i]`, a copy of value i from the host
//! begins in stage t. A value is there because it was fetched, too, and what was fetched need not
//! lie through the stage. Each direction of the link copies no longer than the whole run takes: one
//! more number is how long the run waits beside all that it computes.
//!
//! So the optimum of this program is a bound on every walk that [`judge`] accepts.
//!
//! [`judge`]: crate::training::judge

use super::gradient::{Program, Sparse};
use crate::training::{Link, Problem};

/// A number that is fixed, or one of the program's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Fixed(bool),
    Free(usize),
}

/// The program of a step under a budget.
pub(super) struct Relaxed {
    pub(super) program: Program,
    /// `kept`, stage by stage, and what runs and is fetched.
    kept: Vec<Vec<Part>>,
    runs: Vec<Vec<Part>>,
    fetched: Vec<Vec<Part>>,
    /// No walk: what a node needs, or keeps, does not fit.
    pub(super) impossible: bool,
}

impl Relaxed {
    /// Bytes are counted in budgets, costs in running everything once.
    pub(super) fn new(problem: &Problem, budget: u64) -> Self {
        let mut builder = Builder::new(problem, budget);
        builder.logic();
        builder.ends();
        builder.within();
        builder.lanes();
        let Builder {
            program,
            kept,
            runs,
            fetched,
            impossible,
            ..
        } = builder;
        Self {
            program,
            kept,
            runs,
            fetched,
            impossible,
        }
    }

    /// The program's number of it, where it is not fixed.
    pub(super) fn column(&self, stage: usize, node: usize) -> Option<usize> {
        match self.kept[stage][node] {
            Part::Free(column) => Some(column),
            Part::Fixed(_) => None,
        }
    }

    /// How much of value `node` is there when `stage` begins, from 0 to 1.
    pub(super) fn kept(&self, x: &[f64], stage: usize, node: usize) -> f64 {
        number(&self.kept, x, stage, node)
    }

    /// How much of node `node` runs in `stage`, and how much of its value is fetched.
    pub(super) fn brought(&self, x: &[f64], stage: usize, node: usize) -> (f64, f64) {
        let runs = number(&self.runs, x, stage, node);
        (runs, number(&self.fetched, x, stage, node))
    }
}

fn number(parts: &[Vec<Part>], x: &[f64], stage: usize, node: usize) -> f64 {
    match parts.get(stage).and_then(|row| row.get(node)) {
        Some(Part::Free(column)) => x[*column],
        Some(Part::Fixed(true)) => 1.0,
        _ => 0.0,
    }
}

struct Builder<'a> {
    problem: &'a Problem,
    budget: u64,
    program: Program,
    /// `kept[t][i]` and `runs[t][i]` of i < t, and `runs[t][t]`.
    kept: Vec<Vec<Part>>,
    runs: Vec<Vec<Part>>,
    /// `fetched[t][i]` of i < t.
    fetched: Vec<Vec<Part>>,
    /// What copies of each value out and back take.
    copies: Vec<Option<(u64, u64)>>,
    impossible: bool,
}

impl<'a> Builder<'a> {
    fn new(problem: &'a Problem, budget: u64) -> Self {
        let mut builder = Self {
            problem,
            budget,
            program: Program {
                cost: Vec::new(),
                matrix: Sparse::default(),
                least: Vec::new(),
            },
            kept: Vec::new(),
            runs: Vec::new(),
            fetched: Vec::new(),
            copies: Vec::new(),
            impossible: false,
        };
        let link = problem.link.unwrap_or(Link::NONE);
        let copies = problem.nodes.iter().map(|node| link.times(node.bytes));
        builder.copies = copies.collect();
        let count = problem.nodes.len();
        let base = problem.base_cost().max(1) as f64;
        let useful = useful(problem);
        for (stage, useful) in useful.iter().enumerate().take(count) {
            let kept = (0..stage).map(|node| builder.value(useful, stage, node));
            let kept = kept.collect();
            builder.kept.push(kept);
            let mut runs: Vec<Part> = Vec::new();
            for (node, own) in problem.nodes.iter().enumerate().take(stage) {
                runs.push(match useful[node] {
                    true => builder.part(own.cost as f64 / base),
                    false => Part::Fixed(false),
                });
            }
            runs.push(Part::Fixed(true));
            builder.runs.push(runs);
            let can = |node: &usize| useful[*node] && builder.copies[*node].is_some();
            let can: Vec<bool> = (0..stage).map(|node| can(&node)).collect();
            let fetched = can.into_iter().map(|can| match can {
                true => builder.part(0.0),
                false => Part::Fixed(false),
            });
            let fetched = fetched.collect();
            builder.fetched.push(fetched);
        }
        builder
    }

    fn part(&mut self, cost: f64) -> Part {
        self.program.cost.push(cost);
        Part::Free(self.program.cost.len() - 1)
    }

    /// Whether a value is there when a stage begins: what the node before reads and its own are;
    /// what nobody will use, or what does not fit beside those, need not be, or cannot.
    fn value(&mut self, useful: &[bool], stage: usize, node: usize) -> Part {
        let ran = stage - 1;
        let nodes = &self.problem.nodes;
        if node == ran || nodes[ran].reads.binary_search(&node).is_ok() {
            return Part::Fixed(true);
        }
        let beside = self.problem.working_set(ran).0;
        let fits = beside
            .checked_add(nodes[node].bytes.0)
            .is_some_and(|it| it <= self.budget);
        match useful[node] && fits {
            true => self.part(0.0),
            false => Part::Fixed(false),
        }
    }

    /// Σ terms ≥ least, in these units; a row that always holds is none. All parts are 0 or 1 in
    /// every walk, so what is over of a common divisor is never needed.
    fn row(&mut self, terms: &[(i128, Part)], least: i128, unit: f64) {
        let mut least = least;
        let mut free: Vec<(usize, i128)> = Vec::new();
        for &(by, part) in terms.iter().filter(|(by, _)| *by != 0) {
            match part {
                Part::Fixed(is) => least -= if is { by } else { 0 },
                Part::Free(column) => free.push((column, by)),
            }
        }
        let lowest: i128 = free.iter().map(|(_, by)| (*by).min(0)).sum();
        let highest: i128 = free.iter().map(|(_, by)| (*by).max(0)).sum();
        self.impossible |= highest < least;
        if lowest >= least {
            return;
        }
        let divisor = free
            .iter()
            .fold(0, |all, (_, by)| common(all, by.unsigned_abs()));
        let divisor = i128::try_from(divisor.max(1)).unwrap_or(1);
        let least = -((-least).div_euclid(divisor)) * divisor;
        let free = free
            .into_iter()
            .map(|(column, by)| (column, by as f64 / unit));
        self.program.matrix.push(free);
        self.program.least.push(least as f64 / unit);
    }

    /// Where values come from, and what nodes read.
    fn logic(&mut self) {
        let problem = self.problem;
        for stage in 0..problem.nodes.len() {
            for node in 0..stage {
                if let Some(later) = self.kept.get(stage + 1).map(|row| row[node]) {
                    let (kept, runs) = (self.kept[stage][node], self.runs[stage][node]);
                    let fetched = self.fetched[stage][node];
                    self.row(&[(1, kept), (1, runs), (1, fetched), (-1, later)], 0, 1.0);
                }
            }
            for (node, own) in problem.nodes.iter().enumerate().take(stage + 1) {
                for &read in &own.reads {
                    let (kept, runs) = (self.kept[stage][read], self.runs[stage][read]);
                    let fetched = self.fetched[stage][read];
                    let reader = self.runs[stage][node];
                    self.row(&[(1, kept), (1, runs), (1, fetched), (-1, reader)], 0, 1.0);
                }
            }
        }
    }

    /// What is there when a stage ends fits.
    fn ends(&mut self) {
        for stage in 1..self.problem.nodes.len() {
            let bytes = |node: usize| -i128::from(self.problem.nodes[node].bytes.0);
            let parts = self.kept[stage].iter().enumerate();
            let terms: Vec<(i128, Part)> = parts.map(|(node, part)| (bytes(node), *part)).collect();
            self.row(&terms, -i128::from(self.budget), self.budget.max(1) as f64);
        }
    }

    /// What lies through a stage fits beside what runs in it.
    fn within(&mut self) {
        for stage in 1..self.problem.nodes.len().saturating_sub(1) {
            let through: Vec<Part> = (0..stage).map(|node| self.through(stage, node)).collect();
            for node in 0..stage {
                if self.runs[stage][node] != Part::Fixed(false) {
                    self.beside(stage, node, &through);
                }
            }
        }
    }

    /// Whether a value lies through a stage: at least its being there at the end less its node's
    /// running and its being fetched.
    fn through(&mut self, stage: usize, node: usize) -> Part {
        let (later, runs) = (self.kept[stage + 1][node], self.runs[stage][node]);
        let fetched = self.fetched[stage][node];
        match (later, runs, fetched) {
            (Part::Fixed(false), ..) => Part::Fixed(false),
            (_, Part::Fixed(false), Part::Fixed(false)) => later,
            _ => {
                let own = self.part(0.0);
                self.row(&[(1, own), (1, runs), (1, fetched), (-1, later)], 0, 1.0);
                own
            }
        }
    }

    /// Neither direction of the link copies longer than the run takes: everything once, what is
    /// computed again, and the waits. A value is copied out at least once if it is fetched.
    fn lanes(&mut self) {
        let base = self.problem.base_cost().max(1);
        let count = self.problem.nodes.len();
        let mut lanes: [Vec<(u64, Part)>; 2] = [Vec::new(), Vec::new()];
        for node in 0..count {
            let Some((out, back)) = self.copies[node] else {
                continue;
            };
            let fetched: Vec<Part> = (node + 1..count)
                .map(|stage| self.fetched[stage][node])
                .filter(|part| matches!(part, Part::Free(_)))
                .collect();
            if fetched.is_empty() {
                continue;
            }
            let once = self.part(0.0);
            for &part in &fetched {
                self.row(&[(1, once), (-1, part)], 0, 1.0);
                lanes[1].push((back, part));
            }
            lanes[0].push((out, once));
        }
        let sum = |lane: &[(u64, Part)]| lane.iter().map(|(time, _)| u128::from(*time)).sum();
        let most: u128 = lanes.iter().map(|lane| sum(lane)).max().unwrap_or(0);
        if most <= u128::from(base) {
            return;
        }
        // In units of running everything once.
        let unit = base as f64;
        let most = most as f64 / unit;
        let Part::Free(waits) = self.part(most) else {
            return;
        };
        for lane in lanes {
            let mut row = vec![(waits, most)];
            for stage in 0..count {
                for node in 0..stage {
                    if let Part::Free(column) = self.runs[stage][node] {
                        row.push((column, self.problem.nodes[node].cost as f64 / unit));
                    }
                }
            }
            for (time, part) in lane {
                if let Part::Free(column) = part {
                    row.push((column, -(time as f64) / unit));
                }
            }
            row.retain(|(_, by)| by.abs() > 0.0);
            self.program.matrix.push(row);
            self.program.least.push(-1.0);
        }
    }

    fn beside(&mut self, stage: usize, node: usize, through: &[Part]) {
        let nodes = &self.problem.nodes;
        let runs = self.runs[stage][node];
        let needs = |value: usize| value == node || nodes[node].reads.binary_search(&value).is_ok();
        let most = |value: &usize| needs(*value) || through[*value] != Part::Fixed(false);
        let bytes = |value: usize| i128::from(nodes[value].bytes.0);
        let most: i128 = (0..stage).filter(most).map(bytes).sum();
        if most <= i128::from(self.budget) {
            return;
        }
        let mut terms: Vec<(i128, Part)> = Vec::new();
        for (value, &through) in through.iter().enumerate() {
            terms.push((-bytes(value), through));
            // What runs does not lie through: only what it reads may be both.
            if value == node {
                terms.push((-bytes(value), runs));
            } else if needs(value) && bytes(value) > 0 {
                let besides = match through {
                    Part::Fixed(false) => runs,
                    Part::Fixed(true) => Part::Fixed(false),
                    Part::Free(_) => {
                        let own = self.part(0.0);
                        self.row(&[(1, own), (1, through), (-1, runs)], 0, 1.0);
                        own
                    }
                };
                terms.push((-bytes(value), besides));
            }
        }
        self.row(&terms, -i128::from(self.budget), self.budget.max(1) as f64);
    }
}

/// The values that nodes from each one on may read, by whatever way.
fn useful(problem: &Problem) -> Vec<Vec<bool>> {
    let count = problem.nodes.len();
    let mut all = vec![vec![false; count]; count + 1];
    for node in (0..count).rev() {
        let mut own = all[node + 1].clone();
        problem.nodes[node]
            .reads
            .iter()
            .for_each(|read| own[*read] = true);
        for before in (0..node).rev() {
            if own[before] {
                problem.nodes[before]
                    .reads
                    .iter()
                    .for_each(|read| own[*read] = true);
            }
        }
        all[node] = own;
    }
    all
}

fn common(one: u128, other: u128) -> u128 {
    match other {
        0 => one,
        _ => common(other, one % other),
    }
}
