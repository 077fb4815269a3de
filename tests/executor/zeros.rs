//! Zeros of what ReLUs write, by hand arithmetic.

use executor::verify::zeros::{Zeros, share, zeros};
use executor::verify::{Failure, Inputs, Machine};
use planner::Strategy;
use tests::confirmations::question;
use tests::onnx_builder::{DataType, OnnxBuilder};
use tests::runs::{Model, words};

/// Three of these seven are negative or zero, and one is zero.
const X: [f32; 7] = [1.0, -2.0, 3.0, -4.0, 0.0, 5.0, 6.0];

/// ReLUs of x and of −x; `first` stands before them, `last` after.
fn model(first: &str, last: &str) -> Model {
    let mut builder = OnnxBuilder::new("two", 17);
    let x = builder.input("x", DataType::FLOAT, &[1.into(), 7.into()]);
    let own = builder.op("own", first, &[&x], vec![]);
    let a = builder.op("a", "Relu", &[&own], vec![]);
    let under = builder.op("under", "Neg", &[&x], vec![]);
    let b = builder.op("b", "Relu", &[&under], vec![]);
    let sum = builder.op("sum", "Add", &[&a, &b], vec![]);
    for name in [own, sum.clone()] {
        builder.value_info(&name, DataType::FLOAT, &[1.into(), 7.into()]);
    }
    let y = builder.op("y", last, &[&sum], vec![]);
    builder.value_info(&y, DataType::FLOAT, &[1.into(), 7.into()]);
    builder.output(&y, DataType::FLOAT, &[1.into(), 7.into()]);
    Model::open(&builder.finish())
}

fn counted(model: &Model, x: &[f32]) -> Result<Zeros, Failure> {
    let plan = model.plan(Strategy::OffsetsBySize);
    let question = executor::verify::Question {
        inputs: Inputs::Given(vec![Some(words(x))]),
        ..question(model, &plan)
    };
    pollster::block_on(zeros(&Machine::Cpu, &question, &mut |_| {}))
}

#[test]
fn zeros_of_each_relu_are_counted_per_mille() {
    let model = model("Identity", "Neg");
    let found = counted(&model, &X).unwrap();
    let names: Vec<&str> = found.shares.iter().map(|it| it.0.as_str()).collect();
    let ops = model.program.graph.ops.iter();
    let relus: Vec<&str> = ops
        .filter(|op| op.kind == "Relu")
        .map(|op| op.name.as_str())
        .collect();
    assert_eq!(names, relus);
    // 3 of 7 are 428.57 of a thousand, 5 of 7 are 714.29.
    assert_eq!(
        found.shares.iter().map(|it| it.1).collect::<Vec<_>>(),
        [429, 714]
    );
    // 571.5 in the mean.
    assert_eq!(found.spread(), Some([429, 572, 714]));
    assert!(!found.stand_ins, "there are no weights");
    assert_eq!(Zeros::default().spread(), None);
}

#[test]
fn a_share_is_rounded_and_knows_both_zeros() {
    assert_eq!(share(&[]), None);
    assert_eq!(share(&[0.0, -0.0, f32::NAN, 1e-45]), Some(500));
    // Half of a thousandth goes up, less goes down.
    let one_of = |count: usize| {
        let mut all = vec![1.0; count];
        all[0] = 0.0;
        share(&all)
    };
    assert_eq!([one_of(2000), one_of(2001)], [Some(1), Some(0)]);
}

/// The weights are in another file, which is not there.
#[test]
fn weights_that_are_not_in_the_file_are_told() {
    let mut builder = OnnxBuilder::new("missing", 17);
    let x = builder.input("x", DataType::FLOAT, &[1.into(), 7.into()]);
    let w = builder.weight("w", &[7]);
    let a = builder.op("a", "Mul", &[&x, &w], vec![]);
    let y = builder.op("y", "Relu", &[&a], vec![]);
    builder.output(&y, DataType::FLOAT, &[1.into(), 7.into()]);
    let found = counted(&Model::open(&builder.finish()), &[0.0; 7]).unwrap();
    // Whatever they are, all products are zero.
    assert_eq!(found.spread(), Some([1000; 3]));
    assert!(found.stand_ins);
}

#[test]
fn a_run_goes_as_far_as_the_last_relu() {
    let found = counted(&model("Identity", "NoSuchOperator"), &X);
    assert_eq!(found.map(|it| it.shares.len()), Ok(2));
    let refused = counted(&model("NoSuchOperator", "Neg"), &X);
    assert!(matches!(refused, Err(Failure::Refused(_))), "{refused:?}");
}
