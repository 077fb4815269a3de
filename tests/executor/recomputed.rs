//! A program JSON with a value that is evicted and recomputed, from the file through every
//! strategy, the judge and the bounds to the machines.

use executor::verify::report::Verdict;
use planner::bounds::bounds;
use planner::graph::Bindings;
use planner::load::{Document, load};
use planner::{Program, Residencies, Settings, Step, Strategy, passes, prepare};
use tests::confirmations::{machines, question, report};
use tests::runs::{Model, floats, words};

const FILE: &[u8] = include_bytes!("../data/recomputed.json");

/// Ramp from −8 to 8 in 64 steps.
fn ramp() -> Vec<f32> {
    (0..64_u8).map(|at| f32::from(at) / 4.0 - 8.0).collect()
}

/// The program of the file with every operator computed once.
fn kept() -> Model {
    let (_, document, _) = load(&FILE.to_vec()).expect("a program");
    let Document::Program(program) = document else {
        panic!("it has a schedule of its own");
    };
    Model::of_program(FILE, Program::new(program.graph))
}

#[test]
fn what_is_recomputed_has_two_residencies() {
    let (_, document, _) = load(&FILE.to_vec()).expect("a program");
    let subject = prepare(&document, &Bindings::new(), &Settings::default()).expect("small");
    let buffers = subject.lifetimes.buffers.iter();
    let spans: Vec<_> = buffers
        .map(|it| (it.name.as_str(), it.span.start.0, it.span.end.0))
        .collect();
    // a is gone at step 2, and written again at step 5.
    let expected = [
        ("a", 0, 2),
        ("b", 1, 4),
        ("c", 3, 5),
        ("d", 4, 7),
        ("a [2]", 5, 7),
    ];
    assert_eq!(spans, expected);
    // Two tensors of 256 B at a time; with a kept there would be three, a, b and c.
    assert_eq!(bounds(&subject.lifetimes).offsets.0, 2 * 256);
    assert_eq!(bounds(&kept().lifetimes).offsets.0, 3 * 256);
    let program = subject.program.as_ref().expect("a program");
    let residencies = Residencies::of(&subject.lifetimes);
    let tensor = program.storages.list[1].tensor;
    let at = |step| residencies.operand(program, &subject.lifetimes, (Step(step), tensor));
    assert_eq!(
        [0, 1, 2, 4, 5, 6].map(at),
        [Some(0), Some(0), None, None, Some(4), Some(4)]
    );
    assert_eq!(subject.step_names()[2], "evict a");
    assert_eq!(subject.step_names()[5], "recompute f");
}

#[test]
fn every_strategy_runs_on_the_cpu_as_if_nothing_had_been_evicted() {
    let evicted = Model::open(FILE);
    let kept = kept();
    let over = Settings {
        passes: passes::parse("in_place").expect("a pass"),
        ..Settings::default()
    };
    let over = Model::open_with(FILE, over);
    assert_eq!(over.lifetimes.handovers.len(), 2);
    let inputs = [words(&ramp())];
    // y = sqrt(|relu(−x)|) − x.
    let expected: Vec<f32> = ramp().iter().map(|x| (-x).max(0.0).sqrt() - x).collect();
    for strategy in Strategy::ALL {
        for model in [&evicted, &kept, &over] {
            let lowered = model.lowered(&model.plan(strategy)).expect("it can be run");
            let outputs = model.on_cpu(&lowered, &inputs);
            assert_eq!(floats(&outputs[0]), expected, "{strategy}");
        }
    }
}

#[test]
fn its_bytes_are_confirmed() {
    let model = Model::open(FILE);
    let plan = model.plan(Strategy::Best);
    assert_eq!(plan.arena.0, 512);
    for machine in machines() {
        let report = report(&machine, &question(&model, &plan)).expect("a report");
        assert_eq!(report.verdict, Verdict::Confirmed, "{report:#?}");
        assert_eq!((report.promised.0, report.allocated.0), (512, 512));
    }
}

#[test]
fn an_axis_that_is_a_constant_of_the_file_is_known_to_the_machines() {
    let text = serde_json::json!({
        "arenascope_program": 1,
        "tensors": [
            {"name": "x", "shape": [2, 3], "role": "input"},
            {"name": "ax", "shape": [1], "dtype": "i64", "role": "constant", "values": [1]},
            {"name": "a", "shape": [2, 3]},
            {"name": "s", "shape": [2, 1]},
            {"name": "y", "shape": [2, 1], "role": "output"},
        ],
        "operators": [
            {"name": "n", "kind": "Neg", "inputs": ["x"], "outputs": ["a"]},
            {"name": "r", "kind": "ReduceSum", "inputs": ["a", "ax"], "outputs": ["s"],
             "attributes": {"keepdims": 1}},
            {"name": "q", "kind": "Relu", "inputs": ["s"], "outputs": ["y"]},
        ],
    });
    let model = Model::open(text.to_string().as_bytes());
    let lowered = model
        .lowered(&model.plan(Strategy::Best))
        .expect("it can be run");
    let outputs = model.on_cpu(&lowered, &[words(&[1.0, 2.0, 3.0, -4.0, 1.0, 0.0])]);
    // The negated sums of the rows are -6 and 3.
    assert_eq!(floats(&outputs[0]), [0.0, 3.0]);
}
