//! The cheapest walk, by A* over what is there.
//!
//! A state is the next node that has not run yet, and the set of values that are there. From it
//! any node up to the next one can run if what it reads is there and its value fits; values are
//! forgotten only to make room for it, and never one that could have stayed. What must still be
//! computed at least once bounds the rest of the way from below: the nodes to come, and what is
//! missing of all that they read. Both arguments, and the bound, are ours; the problem is that of
//! Jain et al. 2020, section 4, and the optima are the same.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::sets::{MOST_NODES, Sets, each, way};
use super::swap::{self, Quickest};
use super::{Found, Known, NoWalk, Policy, keep_all};
use crate::training::cost::needs;
use crate::training::{Move, Problem, Walk};
use crate::units::Bytes;

/// The most states that are looked at, and as many as a table of many searches has time for.
pub(super) const MOST_STATES: usize = 1_500_000;
pub(super) const GLANCE: usize = 1 << 14;
/// After so many states the observer is asked.
const PERIOD: usize = 4_096;

/// What a search came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// No walk is cheaper.
    Cheapest(Walk),
    /// There is no walk under this budget.
    Impossible,
    /// The search was ended; no walk costs less than that.
    Open {
        /// The bound.
        at_least: u64,
    },
    /// There are too many nodes.
    TooLarge,
}

/// The cheapest walk as a policy: where the search does not end, the cheapest that any other policy
/// finds, with the highest bound that one of them or the search has proved.
pub(super) fn run(
    problem: &Problem,
    (budget, most): (Option<Bytes>, usize),
    known: &mut Known,
    watch: &mut dyn FnMut(u64, u64) -> bool,
) -> Found {
    // Of equally cheap walks the one that keeps everything may be smaller than what is found.
    let all = Found::fitting(problem, [keep_all(problem)], budget);
    if all.optimal {
        return Found {
            lower_bound: Some(all.needs.time()),
            ..all
        };
    }
    let mut stopped = false;
    let glances = most < MOST_STATES;
    let most = match (problem.link, glances) {
        (None, _) => most,
        (Some(_), true) => swap::GLANCE,
        (Some(_), false) => swap::MOST_STATES,
    };
    let mut count = |states| {
        stopped = !watch(states as u64, most as u64);
        !stopped && states < most
    };
    let proof = match problem.link {
        None => match cheapest(problem, budget, &mut count) {
            Proof::Cheapest(walk) => Ok((needs(problem, &walk), walk, None)),
            proof => Err(proof),
        },
        Some(_) => match swap::quickest(problem, budget, &mut count) {
            Quickest::Proved(played) => {
                Ok((swap::needs(problem, &played), played.walk, Some(played.run)))
            }
            Quickest::Impossible => Err(Proof::Impossible),
            Quickest::Open { at_least } => Err(Proof::Open { at_least }),
            Quickest::TooLarge => Err(Proof::TooLarge),
        },
    };
    let at_least = match proof {
        Ok((needs, walk, run)) => {
            return Found {
                walk: Some(walk),
                needs,
                optimal: true,
                lower_bound: Some(needs.time()),
                why: None,
                run,
            };
        }
        // Every node fits by itself, but not with what must be kept beside it.
        Err(Proof::Impossible) => return Found::none(NoWalk::Impossible),
        Err(Proof::Open { .. }) if stopped => return Found::none(NoWalk::Stopped),
        Err(Proof::Open { at_least }) => at_least,
        Err(Proof::TooLarge | Proof::Cheapest(_)) => problem.base_cost(),
    };
    let others = Policy::ALL.into_iter().filter(|it| *it != Policy::Exact);
    let others = others.map(|policy| match glances {
        true => known.glance(policy, problem, budget),
        false => {
            let watch = &mut |_, _| watch(most as u64, most as u64);
            known.run(policy, problem, budget, watch)
        }
    });
    best_known(at_least, others)
}

/// The quickest that others found, and the highest of their bounds and `at_least`.
fn best_known(at_least: u64, others: impl Iterator<Item = Found>) -> Found {
    let mut best = Found::none(NoWalk::NotSearched);
    let mut bound = at_least;
    let price = |it: &Found| (it.walk.is_none(), it.needs.time(), it.needs.peak);
    for other in others {
        if let Some(why @ (NoWalk::Stopped | NoWalk::Impossible)) = other.why {
            return Found::none(why);
        }
        bound = bound.max(other.lower_bound.unwrap_or(0));
        if price(&other) < price(&best) {
            best = other;
        }
    }
    best.lower_bound = Some(bound);
    best.optimal = best.walk.is_some() && best.needs.time() <= bound;
    best
}

/// Searches for the cheapest walk. `watch` hears how many states were looked at, and says whether
/// to go on.
pub fn cheapest(
    problem: &Problem,
    budget: Option<Bytes>,
    watch: &mut dyn FnMut(usize) -> bool,
) -> Proof {
    if problem.nodes.len() > MOST_NODES {
        return Proof::TooLarge;
    }
    let search = Search::new(problem, budget.map_or(u64::MAX, |budget| budget.0));
    search.run(watch)
}

/// What is there, and what has run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    next: usize,
    there: u64,
}

/// How a state was come to.
struct Visit {
    state: State,
    cost: u64,
    from: usize,
    forgot: u64,
    ran: usize,
}

struct Search<'a> {
    problem: &'a Problem,
    budget: u64,
    sets: Sets,
}

impl<'a> Search<'a> {
    fn new(problem: &'a Problem, budget: u64) -> Self {
        Self {
            problem,
            budget,
            sets: Sets::new(problem),
        }
    }

    /// What must still be computed, at the least.
    fn at_least(&self, state: State) -> u64 {
        let mut cost = self.sets.to_come[state.next];
        let wanted = self.sets.wanted(state.next);
        self.sets.missing(wanted, state.there, &mut |node| {
            cost += self.problem.nodes[node].cost;
            true
        });
        cost
    }

    fn run(&self, watch: &mut dyn FnMut(usize) -> bool) -> Proof {
        let count = self.sets.reads.len();
        let start = State { next: 0, there: 0 };
        let mut visits = vec![Visit {
            state: start,
            cost: 0,
            from: 0,
            forgot: 0,
            ran: 0,
        }];
        let mut least: BTreeMap<State, u64> = BTreeMap::from([(start, 0)]);
        let mut open = BinaryHeap::from([Reverse((self.at_least(start), Reverse(0), 0_usize))]);
        let mut looked = 0;
        let mut moves = Vec::new();
        while let Some(Reverse((bound, _, index))) = open.pop() {
            let Visit { state, cost, .. } = visits[index];
            if least.get(&state).is_some_and(|known| *known < cost) {
                continue;
            }
            if state.next == count {
                return Proof::Cheapest(self.walk(&visits, index));
            }
            looked += 1;
            let asked = looked % PERIOD == 0;
            if visits.len() > MOST_STATES || asked && !watch(looked) {
                return Proof::Open { at_least: bound };
            }
            moves.clear();
            self.moves(state, &mut moves);
            for &(ran, forgot) in &moves {
                let next = state.next.max(ran + 1);
                let there = (state.there & !forgot | 1 << ran) & self.sets.useful[next];
                let state = State { next, there };
                let cost = cost + self.problem.nodes[ran].cost;
                if least.get(&state).is_some_and(|known| *known <= cost) {
                    continue;
                }
                least.insert(state, cost);
                let bound = cost + self.at_least(state);
                let at = visits.len();
                visits.push(Visit {
                    state,
                    cost,
                    from: index,
                    forgot,
                    ran,
                });
                open.push(Reverse((bound, Reverse(cost), at)));
            }
        }
        Proof::Impossible
    }

    /// The nodes that can run, each with every smallest set of values that makes room for it.
    fn moves(&self, state: State, moves: &mut Vec<(usize, u64)>) {
        let live = self.sets.bytes(state.there);
        let before = self.sets.useful[state.next] & !state.there;
        for ran in each(before)
            .filter(|node| *node < state.next)
            .chain([state.next])
        {
            let reads = self.sets.reads[ran];
            if reads & !state.there != 0 {
                continue;
            }
            let wanted = live.saturating_add(self.problem.nodes[ran].bytes.0);
            match wanted.checked_sub(self.budget).filter(|over| *over > 0) {
                None => moves.push((ran, 0)),
                Some(over) => {
                    let smallest = self.sets.smallest(state.there & !reads, over);
                    moves.extend(smallest.into_iter().map(|gone| (ran, gone)));
                }
            }
        }
    }

    fn walk(&self, visits: &[Visit], last: usize) -> Walk {
        let mut walk = Walk::new();
        for index in way(last, |at| visits[at].from) {
            let visit = &visits[index];
            let before = visits[visit.from].state.there;
            walk.extend(each(visit.forgot).map(Move::Forget));
            walk.push(Move::Compute(visit.ran));
            let there = before & !visit.forgot | 1 << visit.ran;
            walk.extend(each(there & !visit.state.there).map(Move::Forget));
        }
        walk
    }
}
