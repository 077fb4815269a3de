//! Capuchin: sources of recomputation by hand, and what its iterations come to.

use std::collections::{BTreeMap, BTreeSet};

use planner::Bytes;
use planner::schedule::Phase;
use planner::training::cost::needs;
use planner::training::policies::keep_all;
use planner::training::policies::swap::capuchin::{Recomputation, iterations};
use planner::training::swap::judge;
use planner::training::{Link, Move, Node};
use tests::random::Random;

use super::{any_link, arbitrary, problem};

/// t1 → t2 → t3 → t4 of 12, 12, 10, 8 bytes that cost 4, 3, 2, 1, each read by its gradient.
///
/// Bytes per cost: t1 12/4 = 3, t2 12/3 = 4, t3 10/2 = 5, t4 8/1 = 8.
///
/// 1. t4, from t3. Recomputing t3 would be done for t4 once more: 2 + 2, 10/4 = 2.5.
/// 2. t2 (12/3 = 4), from t1. t3 starts from t1 now: 2 + 3 = 5, and as often for t4: 5, 10/10 = 1.
///    t1 would be recomputed for t2 once more: 4 + 4, 12/8 = 1.5.
/// 3. t1 (1.5). t2 starts from nothing, and so does t3: 5 + 4 = 9, for t4 another 9: 10/18.
/// 4. t3.
#[test]
fn sources_of_recomputation_follow_what_was_chosen() {
    let (sizes, costs) = ([12, 12, 10, 8], [4, 3, 2, 1]);
    let mut nodes = Vec::new();
    for (at, (bytes, cost)) in sizes.into_iter().zip(costs).enumerate() {
        nodes.push(Node {
            name: format!("t{}", at + 1),
            phase: Phase::Forward,
            reads: at.checked_sub(1).into_iter().collect(),
            bytes: Bytes(bytes),
            cost,
            gradient_of: None,
            ..Node::default()
        });
    }
    for at in (0..4_usize).rev() {
        nodes.push(Node {
            name: format!("g{}", at + 1),
            phase: Phase::Backward,
            reads: vec![at],
            bytes: Bytes(0),
            cost: 1,
            gradient_of: Some(at),
            ..Node::default()
        });
    }
    let problem = problem(nodes, Link::NONE);
    let needed = BTreeMap::from([(0, 7), (1, 6), (2, 5), (3, 4)]);
    let mut chain = Recomputation::new(&problem, &needed);
    let figures = |chain: &Recomputation, value: usize| {
        let either = chain.candidates.get(&value).or(chain.chosen.get(&value));
        let it = either.expect("a value");
        (it.sources.clone(), it.cost, it.extra)
    };
    let from = |sources: &[usize]| sources.iter().copied().collect::<BTreeSet<usize>>();
    let mut order = Vec::new();
    let mut next = |chain: &mut Recomputation| {
        let best = chain.best(&|_| true).expect("a candidate").0;
        chain.choose(best);
        order.push(best);
    };
    assert_eq!(figures(&chain, 3), (from(&[2]), 1, 0));
    next(&mut chain);
    assert_eq!(figures(&chain, 2), (from(&[1]), 2, 2));
    assert_eq!(figures(&chain, 1), (from(&[0]), 3, 0));
    next(&mut chain);
    assert_eq!(figures(&chain, 2), (from(&[0]), 5, 5));
    assert_eq!(figures(&chain, 0), (from(&[]), 4, 4));
    next(&mut chain);
    assert_eq!(figures(&chain, 1), (from(&[]), 3, 0));
    assert_eq!(figures(&chain, 2), (from(&[]), 9, 9));
    next(&mut chain);
    // t4 is from nothing that is kept.
    assert_eq!(figures(&chain, 3).0, from(&[]));
    assert_eq!(order, [3, 1, 0, 2]);
}

#[test]
fn feedback_never_has_the_run_wait_longer() {
    let mut random = Random::new(20);
    let (mut guided, mut fed_back, mut shorter) = (0, 0, 0);
    for _ in 0..200 {
        let link = any_link(&mut random);
        let problem = arbitrary(&mut random, 7, link);
        let all = needs(&problem, &keep_all(&problem)).peak.0;
        for budget in problem.minimum().0.0..all {
            let budget = Some(Bytes(budget));
            let Ok(found) = iterations(&problem, budget, &mut |_, _| true) else {
                continue;
            };
            for it in &found {
                assert_eq!(
                    judge(&problem, &it.played.walk, &it.played.run, budget),
                    Ok(())
                );
            }
            // The same choices one after the other differ in when copies back start.
            let choices = |at: usize| {
                let each = found[at].candidates.iter();
                let all = each.map(|it| (it.value, it.after, it.before, it.how.is_some()));
                all.collect::<Vec<_>>()
            };
            for at in 1..found.len() {
                guided += 1;
                if at > 1 && choices(at) == choices(at - 1) {
                    fed_back += 1;
                    let (before, after) = (&found[at - 1].played.run, &found[at].played.run);
                    assert!(after.time <= before.time);
                    shorter += usize::from(after.time < before.time);
                }
            }
        }
    }
    assert!(
        guided > 300 && fed_back > 10 && shorter > 5,
        "{guided} {fed_back} {shorter}"
    );
}

#[test]
fn without_bandwidth_it_recomputes_and_without_copy_times_nothing_waits() {
    let mut random = Random::new(21);
    let mut recomputed = 0;
    for _ in 0..60 {
        let free = arbitrary(&mut random, 7, Link::ENDLESS);
        let all = needs(&free, &keep_all(&free)).peak.0;
        for budget in free.minimum().0.0..all {
            let budget = Some(Bytes(budget));
            let found = iterations(&free, budget, &mut |_, _| true).expect("it always fits");
            let best = found.iter().map(|it| it.played.run.time).min();
            assert_eq!(best, Some(free.base_cost()));
            let none = planner::training::Problem {
                link: Some(Link::NONE),
                ..free.clone()
            };
            if let Ok(found) = iterations(&none, budget, &mut |_, _| true) {
                let last = &found[found.len() - 1].played;
                assert!(last.run.transfers.is_empty());
                assert_eq!(last.run.stall.sum(), 0);
                let runs = last.walk.iter().filter(|it| matches!(it, Move::Compute(_)));
                recomputed += runs.count() - none.nodes.len();
            }
        }
    }
    assert!(recomputed > 50, "{recomputed}");
}
