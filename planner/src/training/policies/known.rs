//! What is found of one problem under many budgets: walks that no budget changes are made once, and
//! what a search asks of other policies is not searched again.

use std::collections::BTreeMap;

use super::{
    Found, NoWalk, Policy, below_minimum, chen, exact, keep_all, limits, live, local, lp, min_cut,
    revolve, rotor, swap, torch,
};
use crate::sorting::Sorting;
use crate::training::cost::{Needs, needs, of_walk};
use crate::training::dtr::Evictor;
use crate::training::{Move, Problem, Walk, sharding};
use crate::units::Bytes;

/// The most moves that are kept, in bytes.
const MOST_KEPT: usize = 32 << 20;

/// What is known of one problem and its policies. It must not be asked about another problem: it
/// would answer with walks of the first one.
#[derive(Debug, Default)]
pub struct Known {
    /// Of policies that choose among walks which no budget changes.
    walks: BTreeMap<Policy, Vec<(Needs, Walk)>>,
    /// Of short searches.
    found: BTreeMap<(Policy, Option<Bytes>), Found>,
    /// Bytes of the moves of both.
    kept: usize,
}

impl Known {
    /// [`Policy::run`], from what is known.
    pub fn run(
        &mut self,
        policy: Policy,
        problem: &Problem,
        budget: Option<Bytes>,
        watch: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Found {
        if problem.divided.is_none() || has_few_walks(policy) {
            return self.found(policy, problem, budget, watch);
        }
        sharding::under(problem, budget, |budget| {
            self.found(policy, problem, budget, watch)
        })
    }

    fn found(
        &mut self,
        policy: Policy,
        problem: &Problem,
        budget: Option<Bytes>,
        watch: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Found {
        if let Some(why) = below_minimum(problem, budget) {
            return Found::none(why);
        }
        let eager = |evictor| live(problem, evictor, limits(problem, budget));
        match policy {
            Policy::MinCut => min_cut::run(problem, budget, watch),
            Policy::Revolve => revolve::run(problem, budget, watch),
            Policy::Rotor => rotor::run(problem, (budget, rotor::MOST_WORK), watch),
            Policy::Exact => exact::run(problem, (budget, exact::MOST_STATES), self, watch),
            Policy::LpRounding => lp::run(problem, (budget, lp::MOST_WORK), watch),
            Policy::LocalSearch => {
                let found = local::run(problem, (budget, local::MOST_WORK), self, watch);
                swap::local(problem, (found, budget, swap::search::MOST_WORK), watch)
            }
            Policy::Live(heuristic) => eager(heuristic.into()),
            Policy::Megengine => eager(Evictor::Megengine),
            Policy::Dte => eager(Evictor::Dte),
            Policy::Coop => eager(Evictor::Coop),
            Policy::VdnnAll | Policy::VdnnConv | Policy::Capuchin | Policy::MegengineSwap => {
                swap::run(policy, problem, budget, watch)
            }
            Policy::Poet => {
                swap::poet::run(problem, (budget, swap::poet::MOST_STATES), self, watch)
            }
            _ => self.chosen(policy, problem, budget, watch),
        }
    }

    /// [`Policy::glance`], from what is known.
    pub fn glance(&mut self, policy: Policy, problem: &Problem, budget: Option<Bytes>) -> Found {
        if let Some(found) = self.found.get(&(policy, budget)) {
            return found.clone();
        }
        let found = self.glanced(policy, problem, budget);
        if self.keeps(found.walk.iter()) {
            self.found.insert((policy, budget), found.clone());
        }
        found
    }

    fn glanced(&mut self, policy: Policy, problem: &Problem, budget: Option<Bytes>) -> Found {
        if problem.divided.is_none() || has_few_walks(policy) {
            return self.glimpse(policy, problem, budget);
        }
        sharding::under(problem, budget, |budget| {
            self.glimpse(policy, problem, budget)
        })
    }

    fn glimpse(&mut self, policy: Policy, problem: &Problem, budget: Option<Bytes>) -> Found {
        let fits = budget.is_none_or(|budget| budget >= problem.minimum().0);
        match policy {
            Policy::Exact if fits => {
                exact::run(problem, (budget, exact::GLANCE), self, &mut |_, _| true)
            }
            Policy::Rotor if fits => rotor::run(problem, (budget, rotor::GLANCE), &mut |_, _| true),
            Policy::LpRounding if fits => lp::run(problem, (budget, lp::GLANCE), &mut |_, _| true),
            Policy::LocalSearch if fits => {
                let found = local::run(problem, (budget, local::GLANCE), self, &mut |_, _| true);
                let most = swap::search::GLANCE;
                swap::local(problem, (found, budget, most), &mut |_, _| true)
            }
            Policy::Poet if fits => {
                swap::poet::run(problem, (budget, swap::poet::GLANCE), self, &mut |_, _| {
                    true
                })
            }
            _ => self.found(policy, problem, budget, &mut |_, _| true),
        }
    }

    /// The cheapest of the policy's walks that fits.
    fn chosen(
        &mut self,
        policy: Policy,
        problem: &Problem,
        budget: Option<Bytes>,
        watch: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Found {
        if let Some(walks) = self.walks.get(&policy) {
            return cheapest(problem, walks, budget);
        }
        let Some(walks) = walks(policy, problem, watch) else {
            return Found::none(NoWalk::Stopped);
        };
        let walks = walks.into_iter().map(|it| (of_walk(problem, &it), it));
        let mut walks: Vec<(Needs, Walk)> = walks.collect();
        walks.order_by_key(|it| (it.0.time(), it.0.peak));
        let found = cheapest(problem, &walks, budget);
        if self.keeps(walks.iter().map(|it| &it.1)) {
            self.walks.insert(policy, walks);
        }
        found
    }

    /// Whether there is room for these.
    fn keeps<'a>(&mut self, walks: impl Iterator<Item = &'a Walk>) -> bool {
        let moves: usize = walks.map(Vec::len).sum();
        let bytes = moves.saturating_mul(size_of::<Move>());
        let kept = self.kept.saturating_add(bytes);
        let keeps = kept <= MOST_KEPT;
        self.kept = if keeps { kept } else { self.kept };
        keeps
    }
}

/// Whether a policy chooses among walks that no budget changes.
const fn has_few_walks(policy: Policy) -> bool {
    matches!(
        policy,
        Policy::KeepAll
            | Policy::SqrtN
            | Policy::ChenGreedy
            | Policy::ChenGreedyAll
            | Policy::TorchSegments
            | Policy::Knapsack
    )
}

/// The first of walks that fits, which are by their time and bytes. What a rank needs is more than a
/// micro-batch does, and is counted for few of them.
fn cheapest(problem: &Problem, walks: &[(Needs, Walk)], budget: Option<Bytes>) -> Found {
    if problem.divided.is_none() {
        return Found::cheapest(problem, walks, budget);
    }
    let mut counted = Vec::new();
    for (own, walk) in walks {
        if budget.is_some_and(|budget| own.peak > budget) {
            continue;
        }
        let one = [(needs(problem, walk), walk.clone())];
        let found = Found::cheapest(problem, &one, budget);
        if found.walk.is_some() {
            return found;
        }
        counted.extend(one);
    }
    if counted.is_empty() {
        let all = walks
            .iter()
            .map(|(_, walk)| (needs(problem, walk), walk.clone()));
        counted.extend(all.min_by_key(|it| it.0.peak));
    }
    Found::cheapest(problem, &counted, budget)
}

/// What a policy chooses from, whatever the budget; `None` where it was stopped.
fn walks(
    policy: Policy,
    problem: &Problem,
    watch: &mut dyn FnMut(u64, u64) -> bool,
) -> Option<Vec<Walk>> {
    match policy {
        Policy::SqrtN => Some(vec![chen::sqrt_n(problem)]),
        Policy::ChenGreedy => chen::greedy(problem, true, watch),
        Policy::ChenGreedyAll => chen::greedy(problem, false, watch),
        Policy::TorchSegments => torch::segments(problem, watch),
        Policy::Knapsack => torch::knapsack(problem, watch),
        _ => Some(vec![keep_all(problem)]),
    }
}
