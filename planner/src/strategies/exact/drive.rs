//! Which capacity is tried next: up from the bound, down from the best plan so far, and
//! between the two.

use super::group::Group;
use super::problem::Problem;
use super::report::Reporter;
use super::rules::Rules;
use super::tree::End;
use super::{plan_of, refuse, resting};
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan, Unsearched};
use crate::strategies::{Event, Observer, PlanError, Strategy, best};
use crate::units::{Bytes, Offset};
use alloc::vec::Vec;

/// The capacities that take turns, in sixteenths of the way from the bound to one below the
/// best plan: what is out of reach at one is sometimes easy at another, even at a lower one.
const TURNS: [u64; 9] = [16, 14, 12, 10, 8, 6, 4, 2, 0];

/// How many times the limit of the others the bound itself gets.
const WEIGHT: u64 = 8;

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The best plan; where its `proved` is its arena, no plan is smaller.
    pub plan: Plan,
    /// Places tried.
    pub nodes: u64,
}

/// Searches the lowest plan within `options.effort.nodes`, down from `incumbent`, which must
/// be a valid plan of `lifetimes`; without one down from the best of the one-pass strategies.
///
/// The observer may stop it at any event: then the best plan so far is returned.
///
/// # Errors
/// [`PlanError::Unsupported`] for several pools, [`PlanError::Overflow`] where sizes and
/// paddings reach 2^62.
pub fn search(
    lifetimes: &Lifetimes,
    options: &Options,
    incumbent: Option<Plan>,
    rules: Rules,
    observer: &mut dyn Observer,
) -> Result<Outcome, PlanError> {
    refuse(options)?;
    let problem = Problem::new(lifetimes, options)?;
    let incumbent = incumbent.filter(|plan| plan.offsets.len() == lifetimes.buffers.len());
    let mut plan = match incumbent {
        Some(plan) => plan,
        None => best::unsearched(lifetimes, options, observer)?,
    };
    plan.origin = Strategy::Exact.name().into();
    let mut reporter = Reporter::new(observer, options.effort.nodes);
    if problem.collides() {
        reporter.plan(lifetimes, &plan.offsets);
        return Ok(Outcome { plan, nodes: 0 });
    }
    if problem.unsearched == Some(Unsearched::Large) {
        reporter.plan(lifetimes, &plan.offsets);
        prove(&mut plan, problem.certain(), problem.unsearched);
        return Ok(Outcome { plan, nodes: 0 });
    }
    let mut drive = Drive::new(&problem, rules, plan.offsets, reporter);
    drive.run();
    Ok(drive.into_outcome())
}

/// No plan is below `bound`; where `plan` is above it, `why` is what the search left out.
fn prove(plan: &mut Plan, bound: u64, why: Option<Unsearched>) {
    plan.proved = Some(Bytes(bound.min(plan.arena.0)));
    plan.unsearched = why.filter(|_| plan.arena.0 > bound);
}

/// A search in all groups at once: the arena is as high as the highest of them.
struct Drive<'a> {
    problem: &'a Problem<'a>,
    groups: Vec<Group<'a>>,
    /// The best plan so far.
    offsets: Vec<Offset>,
    /// The last plan that was found; only the places of one group count.
    found: Vec<Offset>,
    /// The arena that was reported last.
    arena: u64,
    /// The bound that was reported last.
    bound: u64,
    reporter: Reporter<'a>,
}

impl<'a> Drive<'a> {
    fn new(
        problem: &'a Problem<'a>,
        rules: Rules,
        mut offsets: Vec<Offset>,
        reporter: Reporter<'a>,
    ) -> Self {
        let found = resting(problem.lifetimes);
        for (index, buffer) in problem.lifetimes.buffers.iter().enumerate() {
            if buffer.size == Bytes::ZERO || buffer.span.is_empty() {
                offsets[index] = found[index];
            }
        }
        let parts = problem.partitions(rules.decomposition);
        let mut groups: Vec<Group<'a>> = Vec::new();
        for part in parts {
            let mut group = Group::new(problem, part, rules);
            group.take(&offsets);
            groups.push(group);
        }
        Self {
            problem,
            groups,
            offsets,
            found,
            arena: u64::MAX,
            bound: 0,
            reporter,
        }
    }

    /// No plan is lower than this.
    fn floor(&self) -> u64 {
        let bounds = self.groups.iter().map(|group| group.bound);
        bounds.fold(self.problem.beside(), u64::max)
    }

    /// Rounds with ever more nodes, until nothing is open or the budget is spent.
    fn run(&mut self) {
        self.report();
        let mut round = 0;
        while !self.spent() {
            let mut open = false;
            for group in 0..self.groups.len() {
                self.groups[group].restart(round);
                let limit = self.groups[group].limit(round);
                open |= self.round(group, limit);
                self.report();
            }
            if !open {
                break;
            }
            round += 1;
        }
    }

    fn spent(&self) -> bool {
        self.reporter.stopped || self.reporter.nodes >= self.reporter.budget
    }

    fn open(&self, group: usize) -> bool {
        !self.groups[group].done && self.groups[group].height > self.floor() && !self.spent()
    }

    /// One turn of each preorder at each capacity; whether the group is still open.
    fn round(&mut self, group: usize, limit: u64) -> bool {
        for preorder in 0..self.groups[group].preorders() {
            for part in TURNS {
                // The bound itself gets as much as all others: a plan that meets it ends all.
                let limit = if part == 0 {
                    limit.saturating_mul(WEIGHT)
                } else {
                    limit
                };
                while self.open(group) && self.attempt(group, preorder, part, limit) {}
            }
        }
        self.open(group)
    }

    /// Searches at the capacity `part` sixteenths of the way up from the bound to one below
    /// the best plan; whether that settled it, so that the next capacity can be tried.
    fn attempt(&mut self, group: usize, preorder: usize, part: u64, limit: u64) -> bool {
        let floor = self.floor();
        let known = &mut self.groups[group];
        let highest = known.height - 1;
        let lowest = known.bound.max(floor).min(highest);
        let capacity = lowest + (highest - lowest) / 16 * part;
        let capacity = if part == 16 { highest } else { capacity };
        match known.walk(
            preorder,
            capacity,
            limit,
            &mut self.found,
            &mut self.reporter,
        ) {
            End::Found => {
                known.give(&self.found, &mut self.offsets);
                known.take(&self.offsets);
                true
            }
            End::Never(bound) => {
                known.bound = bound.min(known.height).max(known.bound);
                known.done = known.bound >= known.height;
                true
            }
            End::Stopped => false,
        }
    }

    /// Reports a smaller arena and a higher bound.
    fn report(&mut self) {
        let heights = self.groups.iter().map(|group| group.height);
        let arena = heights.fold(self.problem.beside(), u64::max);
        if arena < self.arena {
            self.arena = arena;
            self.reporter.incumbent(&self.offsets, Bytes(arena));
        }
        let bound = self.floor();
        if bound > self.bound && self.problem.unsearched.is_none() {
            self.bound = bound;
            self.reporter.report(Event::Proved {
                bound: Bytes(bound),
            });
        }
    }

    fn into_outcome(mut self) -> Outcome {
        let mut plan = plan_of(self.problem.lifetimes, self.offsets);
        let proved = match self.problem.unsearched {
            None => self.bound,
            Some(_) => self.problem.certain(),
        };
        prove(&mut plan, proved, self.problem.unsearched);
        self.reporter.plan(self.problem.lifetimes, &plan.offsets);
        Outcome {
            plan,
            nodes: self.reporter.nodes,
        }
    }
}
