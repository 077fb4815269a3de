//! Largest and smallest integers along axes, their places, and what marks places: values by
//! hand, in both dialects.

use executor::elements::{words_of_floats, words_of_ints};
use planner::graph::{DType, Dialect};
use tests::one_op::OneOp;

fn op(kind: &str) -> OneOp {
    OneOp::new(Dialect::Tflite, kind)
}

/// Runs it on both machines and compares its output as words.
fn gives(op: &OneOp, dtype: DType, expected: &[i64]) {
    let (on_cpu, on_gpu) = op.run();
    let expected = words_of_ints(dtype, expected);
    for outputs in [Some(on_cpu), on_gpu].into_iter().flatten() {
        assert_eq!(outputs, std::slice::from_ref(&expected));
    }
}

/// Of dimensions 2 and 3.
const X: [i64; 6] = [3, -7, 3, -128, 127, 0];

#[test]
fn ends_of_rows_of_integers_of_every_width() {
    for dtype in [DType::I8, DType::I16, DType::I32, DType::I64] {
        let over = |kind: &str, axis: i32| {
            let x = op(kind).fed(dtype, &[2, 3], words_of_ints(dtype, &X));
            x.integers(&[axis])
        };
        let rows = over("REDUCE_MAX", 1).output(dtype, &[2]);
        gives(&rows, dtype, &[3, 127]);
        let columns = over("REDUCE_MIN", 0).output(dtype, &[3]);
        gives(&columns, dtype, &[-128, -7, 0]);
    }
    // As unsigned numbers the negative ones are the largest.
    let large = words_of_ints(DType::U64, &X);
    let x = op("REDUCE_MAX").fed(DType::U64, &[2, 3], large);
    let x = x.integers(&[1]).output(DType::U64, &[2]);
    gives(&x, DType::U64, &[-7, -128]);
}

#[test]
fn places_of_ends_of_rows_of_integers() {
    for dtype in [DType::I8, DType::I32, DType::I64] {
        let over = |kind: &str| {
            let x = op(kind).fed(dtype, &[2, 3], words_of_ints(dtype, &X));
            x.integers(&[1]).output(DType::I32, &[2])
        };
        gives(&over("ARG_MAX"), DType::I32, &[0, 1]);
        gives(&over("ARG_MIN"), DType::I32, &[1, 0]);
    }
    let last = OneOp::new(Dialect::Onnx { opset: 13 }, "ArgMax")
        .fed(DType::I32, &[2, 3], words_of_ints(DType::I32, &X))
        .int("axis", 1)
        .int("keepdims", 0)
        .int("select_last_index", 1)
        .output(DType::I64, &[2]);
    gives(&last, DType::I64, &[2, 1]);
}

#[test]
fn any_and_all_of_rows() {
    let x = [0, 1, 0, 1, 1, 1, 0, 0, 0];
    for (kind, expected) in [("REDUCE_ANY", [1, 1, 0]), ("REDUCE_ALL", [0, 1, 0])] {
        let x = words_of_ints(DType::Bool, &x);
        let over = op(kind).fed(DType::Bool, &[3, 3], x).integers(&[1]);
        gives(&over.output(DType::Bool, &[3]), DType::Bool, &expected);
    }
}

#[test]
fn one_hot_marks_places() {
    let indices = || op("ONE_HOT").fed(DType::I32, &[3], words_of_ints(DType::I32, &[1, 0, 5]));
    let (on, off) = (2.5, -1.0);
    let marked = indices().integers(&[2]).weights(&[], &[on]);
    let marked = marked.weights(&[], &[off]).int("axis", -1);
    let (on_cpu, on_gpu) = marked.output(DType::F32, &[3, 2]).run();
    let expected = words_of_floats(DType::F32, &[off, on, on, off, off, off]);
    for outputs in [Some(on_cpu), on_gpu].into_iter().flatten() {
        assert_eq!(outputs, std::slice::from_ref(&expected));
    }
}
