//! What runs are fed with.

use executor::verify::Inputs;
use executor::verify::inputs::{below, seeded, words};
use planner::graph::TensorId;
use tests::onnx_builder::{Axis, DataType, OnnxBuilder, int};
use tests::runs::{Model, floats};

fn fixed(dims: &[i64]) -> Vec<Axis> {
    dims.iter().copied().map(Axis::Fixed).collect()
}

/// A float, a truth value, token ids through Unsqueeze into a table of 7 rows and through
/// Cast along the second axis (of 5) of another, and an integer that indexes nothing.
fn model() -> Model {
    let mut builder = OnnxBuilder::new("inputs", 17);
    builder.input("x", DataType::FLOAT, &fixed(&[64, 64]));
    builder.input("mask", DataType::BOOL, &fixed(&[9]));
    builder.input("ids", DataType::INT64, &fixed(&[40]));
    builder.input("count", DataType::INT32, &fixed(&[40]));
    let table = builder.weight("table", &[7, 4]);
    let other = builder.weight("other", &[11, 5]);
    let axes = builder.ints("axes", &[1], &[0]);
    let row = builder.op("row", "Unsqueeze", &["ids", &axes], vec![]);
    let y = builder.op("y", "Gather", &[&table, &row], vec![]);
    builder.output(&y, DataType::FLOAT, &fixed(&[1, 40, 4]));
    let cast = builder.op("cast", "Cast", &["ids"], vec![int("to", 6)]);
    let z = builder.op("z", "Gather", &[&other, &cast], vec![int("axis", -1)]);
    builder.output(&z, DataType::FLOAT, &fixed(&[11, 40]));
    let x = builder.op("relu", "Relu", &["x"], vec![]);
    builder.output(&x, DataType::FLOAT, &fixed(&[64, 64]));
    Model::open(&builder.finish())
}

fn input(model: &Model, name: &str) -> TensorId {
    let mut inputs = model.program.graph.inputs.iter().copied();
    let found = inputs.find(|&id| model.program.graph.tensor(id).name == name);
    found.unwrap()
}

#[test]
fn integers_stay_below_the_smallest_axis_that_they_index() {
    let model = model();
    assert_eq!(below(&model.program.graph, input(&model, "ids")), 5);
    assert_eq!(below(&model.program.graph, input(&model, "count")), 2);
    assert_eq!(below(&model.program.graph, input(&model, "mask")), 2);
    let ids = seeded(&model.program.graph, input(&model, "ids"), 3);
    // 40 64-bit integers: the low word holds the value, the high one is zero.
    assert_eq!(ids.len(), 80);
    let values: Vec<u32> = ids.chunks_exact(2).map(|pair| pair[0]).collect();
    assert!(ids.chunks_exact(2).all(|pair| pair[1] == 0));
    for value in 0..5 {
        assert!(values.contains(&value), "{value} never comes");
    }
    assert!(values.iter().all(|&value| value < 5));
}

#[test]
fn truth_values_are_0_and_1_and_packed() {
    let model = model();
    let mask = seeded(&model.program.graph, input(&model, "mask"), 3);
    // Nine bytes take three words.
    assert_eq!(mask.len(), 3);
    let bytes: Vec<u8> = mask.iter().flat_map(|word| word.to_le_bytes()).collect();
    assert!(bytes.iter().all(|&byte| byte <= 1));
    assert!(bytes[..9].contains(&0) && bytes[..9].contains(&1));
    assert_eq!(bytes[9..], [0, 0, 0]);
}

#[test]
fn floats_have_mean_0_and_deviation_1() {
    let model = model();
    let values = floats(&seeded(&model.program.graph, input(&model, "x"), 3));
    assert_eq!(values.len(), 4096);
    let mean = values.iter().sum::<f32>() / 4096.0;
    let square = values.iter().map(|value| value * value).sum::<f32>() / 4096.0;
    // Of 4096 values the mean deviates by 1/64, the mean square by sqrt(2)/64: five times that.
    assert!(mean.abs() < 0.08, "mean {mean}");
    assert!((square - 1.0).abs() < 0.11, "mean square {square}");
}

#[test]
fn what_the_caller_gives_is_taken_and_the_rest_is_seeded() {
    let model = model();
    let seeded = words(&model.program.graph, &Inputs::Seeded(0));
    let given = vec![None, Some(vec![1, 2, 3])];
    let mixed = words(&model.program.graph, &Inputs::Given(given));
    assert_eq!(mixed[1], [1, 2, 3]);
    assert_eq!(mixed[0], seeded[0]);
    assert_eq!(mixed[2..], seeded[2..]);
    let other = words(&model.program.graph, &Inputs::Seeded(1));
    assert_ne!(other[0], seeded[0]);
}
