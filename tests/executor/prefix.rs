//! The first steps of a plan, up to an operator that cannot be run.

use executor::verify::Question;
use executor::verify::report::Verdict;
use planner::graph::DType;
use planner::{Step, Strategy};
use tests::confirmations::{machines, question, report};
use tests::onnx_builder::{Axis, DataType, OnnxBuilder};
use tests::runs::Model;

/// The sum of two tensors is read by an operator whose size hangs on values; one of the two is
/// read once more behind it, by a sum that lies in another place.
fn with_a_count() -> Model {
    let mut builder = OnnxBuilder::new("counted", 17);
    let shape = [Axis::Fixed(4), Axis::Fixed(64)];
    let x = builder.input("x", DataType::FLOAT, &shape);
    let a = builder.op("a", "Neg", &[&x], vec![]);
    let b = builder.op("b", "Exp", &[&a], vec![]);
    let c = builder.op("c", "Add", &[&a, &b], vec![]);
    let places = builder.op("counted", "NonZero", &[&c], vec![]);
    let y = builder.op("y", "Sqrt", &[&a], vec![]);
    builder.output(&y, DataType::FLOAT, &shape);
    builder.output(&places, DataType::INT64, &[]);
    Model::open(&builder.finish())
}

#[test]
fn what_stands_before_an_operator_without_a_kernel_is_confirmed() {
    let model = with_a_count();
    let plan = model.plan(Strategy::OffsetsBySize);
    let refused = model.lowered(&plan).unwrap_err();
    // a, b and c come before the operator that is counted.
    assert_eq!(refused.runs_until(), Some(3));
    let ends = model.lifetimes.buffers.iter().zip(&plan.offsets);
    let ends = ends.filter(|(buffer, _)| buffer.span.start < Step(3));
    let reach = ends
        .map(|(buffer, offset)| offset.0 + buffer.payload.0)
        .max();
    for machine in machines() {
        let first = Question {
            until: Some(3),
            ..question(&model, &plan)
        };
        let found = report(&machine, &first).expect("it can be run");
        assert_eq!(found.verdict, Verdict::Confirmed, "{found:#?}");
        assert_eq!((found.until, found.steps.len()), (Some(3), 3));
        assert_eq!(Some(found.reach.0), reach);
        // b on a: the sum is another one.
        let mut plan = plan.clone();
        let at = |name: &str| {
            model
                .lifetimes
                .buffers
                .iter()
                .position(|it| it.name == name)
        };
        let [Some(a), Some(b)] = ["a", "b"].map(at) else {
            panic!("{:?}", model.lifetimes.buffers);
        };
        plan.offsets[b] = plan.offsets[a];
        let corrupted = Question {
            until: Some(3),
            corrupted: true,
            ..question(&model, &plan)
        };
        let found = report(&machine, &corrupted).expect("it can be run");
        assert_eq!(found.verdict, Verdict::Refuted, "{found:#?}");
    }
}

#[test]
fn what_is_left_in_memory_is_what_the_first_steps_give() {
    let model = with_a_count();
    let plan = model.plan(Strategy::OffsetsBySize);
    let names = |until: usize| {
        let options = executor::lower::Options {
            until: Some(until),
            ..executor::lower::Options::default()
        };
        let found = model.lowered_by(&plan, &options).expect("it can be run");
        let outputs = found.recording.outputs.into_iter();
        outputs.map(|it| (it.name, it.dtype)).collect::<Vec<_>>()
    };
    let float = |name: &str| (name.to_owned(), DType::F32);
    // a is read by y, b by c alone, c by what is counted.
    assert_eq!(names(1), [float("a")]);
    assert_eq!(names(2), ["a", "b"].map(float));
    assert_eq!(names(3), ["a", "c"].map(float));
}
