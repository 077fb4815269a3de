//! Reductions, places and running sums: values by hand, and the GPU against the CPU reference.

use planner::graph::DType;
use tests::random::Random;
use tests::runs::{floats, gpu};

use crate::operator::{Operator, close, int_words, numbers};

/// Of dimensions 2, 2, 2. Along the first and the last axis: 1, 2, 5, 6 and 3, 4, 7, 8.
const X: [f32; 8] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];

/// The log of the sum of exponentials, in 64 bits.
fn log_sum_exp(x: [f64; 4]) -> f32 {
    let sum: f64 = x.into_iter().map(f64::exp).sum();
    #[expect(clippy::cast_possible_truncation, reason = "an f32 is wanted")]
    let log = sum.ln() as f32;
    log
}

fn table() -> [(&'static str, [f32; 2]); 10] {
    [
        ("ReduceSum", [14.0, 22.0]),
        ("ReduceMean", [3.5, 5.5]),
        ("ReduceMax", [6.0, 8.0]),
        ("ReduceMin", [1.0, 3.0]),
        ("ReduceProd", [60.0, 672.0]),
        ("ReduceL1", [14.0, 22.0]),
        ("ReduceL2", [66.0_f32.sqrt(), 138.0_f32.sqrt()]),
        ("ReduceSumSquare", [66.0, 138.0]),
        ("ReduceLogSum", [14.0_f32.ln(), 22.0_f32.ln()]),
        (
            "ReduceLogSumExp",
            [
                log_sum_exp([1.0, 2.0, 5.0, 6.0]),
                log_sum_exp([3.0, 4.0, 7.0, 8.0]),
            ],
        ),
    ]
}

#[test]
fn every_reduction_over_two_axes() {
    for (kind, expected) in table() {
        let by_input = Operator::onnx(18, kind)
            .fed(&[2, 2, 2], &X)
            .ints(&[2], &[0, -1]);
        by_input.floats_out().gives(&[&expected]);
        let by_attribute = Operator::onnx(11, kind).fed(&[2, 2, 2], &X);
        let by_attribute = by_attribute.with("axes", &[0, 2][..]).with("keepdims", 0);
        by_attribute.floats_out().gives(&[&expected]);
    }
    let builtins = ["SUM", "MEAN", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD"];
    for (kind, (_, expected)) in builtins.into_iter().zip(table()) {
        let op = Operator::tflite(kind)
            .fed(&[2, 2, 2], &X)
            .ints(&[2], &[0, 2]);
        op.with("keep_dims", 1).floats_out().gives(&[&expected]);
    }
}

#[test]
fn no_axes_mean_all_or_none() {
    let op = || Operator::onnx(18, "ReduceSumSquare").fed(&[2, 2, 2], &X);
    // 1 + 4 + 9 + ... + 64.
    op().floats_out().gives(&[&[204.0]]);
    op().ints(&[0], &[]).floats_out().gives(&[&[204.0]]);
    let none = op().ints(&[0], &[]).with("noop_with_empty_axes", 1);
    none.floats_out().gives(&[&X.map(|x| x * x)]);
}

#[test]
fn reductions_of_nothing() {
    let expected = [
        ("ReduceSum", 0.0),
        ("ReduceProd", 1.0),
        ("ReduceMax", f32::NEG_INFINITY),
        ("ReduceMin", f32::INFINITY),
        ("ReduceLogSum", f32::NEG_INFINITY),
        ("ReduceLogSumExp", f32::NEG_INFINITY),
    ];
    for (kind, expected) in expected {
        let op = Operator::onnx(20, kind)
            .fed(&[2, 0, 3], &[])
            .ints(&[1], &[1]);
        op.floats_out().gives(&[&[expected; 6]]);
    }
}

#[test]
fn long_rows_reduce_in_parallel() {
    let x: Vec<f32> = (1..=1000_u16).map(f32::from).collect();
    let expected = [
        ("ReduceSum", 500_500.0),
        ("ReduceMean", 500.5),
        ("ReduceMax", 1000.0),
        ("ReduceMin", 1.0),
        ("ReduceSumSquare", 333_833_500.0),
    ];
    for (kind, expected) in expected {
        let op = Operator::onnx(13, kind).fed(&[1000], &x);
        op.floats_out().gives(&[&[expected]]);
    }
    // 2 and 1/2 in turn, and one 3.
    let mut x: Vec<f32> = (0..300)
        .map(|i| if i % 2 == 0 { 2.0 } else { 0.5 })
        .collect();
    x.push(3.0);
    let op = Operator::onnx(13, "ReduceProd").fed(&[301], &x);
    op.floats_out().gives(&[&[3.0]]);
    // exp alone would overflow: 1000 + ln 1024.
    let op = Operator::onnx(13, "ReduceLogSumExp").fed(&[1024], &[1000.0; 1024]);
    op.floats_out().gives(&[&[1_006.931_5]]);
}

fn arg(kind: &str, axis: i64) -> Operator {
    let op = Operator::onnx(13, kind).fed(&[2, 3], &[2.0, 5.0, 5.0, -1.0, -1.0, 4.0]);
    op.with("axis", axis).output(DType::I64)
}

#[test]
fn places_of_the_largest_and_the_smallest() {
    arg("ArgMax", 1).gives_words(&int_words(&[1, 2]));
    let last = arg("ArgMax", 1).with("select_last_index", 1);
    last.gives_words(&int_words(&[2, 2]));
    arg("ArgMin", -1).gives_words(&int_words(&[0, 0]));
    let last = arg("ArgMin", -1).with("select_last_index", 1);
    last.gives_words(&int_words(&[0, 1]));
    let columns = arg("ArgMin", 0).with("keepdims", 0);
    columns.gives_words(&int_words(&[1, 1, 1]));
    let op = |dtype| {
        let op = Operator::tflite("ARG_MAX").fed(&[2, 2], &[1.0, 2.0, 4.0, 3.0]);
        op.ints(&[], &[1]).output(dtype)
    };
    op(DType::I32).gives_words(&[1, 0]);
    op(DType::I64).gives_words(&int_words(&[1, 0]));
}

#[test]
fn running_sums() {
    let op = |axis: i64| {
        let op = Operator::onnx(14, "CumSum").fed(&[2, 3], &X[..6]);
        op.ints(&[], &[axis]).floats_out()
    };
    op(1).gives(&[&[1.0, 3.0, 6.0, 4.0, 9.0, 15.0]]);
    op(-2).gives(&[&[1.0, 2.0, 3.0, 5.0, 7.0, 9.0]]);
    op(1)
        .with("exclusive", 1)
        .gives(&[&[0.0, 1.0, 3.0, 0.0, 4.0, 9.0]]);
    op(1)
        .with("reverse", 1)
        .gives(&[&[6.0, 5.0, 3.0, 15.0, 11.0, 6.0]]);
    let both = op(1).with("exclusive", 1).with("reverse", 1);
    both.gives(&[&[5.0, 3.0, 0.0, 11.0, 6.0, 0.0]]);
    let op = Operator::tflite("CUMSUM")
        .fed(&[3], &X[..3])
        .ints(&[], &[0]);
    op.with("reverse", 1)
        .floats_out()
        .gives(&[&[6.0, 5.0, 3.0]]);
    // Across the border between the two words, both ways.
    let long = Operator::onnx(14, "CumSum").fed_ints(&[3], &[0xffff_ffff, 1, -2]);
    let long = long.ints(&[], &[0]).output(DType::I64);
    long.gives_words(&int_words(&[0xffff_ffff, 0x1_0000_0000, 0xffff_fffe]));
}

#[test]
fn the_first_k_in_order() {
    let op = |k: i64, axis: i64, largest: i64| {
        let x = [2.0, 5.0, 5.0, -1.0, -1.0, 4.0];
        let op = Operator::onnx(11, "TopK").fed(&[2, 3], &x).ints(&[1], &[k]);
        let op = op.with("axis", axis).with("largest", largest);
        op.floats_out().output(DType::I64)
    };
    let cases: [(Operator, &[f32], &[i64]); 4] = [
        (op(2, 1, 1), &[5.0, 5.0, 4.0, -1.0], &[1, 2, 2, 0]),
        (op(2, 1, 0), &[2.0, 5.0, -1.0, -1.0], &[0, 1, 0, 1]),
        (op(1, 0, 1), &[2.0, 5.0, 5.0], &[0, 0, 0]),
        (
            op(2, 0, 0),
            &[-1.0, -1.0, 4.0, 2.0, 5.0, 5.0],
            &[1, 1, 1, 0, 0, 0],
        ),
    ];
    for (op, values, places) in cases {
        let (on_cpu, on_gpu) = op.run(gpu().as_ref());
        for outputs in [Some(on_cpu), on_gpu].into_iter().flatten() {
            assert_eq!(floats(&outputs[0]), values);
            assert_eq!(outputs[1], int_words(places));
        }
    }
}

#[test]
fn reductions_over_any_axes_agree_with_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let mut random = Random::new(10);
    for case in 0..60 {
        let rank = 1 + random.index(8);
        let mut dims: Vec<u64> = (0..rank).map(|_| 1 + random.below(3)).collect();
        if case % 4 == 0 {
            dims[random.index(rank)] = 100 + random.below(200);
        }
        let axes: Vec<i64> = (0..8).take(rank).filter(|_| random.below(2) == 0).collect();
        let x = numbers(&mut random, &dims).into_iter();
        // Positive, for the logarithms; about 1, for the product.
        let x: Vec<f32> = x.map(|x| 1.0 + x / 4.0).collect();
        let (kind, _) = table()[case % 10];
        let op = Operator::onnx(18, kind).fed(&dims, &x);
        let op = op.ints(&[axes.len() as u64], &axes).floats_out();
        let (on_cpu, on_gpu) = op.run(Some(&gpu));
        let on_gpu = on_gpu.expect("there is one");
        // Sums of some thousand terms in another order.
        close(&floats(&on_gpu[0]), &floats(&on_cpu[0]), 2e-5);
    }
}
