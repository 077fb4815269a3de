//! What holds for every policy that swaps, on arbitrary steps over arbitrary links; and what the
//! judges refuse.

use planner::Bytes;
use planner::bounds::bounds;
use planner::schedule;
use planner::training::cost::needs;
use planner::training::judge::{Fault, judge as judge_walk};
use planner::training::placements::residencies;
use planner::training::policies::keep_all;
use planner::training::swap::{Direction, Mistimed, Played, earliest, judge};
use planner::training::{Link, Move, Policy, Problem, program::program};
use tests::random::Random;

use super::{SWAPS, any_link, arbitrary, lesson, run};

/// What a run waits, counted from nothing but where nodes stand and when copies end.
fn waited_for_arrivals(problem: &Problem, played: &Played) -> u64 {
    let mut ended = 0;
    let mut waited = 0;
    let mut arrived = vec![0; problem.nodes.len()];
    let mut back = played.run.transfers.iter();
    let mut ran = played.run.ran.iter();
    for step in &played.walk {
        match step {
            Move::SwapIn(node) => {
                let copy = back.find(|it| it.direction == Direction::Back);
                arrived[*node] = copy.expect("a copy").end;
            }
            Move::Compute(node) => {
                let reads = problem.nodes[*node].reads.iter();
                let arrival = reads.map(|read| arrived[*read]).max().unwrap_or(0);
                let ran = ran.next().expect("a node");
                let layer = ran.stall.layer;
                waited += arrival.saturating_sub(ended + layer);
                ended = ran.end;
                arrived[*node] = 0;
            }
            Move::Forget(_) | Move::SwapOut(_) => {}
        }
    }
    waited
}

#[test]
fn what_is_read_is_there_and_all_waits_are_counted() {
    let mut random = Random::new(12);
    let mut ran = 0;
    for _ in 0..150 {
        let link = any_link(&mut random);
        let problem = arbitrary(&mut random, 7, link);
        let all = needs(&problem, &keep_all(&problem)).peak.0;
        let minimum = problem.minimum().0.0;
        for budget in (minimum..=all).map(Some).chain([None]) {
            for policy in SWAPS {
                let Some(played) = run(policy, &problem, budget) else {
                    continue;
                };
                ran += 1;
                let stall = played.run.stall;
                assert_eq!(waited_for_arrivals(&problem, &played), stall.arrival);
                // The same order, copied as early as it allows.
                let early = earliest(&problem, &played.walk);
                assert_eq!(
                    judge(&problem, &played.walk, &early, budget.map(Bytes)),
                    Ok(())
                );
                let needs = needs(&problem, &played.walk);
                assert_eq!(needs.time(), early.time);
                let found = policy.run(&problem, budget.map(Bytes), &mut |_, _| true);
                assert_eq!(found.needs.time(), played.run.time);
                assert_eq!(
                    (found.walk, found.run),
                    (Some(played.walk.clone()), Some(played.run))
                );
                assert_eq!(
                    (found.needs.peak, found.needs.cost),
                    (needs.peak, needs.cost)
                );
                let program = program(&problem, &played.walk);
                let checked = schedule::check(&program.graph, &program.storages, &program.schedule);
                assert_eq!(checked, Ok(()), "{policy:?}");
                // A value that leaves and returns stays twice.
                let stays = residencies(&problem, &played.walk).expect("lifetimes");
                assert_eq!(bounds(&stays).offsets, needs.peak, "{policy:?}");
                let brings = played.walk.iter().filter(|it| it.brings());
                assert_eq!(stays.buffers.len(), brings.count());
            }
        }
    }
    assert!(ran > 500, "{ran}");
}

#[test]
fn copies_that_take_no_time_cost_nothing() {
    let mut random = Random::new(13);
    for _ in 0..60 {
        let problem = arbitrary(&mut random, 7, Link::ENDLESS);
        for policy in SWAPS {
            let free = run(policy, &problem, None).expect("a run");
            assert_eq!(free.run.time, problem.base_cost(), "{policy:?}");
        }
    }
}

#[test]
fn without_bandwidth_nothing_is_swapped() {
    let mut random = Random::new(14);
    for _ in 0..60 {
        let problem = arbitrary(&mut random, 7, Link::NONE);
        for policy in SWAPS {
            if let Some(played) = run(policy, &problem, None) {
                assert!(played.run.transfers.is_empty(), "{policy:?}");
            }
        }
    }
}

#[test]
fn broken_swaps_are_refused() {
    let problem = lesson();
    let played = run(Policy::VdnnAll, &problem, None).expect("a run");
    let at = |step: Move| {
        let found = played.walk.iter().position(|it| *it == step);
        found.expect("a move")
    };
    let refused = |walk: Vec<Move>| judge_walk(&problem, &walk, None).expect_err("a fault");
    let without = |step: Move| {
        let mut walk = played.walk.clone();
        walk.remove(at(step));
        walk
    };
    // a1 is not fetched: b2 reads it away. It does not leave: what is fetched is not on the host.
    let fetched = at(Move::SwapIn(0));
    let reads = at(Move::Compute(8)) - 1;
    assert!(matches!(
        refused(without(Move::SwapIn(0))),
        Fault::Away { at, node: 8, read: 0 } if at == reads
    ));
    let left = fetched - 1;
    assert_eq!(
        refused(without(Move::SwapOut(0))),
        Fault::NotOnHost { at: left, node: 0 }
    );
    // It is forgotten, which leaves nothing on the host.
    let mut forgotten = played.walk.clone();
    forgotten[at(Move::SwapOut(0))] = Move::Forget(0);
    assert_eq!(
        refused(forgotten),
        Fault::NotOnHost {
            at: fetched,
            node: 0
        }
    );
    let unlinked = Problem {
        link: None,
        ..problem.clone()
    };
    assert_eq!(
        judge_walk(&unlinked, &played.walk, None),
        Err(Fault::NoLink {
            at: at(Move::SwapOut(0)),
            node: 0
        })
    );
}

/// Every time of a run that is moved by one is refused.
#[test]
fn broken_times_are_refused() {
    let problem = lesson();
    let played = run(Policy::VdnnAll, &problem, None).expect("a run");
    let refused = |change: &dyn Fn(&mut Played)| {
        let mut broken = played.clone();
        change(&mut broken);
        judge(&problem, &broken.walk, &broken.run, None).expect_err("a fault")
    };
    for at in 0..played.run.ran.len() {
        refused(&|it| it.run.ran[at].end += 1);
        refused(&|it| it.run.ran[at].start += 1);
        refused(&|it| it.run.ran[at].stall.room += 1);
    }
    for at in 0..played.run.transfers.len() {
        refused(&|it| it.run.transfers[at].end += 1);
    }
    refused(&|it| it.run.time += 1);
    refused(&|it| it.run.stall.layer -= 1);
    refused(&|it| it.run.peak.0 -= 1);
    // A second copy before the first has ended, and one before its value is there.
    let moved = |it: &mut Played, at: usize, by: u64| {
        it.run.transfers[at].start -= by;
        it.run.transfers[at].end -= by;
    };
    assert_eq!(
        refused(&|it| moved(it, 2, 1)),
        Mistimed::Overlap { node: 2 }
    );
    assert_eq!(
        refused(&|it| moved(it, 0, 1)),
        Mistimed::TooEarly { node: 0, until: 10 }
    );
    // a3 leaves before its copy has ended.
    let leaves = played.walk.iter().position(|it| *it == Move::SwapOut(2));
    assert_eq!(
        refused(&|it| it.run.times[leaves.expect("it leaves")] -= 1),
        Mistimed::TooEarly { node: 2, until: 60 }
    );
}
