//! The quickest run of steps so small that everything can be tried, tick by tick.
//!
//! Nothing here knows of walks, of times beyond the present or of what is worth doing: at every
//! tick each idle lane may begin anything that it can, or nothing, giving up any values for whose
//! bytes there is need.

use std::collections::BTreeSet;

use planner::Bytes;
use planner::schedule::Phase;
use planner::training::policies::swap::{Quickest, quickest};
use planner::training::swap::judge;
use planner::training::{Lane, Link, Node, Problem};
use tests::random::Random;

use super::problem;

/// What a lane is busy with, and for how many ticks more.
type Busy = Option<(u8, u8)>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    next: u8,
    there: u16,
    host: u16,
    node: Busy,
    out: Busy,
    back: Busy,
}

struct Brute<'a> {
    problem: &'a Problem,
    budget: u64,
    copies: Vec<Option<(u8, u8)>>,
}

fn bit(at: impl Into<usize>) -> u16 {
    1 << at.into()
}

impl Brute<'_> {
    fn bytes(&self, set: u16) -> u64 {
        let nodes = self.problem.nodes.iter().enumerate();
        nodes
            .filter(|(at, _)| set & bit(*at) != 0)
            .map(|(_, it)| it.bytes.0)
            .sum()
    }

    fn reads(&self, node: usize) -> u16 {
        self.problem.nodes[node]
            .reads
            .iter()
            .fold(0, |set, it| set | bit(*it))
    }

    /// Values that nothing is being done with.
    fn idle(&self, state: State) -> u16 {
        let mut used = 0;
        if let Some((node, _)) = state.node {
            used |= bit(node) | self.reads(usize::from(node));
        }
        for (value, _) in [state.out, state.back].into_iter().flatten() {
            used |= bit(value);
        }
        state.there & !used
    }

    /// Every way to have room for `value`, other than giving up what is `kept`.
    fn with_room(&self, state: State, value: usize, kept: u16) -> Vec<State> {
        let may = self.idle(state) & !kept;
        let mut all = Vec::new();
        let mut set = may;
        loop {
            let there = state.there & !set;
            let fits = self.bytes(there | bit(value)) <= self.budget;
            // Giving up more than nothing is for those who have to.
            let all_fit = self.bytes(state.there | bit(value)) <= self.budget;
            if fits && (set == 0 || !all_fit) {
                all.push(State { there, ..state });
            }
            if set == 0 {
                return all;
            }
            set = (set - 1) & may;
        }
    }

    /// What lanes may begin now.
    fn begun(&self, state: State) -> Vec<State> {
        let mut all = Vec::new();
        let count = self.problem.nodes.len();
        let idle = self.idle(state);
        let known = idle
            | state
                .node
                .map_or(0, |(node, _)| self.reads(usize::from(node)));
        let known = known & !state.back.map_or(0, |(value, _)| bit(value));
        let known = known | state.out.map_or(0, |(value, _)| bit(value));
        let wide = |at: usize| u8::try_from(at).expect("few nodes");
        if state.node.is_none() {
            for node in 0..=usize::from(state.next).min(count - 1) {
                let reads = self.reads(node);
                if state.there & bit(node) != 0 || reads & !known != 0 {
                    continue;
                }
                let cost = u8::try_from(self.problem.nodes[node].cost).expect("small");
                for with in self.with_room(state, node, reads) {
                    all.push(State {
                        there: with.there | bit(node),
                        node: Some((wide(node), cost)),
                        ..with
                    });
                }
            }
        }
        for (value, copies) in self.copies.iter().enumerate() {
            let Some((out, back)) = *copies else {
                continue;
            };
            if state.out.is_none() && known & bit(value) != 0 && state.host & bit(value) == 0 {
                all.push(State {
                    out: Some((wide(value), out)),
                    ..state
                });
            }
            let away = state.host & bit(value) != 0 && state.there & bit(value) == 0;
            if state.back.is_none() && away {
                for with in self.with_room(state, value, 0) {
                    all.push(State {
                        there: with.there | bit(value),
                        back: Some((wide(value), back)),
                        ..with
                    });
                }
            }
        }
        all
    }

    /// What has no ticks left is over.
    fn over(mut state: State) -> State {
        if let Some((node, 0)) = state.node {
            state.next = state.next.max(node + 1);
            state.node = None;
        }
        if let Some((value, 0)) = state.out {
            state.host |= bit(value);
            state.out = None;
        }
        if let Some((_, 0)) = state.back {
            state.back = None;
        }
        state
    }

    /// The least time in which every node has run; `None` where they cannot.
    fn least(&self) -> Option<u64> {
        let start = State {
            next: 0,
            there: 0,
            host: 0,
            node: None,
            out: None,
            back: None,
        };
        let mut now = BTreeSet::from([start]);
        let mut seen = BTreeSet::new();
        for tick in 0.. {
            let mut open: Vec<State> = now.iter().copied().collect();
            while let Some(state) = open.pop() {
                if usize::from(state.next) == self.problem.nodes.len() {
                    return Some(tick);
                }
                for next in self.begun(state) {
                    let next = Self::over(next);
                    if !seen.contains(&next) && now.insert(next) {
                        open.push(next);
                    }
                }
            }
            let ticked = |busy: Busy| busy.map(|(what, left)| (what, left - 1));
            let later = now
                .iter()
                .filter(|it| it.node.is_some() || it.out.is_some() || it.back.is_some());
            let later: Vec<State> = later
                .map(|it| {
                    Self::over(State {
                        node: ticked(it.node),
                        out: ticked(it.out),
                        back: ticked(it.back),
                        ..*it
                    })
                })
                .collect();
            seen.append(&mut now);
            now.extend(later.into_iter().filter(|it| !seen.contains(it)));
            if now.is_empty() {
                return None;
            }
        }
        None
    }
}

/// Any step of up to so many nodes.
fn any_step(random: &mut Random, most: usize, link: Link) -> Problem {
    let count = 4 + random.index(most - 3);
    let mut nodes: Vec<Node> = Vec::new();
    for at in 0..count {
        let reads: BTreeSet<usize> = match at {
            0 => BTreeSet::new(),
            _ => (0..=random.index(2)).map(|_| random.index(at)).collect(),
        };
        nodes.push(Node {
            name: format!("n{at}"),
            phase: Phase::Forward,
            reads: reads.into_iter().collect(),
            bytes: Bytes(1 + random.below(3)),
            cost: random.below(4),
            gradient_of: None,
            ..Node::default()
        });
    }
    problem(nodes, link)
}

#[test]
fn the_exact_search_is_as_quick_as_brute_force() {
    let mut random = Random::new(88);
    let (mut swapped, mut recomputed, mut waited) = (0, 0, 0);
    for round in 0..30 {
        let mut lane = || Lane {
            bytes: 1 + random.below(2),
            cost: random.below(3),
            latency: random.below(2),
        };
        let link = Link {
            out: lane(),
            back: lane(),
            power: None,
        };
        let problem = any_step(&mut random, 8, link);
        let minimum = problem.minimum().0.0;
        for budget in minimum..minimum + 2 {
            let copies = problem.nodes.iter().map(|node| {
                let (out, back) = link.times(node.bytes)?;
                Some((u8::try_from(out).ok()?, u8::try_from(back).ok()?))
            });
            let brute = Brute {
                problem: &problem,
                budget,
                copies: copies.collect(),
            };
            let least = brute.least();
            let budget = Some(Bytes(budget));
            match quickest(&problem, budget, &mut |_| true) {
                Quickest::Proved(played) => {
                    assert_eq!(judge(&problem, &played.walk, &played.run, budget), Ok(()));
                    assert_eq!(
                        Some(played.run.time),
                        least,
                        "{round} {budget:?} {problem:?}"
                    );
                    swapped += usize::from(!played.run.transfers.is_empty());
                    recomputed += usize::from(played.run.ran.len() > problem.nodes.len());
                    waited += usize::from(played.run.stall.sum() > 0);
                }
                Quickest::Impossible => assert_eq!(least, None, "{problem:?}"),
                other => panic!("{other:?}"),
            }
        }
    }
    let counts = [swapped, recomputed, waited];
    assert!(counts.iter().all(|it| *it >= 10), "{counts:?}");
}
