//! Stand-ins for weights that a file does not hold: their mean and deviation follow from what
//! reads them, so that no signal vanishes or explodes on its way through a deep model.

use executor::arena::Memory;
use executor::lower::Lowered;
use executor::recording::{Origin, Upload};
use executor::reference;
use executor::supply::{Supply, folded, seeded_words};
use planner::Strategy;
use tests::onnx_builder::{Axis, DataType, OnnxBuilder, int, ints};
use tests::runs::Model;

use crate::tflite_builder::{Model as File, Operator, Tensor};

fn lowered(bytes: &[u8]) -> (Model, Lowered) {
    let model = Model::open(bytes);
    let lowered = model.lowered(&model.plan(Strategy::OffsetsBySize)).unwrap();
    (model, lowered)
}

/// Mean and deviation of the constant called `name`.
fn seeds(uploads: &[Upload], name: &str) -> (f32, f32) {
    let upload = uploads.iter().find(|upload| upload.operand.name == name);
    match upload.map(|upload| &upload.origin) {
        Some(&Origin::Seeded { scale, around, .. }) => (around, scale),
        other => panic!("{name} comes from {other:?}"),
    }
}

fn near(found: f32, expected: f32) -> bool {
    (found - expected).abs() < 1e-6
}

#[test]
fn weights_of_onnx_are_scaled_by_what_one_output_adds_up() {
    let mut net = OnnxBuilder::new("fan-in", 17);
    let x = net.input("x", DataType::FLOAT, &[1, 4, 6, 6].map(Axis::from));
    let (w, bias) = (net.weight("conv", &[8, 2, 3, 3]), net.weight("bias", &[8]));
    let grouped = vec![int("group", 2), ints("pads", &[1, 1, 1, 1])];
    let conv = net.op("c", "Conv", &[&x, &w, &bias], grouped);
    let norm = ["scale", "shift", "mean", "variance"].map(|name| net.weight(name, &[8]));
    let [a, b, c, d] = &norm;
    let norm = net.op("n", "BatchNormalization", &[&conv, a, b, c, d], vec![]);
    let relu = net.op("r", "Relu", &[&norm], vec![]);
    let slope = net.weight("slope", &[8, 1, 1]);
    let prelu = net.op("p", "PRelu", &[&relu, &slope], vec![]);
    let w = net.weight("transposed", &[8, 5, 2, 2]);
    let up = net.op(
        "u",
        "ConvTranspose",
        &[&prelu, &w],
        vec![ints("strides", &[2, 2])],
    );
    let flat = net.op("f", "Flatten", &[&up], vec![]);
    let w = net.weight("gemm", &[10, 720]);
    let dense = net.op("g", "Gemm", &[&flat, &w], vec![int("transB", 1)]);
    let w = net.weight("matmul", &[10, 3]);
    let y = net.op("y", "MatMul", &[&dense, &w], vec![]);
    net.output(&y, DataType::FLOAT, &[1, 3].map(Axis::from));
    let (_, lowered) = lowered(&net.finish());
    let check = |name, around: f32, scale: f32| {
        let (mean, deviation) = seeds(&lowered.recording.uploads, name);
        assert!(
            near(mean, around) && near(deviation, scale),
            "{name}: {mean} ± {deviation}"
        );
    };
    // 2 channels of 9 taps, and a rectifier that halves the variance follows.
    check("conv", 0.0, (2.0_f32 / 18.0).sqrt());
    check("bias", 0.0, 0.1);
    check("scale", 1.0, 0.1);
    check("shift", 0.0, 0.1);
    check("mean", 0.0, 0.1);
    check("variance", 1.0, 0.1);
    check("slope", 0.25, 0.05);
    // Of 4 taps over 8 channels, stride 2 by 2 leaves each output one.
    check("transposed", 0.0, (1.0_f32 / 8.0).sqrt());
    check("gemm", 0.0, (1.0_f32 / 720.0).sqrt());
    check("matmul", 0.0, (1.0_f32 / 10.0).sqrt());
}

#[test]
fn weights_of_tflite_are_scaled_by_their_layout() {
    let tensor = |name, shape: &[i32]| Tensor {
        name,
        shape: shape.to_vec(),
        ..Tensor::default()
    };
    let op = |code, inputs: &[i32], output, options| Operator {
        code,
        inputs: inputs.to_vec(),
        outputs: vec![output],
        options: Some(options),
    };
    // 1 by 1 strides in the fields of CONV_2D and DEPTHWISE_CONV_2D; RELU6 is number 3.
    let file = File {
        codes: vec![(3, ""), (4, ""), (9, "")],
        tensors: vec![
            tensor("x", &[1, 6, 6, 3]),
            tensor("conv", &[8, 3, 3, 3]),
            tensor("a", &[1, 6, 6, 8]),
            tensor("depthwise", &[1, 3, 3, 8]),
            tensor("b", &[1, 6, 6, 8]),
            tensor("dense", &[5, 288]),
            tensor("y", &[1, 5]),
        ],
        inputs: vec![0],
        outputs: vec![6],
        operators: vec![
            op(0, &[0, 1], 2, (1, vec![(1, 1), (2, 1), (3, 3)])),
            op(1, &[2, 3], 4, (2, vec![(1, 1), (2, 1), (3, 1)])),
            op(2, &[4, 5], 6, (8, vec![])),
        ],
        buffers: vec![],
        ..File::default()
    };
    let (_, lowered) = lowered(&file.bytes());
    let check = |name, scale: f32| {
        let (mean, deviation) = seeds(&lowered.recording.uploads, name);
        assert!(
            near(mean, 0.0) && near(deviation, scale),
            "{name}: {mean} ± {deviation}"
        );
    };
    check("conv", (2.0_f32 / 27.0).sqrt());
    check("depthwise", (1.0_f32 / 9.0).sqrt());
    check("dense", (1.0_f32 / 288.0).sqrt());
}

/// Runs a model on the CPU reference and checks what every step but a Softmax writes.
fn check_signal(bytes: &[u8], below: u64) {
    let (model, lowered) = lowered(bytes);
    let recording = &lowered.recording;
    let inputs: Vec<Vec<u32>> = (0..)
        .zip(
            recording
                .uploads
                .iter()
                .filter(|upload| matches!(upload.origin, Origin::Input(_))),
        )
        .map(|(seed, upload)| seeded_words(upload.operand.dtype, seed, upload.operand.len(), below))
        .collect();
    let folded = folded(&lowered, Some(&model.bytes)).unwrap();
    let supply = Supply {
        file: Some(&model.bytes),
        inputs: &inputs,
        folded: &folded,
    };
    let mut memory = Memory::of(recording);
    supply.fill(&recording.uploads, &mut memory).unwrap();
    for upload in &recording.uploads {
        let values = memory.floats(&upload.operand);
        let first = values.first().copied().unwrap_or_default();
        let equal = values
            .iter()
            .all(|value| value.to_bits() == first.to_bits());
        assert!(
            values.len() < 2 || !equal,
            "{} is {first} everywhere",
            upload.operand.name
        );
    }
    for step in &recording.steps {
        reference::step(step, &mut memory);
        if step.kind == "Softmax" {
            continue;
        }
        for written in &step.writes {
            let values = memory.floats(written);
            let squares = values.iter().map(|&value| f64::from(value).powi(2));
            let size = (squares.sum::<f64>() / values.len() as f64).sqrt();
            assert!(
                (0.02..50.0).contains(&size),
                "{} has size {size}",
                written.name
            );
        }
    }
}

#[test]
fn signals_pass_a_deep_convolutional_network() {
    // SqueezeNet 1.1 (Iandola et al. 2016) with a quarter of the channels, on 32 pixels.
    let mut net = OnnxBuilder::new("squeezenet", 17);
    let mut x = net.input("x", DataType::FLOAT, &[1, 3, 32, 32].map(Axis::from));
    let conv = |net: &mut OnnxBuilder, name: &str, x: &str, dims: [i64; 4]| {
        let (w, b) = (
            net.weight(&format!("{name}.w"), &dims),
            net.weight(&format!("{name}.b"), &dims[..1]),
        );
        let pad = dims[2] / 2;
        let y = net.op(name, "Conv", &[x, &w, &b], vec![ints("pads", &[pad; 4])]);
        net.op(&format!("{name}.relu"), "Relu", &[&y], vec![])
    };
    x = conv(&mut net, "first", &x, [16, 3, 3, 3]);
    let mut channels = 16;
    for (index, (squeezed, expanded)) in [
        (4, 16),
        (4, 16),
        (8, 32),
        (8, 32),
        (12, 48),
        (12, 48),
        (16, 64),
        (16, 64),
    ]
    .into_iter()
    .enumerate()
    {
        if [0, 2, 4].contains(&index) {
            let window = vec![ints("kernel_shape", &[3, 3]), ints("strides", &[2, 2])];
            x = net.op(&format!("pool{index}"), "MaxPool", &[&x], window);
        }
        let name = |part: &str| format!("fire{index}.{part}");
        let squeeze = conv(&mut net, &name("squeeze"), &x, [squeezed, channels, 1, 1]);
        let one = conv(&mut net, &name("one"), &squeeze, [expanded, squeezed, 1, 1]);
        let three = conv(
            &mut net,
            &name("three"),
            &squeeze,
            [expanded, squeezed, 3, 3],
        );
        x = net.op(
            &name("concat"),
            "Concat",
            &[&one, &three],
            vec![int("axis", 1)],
        );
        channels = 2 * expanded;
    }
    x = conv(&mut net, "last", &x, [100, channels, 1, 1]);
    let y = net.op("pool", "GlobalAveragePool", &[&x], vec![]);
    net.output(&y, DataType::FLOAT, &[1, 100, 1, 1].map(Axis::from));
    check_signal(&net.finish(), 1);
}

#[test]
fn signals_pass_two_layers_of_a_transformer() {
    const WIDTH: i64 = 32;
    let mut net = OnnxBuilder::new("transformer", 17);
    let ids = net.input("ids", DataType::INT64, &[1, 8].map(Axis::from));
    let table = net.weight("table", &[50, WIDTH]);
    let mut x = net.op("embed", "Gather", &[&table, &ids], vec![]);
    let linear = |net: &mut OnnxBuilder, name: &str, x: &str, from: i64, to: i64| {
        let (w, b) = (
            net.weight(&format!("{name}.w"), &[from, to]),
            net.weight(&format!("{name}.b"), &[to]),
        );
        let y = net.op(&format!("{name}.product"), "MatMul", &[x, &w], vec![]);
        net.op(name, "Add", &[&y, &b], vec![])
    };
    for layer in 0..2 {
        let name = |part: &str| format!("layer{layer}.{part}");
        let norm = |net: &mut OnnxBuilder, part: &str, x: &str| {
            let (gamma, beta) = (
                net.weight(&name(&format!("{part}.gamma")), &[WIDTH]),
                net.weight(&name(&format!("{part}.beta")), &[WIDTH]),
            );
            net.op(
                &name(part),
                "LayerNormalization",
                &[x, &gamma, &beta],
                vec![],
            )
        };
        let normed = norm(&mut net, "norm1", &x);
        let [q, k, v] =
            ["q", "k", "v"].map(|part| linear(&mut net, &name(part), &normed, WIDTH, WIDTH));
        let turned = net.op(
            &name("turned"),
            "Transpose",
            &[&k],
            vec![ints("perm", &[0, 2, 1])],
        );
        let scores = net.op(&name("scores"), "MatMul", &[&q, &turned], vec![]);
        let root = net.floats(&name("root"), &[], &[5.656_854]);
        let scores = net.op(&name("scaled"), "Div", &[&scores, &root], vec![]);
        let shares = net.op(&name("shares"), "Softmax", &[&scores], vec![]);
        let mixed = net.op(&name("mixed"), "MatMul", &[&shares, &v], vec![]);
        let out = linear(&mut net, &name("out"), &mixed, WIDTH, WIDTH);
        x = net.op(&name("sum1"), "Add", &[&x, &out], vec![]);
        let normed = norm(&mut net, "norm2", &x);
        let wide = linear(&mut net, &name("up"), &normed, WIDTH, 4 * WIDTH);
        let wide = net.op(&name("gelu"), "Erf", &[&wide], vec![]);
        let narrow = linear(&mut net, &name("down"), &wide, 4 * WIDTH, WIDTH);
        x = net.op(&name("sum2"), "Add", &[&x, &narrow], vec![]);
    }
    net.output(&x, DataType::FLOAT, &[1, 8, WIDTH].map(Axis::from));
    check_signal(&net.finish(), 50);
}
