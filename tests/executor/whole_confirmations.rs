//! The whole models, confirmed: for every strategy promised = allocated = touched and outputs
//! that keep their bits; and 100 corruptions, each caught with the right victim.

use std::collections::BTreeSet;
use std::io::{Write, stdout};

use executor::lower::Lowered;
use executor::recording::{Region, Space, WORD};
use executor::verify::report::{Audit, Finding, Verdict};
use executor::verify::{Machine, Question, confirm, execute, inputs};
use planner::bounds::bounds;
use planner::what_if::corrupt;
use planner::{Plan, Strategy};
use tests::confirmations::{audit, question};
use tests::runs::{Model, REPRESENTATIVE, gpu};
use tests::whole_models::load;

/// Corruptions over all models together.
const CORRUPTIONS: u64 = 50;
/// How many of them each model gets: the more, the less a run costs on a software GPU, which
/// is a quarter of a second for the small transformers and several for `DenseNet`.
const SHARES: [(&str, u64); 12] = [
    ("squeezenet", 4),
    ("shufflenet", 2),
    ("inception_v1", 2),
    ("resnet50", 2),
    ("densenet121", 1),
    ("mobilenet_v2", 2),
    ("unet", 2),
    ("bert", 3),
    ("gpt2", 12),
    ("llama", 12),
    ("mobilenet_v1", 6),
    ("blazeface", 2),
];

/// Models of which a run takes seconds: they get the strategies that people compare first.
const SLOW: [&str; 3] = ["resnet50", "densenet121", "inception_v1"];
const FIRST_COMPARED: [Strategy; 3] = [
    Strategy::GreedyInOrder,
    Strategy::OffsetsBySize,
    Strategy::Best,
];

fn model(name: &str) -> Option<Model> {
    let found = load()?.into_iter().find(|model| model.name == name);
    let found = found.unwrap_or_else(|| panic!("there is no model {name}"));
    Some(Model::open(&found.content()))
}

/// The end of the highest tensor in bytes, its padding left out.
fn reach(lowered: &Lowered) -> u64 {
    let places = lowered.recording.places.iter();
    places
        .map(|place| place.region.end() * WORD)
        .max()
        .unwrap_or(0)
}

fn outputs(machine: &Machine, model: &Model, plan: &Plan) -> Vec<(String, Vec<u32>)> {
    let found = pollster::block_on(execute(machine, &question(model, plan), 1));
    found
        .unwrap_or_else(|why| panic!("{}: {why}", plan.origin))
        .outputs
}

fn confirm_strategies(name: &str) {
    let (Some(model), Some(gpu)) = (model(name), gpu()) else {
        return;
    };
    let machine = Machine::Gpu(gpu);
    let fed = inputs::words(
        &model.program.graph,
        &question(&model, &model.plan(Strategy::Naive)).inputs,
    );
    let naive = outputs(&machine, &model, &model.plan(Strategy::Naive));
    assert!(
        naive
            .iter()
            .all(|(_, words)| words.iter().any(|word| *word != words[0]))
    );
    let bound = bounds(&model.lifetimes).offsets;
    let mut seen: Vec<Plan> = Vec::new();
    let mut smallest: Option<Plan> = None;
    let strategies = match SLOW.contains(&name) {
        true => &FIRST_COMPARED[..],
        false => &REPRESENTATIVE[..],
    };
    for &strategy in strategies {
        let plan = model.plan(strategy);
        if smallest.as_ref().is_none_or(|best| plan.arena < best.arena) {
            smallest = Some(plan.clone());
        }
        // Strategies often agree; the same offsets are the same run.
        if seen
            .iter()
            .any(|other| other.offsets == plan.offsets && other.arena == plan.arena)
        {
            continue;
        }
        let lowered = model.lowered(&plan).unwrap();
        assert_eq!(
            lowered.recording.arena, plan.arena,
            "{name} {}",
            plan.origin
        );
        let audit = audit(&model, &machine, &lowered, &fed);
        assert_eq!(audit.findings, [], "{name} {}", plan.origin);
        assert_eq!(audit.touched.0, reach(&lowered), "{name} {}", plan.origin);
        let planned = outputs(&machine, &model, &plan);
        assert!(planned == naive, "{name} {}: outputs differ", plan.origin);
        seen.push(plan);
    }
    let best = smallest.unwrap();
    // Every one of these models has a strategy that reaches the bound.
    assert_eq!(best.arena, bound, "{name}");
    let asked = Question {
        reference: false,
        ..question(&model, &best)
    };
    let report = pollster::block_on(confirm(&machine, &asked, &mut |_| {})).unwrap();
    assert_eq!(report.verdict, Verdict::Confirmed, "{name}: {report:#?}");
    assert_eq!(report.allocated, report.promised, "{name}");
    let different = seen.len();
    let arena = best.arena.0;
    let _ = writeln!(
        stdout(),
        "{name}: {different} different plans, the best {arena} B = bound"
    );
}

/// The tensors that the corrupted plan overwrites while they are live, by their regions: the
/// earlier born of each pair, and the first of two that one step writes.
fn expected_victims(lowered: &Lowered) -> BTreeSet<usize> {
    let mut victims = BTreeSet::new();
    let places = &lowered.recording.places;
    let arena = |region: Region| region.space == Space::Arena;
    for (index, first) in places.iter().enumerate() {
        for (other, second) in places.iter().enumerate().filter(|_| arena(first.region)) {
            let later = (first.born, index) < (second.born, other) && second.born <= first.last;
            // A piece of a concatenation that lies where it belongs is not written.
            let mut written = lowered.recording.steps[second.born as usize].writes.iter();
            let written = written
                .any(|it| it.buffer == Some(second.buffer) && it.region.overlaps(first.region));
            if later && written {
                victims.insert(first.buffer);
            }
        }
    }
    victims
}

fn named(audit: &Audit) -> BTreeSet<usize> {
    let victims = audit.findings.iter().filter_map(|finding| match finding {
        Finding::Clobbered { victim, .. } => Some(*victim),
        Finding::Outside { .. } | Finding::Unwritten { .. } => None,
    });
    victims.collect()
}

fn catch_corruptions(name: &str, seeds: std::ops::Range<u64>) {
    let (Some(model), Some(gpu)) = (model(name), gpu()) else {
        return;
    };
    let machine = Machine::Gpu(gpu);
    let plan = model.plan(Strategy::OffsetsBySize);
    let fed = inputs::words(&model.program.graph, &question(&model, &plan).inputs);
    for seed in seeds {
        let corrupted =
            corrupt(&model.lifetimes, &plan, seed * 7919).expect("something to corrupt");
        let lowered = model.lowered_corrupted(&corrupted.plan).unwrap();
        let expected = expected_victims(&lowered);
        assert!(
            !expected.is_empty(),
            "{name} {seed}: nothing is overwritten"
        );
        let found = named(&audit(&model, &machine, &lowered, &fed));
        assert_eq!(found, expected, "{name}, seed {seed}");
    }
}

macro_rules! models {
    ($($name:ident)*) => {
        $(mod $name {
            #[test]
            fn every_strategy_is_confirmed() {
                super::confirm_strategies(stringify!($name));
            }

            #[test]
            fn corruptions_are_caught() {
                super::catch_corruptions(stringify!($name), super::share(stringify!($name)));
            }
        })*

        #[test]
        fn every_model_has_its_share() {
            let models = [$(stringify!($name)),*];
            assert_eq!(models, SHARES.map(|(name, _)| name));
            assert_eq!(SHARES.map(|(_, count)| count).iter().sum::<u64>(), CORRUPTIONS);
        }
    };
}

/// The seeds of one model, which no other has.
fn share(name: &str) -> std::ops::Range<u64> {
    let mut start = 0;
    for (other, count) in SHARES {
        if other == name {
            return start..start + count;
        }
        start += count;
    }
    panic!("{name} has no share")
}

models! {
    squeezenet shufflenet inception_v1 resnet50 densenet121 mobilenet_v2 unet
    bert gpt2 llama mobilenet_v1 blazeface
}
