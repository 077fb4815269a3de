//! The exact search with a link, the exact search without one, and all policies.

use planner::Bytes;
use planner::training::cost::needs;
use planner::training::judge::judge as judge_walk;
use planner::training::policies::{Found, keep_all};
use planner::training::swap::judge;
use planner::training::{Lane, Link, Move, Policy, Problem};
use tests::random::Random;

use super::{SWAPS, any_link, arbitrary};

fn found(policy: Policy, problem: &Problem, budget: u64) -> Found {
    policy.run(problem, Some(Bytes(budget)), &mut |_, _| true)
}

/// Copies of a byte take 1 to 4, as computing does.
fn slow_link(random: &mut Random) -> Link {
    let mut lane = || Lane {
        bytes: 1,
        cost: 1 + random.below(4),
        latency: random.below(2),
    };
    Link {
        out: lane(),
        back: lane(),
        power: None,
    }
}

/// With a link no run is slower than the quickest without, and none of a policy is quicker.
#[test]
fn swapping_only_helps_and_no_policy_is_better_than_the_exact_search() {
    let mut random = Random::new(30);
    let mut helped = 0;
    for _ in 0..14 {
        let link = any_link(&mut random);
        let problem = arbitrary(&mut random, 4, link);
        let unlinked = Problem {
            link: None,
            ..problem.clone()
        };
        let all = needs(&problem, &keep_all(&problem)).peak.0;
        for budget in problem.minimum().0.0..=all {
            let with = found(Policy::Exact, &problem, budget);
            let without = found(Policy::Exact, &unlinked, budget);
            assert!(with.optimal && without.optimal | without.walk.is_none());
            if without.walk.is_some() {
                assert!(with.needs.time() <= without.needs.cost);
                helped += usize::from(with.needs.time() < without.needs.cost);
            }
            for policy in Policy::ALL {
                let other = found(policy, &problem, budget);
                let Some(walk) = &other.walk else {
                    continue;
                };
                let budget = Some(Bytes(budget));
                if let Some(run) = &other.run {
                    assert_eq!(judge(&problem, walk, run, budget), Ok(()), "{policy:?}");
                    assert_eq!(run.time, other.needs.time());
                }
                assert_eq!(judge_walk(&problem, walk, budget), Ok(()), "{policy:?}");
                let swaps = |it: &Move| matches!(it, Move::SwapIn(_) | Move::SwapOut(_));
                assert!(other.run.is_some() || !walk.iter().any(swaps), "{policy:?}");
                assert!(with.needs.time() <= other.needs.time(), "{policy:?}");
                assert!(!other.optimal || other.needs.time() == with.needs.time());
                if !SWAPS.contains(&policy) && other.needs.stall == 0 {
                    let same = policy.run(&unlinked, budget, &mut |_, _| true);
                    assert!(same.walk.is_none() || same.needs.time() >= without.needs.time());
                }
            }
        }
    }
    assert!(helped > 5, "{helped}");
}

/// Over a link that takes no time nothing is computed again; over one that copies nothing the
/// search is that without one.
#[test]
fn the_link_decides_between_swapping_and_computing_again() {
    let mut random = Random::new(31);
    for _ in 0..25 {
        let endless = arbitrary(&mut random, 4, Link::ENDLESS);
        let of = |link| Problem {
            link,
            ..endless.clone()
        };
        let all = needs(&endless, &keep_all(&endless)).peak.0;
        for budget in endless.minimum().0.0..=all {
            let free = found(Policy::Exact, &endless, budget);
            assert_eq!(free.needs.time(), endless.base_cost());
            let none = found(Policy::Exact, &of(Some(Link::NONE)), budget);
            let without = found(Policy::Exact, &of(None), budget);
            assert_eq!(none.walk.is_some(), without.walk.is_some());
            assert_eq!(none.needs.time(), without.needs.time());
            assert_eq!(none.needs.stall, 0);
        }
    }
}

/// The relaxation bounds every run, rounded or searched ones are runs, and most are the quickest.
#[test]
fn bounds_hold_for_runs_that_swap_and_searches_find_them() {
    let mut random = Random::new(32);
    let (mut all_runs, mut searched, mut rounded, mut above) = (0, 0, 0, 0);
    for _ in 0..20 {
        let link = slow_link(&mut random);
        let problem = arbitrary(&mut random, 4, link);
        let all = needs(&problem, &keep_all(&problem)).peak.0;
        for budget in problem.minimum().0.0..all {
            let exact = found(Policy::Exact, &problem, budget);
            assert!(exact.optimal, "{problem:?} {budget}");
            let relaxed = found(Policy::LpRounding, &problem, budget);
            let bound = relaxed.lower_bound.expect("a bound");
            assert!(
                bound <= exact.needs.time(),
                "{bound} {exact:?} {problem:?} {budget}"
            );
            above += usize::from(bound > problem.base_cost());
            let local = found(Policy::LocalSearch, &problem, budget);
            for other in [&relaxed, &local] {
                assert!(other.walk.is_none() || other.needs.time() >= exact.needs.time());
            }
            all_runs += 1;
            let met = |it: &Found| {
                usize::from(it.walk.is_some() && it.needs.time() == exact.needs.time())
            };
            searched += met(&local);
            rounded += met(&relaxed);
        }
    }
    assert!(searched * 10 >= all_runs * 6, "{searched} of {all_runs}");
    assert!(rounded * 10 >= all_runs * 4, "{rounded} of {all_runs}");
    assert!(above > 5, "{above}");
}
