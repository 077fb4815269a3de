//! The quickest run that keeps, computes again and swaps, by A* over what is there, what is on the
//! host and when lanes are free.
//!
//! From a state a node runs, a copy out begins or a copy back begins. Three arguments keep the
//! choices few, each of which turns any run into one that takes no longer:
//!
//! - a copy out takes no bytes, so of those that follow one another on the lane the first begins
//!   when its node has ended: after each node either its own value is copied, then any others, or
//!   none;
//! - bytes are given back just before others are taken for which there is no room, and never those
//!   of a value without which there would still be enough;
//! - of two states with the same values in the same places, one in which nothing is later is
//!   enough.
//!
//! The bound is that of the search without a link, where what is on the host costs nothing, or what
//! must be away at one of the moments to come ([`bound`]).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::{bound, searched};
use crate::training::Problem;
use crate::training::policies::sets::{MOST_NODES, Sets, each, way};
use crate::training::policies::{Proof, cheapest};
use crate::training::swap::lanes::Lanes;
use crate::training::swap::script::Script;
use crate::training::swap::{Link, Played, earliest, play};
use crate::units::Bytes;

/// The most states that are looked at, and as many as a table of many searches has time for.
pub(in crate::training::policies) const MOST_STATES: usize = 250_000;
pub(in crate::training::policies) const GLANCE: usize = 1 << 12;
/// After so many states the observer is asked.
const PERIOD: usize = 1_024;
/// How much is looked at before, in nodes that are played, and in states without a link.
const WORK: u64 = 40_000;
const STATES: usize = 20_000;

/// What a search came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Quickest {
    /// No run is quicker.
    Proved(Played),
    /// There is no run under this budget.
    Impossible,
    /// The search was ended; no run takes less than that.
    Open {
        /// The bound.
        at_least: u64,
    },
    /// There are too many nodes.
    TooLarge,
}

/// Searches for the quickest run. `watch` hears how many states were looked at, and says whether
/// to go on.
pub fn quickest(
    problem: &Problem,
    budget: Option<Bytes>,
    watch: &mut dyn FnMut(usize) -> bool,
) -> Quickest {
    if problem.nodes.len() > MOST_NODES {
        return Quickest::TooLarge;
    }
    let known = known(problem, budget);
    let below = known.as_ref().map_or(u64::MAX, |it| it.run.time);
    match (Search::new(problem, budget).run(below, watch), known) {
        (Quickest::Impossible, Some(known)) => Quickest::Proved(known),
        (found, _) => found,
    }
}

/// The quickest of what searches find that do not look at everything: what is no quicker need not
/// be looked at.
fn known(problem: &Problem, budget: Option<Bytes>) -> Option<Played> {
    let all = play(problem, &Script::default(), budget).ok();
    if all.is_some() {
        return all;
    }
    let searched = searched(problem, (budget?, WORK), &mut |_, _| true);
    let unlinked = Problem {
        link: None,
        ..problem.clone()
    };
    let again = match cheapest(&unlinked, budget, &mut |states| states < STATES) {
        Proof::Cheapest(walk) => Some(Played {
            run: earliest(problem, &walk),
            walk,
            evicted: Vec::new(),
        }),
        _ => None,
    };
    let searched = searched.ok().flatten();
    searched
        .into_iter()
        .chain(again)
        .min_by_key(|it| it.run.time)
}

/// Where values are, and what may be next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Places {
    /// The first node that has not run.
    next: usize,
    there: u64,
    /// What is on the host, or on its way there.
    host: u64,
    /// Whether another copy out may begin.
    copying: bool,
}

/// When things are over.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Times {
    /// The last node.
    ended: u64,
    /// The lane to the host, and when a copy back can start.
    out: u64,
    back: u64,
    /// All that was given back has left.
    left: u64,
    /// Of each value that is there, when it can be read, and when it can have left: 0 for what is
    /// before all that may come.
    ready: Vec<u64>,
    leaves: Vec<u64>,
}

#[derive(Clone, Copy, Debug)]
enum Event {
    Start,
    Compute(usize),
    CopyOut(usize),
    SwapIn(usize),
}

/// How a state was come to.
struct Visit {
    places: Places,
    times: Times,
    from: usize,
    gone: u64,
    event: Event,
}

struct Search<'a> {
    problem: &'a Problem,
    budget: u64,
    sets: Sets,
    /// What is added at least to running a node and all behind it.
    extra: Vec<u64>,
    /// What a copy of each value takes, out and back.
    copies: Vec<Option<(u64, u64)>>,
}

impl Times {
    /// Whether nothing is later than in another state with the same places.
    fn is_no_later(&self, than: &Self) -> bool {
        let all = |one: &[u64], other: &[u64]| one.iter().zip(other).all(|(a, b)| a <= b);
        self.ended <= than.ended
            && self.out <= than.out
            && self.back <= than.back
            && self.left <= than.left
            && all(&self.ready, &than.ready)
            && all(&self.leaves, &than.leaves)
    }
}

impl<'a> Search<'a> {
    fn new(problem: &'a Problem, budget: Option<Bytes>) -> Self {
        let link = problem.link.unwrap_or(Link::NONE);
        let copies = problem.nodes.iter().map(|node| match node.bytes {
            // Nothing is gained.
            Bytes::ZERO => None,
            bytes => link.times(bytes),
        });
        Self {
            problem,
            budget: budget.map_or(u64::MAX, |budget| budget.0),
            sets: Sets::new(problem),
            extra: bound::extra(problem, budget.unwrap_or(Bytes(u64::MAX))),
            copies: copies.collect(),
        }
    }

    /// What must still be computed, at the least.
    fn at_least(&self, places: Places) -> u64 {
        let sets = &self.sets;
        let known = places.there | places.host;
        let mut cost = 0_u64;
        sets.missing(sets.wanted(places.next), known, &mut |node| {
            cost += self.problem.nodes[node].cost;
            true
        });
        sets.to_come[places.next] + cost.max(self.extra[places.next])
    }

    /// Looks for a run that takes less than `below`.
    fn run(&self, below: u64, watch: &mut dyn FnMut(usize) -> bool) -> Quickest {
        let count = self.sets.reads.len();
        let start = Places {
            next: 0,
            there: 0,
            host: 0,
            copying: false,
        };
        let mut visits = vec![Visit {
            places: start,
            times: Times {
                ended: 0,
                out: 0,
                back: 0,
                left: 0,
                ready: vec![0; count],
                leaves: vec![0; count],
            },
            from: 0,
            gone: 0,
            event: Event::Start,
        }];
        // Of each places the states of which none is no later than another.
        let mut known: BTreeMap<Places, Vec<usize>> = BTreeMap::from([(start, vec![0])]);
        let mut open = BinaryHeap::from([Reverse((self.at_least(start), Reverse(0), 0_usize))]);
        let mut looked = 0;
        while let Some(Reverse((bound, _, index))) = open.pop() {
            let places = visits[index].places;
            if !known.get(&places).is_some_and(|all| all.contains(&index)) {
                continue;
            }
            if places.next == count {
                return Quickest::Proved(self.played(&visits, index));
            }
            looked += 1;
            if visits.len() > MOST_STATES || looked % PERIOD == 0 && !watch(looked) {
                return Quickest::Open { at_least: bound };
            }
            for next in self.after(&visits[index], index) {
                let bound = next.times.ended.saturating_add(self.at_least(next.places));
                if bound >= below {
                    continue;
                }
                let same = known.entry(next.places).or_default();
                if same
                    .iter()
                    .any(|it| visits[*it].times.is_no_later(&next.times))
                {
                    continue;
                }
                same.retain(|it| !next.times.is_no_later(&visits[*it].times));
                let at = visits.len();
                same.push(at);
                let ended = next.times.ended;
                open.push(Reverse((bound, Reverse(ended), at)));
                visits.push(next);
            }
        }
        Quickest::Impossible
    }

    /// All that may be next.
    fn after(&self, visit: &Visit, from: usize) -> Vec<Visit> {
        let mut all = Vec::new();
        let places = visit.places;
        let useful = self.sets.useful[places.next];
        if places.copying {
            for value in each(places.there & !places.host & useful) {
                all.extend(self.copied(visit, value, from));
            }
        }
        for value in each(places.host & !places.there & useful) {
            let by = visit.times.back.max(visit.times.left);
            for gone in self.room(visit, (value, by), 0) {
                all.extend(self.fetched(visit, (value, gone), from));
            }
        }
        let again = (useful & !places.there) & ((1 << places.next) - 1);
        for node in each(again).chain([places.next]) {
            let reads = self.sets.reads[node];
            if reads & !places.there != 0 {
                continue;
            }
            let by = visit.times.ended.max(visit.times.left);
            for gone in self.room(visit, (node, by), reads) {
                let ran = self.computed(visit, (node, gone), from);
                let own = ran.places.next;
                let needed =
                    self.sets.useful[own] >> node & 1 == 1 && ran.places.host >> node & 1 == 0;
                let after = needed.then(|| self.copied(&ran, node, from)).flatten();
                // Both in one.
                all.extend(after.map(|it| Visit {
                    gone: ran.gone,
                    event: ran.event,
                    ..it
                }));
                all.push(ran);
            }
        }
        all
    }

    /// Values that may be given back for what is taken then or later: every smallest set that makes
    /// room, each with what is not needed any more and has left by then.
    fn room(&self, visit: &Visit, (taken, by): (usize, u64), pinned: u64) -> Vec<u64> {
        let Visit { places, times, .. } = visit;
        let useful = self.sets.useful[places.next];
        let has_left = |it: &usize| times.leaves[*it] <= by;
        let dead = each(places.there & !useful & !pinned).filter(has_left);
        let dead = dead.fold(0, |set, node| set | 1_u64 << node);
        let stays = places.there & !dead;
        let wanted = self
            .sets
            .bytes(stays)
            .saturating_add(self.problem.nodes[taken].bytes.0);
        let Some(over) = wanted.checked_sub(self.budget).filter(|over| *over > 0) else {
            return vec![dead];
        };
        // What is on its way back is not given up.
        let spare = each(stays & !pinned).filter(|it| times.ready[*it] == 0);
        let spare = spare.fold(0, |set, node| set | 1 << node);
        let smallest = self.sets.smallest(spare, over).into_iter();
        smallest.map(|set| set | dead).collect()
    }

    /// What is given back is, and the time at which all of it has left.
    fn given_back(&self, visit: &Visit, gone: u64) -> (Places, Times) {
        let mut places = visit.places;
        let mut times = visit.times.clone();
        for value in each(gone) {
            times.left = times.left.max(times.leaves[value]);
            (times.ready[value], times.leaves[value]) = (0, 0);
        }
        places.there &= !gone;
        (places, times)
    }

    fn computed(&self, visit: &Visit, (node, gone): (usize, u64), from: usize) -> Visit {
        let (mut places, mut times) = self.given_back(visit, gone);
        let arrival = each(self.sets.reads[node]).map(|read| times.ready[read]);
        let start = arrival.fold(times.ended.max(times.left), u64::max);
        times.ended = start.saturating_add(self.problem.nodes[node].cost);
        for used in each(self.sets.reads[node] | 1 << node) {
            times.leaves[used] = times.leaves[used].max(times.ended);
        }
        // What is before all that may come is the same as nothing.
        times.out = times.out.max(times.ended);
        times.back = times.back.max(start).max(times.left);
        times.left = times.left.max(start);
        for value in 0..times.ready.len() {
            if times.ready[value] <= times.ended {
                times.ready[value] = 0;
            }
            if times.leaves[value] <= start {
                times.leaves[value] = 0;
            }
        }
        places.next = places.next.max(node + 1);
        places.there |= 1 << node;
        places.copying = false;
        // Of what is not needed any more nothing on the host counts.
        places.host &= self.sets.useful[places.next];
        Visit {
            places,
            times,
            from,
            gone,
            event: Event::Compute(node),
        }
    }

    fn copied(&self, visit: &Visit, value: usize, from: usize) -> Option<Visit> {
        let (out, _) = self.copies[value]?;
        let mut times = visit.times.clone();
        let start = times.out.max(times.ready[value]);
        times.out = start.saturating_add(out);
        times.leaves[value] = times.leaves[value].max(times.out);
        let places = Places {
            host: visit.places.host | 1 << value,
            copying: true,
            ..visit.places
        };
        Some(Visit {
            places,
            times,
            from,
            gone: 0,
            event: Event::CopyOut(value),
        })
    }

    fn fetched(&self, visit: &Visit, (value, gone): (usize, u64), from: usize) -> Option<Visit> {
        let (_, back) = self.copies[value]?;
        let (mut places, mut times) = self.given_back(visit, gone);
        let start = times.back.max(times.left);
        times.back = start.saturating_add(back);
        times.leaves[value] = times.back;
        times.ready[value] = match times.back <= times.ended {
            true => 0,
            false => times.back,
        };
        places.there |= 1 << value;
        places.copying = false;
        Some(Visit {
            places,
            times,
            from,
            gone,
            event: Event::SwapIn(value),
        })
    }

    /// The run that led to a state.
    fn played(&self, visits: &[Visit], last: usize) -> Played {
        let way: Vec<usize> = way(last, |at| visits[at].from).collect();
        // What is never fetched need not be copied: nothing is later without it.
        let mut fetched = 0;
        for index in &way {
            if let Event::SwapIn(value) = visits[*index].event {
                fetched |= 1_u64 << value;
            }
        }
        let mut lanes = Lanes::new(self.problem);
        let mut there = 0;
        for index in way {
            let visit = &visits[index];
            for value in each(visit.gone) {
                match (visit.places.host & fetched) >> value & 1 == 1 {
                    true => lanes.swap_out(value),
                    false => lanes.forget(value),
                }
            }
            there &= !visit.gone;
            match visit.event {
                Event::Start => {}
                Event::Compute(node) => {
                    lanes.compute(node);
                    there |= 1 << node;
                    // Its own copy is part of the event.
                    if visit.places.copying && fetched >> node & 1 == 1 {
                        lanes.copy_out(node, lanes.ended);
                    }
                }
                Event::CopyOut(value) if fetched >> value & 1 == 1 => {
                    lanes.copy_out(value, lanes.ended);
                }
                Event::CopyOut(_) => {}
                Event::SwapIn(value) => {
                    lanes.swap_in(value, lanes.began);
                    there |= 1 << value;
                }
            }
        }
        each(there).for_each(|value| lanes.forget(value));
        let (walk, run) = lanes.finish();
        Played {
            walk,
            run,
            evicted: Vec::new(),
        }
    }
}
