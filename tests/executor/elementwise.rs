//! Functions of one and two elements, in a plan that reuses memory.

use planner::Strategy;
use tests::onnx_builder::{DataType, OnnxBuilder, float, int};
use tests::runs::{Model, floats, gpu, words};

use crate::typed::{check, f32s, i8s, i64s};

/// y = relu(x + b) * x, by hand: x = [-2, 3, 0.5, -1], b = [1, -1] broadcast over rows.
fn model() -> Vec<u8> {
    let mut builder = OnnxBuilder::new("small", 17);
    let x = builder.input("x", DataType::FLOAT, &[2.into(), 2.into()]);
    let b = builder.floats("b", &[2], &[1.0, -1.0]);
    let sum = builder.op("sum", "Add", &[&x, &b], vec![]);
    let relu = builder.op("relu", "Relu", &[&sum], vec![]);
    let y = builder.op("y", "Mul", &[&relu, &x], vec![]);
    builder.output(&y, DataType::FLOAT, &[2.into(), 2.into()]);
    builder.finish()
}

// -2+1 -> 0 * -2 = -0; 3-1 = 2 * 3 = 6; 0.5+1 = 1.5 * 0.5 = 0.75; -1-1 -> 0 * -1 = -0.
const EXPECTED: [f32; 4] = [-0.0, 6.0, 0.75, -0.0];

#[test]
fn a_small_graph_computes_the_same_on_both_machines() {
    let model = Model::open(&model());
    let lowered = model.lowered(&model.plan(Strategy::OffsetsBySize)).unwrap();
    let x = [words(&[-2.0, 3.0, 0.5, -1.0])];
    let on_cpu = model.on_cpu(&lowered, &x);
    assert_eq!(floats(&on_cpu[0]), EXPECTED);
    if let Some(gpu) = gpu() {
        let on_gpu = model.on_gpu(&gpu, &lowered, &x, 0x7149_f2ca).unwrap();
        assert_eq!(floats(&on_gpu[0]), EXPECTED);
    }
}

#[test]
fn clip_takes_bounds_from_anywhere() {
    let x = || Some(f32s(&[4], &[-3.0, 0.5, 2.0, 9.0]));
    let bound = |value: f32| Some(f32s(&[], &[value]));
    let truth = |values: [f32; 4]| f32s(&[4], &values);
    check(
        "Clip",
        13,
        vec![],
        &[x(), bound(0.0), bound(6.0)],
        &truth([0.0, 0.5, 2.0, 6.0]),
    );
    check(
        "Clip",
        13,
        vec![],
        &[x(), bound(0.0)],
        &truth([0.0, 0.5, 2.0, 9.0]),
    );
    check(
        "Clip",
        13,
        vec![],
        &[x(), None, bound(1.0)],
        &truth([-3.0, 0.5, 1.0, 1.0]),
    );
    check("Clip", 13, vec![], &[x()], &truth([-3.0, 0.5, 2.0, 9.0]));
    // The upper bound wins where they are in the wrong order.
    check(
        "Clip",
        13,
        vec![],
        &[x(), bound(2.0), bound(1.0)],
        &truth([1.0; 4]),
    );
    let attributes = vec![float("min", -1.0), float("max", 1.5)];
    check("Clip", 6, attributes, &[x()], &truth([-1.0, 0.5, 1.5, 1.5]));
    let ints = Some(i8s(&[3], &[-100, 3, 100]));
    let inputs = [ints, Some(i8s(&[], &[-5])), Some(i8s(&[], &[5]))];
    check("Clip", 13, vec![], &inputs, &i8s(&[3], &[-5, 3, 5]));
}

#[test]
fn many_inputs_broadcast_into_one_output() {
    let scalar = || Some(f32s(&[], &[1.0]));
    let row = || Some(f32s(&[3], &[1.0, 5.0, -3.0]));
    let column = || Some(f32s(&[2, 1], &[2.0, -2.0]));
    let inputs = || [scalar(), row(), column()];
    // scalar + row + column: 1+1+2, 1+5+2, 1-3+2; 1+1-2, 1+5-2, 1-3-2.
    check(
        "Sum",
        13,
        vec![],
        &inputs(),
        &f32s(&[2, 3], &[4.0, 8.0, 0.0, 0.0, 4.0, -4.0]),
    );
    check(
        "Max",
        13,
        vec![],
        &inputs(),
        &f32s(&[2, 3], &[2.0, 5.0, 2.0, 1.0, 5.0, 1.0]),
    );
    check(
        "Min",
        13,
        vec![],
        &inputs(),
        &f32s(&[2, 3], &[1.0, 1.0, -3.0, -2.0, -2.0, -3.0]),
    );
    let four = [scalar(), row(), column(), Some(f32s(&[1], &[4.0]))];
    check(
        "Mean",
        13,
        vec![],
        &four,
        &f32s(&[2, 3], &[2.0, 3.0, 1.0, 1.0, 2.0, 0.0]),
    );
    check("Max", 13, vec![], &[row()], &f32s(&[3], &[1.0, 5.0, -3.0]));
    let ints = [
        Some(i64s(&[2], &[1, -9])),
        Some(i64s(&[1], &[-2])),
        Some(i64s(&[2], &[0, 7])),
    ];
    check("Max", 13, vec![], &ints, &i64s(&[2], &[1, 7]));
}

#[test]
fn slopes_and_second_inputs_of_old_versions_begin_at_the_channels() {
    let x = || Some(f32s(&[1, 2, 2], &[-1.0, 2.0, -3.0, 4.0]));
    let slopes = || Some(f32s(&[2], &[0.5, 10.0]));
    let truth = f32s(&[1, 2, 2], &[-0.5, 2.0, -30.0, 4.0]);
    check("PRelu", 6, vec![], &[x(), slopes()], &truth);
    // From version 7 on, along the last dimension.
    let truth = f32s(&[1, 2, 2], &[-0.5, 2.0, -1.5, 4.0]);
    check("PRelu", 16, vec![], &[x(), slopes()], &truth);
    let stretched = vec![int("broadcast", 1), int("axis", 1)];
    let truth = f32s(&[1, 2, 2], &[-0.5, 2.5, 7.0, 14.0]);
    check("Add", 6, stretched, &[x(), slopes()], &truth);
}

#[test]
fn shapes_of_rectifiers() {
    let x = || Some(f32s(&[4], &[-2.0, -0.5, 0.5, 2.0]));
    let one = |kind: &str, attributes, truth: [f32; 4]| {
        check(kind, 22, attributes, &[x()], &f32s(&[4], &truth));
    };
    one("ThresholdedRelu", vec![], [0.0, 0.0, 0.0, 2.0]);
    one(
        "Shrink",
        vec![float("lambd", 1.0), float("bias", 1.5)],
        [-0.5, 0.0, 0.0, 0.5],
    );
    one(
        "LeakyRelu",
        vec![float("alpha", 0.5)],
        [-1.0, -0.25, 0.5, 2.0],
    );
    one(
        "HardSigmoid",
        vec![float("alpha", 0.5), float("beta", 0.5)],
        [0.0, 0.25, 0.75, 1.0],
    );
    one("Sign", vec![], [-1.0, -1.0, 1.0, 1.0]);
    one(
        "Softsign",
        vec![],
        [-2.0 / 3.0, -0.5 / 1.5, 0.5 / 1.5, 2.0 / 3.0],
    );
}
