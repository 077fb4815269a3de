//! The search: plans by the least time that each takes at best, and schedules of each.

use std::cmp::Ordering;

use super::case::{Case, changes, front};
use super::clock::Clock;
use super::kind::{Kind, Kinds};
use super::plans::{Made, Plan, rewritten, switched, usual};
use super::room::Room;
use super::{Advice, MOST_CASES, MOST_CHEAPER, Searched, Variant, Wanted};
use crate::sorting::Sorting as _;
use crate::training::cost;
use crate::training::estimate::{NoEstimate, Unscheduled};
use crate::training::policies::{Found, Pace, keep_all};
use crate::training::{Move, Policy, Recipe, Rule, Walk, choice, judge, swap};
use crate::units::Bytes;

/// Up to so many nodes searches have all the time they take, and up to so many they are asked.
const SEARCHED: usize = 48;
const GLANCED: usize = 600;

/// How often a budget is lowered where an allocator needs more.
const ROUNDS: usize = 4;

/// Into how many parts the range of budgets is divided where the least memory is looked for.
const NOTCHES: u64 = 16;

pub(super) struct Search<'a> {
    variants: &'a [Variant<'a>],
    wanted: &'a Wanted,
    clock: Clock,
    room: Room,
    cases: Vec<Case>,
    best: Option<Case>,
    searched: Searched,
    /// How many steps are done, and of how many.
    done: (u64, u64),
    watch: &'a mut dyn FnMut(u64, u64) -> bool,
}

/// It was stopped.
struct Stopped;

/// See [`advise`](super::advise).
pub(super) fn search(
    variants: &[Variant<'_>],
    wanted: &Wanted,
    watch: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Advice, NoEstimate> {
    let device = wanted.device.computing_in(wanted.recipe.precision);
    let mut wanted = *wanted;
    if wanted.kinds.has(Kind::Swap) {
        wanted.recipe.rates = Some(device.rates());
    }
    let wanted = &wanted;
    let Some(first) = variants.first() else {
        return Ok(Advice::default());
    };
    // Why there is no step is said of the model as it is.
    Unscheduled::of(first.graph, usual(wanted).batch, wanted.recipe)?;
    let mut search = Search {
        variants,
        wanted,
        clock: Clock::new(wanted.device, wanted.recipe.precision),
        room: Room {
            left: wanted.device.memory.0.saturating_sub(wanted.context.0),
            workspace: wanted.workspace,
            kinds: wanted.kinds,
        },
        cases: Vec::new(),
        best: None,
        searched: Searched {
            kinds: wanted.kinds,
            ..Searched::default()
        },
        done: (0, 1),
        watch,
    };
    let stopped = search.run().is_err();
    Ok(search.advice(stopped))
}

impl Search<'_> {
    fn run(&mut self) -> Result<(), Stopped> {
        let kinds = self.wanted.kinds;
        let plans = switched(self.variants.len(), self.wanted);
        let ends = [plans.first().copied(), plans.last().copied()];
        let mut all = plans;
        for plan in ends.into_iter().flatten() {
            for other in rewritten(plan, kinds) {
                if !all.contains(&other) {
                    all.push(other);
                }
            }
        }
        self.done.1 = all.len() as u64;
        let mut made: Vec<Made> = Vec::new();
        for (index, plan) in all.iter().enumerate() {
            self.tick()?;
            let Some(mut own) = plan.made(self.variants) else {
                continue;
            };
            let same = |it: &Made| it.own.step.problem == own.own.step.problem;
            if made.iter().any(same) {
                continue;
            }
            self.searched.plans += 1;
            self.keep_all(&mut own);
            made.push(own);
            if index == 0 && self.best.is_some() {
                return Ok(());
            }
        }
        self.policies(made)?;
        self.simplify();
        self.least()
    }

    fn tick(&mut self) -> Result<(), Stopped> {
        self.done.0 += 1;
        let (done, of) = self.done;
        match (self.watch)(done - 1, of.max(done)) {
            true => Ok(()),
            false => Err(Stopped),
        }
    }

    /// What a plan takes at best: every node once.
    fn at_best(&self, made: &Made) -> u64 {
        let nodes = made.own.step.problem.nodes.iter();
        nodes.fold(0, |sum, node| sum.saturating_add(node.cost))
    }

    /// Whether a plan that takes so long at best cannot be better.
    fn beaten(&self, at_best: u64) -> bool {
        self.best
            .as_ref()
            .is_some_and(|best| best.time.sum() <= at_best)
    }

    fn keep_all(&mut self, made: &mut Made) {
        let problem = &made.own.step.problem;
        let walk = keep_all(problem);
        let found = Found {
            needs: cost::needs(problem, &walk),
            walk: Some(walk),
            ..Found::none(crate::training::policies::NoWalk::NotSearched)
        };
        self.take(made, (Policy::KeepAll, None), found);
    }

    /// Schedules of plans by policies, where keeping everything does not fit.
    fn policies(&mut self, mut made: Vec<Made>) -> Result<(), Stopped> {
        let kinds = self.wanted.kinds;
        if !kinds.has(Kind::Recompute) && !kinds.has(Kind::Swap) {
            return Ok(());
        }
        // Of switches that take no time, none and all of them.
        let (first, last) = ends(&made);
        let own = self.wanted.recipe;
        let switched =
            |it: &Made| it.plan.recipe.rule == own.rule && it.plan.recipe.gist == own.gist;
        let mut index = 0;
        made.retain(|it| {
            index += 1;
            !switched(it) || [first, last].contains(&Some(index - 1))
        });
        made.order_by_key(|it| self.at_best(it));
        let policies: Vec<Vec<Policy>> = made.iter().map(|it| self.asked(it)).collect();
        self.done.1 += policies.iter().map(|it| it.len() as u64).sum::<u64>();
        for (made, policies) in made.iter_mut().zip(policies) {
            let at_best = self.at_best(made);
            for policy in policies {
                self.tick()?;
                if self.beaten(at_best) {
                    self.searched.passed += 1;
                    break;
                }
                self.rounds(made, policy);
            }
        }
        Ok(())
    }

    /// The policies that are asked of a plan, the quick ones first.
    fn asked(&mut self, made: &Made) -> Vec<Policy> {
        let kinds = self.wanted.kinds;
        let count = made.own.step.problem.nodes.len();
        let joint = made.plan.recipe.rule == Rule::Compile;
        let fits = |policy: &Policy| {
            let kind = match policy.swaps() {
                true => Kind::Swap,
                false => Kind::Recompute,
            };
            let paced = count <= GLANCED || policy.pace() == Pace::Quick;
            let of_joint = *policy == Policy::MinCut;
            kinds.has(kind)
                && *policy != Policy::KeepAll
                && (of_joint == joint || !of_joint && paced)
        };
        let mut policies: Vec<Policy> = Policy::ALL.into_iter().filter(fits).collect();
        policies.order_by_key(|policy| policy.pace() as u8);
        for policy in &policies {
            if !self.searched.policies.contains(policy) {
                self.searched.policies.push(*policy);
            }
        }
        policies
    }

    /// Schedules of a policy under the budget that sums of bytes leave, and under lower ones where an
    /// allocator needs more.
    fn rounds(&mut self, made: &mut Made, policy: Policy) {
        let training = choice::of(policy, made.plan.batch, None, made.plan.recipe);
        let mut budget = self
            .room
            .for_values(&made.own.scheduled(Walk::new()), training);
        for _ in 0..ROUNDS {
            let Some(own) = budget else { return };
            let found = self.schedule(made, policy, Bytes(own));
            let Some(missing) = self.take(made, (policy, Some(Bytes(own))), found) else {
                return;
            };
            if missing == 0 {
                return;
            }
            budget = own.checked_sub(missing);
        }
    }

    /// What a policy finds.
    fn schedule(&mut self, made: &mut Made, policy: Policy, budget: Bytes) -> Found {
        let problem = &made.own.step.problem;
        let (done, of) = self.done;
        let watch = &mut |_, _| (self.watch)(done, of);
        match problem.nodes.len() <= SEARCHED {
            true => made.known.run(policy, problem, Some(budget), watch),
            false => made.known.glance(policy, problem, Some(budget)),
        }
    }

    /// Takes what a policy has found as a case; what is missing for it to fit.
    fn take(
        &mut self,
        made: &mut Made,
        (policy, budget): (Policy, Option<Bytes>),
        found: Found,
    ) -> Option<u64> {
        self.searched.schedules += 1;
        let Made { plan, own, .. } = made;
        let problem = &own.step.problem;
        let walk = found.walk?;
        let sharding = plan.recipe.sharding;
        let time = self.clock.time(problem, (&walk, found.needs), sharding)?;
        let sound = match &found.run {
            Some(run) => swap::judge(problem, &walk, run, budget).is_ok(),
            None => judge::judge(problem, &walk, budget).is_ok(),
        };
        if !sound {
            return None;
        }
        let done = done(&walk, problem.nodes.len());
        let training = choice::of(policy, plan.batch, budget, plan.recipe);
        let taken = self
            .room
            .taken(&own.scheduled(walk), training, found.needs.peak);
        let usual = choice::of(Policy::KeepAll, self.wanted.batch, None, self.wanted.recipe);
        let missing = match taken.fits {
            true => 0,
            false => taken.bytes.saturating_sub(self.room.left).max(1),
        };
        let mut case = Case {
            passes: self.variants[plan.variant].passes,
            training,
            by: taken.by,
            changes: Kinds::NONE,
            needs: found.needs,
            time,
            reserved: Bytes(taken.bytes.saturating_add(self.wanted.context.0)),
            missing: Bytes(missing),
        };
        case.changes = changes(usual, &case, done).with_if(plan.variant > 0, Kind::Passes);
        if !case.changes.within(self.wanted.kinds) {
            return None;
        }
        self.add(case);
        Some(missing)
    }

    fn add(&mut self, case: Case) {
        let better = |best: &Case| match best.fits() {
            true => case.compare(best) == Ordering::Less,
            false => true,
        };
        if case.fits() && self.best.as_ref().is_none_or(better) {
            self.best = Some(case.clone());
        }
        if self.cases.len() < MOST_CASES {
            self.cases.push(case);
        }
    }

    /// The best case without some of its changes, where it is as quick.
    fn simplify(&mut self) {
        let Some(best) = self.best.clone() else {
            return;
        };
        let own = self.wanted.recipe;
        let variant = self.variants.iter().position(|it| it.passes == best.passes);
        let of = best.training.recipe;
        let without = [
            (0, of),
            (
                variant.unwrap_or(0),
                Recipe {
                    set_to_none: own.set_to_none,
                    ..of
                },
            ),
            (
                variant.unwrap_or(0),
                Recipe {
                    in_place: own.in_place,
                    ..of
                },
            ),
        ];
        for (variant, recipe) in without {
            let plan = Plan {
                variant,
                recipe,
                batch: best.training.batch,
            };
            let policy = choice::policy(best.training);
            if let Some(mut made) = plan
                .made(self.variants)
                .filter(|_| policy != Policy::KeepAll)
            {
                self.searched.plans += 1;
                self.rounds(&mut made, policy);
            }
        }
    }

    /// Where nothing fits, schedules that take as little as can be.
    fn least(&mut self) -> Result<(), Stopped> {
        if self.best.is_some() || !self.wanted.kinds.has(Kind::Recompute) {
            return Ok(());
        }
        let plans = switched(self.variants.len(), self.wanted);
        let ends = [plans.first(), plans.last()];
        for plan in ends.into_iter().flatten() {
            let Some(mut made) = plan.made(self.variants) else {
                continue;
            };
            let problem = &made.own.step.problem;
            let least = problem.minimum().0.0;
            let most = cost::needs(problem, &keep_all(problem)).peak.0;
            let policies = self.asked(&made);
            let quick: Vec<Policy> = policies
                .into_iter()
                .filter(|it| it.pace() != Pace::Slow)
                .collect();
            for notch in 0..NOTCHES {
                self.tick()?;
                let above = u128::from(most - least) * u128::from(notch) / u128::from(NOTCHES);
                let budget = Bytes(least + u64::try_from(above).unwrap_or(0));
                let mut any = false;
                for &policy in &quick {
                    let found = self.schedule(&mut made, policy, budget);
                    any |= self
                        .take(&mut made, (policy, Some(budget)), found)
                        .is_some();
                }
                if any {
                    break;
                }
            }
        }
        Ok(())
    }

    fn advice(self, stopped: bool) -> Advice {
        let least = self
            .cases
            .iter()
            .min_by_key(|it| (it.missing, it.time.sum()));
        let answer = self.best.or_else(|| least.cloned());
        let quicker = |it: &&Case| match &answer {
            Some(answer) => !it.fits() && it.time.sum() < answer.time.sum(),
            None => false,
        };
        let mut cheaper: Vec<Case> = self.cases.iter().filter(quicker).cloned().collect();
        cheaper.order_by_key(|it| (it.missing, it.time.sum(), it.changes.count()));
        cheaper.truncate(MOST_CHEAPER);
        Advice {
            front: front(&self.cases),
            answer,
            cheaper,
            cases: self.cases,
            searched: self.searched,
            stopped,
        }
    }
}

/// The first and the last of plans that are neither packed nor traced otherwise.
fn ends(made: &[Made]) -> (Option<usize>, Option<usize>) {
    let Some(usual) = made.first().map(|it| it.plan.recipe) else {
        return (None, None);
    };
    let same = |it: &Made| it.plan.recipe.rule == usual.rule && it.plan.recipe.gist == usual.gist;
    (made.iter().position(same), made.iter().rposition(same))
}

/// Whether a walk computes something again, and whether it swaps.
fn done(walk: &[Move], nodes: usize) -> (bool, bool) {
    let mut ran = vec![false; nodes];
    let again = |step: &Move| match *step {
        Move::Compute(node) => std::mem::replace(&mut ran[node], true),
        _ => false,
    };
    let recomputes = walk.iter().any(again);
    (
        recomputes,
        walk.iter().any(|it| matches!(it, Move::SwapOut(_))),
    )
}
