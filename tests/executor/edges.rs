//! Graphs with little to run: reports stay sensible.

use executor::lower::Refused;
use executor::verify::report::Verdict;
use executor::verify::{Inputs, Machine, Question, execute};
use planner::{Bytes, Io, Settings, Strategy};
use tests::confirmations::{branching, machines, question, report};
use tests::onnx_builder::{Axis, DataType, OnnxBuilder};
use tests::runs::{Model, words};

const FOUR: [Axis; 1] = [Axis::Fixed(4)];

/// Confirms what there is of `bytes` on every machine, with an arena of nothing.
fn nothing_to_plan(bytes: &[u8]) {
    let model = Model::open(bytes);
    let plan = model.plan(Strategy::OffsetsBySize);
    for machine in machines() {
        let report = report(&machine, &question(&model, &plan)).unwrap();
        // Nothing can be confirmed about nothing.
        let incomplete = matches!(report.verdict, Verdict::Incomplete(_));
        assert!(incomplete, "{report:#?}");
        let figures = [report.promised, report.allocated, report.reach];
        assert_eq!(figures, [Bytes(0); 3]);
        assert_eq!(report.audit.unwrap().touched, Bytes(0));
    }
}

#[test]
fn a_graph_without_intermediates_has_an_arena_of_nothing() {
    let mut builder = OnnxBuilder::new("single", 17);
    let x = builder.input("x", DataType::FLOAT, &FOUR);
    let y = builder.op("y", "Relu", &[&x], vec![]);
    builder.output(&y, DataType::FLOAT, &FOUR);
    nothing_to_plan(&builder.finish());
}

#[test]
fn a_graph_whose_output_is_its_input_gives_it_back() {
    let mut builder = OnnxBuilder::new("through", 17);
    let x = builder.input("x", DataType::FLOAT, &FOUR);
    builder.output(&x, DataType::FLOAT, &FOUR);
    let bytes = builder.finish();
    nothing_to_plan(&bytes);
    let model = Model::open(&bytes);
    let plan = model.plan(Strategy::Naive);
    let given = words(&[1.0, -2.0, 0.5, 8.0]);
    for machine in machines() {
        let question = Question {
            inputs: Inputs::Given(vec![Some(given.clone())]),
            ..question(&model, &plan)
        };
        let outputs = pollster::block_on(execute(&machine, &question, 1))
            .unwrap()
            .outputs;
        assert_eq!(outputs, [("x".to_owned(), given.clone())]);
    }
}

#[test]
fn a_graph_whose_output_is_a_constant_runs() {
    let mut builder = OnnxBuilder::new("constant", 17);
    let x = builder.input("x", DataType::FLOAT, &FOUR);
    let c = builder.floats("c", &[4], &[1.0, 2.0, 3.0, 4.0]);
    let y = builder.op("y", "Neg", &[&x], vec![]);
    builder.output(&c, DataType::FLOAT, &FOUR);
    builder.output(&y, DataType::FLOAT, &FOUR);
    nothing_to_plan(&builder.finish());
}

/// As detectors make the places of their anchors: 0.5, 1.5 and 2.5.
#[test]
fn a_range_of_floats_is_known_before_the_run() {
    let text = "\
graph anchors onnx 17
input x: f32[3]
const start: f32[] = 0.5
const limit: f32[] = 3.2
const delta: f32[] = 1
r = Range(start, limit, delta)
y = Add(x, r)
output y
";
    let model = Model::open(text.as_bytes());
    let lowered = model.lowered(&model.plan(Strategy::OffsetsBySize)).unwrap();
    let outputs = model.on_cpu(&lowered, &[words(&[10.0, 20.0, 30.0])]);
    assert_eq!(outputs, [words(&[10.5, 21.5, 32.5])]);
}

#[test]
fn a_graph_of_nothing_runs() {
    nothing_to_plan(&OnnxBuilder::new("nothing", 17).finish());
}

#[test]
fn empty_tensors_take_no_words() {
    let mut builder = OnnxBuilder::new("empty", 17);
    let shape = [Axis::Fixed(0), Axis::Fixed(4)];
    let x = builder.input("x", DataType::FLOAT, &shape);
    let a = builder.op("a", "Relu", &[&x], vec![]);
    let y = builder.op("y", "Neg", &[&a], vec![]);
    builder.output(&y, DataType::FLOAT, &shape);
    nothing_to_plan(&builder.finish());
}

#[test]
fn pinned_inputs_and_outputs_are_touched_too() {
    let settings = Settings {
        io: Io::WholeRun,
        ..Settings::default()
    };
    let model = Model::open_with(&branching(), settings);
    for strategy in [Strategy::OffsetsBySize, Strategy::Naive] {
        let plan = model.plan(strategy);
        for machine in machines() {
            let report = report(&machine, &question(&model, &plan)).unwrap();
            assert_eq!(report.verdict, Verdict::Confirmed, "{report:#?}");
            // Two more tensors than the four that are live at once.
            assert!(report.promised >= Bytes(6 * 1216));
        }
    }
}

#[test]
fn operators_whose_results_have_no_size_are_named_with_the_others() {
    let mut builder = OnnxBuilder::new("unsupported", 17);
    let x = builder.input("x", DataType::FLOAT, &FOUR);
    let places = builder.op("places", "NonZero", &[&x], vec![]);
    let after = builder.op("after", "Neg", &[&places], vec![]);
    let own = builder.op("own", "NobodyKnows", &[&x], vec![]);
    for output in [&after, &own] {
        builder.output(output, DataType::FLOAT, &FOUR);
    }
    let model = Model::open(&builder.finish());
    let refused = model.lowered(&model.plan(Strategy::Naive));
    let Err(Refused::Unsupported(ops)) = refused else {
        panic!("{refused:?}");
    };
    let kinds: Vec<&str> = ops.iter().map(|op| &*op.kind).collect();
    assert!(
        kinds.contains(&"NonZero") && kinds.contains(&"NobodyKnows"),
        "{ops:?}"
    );
}

#[test]
fn what_is_no_number_is_the_same_on_both_machines() {
    let mut builder = OnnxBuilder::new("odd", 17);
    let x = builder.input("x", DataType::FLOAT, &FOUR);
    let a = builder.op("a", "Relu", &[&x], vec![]);
    let y = builder.op("y", "Reciprocal", &[&a], vec![]);
    builder.output(&y, DataType::FLOAT, &FOUR);
    let model = Model::open(&builder.finish());
    let plan = model.plan(Strategy::Naive);
    for machine in machines().iter().filter(|x| matches!(x, Machine::Gpu(_))) {
        let question = Question {
            // Two of the four become 1 / 0.
            inputs: Inputs::Given(vec![Some(words(&[1.0, -2.0, 0.5, -8.0]))]),
            ..question(&model, &plan)
        };
        let reference = report(machine, &question).unwrap().reference.unwrap();
        assert_eq!(reference.unlike, 0);
        assert!(reference.max_abs < 1e-5, "{reference:?}");
    }
}
