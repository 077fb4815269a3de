//! Trials: a schedule of a plan, what it takes, whether it fits, and the best so far.

use std::cmp::Ordering;

use super::case::{Case, Price, by_allocator, changes};
use super::clock::{Clock, Time};
use super::kind::{Kind, Kinds};
use super::outline::Outlines;
use super::plans::{Made, Plan, usual};
use super::room::Room;
use super::{MOST_CASES, Searched, Variant, Wanted};
use crate::training::cost;
use crate::training::dtr::Heuristic;
use crate::training::estimate::Scheduled;
use crate::training::policies::{Found, MOST_NODES, NoWalk, Pace};
use crate::training::{Move, Policy, Rule, choice, judge, swap};
use crate::units::Bytes;

/// Up to so many nodes searches have all the time they take, and up to so many all policies are
/// asked.
const SEARCHED: usize = 24;
const GLANCED: usize = 600;

/// Those that are asked of larger steps, and of steps that are divided among devices.
const FEW: [Policy; 4] = [
    Policy::SqrtN,
    Policy::Live(Heuristic::DtrEq),
    Policy::ChenGreedy,
    Policy::TorchSegments,
];

/// Above so many nodes only the first of them are asked, and of allocators the first of each kind.
pub(super) const LARGE: usize = 1_500;
const FEWER: usize = 2;

/// How often a budget is lowered where an allocator needs more.
const ROUNDS: usize = 4;

/// Budgets of what evicts as it goes: so many, each a 16th lower than the one before.
const NOTCHES: u64 = 4;
const PARTS: u64 = 16;

/// What was looked at.
pub(super) struct Trials<'a> {
    pub(super) variants: &'a [Variant<'a>],
    pub(super) wanted: &'a Wanted,
    pub(super) clock: Clock,
    pub(super) room: Room,
    pub(super) cases: Vec<Case>,
    pub(super) best: Option<Case>,
    /// Cases that searches have found that had all their time.
    pub(super) confirmed: Vec<Case>,
    pub(super) searched: Searched,
}

/// What a stage runs, and within which budget.
struct Ran {
    found: Found,
    budget: Option<Bytes>,
}

impl Trials<'_> {
    /// Whether a plan that takes so long at best and changes so much cannot be better.
    pub(super) fn beaten(&self, at_best: u64, price: Price) -> bool {
        let best = self.best.as_ref();
        best.is_some_and(|it| (it.time.sum(), it.price()) < (at_best, price))
    }

    /// Whether something quicker fits.
    fn is_beaten(&self, time: Time) -> bool {
        let best = self.best.as_ref();
        best.is_some_and(|it| it.time.sum() < time.sum())
    }

    /// Whether schedules that take longer than so long at best cannot be better.
    pub(super) fn is_quickest(&self, at_best: u64) -> bool {
        self.best
            .as_ref()
            .is_some_and(|it| it.time.sum() <= at_best)
    }

    /// What a plan changes.
    pub(super) fn changes(&self, plan: Plan) -> Kinds {
        let recipes = (usual(self.wanted).recipe, plan.recipe);
        changes(recipes).with_if(plan.variant > 0, Kind::Passes)
    }

    /// The stages of a plan that are looked at; none where it cannot be made.
    pub(super) fn made(&mut self, plan: Plan) -> Vec<Made> {
        self.searched.plans += 1;
        let stages = Outlines::each(plan.division());
        let stages = stages.map(|it| plan.divided(it).made(self.variants, self.room));
        let stages: Option<Vec<Made>> = stages.collect();
        stages.unwrap_or_default()
    }

    /// Everything is kept; what is missing for it to fit.
    pub(super) fn keep_all(&mut self, made: &mut [Made]) -> Option<u64> {
        let ran = made.iter().map(|it| {
            let problem = &it.own.step.problem;
            let walk = it.kept.clone();
            let found = Found {
                needs: cost::needs(problem, &walk),
                walk: Some(walk),
                why: None,
                ..Found::none(NoWalk::NotSearched)
            };
            let budget = None;
            Ran { found, budget }
        });
        let ran: Vec<Ran> = ran.collect();
        self.take(made, Policy::KeepAll, &ran)
            .map(|it| it.missing.0)
    }

    /// The policies that are asked of a plan, the quick ones first.
    pub(super) fn asked(&mut self, made: &[Made]) -> Vec<Policy> {
        let Some(first) = made.first() else {
            return Vec::new();
        };
        let kinds = self.wanted.kinds;
        let problem = &first.own.step.problem;
        let few = problem.nodes.len() > GLANCED || problem.divided.is_some();
        let most = match problem.nodes.len() > LARGE {
            true => FEWER,
            false => FEW.len(),
        };
        let joint = first.plan.recipe.rule == Rule::Compile;
        let fits = |policy: &Policy| {
            let kind = match policy.swaps() {
                true => Kind::Swap,
                false => Kind::Recompute,
            };
            let asked = match *policy {
                Policy::KeepAll => false,
                // It has what others find.
                Policy::Exact if problem.nodes.len() > MOST_NODES => false,
                Policy::MinCut => joint,
                other => !few || FEW[..most].contains(&other),
            };
            kinds.has(kind) && asked
        };
        let all = Policy::ALL.into_iter().filter(fits);
        let mut policies: Vec<Policy> = all.collect();
        policies.sort_by_key(|policy| policy.pace() as u8);
        for policy in &policies {
            if !self.searched.policies.contains(policy) {
                self.searched.policies.push(*policy);
            }
        }
        policies
    }

    /// Schedules of a policy under the budget that sums of bytes leave, and under lower ones where an
    /// allocator needs more. What evicts as it goes may do better with less.
    pub(super) fn policy(
        &mut self,
        made: &mut [Made],
        policy: Policy,
        watch: &mut dyn FnMut(u64, u64) -> bool,
    ) {
        let rooms = made.iter().map(|it| it.room);
        let Some(rooms) = rooms.collect::<Option<Vec<u64>>>() else {
            return;
        };
        // So much less than there is room for is too much still, and so much less is too little.
        let (mut less, mut most) = (0_u64, None);
        for _ in 0..ROUNDS {
            let left = |room: &u64| room.checked_sub(less);
            let budgets = rooms.iter().map(left).collect::<Option<Vec<u64>>>();
            let found = budgets.and_then(|it| self.under(made, policy, &it, watch));
            let too_large = found.as_ref().map(|it| it.missing.0);
            match too_large {
                Some(0) => break,
                // A lower budget takes longer still.
                _ if found.is_some_and(|it| self.is_beaten(it.time)) => break,
                Some(missing) => {
                    let more = less.saturating_add(missing);
                    less = most.map_or(more, |most| more.min(less.midpoint(most)));
                }
                // With nothing less there is nothing, with less there may be.
                None if less == 0 => break,
                None => {
                    most = Some(less);
                    less /= 2;
                }
            }
        }
        let large = |it: &Made| it.own.step.problem.nodes.len() > GLANCED;
        if policy.evictor().is_some() && !made.iter().any(large) {
            for notch in 1..NOTCHES {
                let lower = |room: &u64| room / PARTS * (PARTS - notch);
                let budgets: Vec<u64> = rooms.iter().map(lower).collect();
                self.under(made, policy, &budgets, watch);
            }
        }
    }

    /// What a policy finds of each stage under its budget, as a case.
    fn under(
        &mut self,
        made: &mut [Made],
        policy: Policy,
        budgets: &[u64],
        watch: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Option<Case> {
        let ran = made.iter_mut().zip(budgets).map(|(it, budget)| {
            let budget = Some(Bytes(*budget));
            let problem = &it.own.step.problem;
            let found = match problem.nodes.len() <= SEARCHED {
                true => it.known.run(policy, problem, budget, watch),
                false => it.known.glance(policy, problem, budget),
            };
            Ran { found, budget }
        });
        let ran: Vec<Ran> = ran.collect();
        self.take(made, policy, &ran)
    }

    /// What a search finds that has all the time it takes, in place of the best case that was found in a
    /// moment. Whether there is nothing more to ask.
    pub(super) fn confirm(&mut self, watch: &mut dyn FnMut(u64, u64) -> bool) -> bool {
        let Some(best) = self.best.clone() else {
            return true;
        };
        let policy = choice::policy(best.training);
        let plan = Plan {
            variant: self.variant(&best),
            batch: best.training.batch,
            recipe: best.training.recipe,
        };
        let mut made = self.made(plan);
        let nodes = made.iter().map(|it| it.own.step.problem.nodes.len());
        if !is_hurried(policy) || nodes.max().unwrap_or(0) <= SEARCHED {
            return true;
        }
        self.cases.retain(|it| *it != best);
        let mut budget = best.training.budget;
        for _ in 0..ROUNDS {
            let ran = made.iter_mut().map(|it| {
                let found = it.known.run(policy, &it.own.step.problem, budget, watch);
                Ran { found, budget }
            });
            let ran: Vec<Ran> = ran.collect();
            let found = self.take(&made, policy, &ran);
            let missing = found.as_ref().map(|it| it.missing.0);
            self.confirmed.extend(found.filter(Case::fits));
            // A longer search may find what is quicker and does not fit.
            budget = match (budget, missing) {
                (Some(own), Some(1..)) => own.0.checked_sub(missing.unwrap_or(0)).map(Bytes),
                _ => break,
            };
        }
        let left = self.cases.iter().filter(|it| it.fits());
        self.best = left.min_by(|one, other| one.compare(other)).cloned();
        let best = self.best.as_ref();
        best.is_none_or(|best| self.confirmed.contains(best))
    }

    /// The variant that a case is of.
    pub(super) fn variant(&self, case: &Case) -> usize {
        let found = self.variants.iter().position(|it| it.passes == case.passes);
        found.unwrap_or(0)
    }

    /// The schedule with the least bytes of a policy, whether it fits or not, under so small a budget.
    pub(super) fn least(
        &mut self,
        made: &mut [Made],
        policy: Policy,
        budget: Bytes,
    ) -> Option<u64> {
        let ran = made.iter_mut().map(|it| Ran {
            found: it.known.glance(policy, &it.own.step.problem, Some(budget)),
            budget: Some(budget),
        });
        let ran: Vec<Ran> = ran.collect();
        self.take(made, policy, &ran).map(|it| it.missing.0)
    }

    /// Takes what a policy has found of each stage as a case.
    fn take(&mut self, made: &[Made], policy: Policy, ran: &[Ran]) -> Option<Case> {
        self.searched.schedules += 1;
        let mut time = Time::default();
        let mut done = Kinds::NONE;
        let mut stages: Vec<(Scheduled, Bytes)> = Vec::new();
        for (it, Ran { found, budget }) in made.iter().zip(ran) {
            let problem = &it.own.step.problem;
            let walk = found.walk.as_ref()?;
            let sound = match &found.run {
                Some(run) => swap::judge(problem, walk, run, *budget).is_ok(),
                None => judge::judge(problem, walk, *budget).is_ok(),
            };
            if !sound {
                return None;
            }
            // The slowest stage sets the pace of all.
            let own = self.clock.time(problem, (walk, found.needs))?;
            time = if own.sum() > time.sum() { own } else { time };
            let swaps = walk.iter().any(|it| matches!(it, Move::SwapOut(_)));
            done = done.with_if(swaps, Kind::Swap);
            done = done.with_if(again(walk, problem.nodes.len()), Kind::Recompute);
            stages.push((it.own.scheduled(walk.clone()), found.needs.peak));
        }
        let recipe = made.first()?.plan.recipe;
        let taken = self.room.taken(&stages, recipe, !self.is_beaten(time));
        let (Made { plan, .. }, Ran { found, budget }) = made.iter().zip(ran).nth(taken.stage)?;
        let missing = taken.missing(self.room.left);
        let changed = done.each().fold(self.changes(*plan), Kinds::with);
        let case = Case {
            passes: self.variants[plan.variant].passes,
            training: choice::of(policy, plan.batch, *budget, plan.recipe),
            by: taken.by,
            changes: by_allocator(taken.by).each().fold(changed, Kinds::with),
            needs: found.needs,
            time,
            reserved: Bytes(taken.bytes.saturating_add(self.wanted.context.0)),
            missing: Bytes(missing),
        };
        if case.changes.within(self.wanted.kinds) {
            self.add(case.clone());
        }
        Some(case)
    }

    pub(super) fn add(&mut self, case: Case) {
        let better = |best: &Case| case.compare(best) == Ordering::Less;
        if case.fits() && self.best.as_ref().is_none_or(better) {
            self.best = Some(case.clone());
        }
        if self.cases.len() < MOST_CASES {
            self.cases.push(case);
        }
    }
}

/// Whether a policy finds more where it has more time than a table gives it.
pub(super) fn is_hurried(policy: Policy) -> bool {
    policy == Policy::Rotor || policy.pace() == Pace::Slow
}

/// Whether a walk computes something again.
fn again(walk: &[Move], nodes: usize) -> bool {
    let mut ran = vec![false; nodes];
    walk.iter().any(|step| match *step {
        Move::Compute(node) => std::mem::replace(&mut ran[node], true),
        _ => false,
    })
}
