//! Where the time of a run goes.

use executor::verify::report::{Report, Roofline, StepFigures, StepTimes, Stopwatch};
use planner::{Bytes, Strategy};
use runner::profile::{By, roofline, rows};
use runner::{Reply, Request};
use tests::onnx_builder::{Axis, DataType, OnnxBuilder};
use tests::runs::Model;

use super::conversation::{ask, run};

fn report() -> Report {
    let mut builder = OnnxBuilder::new("p", 17);
    let x = builder.input("x", DataType::FLOAT, &[8.into(), 8.into()]);
    let a = builder.op("net/one/a", "MatMul", &[&x, &x], vec![]);
    let b = builder.op("net/one/b", "Relu", &[&a], vec![]);
    let c = builder.op("net/two/c", "MatMul", &[&b, &b], vec![]);
    builder.output(&c, DataType::FLOAT, &[8.into(), 8.into()]);
    let model = Model::open(&builder.finish());
    let run = Box::new(run(&model, model.plan(Strategy::OffsetsBySize)));
    let replies = ask(&Request::Confirm { id: 1, run }, Some(&model.bytes));
    match replies.into_iter().last() {
        Some(Reply::Confirmed { report, .. }) => *report,
        other => panic!("{other:?}"),
    }
}

#[test]
fn steps_say_what_they_move_and_compute() {
    let report = report();
    let figures = |step: usize| {
        let StepFigures { moved, flops, .. } = report.steps[step];
        (moved, flops)
    };
    // A product of 8 x 8 matrices reads two of 256 B, writes one, and sums 512 products.
    assert_eq!(figures(0), (Bytes(768), 1024));
    // Relu reads and writes 64 elements.
    assert_eq!(figures(1), (Bytes(512), 64));
    assert_eq!(report.doubles, 0);
    let moved: u64 = report.steps.iter().map(|step| step.moved.0).sum();
    assert_eq!(Bytes(moved), report.moved);
    assert_eq!(rows(&report, By::Kind), None, "the CPU is not timed");
}

#[test]
fn times_are_summed_and_held_against_the_best() {
    let report = Report {
        step_times: Some(StepTimes {
            by: Stopwatch::Timestamps,
            milliseconds: vec![2.0, 1.0, 4.0],
        }),
        ..report()
    };
    let kinds = rows(&report, By::Kind).unwrap();
    let short: Vec<(&str, u64, f64)> = kinds
        .iter()
        .map(|row| (&*row.name, row.steps, row.time))
        .collect();
    assert_eq!(short, [("MatMul", 2, 6.0), ("Relu", 1, 1.0)]);
    assert_eq!(kinds[0].flops, 2 * 2 * 512);
    let layers = rows(&report, By::Layer).unwrap();
    let names: Vec<&str> = layers.iter().map(|row| &*row.name).collect();
    assert_eq!(names, ["net/two", "net/one"]);
    let best = roofline(&report);
    // 1,024 operations in 2 ms; Relu moves 512 B in 1 ms.
    assert!((best.flops - 512e3).abs() < 1e-6, "{best:?}");
    assert!((best.bandwidth - 512e3).abs() < 1e-6, "{best:?}");
    let steps = rows(&report, By::Step).unwrap();
    let of = |place: usize| steps[place].of_roofline(best);
    assert!((of(0) - 0.5).abs() < 1e-9 && (of(1) - 1.0).abs() < 1e-9);
    // What was measured apart counts where no step reached it.
    let apart = Roofline {
        flops: 1e6,
        bandwidth: 1.0,
    };
    let known = roofline(&Report {
        roofline: Some(apart),
        ..report
    });
    assert!((known.flops - 1e6).abs() < 1e-6 && (known.bandwidth - 512e3).abs() < 1e-6);
}

/// The report of one operator on floats of `kind` with these shapes, that of its output last.
fn of_one(kind: DataType, operator: &str, shapes: &[&[i64]]) -> Report {
    let (of_y, shapes) = shapes.split_last().expect("an output");
    let mut builder = OnnxBuilder::new("one", 23);
    let axes = |shape: &[i64]| -> Vec<Axis> { shape.iter().map(|&dim| dim.into()).collect() };
    let inputs = shapes.iter().enumerate();
    let inputs = inputs.map(|(at, shape)| builder.input(&format!("x{at}"), kind, &axes(shape)));
    let inputs: Vec<String> = inputs.collect();
    let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
    let y = builder.op("y", operator, &inputs, vec![]);
    builder.output(&y, kind, &axes(of_y));
    // An output alone is not placed, and a run of nothing is not confirmed.
    let model = Model::open(&builder.finish());
    let run = Box::new(run(&model, model.plan(Strategy::OffsetsBySize)));
    let replies = ask(&Request::Confirm { id: 1, run }, Some(&model.bytes));
    match replies.into_iter().last() {
        Some(Reply::Confirmed { report, .. }) => *report,
        other => panic!("{other:?}"),
    }
}

#[test]
fn attention_counts_scores_and_values() {
    let (q, kv): (&[i64], &[i64]) = (&[1, 2, 3, 4], &[1, 2, 5, 4]);
    let report = of_one(DataType::FLOAT, "Attention", &[q, kv, kv, q]);
    // Two heads, three queries, five keys: four products of a score, four of its value.
    assert_eq!(report.steps[0].flops, 2 * (2 * 3 * 5 * (4 + 4)));
}

#[test]
fn reductions_count_what_they_read() {
    let report = of_one(
        DataType::FLOAT,
        "ReduceMax",
        &[&[1, 2, 3, 4], &[1, 1, 1, 1]],
    );
    assert_eq!(report.steps[0].flops, 2 * 3 * 4);
}

#[test]
fn floats_of_64_bits_are_told() {
    let shape: &[i64] = &[4];
    let report = of_one(DataType::DOUBLE, "Add", &[shape; 3]);
    assert_eq!(
        report.doubles, 3,
        "two that are read, and one that is written"
    );
}
