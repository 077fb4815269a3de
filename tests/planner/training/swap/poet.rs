//! POET: the least energy by uniform cost search, one thing after another, and its devices.

use std::collections::{BTreeMap, BTreeSet};

use planner::Bytes;
use planner::training::cost::needs;
use planner::training::judge::judge;
use planner::training::policies::NoWalk;
use planner::training::policies::swap::poet::{Thrift, least_energy};
use planner::training::swap::energy::{CHIPS, Power, energy};
use planner::training::{Link, Move, Policy, Problem};
use tests::random::Random;

use super::{any_link, arbitrary};

/// The least energy of any order of single things: a node, a copy to the host, a copy back, a
/// value given up.
fn brute(problem: &Problem, power: Power, (budget, deadline): (u64, u64)) -> Option<u64> {
    type State = (usize, u32, u32, u64);
    let link = problem.link.expect("a link");
    let nodes = &problem.nodes;
    let bytes = |set: u32| -> u64 {
        (0..nodes.len())
            .filter(|it| set >> it & 1 == 1)
            .map(|it| nodes[it].bytes.0)
            .sum()
    };
    let mut least: BTreeMap<State, u64> = BTreeMap::from([((0, 0, 0, 0), 0)]);
    let mut open: BTreeSet<(u64, State)> = BTreeSet::from([(0, (0, 0, 0, 0))]);
    while let Some((spent, state)) = open.pop_first() {
        let (next, there, host, time) = state;
        if next == nodes.len() {
            return Some(spent);
        }
        let mut all: Vec<(u64, State)> = Vec::new();
        for (at, node) in nodes.iter().enumerate() {
            let is = |set: u32| set >> at & 1 == 1;
            let (out, back) = link.times(node.bytes).expect("it can be copied");
            let read = node.reads.iter().all(|read| there >> read & 1 == 1);
            if at <= next && read && time + node.cost <= deadline {
                let state = (next.max(at + 1), there | 1 << at, host, time + node.cost);
                all.push((power.computing * node.cost, state));
            }
            if is(there) {
                all.push((power.copying * out, (next, there, host | 1 << at, time)));
                all.push((0, (next, there & !(1 << at), host, time)));
            }
            if is(host) {
                all.push((power.copying * back, (next, there | 1 << at, host, time)));
            }
        }
        for (more, state) in all {
            let sum = spent + more;
            let better = least.get(&state).is_none_or(|known| sum < *known);
            if bytes(state.1) <= budget && better {
                least.insert(state, sum);
                open.insert((sum, state));
            }
        }
    }
    None
}

#[test]
fn no_walk_takes_less_energy_than_the_one_that_is_found() {
    let mut random = Random::new(40);
    let (mut paged, mut recomputed) = (0, 0);
    for _ in 0..12 {
        let power = Power {
            computing: 1 + random.below(4),
            copying: 1 + random.below(4),
        };
        let link = Link {
            power: Some(power),
            ..any_link(&mut random)
        };
        let problem = arbitrary(&mut random, 3, link);
        let minimum = problem.minimum().0.0;
        for budget in minimum..minimum + 3 {
            for more in [0, 3, 1 << 20] {
                let deadline = problem.base_cost() + more;
                let expected = brute(&problem, power, (budget, deadline));
                let limits = (Some(Bytes(budget)), Some(deadline));
                match least_energy(&problem, limits, &mut |_| true) {
                    Thrift::Proved(walk) => {
                        assert_eq!(judge(&problem, &walk, limits.0), Ok(()));
                        let own = energy(&problem, &walk);
                        assert_eq!(own, expected.map(u128::from), "{problem:?}");
                        let is = |it: &&Move| matches!(it, Move::SwapIn(_));
                        paged += walk.iter().filter(is).count();
                        let ran = walk.iter().filter(|it| matches!(it, Move::Compute(_)));
                        let ran = ran.count() - problem.nodes.len();
                        recomputed += ran;
                        assert!(needs(&problem, &walk).cost <= deadline);
                    }
                    Thrift::Impossible => assert_eq!(expected, None),
                    Thrift::Open => panic!("a small step"),
                }
            }
        }
    }
    assert!(paged > 10 && recomputed > 10, "{paged} {recomputed}");
}

/// An MKR1000 computes 166,667 / 2 = 83,333 units in a second. A page of 4 KiB comes in after
/// 0.109 ms × 83.333 = 9.08, so 10, and 4,096 × 83,333 / 4,616,510 = 73.94, so 74 units: 84 of
/// 12 µs are 1.008 ms, against 0.109 + 4,096 / 4,616.51 = 0.996 ms unrounded.
#[test]
fn chips_say_what_paging_takes() {
    let chip = CHIPS
        .iter()
        .find(|it| it.name == "MKR1000")
        .expect("a chip");
    let link = chip.link();
    // Out: 0.113 × 83.333 = 9.42, and 4,096 × 83,333 / 4,440,000 = 76.88.
    assert_eq!(link.times(Bytes(4_096)), Some((87, 84)));
    assert_eq!(link.power.map(|it| it.copying / it.computing), Some(5));
}

#[test]
fn without_figures_there_is_no_least_energy() {
    let mut random = Random::new(41);
    let problem = arbitrary(&mut random, 3, Link::ENDLESS);
    let why = |link| {
        let problem = Problem {
            link,
            ..problem.clone()
        };
        Policy::Poet.run(&problem, None, &mut |_, _| true).why
    };
    assert_eq!(why(None), Some(NoWalk::NoLink));
    assert_eq!(why(Some(Link::ENDLESS)), Some(NoWalk::NoEnergy));
    assert_eq!(why(Some(CHIPS[0].link())), None);
}
