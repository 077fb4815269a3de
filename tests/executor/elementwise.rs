//! Functions of one and two elements, in a plan that reuses memory.

use planner::strategies::Strategy;
use tests::onnx_builder::{DataType, OnnxBuilder};
use tests::runs::{Model, floats, gpu, words};

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
    let on_twins = model.on_twins(&lowered, &x);
    assert_eq!(floats(&on_twins[0]), EXPECTED);
    if let Some(gpu) = gpu() {
        let on_gpu = model.on_gpu(&gpu, &lowered, &x, 0x7149_f2ca).unwrap();
        assert_eq!(floats(&on_gpu[0]), EXPECTED);
    }
}
