//! Plans that were corrupted on purpose: every one is caught, and the right victim is named.

use std::collections::BTreeSet;

use executor::verify::report::{Finding, Report, Verdict};
use executor::verify::{Machine, Question};
use planner::what_if::{Corrupted, corrupt, corrupt_by, moved, targets};
use planner::{Bytes, Lifetimes, Offset, Options, Plan, Strategy, check};
use tests::confirmations::{branching, machines, question, random_graph, report};
use tests::runs::Model;

/// Which buffer is overwritten while live, by playing the plan with one owner per word.
fn overwritten(lifetimes: &Lifetimes, plan: &Plan) -> BTreeSet<usize> {
    let len = usize::try_from(plan.arena.0 / 4).unwrap();
    let mut owners: Vec<Option<usize>> = vec![None; len];
    let mut victims = BTreeSet::new();
    for step in 0..lifetimes.horizon.0 {
        for (index, buffer) in lifetimes.buffers.iter().enumerate() {
            if buffer.span.start.0 != step {
                continue;
            }
            let start = usize::try_from(plan.offsets[index].0 / 4).unwrap();
            let words = usize::try_from(buffer.payload.0.div_ceil(4)).unwrap();
            for owner in &mut owners[start..start + words] {
                if let Some(old) = owner.replace(index)
                    && lifetimes.buffers[old].span.end.0 > step
                {
                    victims.insert(old);
                }
            }
        }
    }
    victims
}

fn named(report: &Report) -> BTreeSet<usize> {
    let findings = report.audit.as_ref().unwrap().findings.iter();
    let victims = findings.filter_map(|finding| match finding {
        Finding::Clobbered { victim, .. } => Some(*victim),
        Finding::Outside { .. } | Finding::Unwritten { .. } => None,
    });
    victims.collect()
}

fn corrupted_report(model: &Model, machine: &Machine, plan: &Plan) -> Report {
    let question = Question {
        corrupted: true,
        naive: false,
        reference: false,
        ..question(model, plan)
    };
    report(machine, &question).unwrap()
}

/// As many clicks as somebody tried: nearly all differ, and they are spread over the run.
#[test]
fn clicks_corrupt_in_many_ways_and_places() {
    let model = Model::open(&random_graph(3, 40));
    let plan = model.plan(Strategy::OffsetsBySize);
    let corruptions = (0..22).map(|seed| corrupt(&model.lifetimes, &plan, seed).unwrap());
    let corruptions: Vec<Corrupted> = corruptions.collect();
    let places: BTreeSet<(usize, i64)> = corruptions.iter().map(|it| (it.moved, it.by)).collect();
    assert!(places.len() >= 20, "{places:?}");
    let horizon = model.lifetimes.horizon.0;
    let sixth = |it: &Corrupted| {
        let spans = it
            .victims
            .iter()
            .map(|&victim| model.lifetimes.buffers[victim].span);
        spans.map(|span| span.start.0 * 6 / horizon).min()
    };
    let sixths: BTreeSet<u64> = corruptions.iter().filter_map(sixth).collect();
    assert!(sixths.len() >= 5, "{sixths:?}");
}

#[test]
fn a_hundred_corruptions_are_caught_and_their_victims_named() {
    const STRATEGIES: [Strategy; 3] = [
        Strategy::OffsetsBySize,
        Strategy::GreedyBySize,
        Strategy::Naive,
    ];
    let all = machines();
    let mut sizes = BTreeSet::new();
    for seed in 0..100 {
        let model = Model::open(&random_graph(seed % 10, 12));
        let plan = model.plan(STRATEGIES[usize::try_from(seed).unwrap() % 3]);
        let corrupted = corrupt(&model.lifetimes, &plan, seed * 7919).unwrap();
        sizes.insert(corrupted.by);
        // The judge, which knows nothing of runs, finds the plan wrong.
        let options = Options::aligned(Bytes(4));
        assert!(!check(&model.lifetimes, &corrupted.plan, &options).is_empty());
        let expected = overwritten(&model.lifetimes, &corrupted.plan);
        let predicted: BTreeSet<usize> = corrupted.victims.iter().copied().collect();
        assert_eq!(predicted, expected, "seed {seed}");
        for machine in &all {
            let report = corrupted_report(&model, machine, &corrupted.plan);
            assert_eq!(report.verdict, Verdict::Refuted, "seed {seed}");
            assert_eq!(named(&report), expected, "seed {seed}: {report:#?}");
        }
    }
    assert!(sizes.len() > 20, "only {} different shifts", sizes.len());
}

/// Every pair that can be chosen fails when it is run, and nothing but the earlier of both is
/// said to be overwritten.
#[test]
fn every_pair_that_is_offered_is_caught() {
    let options = Options::aligned(Bytes(4));
    let mut pairs = 0;
    for seed in 0..6 {
        let model = Model::open(&random_graph(seed, 10));
        let plan = model.plan(match seed % 2 {
            0 => Strategy::GreedyBySize,
            _ => Strategy::Naive,
        });
        let lifetimes = &model.lifetimes;
        for buffer in 0..lifetimes.buffers.len() {
            for target in targets(lifetimes, &plan, &options, buffer) {
                let corrupted = moved(lifetimes, &plan, &options, &[(buffer, target.at)]);
                let both = [buffer, target.buffer];
                let earlier = both
                    .into_iter()
                    .min_by_key(|it| lifetimes.buffers[*it].span.start);
                let report = corrupted_report(&model, &Machine::Cpu, &corrupted);
                assert_eq!(report.verdict, Verdict::Refuted, "seed {seed}, {both:?}");
                let expected = BTreeSet::from_iter(earlier);
                assert_eq!(named(&report), expected, "seed {seed}, {both:?}");
                pairs += 1;
            }
        }
    }
    assert!(pairs > 100, "only {pairs}");
}

#[test]
fn the_culprit_and_the_address_are_named() {
    // a 0, b 1216, c 2432, d 3648, e after: born in steps 0 to 4. d, born in step 3, moves
    // onto the last 16 words of b, which step 5 reads.
    let model = Model::open(&branching());
    let plan = model.plan(Strategy::Naive);
    let names: Vec<&str> = model.lifetimes.buffers.iter().map(|x| &*x.name).collect();
    assert_eq!(names, ["a", "b", "c", "d", "e"]);
    let to = Offset(1216 + 1200 - 64);
    let corrupted = corrupt_by(&model.lifetimes, &plan, 3, to).unwrap();
    assert_eq!((corrupted.moved, corrupted.by), (3, 2352 - 3648));
    // It also covers c, which step 3 itself reads.
    assert_eq!(corrupted.victims, [1, 2]);
    for machine in machines() {
        let report = corrupted_report(&model, &machine, &corrupted.plan);
        let findings = report.audit.unwrap().findings;
        let clobbered = |victim, at, words| Finding::Clobbered {
            victim,
            overwriter: planner::Step(3),
            at: Offset(at),
            words,
        };
        // d ends at 2352 + 1200 = 3552; c begins at 2432: 1120 B.
        let expected = [clobbered(1, 2352, 16), clobbered(2, 2432, 280)];
        assert_eq!(findings, expected);
    }
}

#[test]
fn a_plan_is_corrupted_the_same_way_every_time() {
    let model = Model::open(&branching());
    let plan = model.plan(Strategy::OffsetsBySize);
    for seed in [0, 1, 77, u64::MAX] {
        let first = corrupt(&model.lifetimes, &plan, seed);
        assert_eq!(first, corrupt(&model.lifetimes, &plan, seed));
        let Some(Corrupted {
            plan: corrupted, ..
        }) = first
        else {
            panic!("seed {seed} finds nothing to corrupt");
        };
        let moved = plan.offsets.iter().zip(&corrupted.offsets);
        assert_eq!(moved.filter(|(a, b)| a != b).count(), 1);
    }
}

#[test]
fn what_cannot_be_corrupted_is_left_alone() {
    let model = Model::open(&branching());
    let plan = model.plan(Strategy::OffsetsBySize);
    let (lifetimes, old) = (&model.lifetimes, plan.offsets[0]);
    assert_eq!(corrupt_by(lifetimes, &plan, 0, old), None);
    assert_eq!(corrupt_by(lifetimes, &plan, 0, Offset(2)), None);
    assert_eq!(corrupt_by(lifetimes, &plan, 0, Offset(plan.arena.0)), None);
    assert_eq!(corrupt_by(lifetimes, &plan, 0, Offset(u64::MAX - 3)), None);
    assert_eq!(corrupt_by(lifetimes, &plan, 99, Offset(0)), None);
    let nothing = Lifetimes::default();
    let empty = Plan {
        origin: "".into(),
        offsets: vec![],
        arena: Bytes(0),
        ..Plan::default()
    };
    assert_eq!(corrupt(&nothing, &empty, 3), None);
}
