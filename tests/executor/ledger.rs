//! What is estimated of a planned run, against the ledger of the run: every buffer that it makes.

use executor::arena::Memory;
use executor::verify::{Machine, execute};
use planner::training::estimate::measured::{Compared, Part, compare, of_ledger};
use planner::training::estimate::run::planned_run;
use planner::training::estimate::{Estimate, Purpose};
use planner::{Bytes, Strategy, profile};
use tests::confirmations::{machines, question};
use tests::runs::{Model, REPRESENTATIVE};
use tests::samples::{Group, samples};
use tests::training_steps::{NETWORKS, step};

/// The estimate of a run, and the table of errors beside it.
fn table(machine: &Machine, model: &Model, strategy: Strategy) -> (Estimate, Vec<Compared>) {
    let plan = model.plan(strategy);
    let found = planned_run(&model.program, &model.lifetimes, &plan);
    let run = pollster::block_on(execute(machine, &question(model, &plan), 1)).unwrap();
    let entries = run.ledger.iter();
    let entries: Vec<(String, Bytes)> = entries
        .map(|entry| (entry.label.to_string(), entry.bytes))
        .collect();
    let entries = entries
        .iter()
        .map(|(label, bytes)| (label.as_str(), *bytes));
    let table = compare(&found, &of_ledger(entries));
    (found, table)
}

fn part(table: &[Compared], part: Part) -> Compared {
    *table.iter().find(|it| it.part == part).unwrap()
}

/// Values and what the caller gives and takes are exact. Weights lie apart by up to 256 bytes, and
/// the run makes buffers for itself, of which nothing is estimated.
fn agrees(machine: &Machine, name: &str, model: &Model, strategy: Strategy) {
    let (found, table) = table(machine, model, strategy);
    let case = format!("{name}, {strategy}");
    for exact in [Part::Values, Part::Inputs] {
        let it = part(&table, exact);
        assert_eq!(it.error(), Some(0), "{case}: {it:?}");
    }
    let weights = part(&table, Part::Weights);
    let constants = model.program.graph.tensors.len() as u64;
    // Too few by what lies between them, never too many.
    let error = weights.error().unwrap();
    let least = -i128::from(256 * constants);
    assert!((least..=0).contains(&error), "{case}: {weights:?}");
    assert_eq!(part(&table, Part::Run).error(), None, "{case}");
    // At the peak the arena has what is live, and what is not used then.
    let live = found.peak.of(Purpose::Outputs).0 + found.peak.of(Purpose::Gradients).0;
    let highest = profile(&model.lifetimes).highest();
    assert_eq!(Some(live), highest.map(|it| it.1.0), "{case}");
}

#[test]
fn values_of_training_steps_are_what_the_ledger_has() {
    for machine in machines() {
        for network in NETWORKS {
            for recompute in [false, true] {
                let model = Model::open(&step(network, recompute));
                for strategy in REPRESENTATIVE {
                    agrees(&machine, &format!("{network:?}"), &model, strategy);
                }
            }
        }
    }
}

/// Samples that a CPU runs in a moment.
const RUN: [&str; 2] = ["blazeface", "transformer"];

#[test]
fn values_of_samples_are_what_the_ledger_has() {
    let models = samples().into_iter();
    for sample in models.filter(|it| matches!(it.group, Group::Model)) {
        let model = Model::open(&sample.bytes);
        if RUN.contains(&sample.id) {
            let strategy = Strategy::OffsetsBySize;
            agrees(&Machine::Cpu, sample.id, &model, strategy);
        }
        for strategy in [Strategy::OffsetsBySize, Strategy::TensorflowBfc] {
            let plan = model.plan(strategy);
            let found = planned_run(&model.program, &model.lifetimes, &plan);
            // The buffers that a run makes before anything runs.
            let memory = Memory::of(&model.lowered(&plan).unwrap().recording);
            let bytes = |words: &[u32]| Bytes(words.len() as u64 * 4);
            let made = [
                ("arena", bytes(&memory.arena)),
                ("inputs and outputs", bytes(&memory.io)),
            ];
            let table = compare(&found, &of_ledger(made));
            for exact in [Part::Values, Part::Inputs] {
                let it = part(&table, exact);
                assert_eq!(it.error(), Some(0), "{}, {strategy}: {it:?}", sample.id);
            }
        }
    }
}
