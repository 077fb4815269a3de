//! The linear relaxation: a bound below what the exact search finds and a MILP solver proved, and
//! walks above it.

use planner::Bytes;
use planner::training::Policy;
use planner::training::layers::{Layer, Layers};
use planner::training::policies::{Found, NoWalk};
use tests::random::Random;

use super::checkmate::{all, rows, run, vgg19, whole};
use super::properties::arbitrary;

/// The bound of a run that is not above its own walk, and that claims the optimum only there.
fn bound(found: &Found) -> u64 {
    let bound = found.lower_bound.expect("a bound");
    if found.walk.is_some() {
        assert!(bound <= found.needs.cost);
        assert_eq!(found.optimal, bound == found.needs.cost);
    }
    bound
}

#[test]
fn no_walk_costs_less_than_the_bound() {
    let mut random = Random::new(67);
    let (mut searched, mut above, mut overhead) = (0, 0, 0);
    for _ in 0..60 {
        let problem = arbitrary(&mut random, 8);
        let base = problem.base_cost();
        let most = run(Policy::KeepAll, &problem, None).needs.peak.0;
        for budget in problem.minimum().0.0..=most {
            // The exact search is free to run a node twice in a stage, and in any order.
            let exact = run(Policy::Exact, &problem, Some(budget));
            let found = run(Policy::LpRounding, &problem, Some(budget));
            if exact.walk.is_none() {
                assert!(found.walk.is_none());
                continue;
            }
            let bound = bound(&found);
            assert!(bound <= exact.needs.cost, "{problem:?} {budget}");
            assert!(found.walk.is_none() || found.needs.cost >= exact.needs.cost);
            assert_eq!(found.walk.is_none(), found.why == Some(NoWalk::NotSearched));
            searched += 1;
            above += bound - base;
            overhead += exact.needs.cost - base;
        }
    }
    // It says something: of what has to be computed again it knows of more than half.
    assert!(
        searched > 200 && above * 2 > overhead,
        "{above} of {overhead}"
    );
}

#[test]
fn the_bound_is_below_the_solvers_optima() {
    for (file, problem) in all() {
        for row in rows(&file["ilp"]) {
            let budget = whole(&row["budget"]);
            let found = run(Policy::LpRounding, &problem, Some(budget));
            let solved = whole(&row["cpu"]);
            assert!(bound(&found) <= solved, "{} {budget}", problem.name);
            assert!(found.walk.is_some(), "{} {budget}", problem.name);
            // The solver gave up on these two: what it had is no optimum.
            let open = problem.nodes.len() == 33 && budget < 8;
            assert!(
                open || found.needs.cost >= solved,
                "{} {budget}",
                problem.name
            );
            let tight = solved > problem.base_cost();
            assert_eq!(
                bound(&found) > problem.base_cost(),
                tight,
                "{} {budget}",
                problem.name
            );
        }
    }
}

/// Figure 6 of Checkmate, of which a MILP solver proves that 17,046,055,649,280 is the least: the
/// exact search cannot, for 51 nodes are too many.
#[test]
fn the_bound_is_not_trivial_beyond_the_exact_search() {
    let problem = vgg19().problem(289).expect("a problem");
    let found = run(Policy::LpRounding, &problem, Some(14_850_662_080));
    let least = 17_046_055_649_280;
    let bound = bound(&found);
    assert!(problem.base_cost() < bound && bound <= least);
    assert!(found.walk.is_some() && found.needs.cost >= least);
    let forward = &problem.nodes[..problem.forward()];
    let forward: u64 = forward.iter().map(|node| node.cost).sum();
    assert!(found.needs.cost <= problem.base_cost() + forward);
}

#[test]
fn larger_steps_are_left_to_others() {
    let list = (0..40).map(|index: usize| Layer {
        name: format!("l{index}"),
        inputs: index.checked_sub(1).into_iter().collect(),
        flops: 1,
        bytes: 1,
        parameters: 0,
    });
    let layers = Layers {
        name: "a chain of 40".to_owned(),
        batch: 1,
        list: list.collect(),
    };
    let problem = layers.problem(1).expect("a problem");
    let found = run(Policy::LpRounding, &problem, Some(problem.minimum().0.0));
    assert_eq!(found.why, Some(NoWalk::MoreNodesThan(64)));
    assert_eq!(found.lower_bound, Some(problem.base_cost()));
}

#[test]
fn the_relaxation_can_be_stopped() {
    let (_, problem) = all().nth(1).expect("a chain of 16");
    // At once, in the first program, and while it is rounded.
    for calls in [0, 1, 60] {
        let mut heard = 0;
        let found = Policy::LpRounding.run(&problem, Some(Bytes(7)), &mut |done, total| {
            assert!(done <= total);
            heard += 1;
            heard <= calls
        });
        assert_eq!(found, Found::none(NoWalk::Stopped));
    }
}
