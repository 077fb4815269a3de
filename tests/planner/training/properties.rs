//! What holds for every policy on every training step: arbitrary layers under arbitrary budgets.

use planner::bounds::bounds;
use planner::graph::Bindings;
use planner::load::{Document, Format, load};
use planner::training::cost::needs;
use planner::training::judge::{Fault, judge};
use planner::training::layers::{Layer, Layers};
use planner::training::placements::{placements, residencies};
use planner::training::policies::NoWalk;
use planner::training::program::program;
use planner::training::{Move, Policy, Problem};
use planner::{Bytes, Effort, Options, Settings, Silent, Strategy, prepare, save, schedule};
use tests::judged::judged;
use tests::random::Random;

/// A step of up to `most` layers, each of which reads some before it.
pub(super) fn arbitrary(random: &mut Random, most: usize) -> Problem {
    let count = 1 + random.index(most);
    let mut list: Vec<Layer> = Vec::new();
    for index in 0..count {
        let mut inputs: Vec<usize> = index.checked_sub(1).into_iter().collect();
        if index > 1 && random.index(3) == 0 {
            inputs.insert(0, random.index(index - 1));
        }
        list.push(Layer {
            name: format!("l{index}"),
            inputs,
            flops: random.below(9),
            bytes: 1 + random.below(6),
            parameters: random.below(3),
        });
    }
    let layers = Layers {
        name: "arbitrary".to_owned(),
        batch: 1,
        list,
    };
    layers.problem(1).expect("a problem")
}

#[test]
fn every_walk_is_one_and_fits() {
    let mut random = Random::new(18);
    for _ in 0..60 {
        let problem = arbitrary(&mut random, 6);
        let all = Policy::KeepAll.run(&problem, None, &mut |_, _| true).needs;
        let minimum = problem.minimum().0.0;
        for budget in minimum.saturating_sub(1)..=all.peak.0 {
            let budget = Bytes(budget);
            let run = |policy: Policy| policy.run(&problem, Some(budget), &mut |_, _| true);
            let exact = run(Policy::Exact);
            assert!(exact.optimal || exact.walk.is_none());
            for policy in Policy::ALL {
                let found = run(policy);
                assert_eq!(found, run(policy), "{policy:?}: the same again");
                let Some(walk) = &found.walk else {
                    let below = matches!(found.why, Some(NoWalk::BelowMinimum { .. }));
                    assert_eq!(below, budget.0 < minimum, "{policy:?}");
                    continue;
                };
                assert_eq!(judge(&problem, walk, Some(budget)), Ok(()), "{policy:?}");
                assert_eq!(needs(&problem, walk), found.needs);
                assert!(found.needs.cost >= problem.base_cost());
                assert!(
                    exact.walk.is_some() && exact.needs.cost <= found.needs.cost,
                    "{policy:?}"
                );
                assert!(
                    !found.optimal || found.needs.cost == exact.needs.cost,
                    "{policy:?}"
                );
                // With as much as a policy takes when it is free, nothing is computed again.
                let keeps = [Policy::KeepAll, Policy::Revolve, Policy::Exact];
                if budget == all.peak && keeps.contains(&policy) {
                    assert_eq!(found.needs.cost, problem.base_cost(), "{policy:?}");
                    assert!(found.needs.peak <= all.peak, "{policy:?}");
                }
            }
        }
    }
}

#[test]
fn more_memory_never_costs_more_where_the_cheapest_is_known() {
    let mut random = Random::new(7);
    for _ in 0..40 {
        let problem = arbitrary(&mut random, 6);
        let most = needs(&problem, &planner::training::policies::keep_all(&problem))
            .peak
            .0;
        let mut before = u64::MAX;
        for budget in problem.minimum().0.0..=most {
            let found = Policy::Exact.run(&problem, Some(Bytes(budget)), &mut |_, _| true);
            if found.walk.is_some() {
                assert!(found.needs.cost <= before);
                before = found.needs.cost;
            }
        }
        assert_eq!(before, problem.base_cost());
    }
}

/// A walk as a program: the judge of schedules has nothing against it, it needs the same bytes,
/// and what is placed does not overlap.
#[test]
fn a_walk_is_a_program_that_can_be_planned() {
    let mut random = Random::new(31);
    for _ in 0..40 {
        let problem = arbitrary(&mut random, 8);
        let free = needs(&problem, &planner::training::policies::keep_all(&problem));
        let budget = Bytes(problem.minimum().0.0.midpoint(free.peak.0));
        for policy in Policy::ALL {
            let Some(walk) = policy.run(&problem, Some(budget), &mut |_, _| true).walk else {
                continue;
            };
            let program = program(&problem, &walk);
            let (graph, storages) = (&program.graph, &program.storages);
            assert_eq!(schedule::check(graph, storages, &program.schedule), Ok(()));
            // Saved and opened again, it is the same step.
            let text = save::program_json(&program).expect("every size is known");
            let (format, opened, _) = load(&text.into_bytes()).expect("a program");
            assert_eq!(format, Format::ProgramJson);
            let Document::Program(again) = opened else {
                panic!("no program");
            };
            assert_eq!(again.schedule, program.schedule);
            assert_eq!(again.storages, program.storages);
            let document = Document::Program(program);
            let settings = Settings {
                alignment: Bytes(1),
                ..Settings::default()
            };
            let subject = prepare(&document, &Bindings::new(), &settings).expect("lifetimes");
            let bound = bounds(&subject.lifetimes).offsets;
            assert_eq!(bound, needs(&problem, &walk).peak, "{policy:?}");
            let plan = judged(
                Strategy::Best,
                &subject.lifetimes,
                &Options::aligned(Bytes(1)),
            );
            assert!(plan.arena >= bound);
            // The stays that are placed to compare strategies are the same.
            let stays = residencies(&problem, &walk).expect("lifetimes");
            assert_eq!(stays, subject.lifetimes, "{policy:?}");
            let placed = placements(&stays, Effort::DEFAULT, &mut Silent);
            assert_eq!(placed.bound, bound);
            for row in placed.rows {
                assert!(row.bytes.expect("a plan") >= bound, "{:?}", row.strategy);
            }
        }
    }
}

#[test]
fn broken_walks_are_refused() {
    let problem = arbitrary(&mut Random::new(5), 4);
    let walk = planner::training::policies::keep_all(&problem);
    assert_eq!(judge(&problem, &walk, None), Ok(()));
    let peak = needs(&problem, &walk).peak;
    let under = judge(&problem, &walk, Some(Bytes(peak.0 - 1)));
    assert!(matches!(under, Err(Fault::OverBudget { .. })));
    let last = problem.nodes.len() - 1;
    let without = |node| {
        let kept = walk.iter().copied().filter(|it| *it != Move::Compute(node));
        kept.collect()
    };
    assert!(matches!(
        judge(&problem, &without(0), None),
        Err(Fault::OutOfOrder { .. } | Fault::NothingToForget { .. } | Fault::NotThere { .. })
    ));
    let short: Vec<Move> = walk
        .iter()
        .copied()
        .take_while(|it| *it != Move::Compute(last))
        .collect();
    assert_eq!(
        judge(&problem, &short, None),
        Err(Fault::NeverRuns { node: last })
    );
    let mut early = walk.clone();
    let read = problem.nodes[last].reads[0];
    let at = walk
        .iter()
        .position(|it| *it == Move::Compute(last))
        .expect("it runs");
    early.insert(at, Move::Forget(read));
    assert_eq!(
        judge(&problem, &early, None),
        Err(Fault::NotThere {
            at: at + 1,
            node: last,
            read
        })
    );
    let twice = [walk.clone(), vec![Move::Forget(last), Move::Forget(last)]].concat();
    assert!(matches!(
        judge(&problem, &twice, None),
        Err(Fault::NothingToForget { .. })
    ));
    let unknown = vec![Move::Compute(problem.nodes.len())];
    assert!(matches!(
        judge(&problem, &unknown, None),
        Err(Fault::NoSuchNode { .. })
    ));
}
