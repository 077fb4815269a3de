//! The search: plans by the least time that each takes at best, and schedules of each.
//!
//! What is known of a plan grows: that of a division first its share of the whole, then what a device
//! of its layout takes; of every plan then what it takes where everything is kept, and last what
//! policies find. A plan waits with the least time that is known; the one with the least of all is
//! looked at next, and nothing more where that is not below what the best one takes.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BinaryHeap};

use super::case::{Case, Price, front, price};
use super::clock::Clock;
use super::divisions::{Alike, alike, divisions};
use super::kind::Kind;
use super::outline::Outlines;
use super::plans::{Made, Plan, rewritten, switched, usual};
use super::room::Room;
use super::trials::{Trials, is_hurried};
use super::{Advice, MOST_CHEAPER, Searched, Variant, Wanted};
use crate::message;
use crate::operators::Operator;
use crate::sorting::Sorting as _;
use crate::training::Rule;
use crate::training::cost;
use crate::training::estimate::{NoEstimate, Unscheduled};
use crate::training::stage::NoStep;
use crate::units::Bytes;

/// Into how many parts the range of budgets is divided where the least memory is looked for.
const NOTCHES: u64 = 16;

/// The most plans of each kind whose least memory is looked for where nothing fits.
const SMALLEST: usize = 2;

/// The most steps that are made and kept until policies are asked.
const KEPT: usize = 32;

/// How far a plan is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Next {
    /// A device of its layout is to be looked at.
    Outline,
    /// Everything is to be kept.
    Keep,
    /// Policies are to be asked.
    Policies,
}

/// A plan that waits: the least time that it takes, what it changes, and its number.
type Waiting = Reverse<(u64, Price, Next, usize)>;

struct Search<'a> {
    trials: Trials<'a>,
    outlines: Option<Outlines<'a>>,
    plans: Vec<Plan>,
    waiting: BinaryHeap<Waiting>,
    /// Steps that are made and will be asked for.
    made: BTreeMap<usize, Vec<Made>>,
    /// The most room in which policies were asked of divisions that are [`alike`].
    asked: BTreeMap<Alike, u64>,
    /// The least bytes of the smallest divisions, whatever is kept, ascending: where nothing fits, these
    /// are searched.
    smallest: Vec<(u64, usize)>,
    /// Whether any case does.
    any: bool,
    done: u64,
    watch: &'a mut dyn FnMut(u64, u64) -> bool,
}

/// It was stopped.
struct Stopped;

/// See [`advise`](super::advise), and with `any` [`fits`](super::fits).
pub(super) fn search(
    variants: &[Variant<'_>],
    wanted: &Wanted,
    any: bool,
    watch: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Advice, NoEstimate> {
    let device = wanted.device.computing_in(wanted.recipe.precision);
    let mut wanted = *wanted;
    wanted.devices = wanted.devices.max(1);
    // Swapping goes by the rate of this precision, whatever rate the question came with.
    if wanted.kinds.has(Kind::Swap) || wanted.recipe.rates.is_some() {
        wanted.recipe.rates = Some(device.rates());
    }
    let wanted = &wanted;
    let Some(first) = variants.first() else {
        return Err(NoStep::NoModel.into());
    };
    // Why there is no step is said of the model as it is; a share of what is too large may be a step.
    match Unscheduled::of(first.graph, 1, wanted.recipe) {
        Err(NoEstimate::NoStep(NoStep::TooLarge(_))) if wanted.devices > 1 => {}
        found => {
            found?;
        }
    }
    if wanted.devices > 1 && wanted.recipe.rule != Rule::Autograd {
        let why = message!("by autograd's rule alone a step is divided among devices");
        return Err(NoStep::Undivided(why).into());
    }
    let clock = Clock::new(wanted.device, wanted.recipe.precision);
    let outlines = match wanted.recipe.rule {
        Rule::Autograd => Some(Outlines::new(first.graph, wanted.recipe, clock)),
        _ => None,
    };
    let room = Room {
        left: wanted.device.memory.0.saturating_sub(wanted.context.0),
        workspace: wanted.workspace,
        kinds: wanted.kinds,
        whole: false,
    };
    let mut search = Search {
        trials: Trials {
            variants,
            wanted,
            clock,
            room,
            cases: Vec::new(),
            best: None,
            confirmed: Vec::new(),
            searched: Searched {
                kinds: wanted.kinds,
                allocators: room.allocators(false),
                ..Searched::default()
            },
        },
        outlines,
        plans: Vec::new(),
        waiting: BinaryHeap::new(),
        made: BTreeMap::new(),
        asked: BTreeMap::new(),
        smallest: Vec::new(),
        any,
        done: 0,
        watch,
    };
    let stopped = search.run().is_err();
    Ok(search.advice(stopped))
}

impl Search<'_> {
    fn run(&mut self) -> Result<(), Stopped> {
        if self.as_it_is() {
            return Ok(());
        }
        self.undivided()?;
        self.divided();
        while let Some(Reverse((bound, price, next, index))) = self.waiting.pop() {
            self.tick()?;
            if self.any && self.trials.best.is_some() {
                return Ok(());
            }
            if self.trials.beaten(bound, price) {
                self.trials.searched.passed += 1 + self.waiting.len() as u64;
                break;
            }
            match next {
                Next::Outline => self.outline(index, price),
                Next::Keep => self.keep(index, (bound, price)),
                Next::Policies => self.policies(index, bound)?,
            }
        }
        if self.any {
            return Ok(());
        }
        self.simplify();
        loop {
            self.tick()?;
            let (done, of) = (self.done, self.done + self.waiting.len() as u64);
            if self.trials.confirm(&mut |_, _| (self.watch)(done, of)) {
                break;
            }
        }
        self.least()
    }

    fn tick(&mut self) -> Result<(), Stopped> {
        self.done += 1;
        let of = self.done + self.waiting.len() as u64;
        match (self.watch)(self.done - 1, of) {
            true => Ok(()),
            false => Err(Stopped),
        }
    }

    fn wait(&mut self, (bound, price): (u64, Price), next: Next, index: usize) {
        self.waiting.push(Reverse((bound, price, next, index)));
    }

    /// Lets a plan wait for policies. What they do is one change more, and of equal times fewer changes
    /// win.
    fn ask(&mut self, (bound, price): (u64, Price), index: usize) {
        let (count, kinds, micro) = price;
        self.wait((bound, (count + 1, kinds, micro)), Next::Policies, index);
    }

    fn price(&self, plan: Plan) -> Price {
        price(self.trials.changes(plan), plan.recipe)
    }

    /// Whether the step fits as it is.
    fn as_it_is(&mut self) -> bool {
        let wanted = self.trials.wanted;
        if !wanted.batch.is_multiple_of(wanted.devices.into()) {
            return false;
        }
        let plan = usual(wanted);
        let mut made = self.trials.made(plan);
        let missing = self.trials.keep_all(&mut made);
        self.plans.push(plan);
        let bound = self.at_best(&made);
        self.made.insert(0, made);
        self.ask((bound, self.price(plan)), 0);
        missing == Some(0)
    }

    /// What a step takes at best whose nodes all run once.
    fn at_best(&self, made: &[Made]) -> u64 {
        let clock = self.trials.clock;
        let times = made.iter().map(|it| {
            let problem = &it.own.step.problem;
            let needs = cost::needs(problem, &it.kept);
            clock
                .time(problem, (&it.kept, needs))
                .map_or(u64::MAX, |it| it.sum())
        });
        times.max().unwrap_or(u64::MAX)
    }

    /// Steps of one device made otherwise: switches, packing, torch.compile.
    fn undivided(&mut self) -> Result<(), Stopped> {
        let wanted = self.trials.wanted;
        if wanted.devices > 1 {
            return Ok(());
        }
        let switched = switched(self.trials.variants.len(), wanted);
        let ends = [switched.first().copied(), switched.last().copied()];
        let rewritten = ends
            .iter()
            .flatten()
            .flat_map(|it| rewritten(*it, wanted.kinds));
        let all: Vec<Plan> = switched.iter().copied().chain(rewritten).collect();
        for plan in all {
            self.tick()?;
            let price = self.price(plan);
            let made = self.trials.made(plan);
            let same = |it: &Vec<Made>| {
                let both = it.first().zip(made.first());
                both.is_none_or(|(one, other)| one.own.step.problem == other.own.step.problem)
            };
            if self.made.values().any(same) {
                continue;
            }
            let index = self.plans.len();
            let bound = self.at_best(&made);
            self.plans.push(plan);
            self.made.insert(index, made);
            self.wait((bound, price), Next::Keep, index);
        }
        Ok(())
    }

    /// All divisions, also into micro-batches of one device.
    fn divided(&mut self) {
        let wanted = self.trials.wanted;
        let Some(outlines) = &mut self.outlines else {
            return;
        };
        let usual = usual(wanted);
        let graph = self.trials.variants.first().map(|it| it.graph);
        let mut ops = graph.iter().flat_map(|graph| &graph.ops);
        let experts = ops.any(|op| op.is(Operator::GroupedMatMul));
        let fewest = (2..=wanted.devices).find(|it| wanted.devices.is_multiple_of(*it));
        for of in divisions(wanted, experts) {
            let plan = usual.divided(of);
            if plan == usual || !of.sharding.is_on() {
                continue;
            }
            let Some(bound) = outlines.at_best(of, fewest.unwrap_or(2)) else {
                continue;
            };
            let price = price(self.trials.changes(plan), plan.recipe);
            let index = self.plans.len();
            self.plans.push(plan);
            self.waiting
                .push(Reverse((bound, price, Next::Outline, index)));
        }
    }

    /// Looks at a device of a plan's layout.
    fn outline(&mut self, index: usize, price: Price) {
        let room = self.trials.room.left;
        let plan = self.plans[index];
        let within = self
            .outlines
            .as_mut()
            .and_then(|it| it.within(plan.division(), room));
        if let Some(it) = &within {
            self.smallest.push((it.least, index));
            self.smallest.order();
            self.smallest.truncate(SMALLEST);
        }
        match within {
            None => {}
            Some(it) if it.least > room => {}
            Some(it) if it.keeps => self.wait((it.time, price), Next::Keep, index),
            Some(it) => self.ask((it.time, price), index),
        }
    }

    fn keep(&mut self, index: usize, (bound, price): (u64, Price)) {
        let plan = self.plans[index];
        let known = self.made.remove(&index);
        let mut made = known.unwrap_or_else(|| self.trials.made(plan));
        let missing = self.trials.keep_all(&mut made);
        let kinds = self.trials.wanted.kinds;
        let may = kinds.has(Kind::Recompute) || kinds.has(Kind::Swap);
        if missing.is_some_and(|it| it > 0) && may && !self.in_between(plan) {
            if self.made.len() < KEPT {
                self.made.insert(index, made);
            }
            self.ask((bound, price), index);
        }
    }

    /// Whether some of the switches are chosen that take no time, but not all: policies are asked of
    /// none and of all.
    fn in_between(&self, plan: Plan) -> bool {
        let wanted = self.trials.wanted;
        let switched = switched(self.trials.variants.len(), wanted);
        let ends = [switched.first(), switched.last()];
        switched.contains(&plan) && !ends.contains(&Some(&plan))
    }

    fn policies(&mut self, index: usize, bound: u64) -> Result<(), Stopped> {
        if self.trials.is_quickest(bound) {
            self.trials.searched.passed += 1;
            return Ok(());
        }
        let plan = self.plans[index];
        let known = self.made.remove(&index);
        let mut made = known.unwrap_or_else(|| self.trials.made(plan));
        let rooms = made.iter().map(|it| it.room);
        let Some(room) = rooms.min().flatten() else {
            return Ok(());
        };
        let own = plan.recipe.sharding;
        if own.is_on() {
            let key = alike(plan.division());
            let most = self.asked.entry(key).or_default();
            if std::mem::replace(most, room.max(*most)) >= room {
                return Ok(());
            }
        }
        let bound = self.at_best(&made);
        // Where any will do, it is one that needs no confirmation.
        let policies = self.trials.asked(&made);
        let any = self.any;
        for policy in policies.into_iter().filter(|it| !any || !is_hurried(*it)) {
            self.tick()?;
            if self.trials.is_quickest(bound) {
                break;
            }
            let (done, of) = (self.done, self.done + self.waiting.len() as u64);
            let watch = &mut |_, _| (self.watch)(done, of);
            self.trials.policy(&mut made, policy, watch);
        }
        Ok(())
    }

    /// The best case without some of its changes, where it is as quick.
    fn simplify(&mut self) {
        let Some(best) = self.trials.best.clone() else {
            return;
        };
        let wanted = self.trials.wanted;
        let policy = crate::training::choice::policy(best.training);
        let (own, of) = (wanted.recipe, best.training.recipe);
        let variant = self.trials.variant(&best);
        let mut recipes = vec![(0, of), (variant, of), (variant, of)];
        recipes[1].1.set_to_none = own.set_to_none;
        recipes[2].1.in_place = own.in_place;
        for (variant, recipe) in recipes {
            let plan = Plan {
                variant,
                recipe,
                batch: best.training.batch,
            };
            if (variant, recipe) == (self.trials.variant(&best), of)
                || best.training.budget.is_none()
                || recipe.sharding.is_on()
            {
                continue;
            }
            let mut made = self.trials.made(plan);
            self.trials.policy(&mut made, policy, &mut |_, _| true);
        }
    }

    /// Where nothing fits, schedules that take as little as can be.
    fn least(&mut self) -> Result<(), Stopped> {
        if self.trials.best.is_some() {
            return Ok(());
        }
        self.trials.room.whole = true;
        let mut plans: Vec<Plan> = Vec::new();
        let mut cases: Vec<&Case> = self.trials.cases.iter().collect();
        cases.order_by_key(|it| (it.missing, it.time.sum()));
        for case in cases {
            let mut recipe = case.training.recipe;
            recipe.sharding.stage = 0;
            let plan = Plan {
                variant: self.trials.variant(case),
                recipe,
                batch: case.training.batch,
            };
            if !plans.contains(&plan) && plans.len() < SMALLEST {
                plans.push(plan);
            }
        }
        plans.extend(self.smallest.iter().map(|(_, index)| self.plans[*index]));
        for plan in plans {
            self.tick()?;
            let mut made = self.trials.made(plan);
            self.trials.keep_all(&mut made);
            self.smallest(&mut made)?;
        }
        Ok(())
    }

    /// The schedules of a plan under the smallest budget under which a policy has one.
    fn smallest(&mut self, made: &mut [Made]) -> Result<(), Stopped> {
        let sizes = made.iter().map(|it| {
            let problem = &it.own.step.problem;
            (problem.minimum().0.0, cost::needs(problem, &it.kept).peak.0)
        });
        let (least, most) = sizes.fold((0, 0), |all: (u64, u64), it| {
            (all.0.max(it.0), all.1.max(it.1))
        });
        let policies = self.trials.asked(made);
        let quick: Vec<_> = policies.into_iter().filter(|it| !is_hurried(*it)).collect();
        for notch in 0..NOTCHES {
            self.tick()?;
            let above = u128::from(most.saturating_sub(least)) * u128::from(notch);
            let above = u64::try_from(above / u128::from(NOTCHES)).unwrap_or(0);
            let budget = Bytes(least.saturating_add(above));
            let found = quick
                .iter()
                .filter(|it| self.trials.least(made, **it, budget).is_some());
            if found.count() > 0 {
                break;
            }
        }
        Ok(())
    }

    fn advice(self, stopped: bool) -> Advice {
        let Trials {
            cases,
            best,
            searched,
            ..
        } = self.trials;
        let least = cases.iter().min_by_key(|it| (it.missing, it.time.sum()));
        let answer = best.or_else(|| least.cloned());
        let quicker = |it: &&Case| match &answer {
            Some(answer) => !it.fits() && it.compare(answer) == Ordering::Less,
            None => false,
        };
        let mut cheaper: Vec<Case> = cases.iter().filter(quicker).cloned().collect();
        cheaper.order_by_key(|it| (it.missing, it.time.sum(), it.changes.count()));
        cheaper.dedup_by_key(|it| (it.missing, it.time, it.changes));
        cheaper.truncate(MOST_CHEAPER);
        Advice {
            front: front(&cases),
            answer,
            cheaper,
            cases,
            searched,
            stopped,
        }
    }
}
