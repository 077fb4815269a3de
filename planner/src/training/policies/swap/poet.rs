//! Patil et al., "POET: Training Neural Networks on Tiny Devices with Integrated Rematerialization
//! and Paging", ICML 2022, section 4: the least energy under a budget and a deadline.
//!
//! What is computed counts with the power of the processor, and each copy with that of the memory
//! that is paged to; the deadline is for what is computed alone, because copies run beside it
//! (`poet/poet_solver.py`). The paper solves an integer program in stages; here it is A* over what
//! is there and what has been paged out, in any order. Of a larger step, or where the search is
//! ended, it is what takes least energy of what the other policies find.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::training::cost::needs;
use crate::training::policies::sets::{MOST_NODES, Sets, each, way};
use crate::training::policies::{Found, Known, NoWalk, Policy};
use crate::training::swap::earliest;
use crate::training::swap::energy::{Power, energy};
use crate::training::{Move, Problem, Walk};
use crate::units::Bytes;

/// The most states that are looked at, and as many as a table of many searches has time for.
pub(in crate::training::policies) const MOST_STATES: usize = 300_000;
pub(in crate::training::policies) const GLANCE: usize = 1 << 13;
/// After so many states the observer is asked.
const PERIOD: usize = 1_024;

/// What a search came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Thrift {
    /// No walk takes less energy.
    Proved(Walk),
    /// There is no walk under this budget and deadline.
    Impossible,
    /// The search was ended, or there are too many nodes.
    Open,
}

/// The walk that takes least energy, computes for no longer than `deadline` and never has more
/// than the budget. `watch` hears how many states were looked at, and says whether to go on.
pub fn least_energy(
    problem: &Problem,
    (budget, deadline): (Option<Bytes>, Option<u64>),
    watch: &mut dyn FnMut(usize) -> bool,
) -> Thrift {
    let power = problem.link.and_then(|link| link.power);
    match power.filter(|_| problem.nodes.len() <= MOST_NODES) {
        Some(power) => {
            let limits = (budget, deadline.unwrap_or(u64::MAX));
            Search::new(problem, power, limits).run(watch)
        }
        None => Thrift::Open,
    }
}

/// That as a policy, without a deadline.
pub(in crate::training::policies) fn run(
    problem: &Problem,
    (budget, most): (Option<Bytes>, usize),
    known: &mut Known,
    watch: &mut dyn FnMut(u64, u64) -> bool,
) -> Found {
    let Some(link) = problem.link else {
        return Found::none(NoWalk::NoLink);
    };
    if link.power.is_none() {
        return Found::none(NoWalk::NoEnergy);
    }
    let mut stopped = false;
    let thrift = least_energy(problem, (budget, None), &mut |states| {
        stopped = !watch(states as u64, most as u64);
        !stopped && states < most
    });
    let walk = match thrift {
        Thrift::Proved(walk) => Some(walk),
        Thrift::Impossible => return Found::none(NoWalk::Impossible),
        Thrift::Open if stopped => return Found::none(NoWalk::Stopped),
        Thrift::Open => {
            let quick = [Policy::KeepAll, Policy::ChenGreedyAll, Policy::Capuchin];
            let others = quick
                .into_iter()
                .chain([Policy::LpRounding, Policy::LocalSearch]);
            let walks = others.filter_map(|policy| known.glance(policy, problem, budget).walk);
            walks.min_by_key(|walk| energy(problem, walk).unwrap_or(u128::MAX))
        }
    };
    let Some(walk) = walk else {
        return Found::none(NoWalk::NotSearched);
    };
    let (needs, run) = (needs(problem, &walk), earliest(problem, &walk));
    Found {
        walk: Some(walk),
        needs,
        optimal: needs.time() == problem.base_cost(),
        lower_bound: None,
        why: None,
        run: Some(run),
    }
}

/// Where values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    /// The first node that has not run.
    next: usize,
    there: u64,
    /// What has been paged out.
    paged: u64,
}

/// How a state was come to.
struct Visit {
    state: State,
    energy: u128,
    time: u64,
    from: usize,
    /// What was given back, and what was brought.
    gone: u64,
    brought: Option<Move>,
}

struct Search<'a> {
    problem: &'a Problem,
    budget: u64,
    deadline: u64,
    sets: Sets,
    /// The energy of running each node, and of its value's copies out and back.
    computing: Vec<u128>,
    copying: Vec<Option<(u128, u128)>>,
    power: u128,
}

impl<'a> Search<'a> {
    fn new(problem: &'a Problem, power: Power, (budget, deadline): (Option<Bytes>, u64)) -> Self {
        let each = |power: u64, time: u64| u128::from(power) * u128::from(time);
        let computing = problem.nodes.iter();
        let computing = computing.map(|it| each(power.computing, it.cost));
        let copying = problem.nodes.iter().map(|it| {
            let (out, back) = problem.link?.times(it.bytes)?;
            Some((each(power.copying, out), each(power.copying, back)))
        });
        Self {
            problem,
            budget: budget.map_or(u64::MAX, |budget| budget.0),
            deadline,
            sets: Sets::new(problem),
            computing: computing.collect(),
            copying: copying.collect(),
            power: u128::from(power.computing),
        }
    }

    /// The energy of what is still to come, at the least: all nodes that have not run, and of what
    /// they read and is not there the cheaper of computing it and of fetching it.
    fn at_least(&self, state: State) -> u128 {
        let sets = &self.sets;
        let mut sum = u128::from(sets.to_come[state.next]) * self.power;
        sets.missing(sets.wanted(state.next), state.there, &mut |node| {
            let back = self.copying[node].filter(|_| state.paged >> node & 1 == 1);
            let own = self.computing[node];
            sum += back.map_or(own, |(_, back)| own.min(back));
            back.is_none()
        });
        sum
    }

    fn run(&self, watch: &mut dyn FnMut(usize) -> bool) -> Thrift {
        let start = State {
            next: 0,
            there: 0,
            paged: 0,
        };
        let mut visits = vec![Visit {
            state: start,
            energy: 0,
            time: 0,
            from: 0,
            gone: 0,
            brought: None,
        }];
        // Of each state the ways of which none is both longer and takes more.
        let mut known: BTreeMap<State, Vec<(u128, u64)>> = BTreeMap::from([(start, vec![(0, 0)])]);
        let mut open = BinaryHeap::from([Reverse((self.at_least(start), Reverse(0), 0_usize))]);
        let mut looked = 0;
        while let Some(Reverse((_, _, index))) = open.pop() {
            let Visit {
                state,
                energy,
                time,
                ..
            } = visits[index];
            if !known
                .get(&state)
                .is_some_and(|all| all.contains(&(energy, time)))
            {
                continue;
            }
            if state.next == self.sets.reads.len() {
                return Thrift::Proved(self.walk(&visits, index));
            }
            looked += 1;
            if visits.len() > 4 * MOST_STATES || looked % PERIOD == 0 && !watch(looked) {
                return Thrift::Open;
            }
            for next in self.after(&visits[index], index) {
                if next.time.saturating_add(self.sets.to_come[next.state.next]) > self.deadline {
                    continue;
                }
                let ways = known.entry(next.state).or_default();
                let own = (next.energy, next.time);
                if ways.iter().any(|it| it.0 <= own.0 && it.1 <= own.1) {
                    continue;
                }
                ways.retain(|it| !(own.0 <= it.0 && own.1 <= it.1));
                ways.push(own);
                let bound = next.energy.saturating_add(self.at_least(next.state));
                open.push(Reverse((bound, Reverse(next.energy), visits.len())));
                visits.push(next);
            }
        }
        Thrift::Impossible
    }

    fn after(&self, visit: &Visit, from: usize) -> Vec<Visit> {
        let state = visit.state;
        let useful = self.sets.useful[state.next];
        let mut all = Vec::new();
        for value in each(state.paged & !state.there & useful) {
            let Some((_, back)) = self.copying[value] else {
                continue;
            };
            for next in self.with_room(visit, value, (0, from)) {
                all.push(Visit {
                    state: State {
                        there: next.state.there | 1 << value,
                        ..next.state
                    },
                    energy: next.energy.saturating_add(back),
                    brought: Some(Move::SwapIn(value)),
                    ..next
                });
            }
        }
        let again = useful & !state.there & ((1 << state.next) - 1);
        for node in each(again).chain([state.next]) {
            if self.sets.reads[node] & !state.there != 0 {
                continue;
            }
            for visit in self.with_room(visit, node, (self.sets.reads[node], from)) {
                let next = state.next.max(node + 1);
                let useful = self.sets.useful[next];
                all.push(Visit {
                    state: State {
                        next,
                        there: (visit.state.there | 1 << node) & useful,
                        paged: visit.state.paged & useful,
                    },
                    energy: visit.energy.saturating_add(self.computing[node]),
                    time: visit.time.saturating_add(self.problem.nodes[node].cost),
                    brought: Some(Move::Compute(node)),
                    ..visit
                });
            }
        }
        all
    }

    /// Every way to have room for a value: a smallest set that is given back, each of it forgotten
    /// or paged out.
    fn with_room(&self, visit: &Visit, value: usize, (pinned, from): (u64, usize)) -> Vec<Visit> {
        let state = visit.state;
        let wanted = self.sets.bytes(state.there);
        let wanted = wanted.saturating_add(self.problem.nodes[value].bytes.0);
        let sets = match wanted.checked_sub(self.budget).filter(|over| *over > 0) {
            None => vec![0],
            Some(over) => self.sets.smallest(state.there & !pinned, over),
        };
        let mut all = Vec::new();
        for gone in sets {
            let may: u64 = each(gone & !state.paged)
                .filter(|it| self.copying[*it].is_some())
                .fold(0, |set, it| set | 1 << it);
            let mut out = may;
            loop {
                let copies = each(out).filter_map(|it| self.copying[it]);
                all.push(Visit {
                    state: State {
                        there: state.there & !gone,
                        paged: state.paged | out,
                        ..state
                    },
                    energy: visit.energy + copies.map(|(out, _)| out).sum::<u128>(),
                    time: visit.time,
                    from,
                    gone,
                    brought: None,
                });
                if out == 0 {
                    break;
                }
                out = (out - 1) & may;
            }
        }
        all
    }

    fn walk(&self, visits: &[Visit], last: usize) -> Walk {
        let mut walk = Walk::new();
        for index in way(last, |at| visits[at].from) {
            let visit = &visits[index];
            let before = &visits[visit.from].state;
            // What is on the host of what is given back has been paged out, now or before.
            let paged = before.paged | visit.state.paged;
            for value in each(visit.gone) {
                walk.push(match paged >> value & 1 == 1 {
                    true => Move::SwapOut(value),
                    false => Move::Forget(value),
                });
            }
            walk.extend(visit.brought);
            let brought = visit.brought.map_or(0, |it| 1_u64 << it.node());
            let there = before.there & !visit.gone | brought;
            walk.extend(each(there & !visit.state.there).map(Move::Forget));
        }
        walk
    }
}
