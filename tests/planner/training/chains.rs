//! Steps whose forward pass is a chain: Revolve's closed form against tables made elsewhere and
//! against its recurrence, Rotor's costs, and the walks of both against what they stand for.

use planner::Bytes;
use planner::training::cost::needs;
use planner::training::judge::judge;
use planner::training::layers::{Layer, Layers};
use planner::training::policies::{ChainStage, Found, NoWalk, extra_runs, least_cost};
use planner::training::{Policy, Problem};
use serde_json::Value;
use tests::random::Random;
use tests::shared;

/// A step of these layers: what each reads, its bytes and its operations.
fn step(list: Vec<(Vec<usize>, u64, u64)>) -> Problem {
    let layer = |(index, (inputs, bytes, flops))| Layer {
        name: format!("l{index}"),
        inputs,
        flops,
        bytes,
        parameters: 0,
    };
    let layers = Layers {
        name: "chain".to_owned(),
        batch: 1,
        list: list.into_iter().enumerate().map(layer).collect(),
    };
    layers.problem(1).expect("a problem")
}

/// Layers one after another, all alike: as many bytes as the loss, one operation.
fn unit(count: usize) -> Problem {
    let before = |index: usize| index.checked_sub(1).into_iter().collect();
    step((0..count).map(|index| (before(index), 4, 1)).collect())
}

/// Blocks one after another; some have a skip connection, all inside the block.
fn residual(random: &mut Random, blocks: usize) -> Problem {
    let mut list: Vec<(Vec<usize>, u64, u64)> = vec![(Vec::new(), 1 + random.below(9), 1)];
    for _ in 0..blocks {
        let first = list.len() - 1;
        for inner in 0..=random.index(3) {
            let mut inputs = vec![first + inner];
            if inner > 0 && random.index(2) == 0 {
                inputs.insert(0, first + random.index(inner));
            }
            list.push((inputs, 1 + random.below(9), random.below(9)));
        }
    }
    step(list)
}

fn run(policy: Policy, problem: &Problem, budget: Option<u64>) -> Found {
    let found = policy.run(problem, budget.map(Bytes), &mut |_, _| true);
    if let Some(walk) = &found.walk {
        assert_eq!(judge(problem, walk, budget.map(Bytes)), Ok(()));
        assert_eq!(needs(problem, walk), found.needs);
    }
    found
}

fn vector(name: &str) -> Value {
    let (_, bytes) = shared::files("vectors/training", name).remove(0);
    serde_json::from_slice(&bytes).expect("JSON")
}

#[test]
fn extra_runs_are_those_of_a_table_made_elsewhere() {
    let file = vector("revolve.json");
    let table = file["table"].as_object().expect("a table");
    assert!(table.len() > 400);
    for (key, value) in table {
        let (steps, checkpoints) = key.split_once(',').expect("two numbers");
        let number = |text: &str| text.parse().expect("a number");
        let extra = extra_runs(number(steps), number(checkpoints));
        assert_eq!(Some(extra), value.as_u64(), "{key}");
    }
}

/// A checkpoint after k steps: these run, then those behind it are reversed with one checkpoint
/// fewer, then those before it. Without checkpoints all but one run each time.
#[test]
fn extra_runs_are_the_best_of_all_places_of_a_checkpoint() {
    const STEPS: usize = 70;
    let mut fewer: Vec<u64> = (0..=STEPS as u64)
        .map(|it| it * it.saturating_sub(1) / 2)
        .collect();
    for checkpoints in 0..=12 {
        for (steps, extra) in fewer.iter().enumerate() {
            let steps = u32::try_from(steps).expect("few");
            assert_eq!(
                extra_runs(steps, checkpoints),
                *extra,
                "{steps} {checkpoints}"
            );
        }
        let mut best = vec![0, 0];
        for steps in 2..=STEPS {
            let at = |place: usize| place as u64 + fewer[steps - place] + best[place];
            best.push((1..steps).map(at).min().expect("a place"));
        }
        fewer = best;
    }
    assert_eq!(
        extra_runs(u32::MAX, 0),
        u64::from(u32::MAX) * u64::from(u32::MAX - 1) / 2
    );
    assert_eq!(extra_runs(1000, u32::MAX), 999);
    assert!(extra_runs(u32::MAX, 1) > extra_runs(u32::MAX, 2));
}

/// Beside the first value, the checkpoints and the value that a step reads there are its own
/// value and two gradients.
#[test]
fn revolve_runs_no_more_than_it_says() {
    for count in [4_u32, 9, 20, 33] {
        let problem = unit(count as usize);
        let mut before = u64::MAX;
        for checkpoints in 0..count - 1 {
            let budget = 4 * (u64::from(checkpoints) + 5);
            let found = run(Policy::Revolve, &problem, Some(budget));
            assert!(found.walk.is_some(), "{count} {checkpoints}");
            let extra = found.needs.cost - problem.base_cost();
            assert!(
                extra <= extra_runs(count - 1, checkpoints),
                "{count} {checkpoints}"
            );
            assert!(extra <= before);
            before = extra;
        }
        assert_eq!(before, 0, "everything is a checkpoint");
    }
}

#[test]
fn walks_of_blocks_with_skip_connections_are_walks() {
    let mut random = Random::new(3);
    let mut walked = 0;
    for _ in 0..40 {
        let blocks = 2 + random.index(6);
        let problem = residual(&mut random, blocks);
        let all = run(Policy::KeepAll, &problem, None).needs.peak.0;
        let minimum = problem.minimum().0.0;
        for part in 0..=8 {
            let budget = minimum + (all - minimum) * part / 8;
            for policy in [Policy::Revolve, Policy::Rotor] {
                let found = run(policy, &problem, Some(budget));
                walked += usize::from(found.walk.is_some());
                assert_ne!(found.why, Some(NoWalk::NotAChain));
            }
        }
    }
    assert!(walked > 400, "{walked}");
}

#[test]
fn what_is_no_chain_is_said_to_be_none() {
    // Two ways from the first to the last that never meet, and one segment alone.
    let ladder = step(vec![
        (vec![], 4, 1),
        (vec![0], 4, 1),
        (vec![0], 4, 1),
        (vec![1], 4, 1),
        (vec![2], 4, 1),
        (vec![3, 4], 4, 1),
    ]);
    for problem in [ladder, unit(2), unit(1), unit(0)] {
        for policy in [Policy::Revolve, Policy::Rotor] {
            let found = run(policy, &problem, None);
            assert_eq!(found.why, Some(NoWalk::NotAChain));
        }
    }
    let stopped = Policy::Revolve.run(&unit(9), None, &mut |_, _| false);
    assert_eq!(stopped.why, Some(NoWalk::Stopped));
}

/// Stages all alike, of one slot and one unit of time; gradients take none.
fn alike(count: usize) -> Vec<ChainStage> {
    let stage = ChainStage {
        forward: 1,
        saving: 1,
        again: 1,
        output: 1,
        saved: 1,
        passing: 1,
        keeping: 1,
        returning: 1,
        ..ChainStage::default()
    };
    vec![stage; count]
}

/// The table has a slot more, for the input.
#[test]
fn the_cheapest_schedules_of_alike_stages_are_those_of_rotor() {
    let file = vector("rotor_unit.json");
    for (count, row) in file["unit"].as_object().expect("a table") {
        for (slots, cost) in row.as_object().expect("a row") {
            let number = |text: &str| text.parse::<usize>().expect("a number");
            let found = least_cost(&alike(number(count)), number(slots) - 1);
            assert_eq!(found, cost.as_u64(), "{count} {slots}");
        }
    }
}

#[test]
fn rotor_computes_nothing_again_where_all_fits_and_never_less_than_the_exact() {
    for count in 3..=6 {
        let problem = unit(count);
        let all = run(Policy::KeepAll, &problem, None).needs.peak.0;
        for budget in [None, Some(all)] {
            let found = run(Policy::Rotor, &problem, budget);
            assert_eq!(found.needs.cost, problem.base_cost());
        }
        for budget in problem.minimum().0.0..all {
            let exact = run(Policy::Exact, &problem, Some(budget));
            let rotor = run(Policy::Rotor, &problem, Some(budget));
            let revolve = run(Policy::Revolve, &problem, Some(budget));
            assert!(rotor.walk.is_none() || rotor.needs.cost >= exact.needs.cost);
            // Its schedules include those of Revolve.
            if revolve.walk.is_some() {
                assert!(rotor.walk.is_some() && rotor.needs.cost <= revolve.needs.cost);
            }
        }
    }
}
