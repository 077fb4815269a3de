//! Softmax and normalization: values by hand, and the GPU against the CPU reference.

use tests::random::Random;
use tests::runs::{floats, gpu};

use crate::operator::{Operator, close, numbers};

fn logarithms<const N: usize>(x: [f32; N]) -> [f32; N] {
    x.map(f32::ln)
}

#[test]
fn softmax_before_and_since_operator_set_13() {
    // exp undoes the logarithm, so that softmax gives shares of these.
    let x = logarithms([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
    let op = |opset| {
        Operator::onnx(opset, "Softmax")
            .fed(&[2, 2, 2], &x)
            .floats_out()
    };
    let matrix = [1.0, 2.0, 3.0, 4.0].map(|x| x / 10.0);
    let matrix: Vec<f32> = matrix
        .into_iter()
        .chain([5.0, 6.0, 7.0, 8.0].map(|x| x / 26.0))
        .collect();
    op(11).gives(&[&matrix]);
    op(11).with("axis", -2).gives(&[&matrix]);
    let whole = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0].map(|x| x / 36.0);
    op(11).with("axis", 0).gives(&[&whole]);
    let pairs = [3.0, 3.0, 7.0, 7.0, 11.0, 11.0, 15.0, 15.0];
    let pairs: Vec<f32> = pairs
        .iter()
        .zip(1_u8..)
        .map(|(sum, x)| f32::from(x) / sum)
        .collect();
    op(13).gives(&[&pairs]);
    let middle = [4.0, 6.0, 4.0, 6.0, 12.0, 14.0, 12.0, 14.0];
    let middle: Vec<f32> = middle
        .iter()
        .zip(1_u8..)
        .map(|(sum, x)| f32::from(x) / sum)
        .collect();
    op(13).with("axis", 1).gives(&[&middle]);
}

#[test]
fn softmax_does_not_overflow() {
    let share = 1.0 / (1.0 + std::f32::consts::E);
    let op = Operator::onnx(13, "Softmax").fed(&[2], &[10_000.0, 10_001.0]);
    op.floats_out().gives(&[&[share, 1.0 - share]]);
    let op = Operator::onnx(13, "LogSoftmax").fed(&[2], &[-10_000.0, 10_000.0]);
    op.floats_out().gives(&[&[-20_000.0, 0.0]]);
}

#[test]
fn log_softmax_and_beta() {
    let x = logarithms([1.0, 2.0, 5.0]);
    let shares = logarithms([0.125, 0.25, 0.625]);
    let op = Operator::onnx(13, "LogSoftmax").fed(&[3], &x);
    op.floats_out().gives(&[&shares]);
    let op = Operator::tflite("LOG_SOFTMAX").fed(&[1, 3], &x);
    op.floats_out().gives(&[&shares]);
    // Beta 2 squares: 1, 4, 25 of 30.
    let op = Operator::tflite("SOFTMAX")
        .fed(&[1, 3], &x)
        .with("beta", 2.0_f32);
    op.floats_out()
        .gives(&[&[1.0 / 30.0, 4.0 / 30.0, 25.0 / 30.0]]);
}

#[test]
fn softmax_of_a_long_row_is_a_geometric_series() {
    // Each element is half the one before, so the shares are 1/2, 1/4, 1/8, ...
    let x: Vec<f32> = (0..1000_u16)
        .map(|i| -f32::from(i) * std::f32::consts::LN_2)
        .collect();
    let shares: Vec<f32> = (0..1000).map(|i| 0.5_f32.powi(i + 1)).collect();
    let op = Operator::onnx(13, "Softmax").fed(&[1, 1000], &x);
    op.floats_out().gives(&[&shares]);
}

/// Mean 2 and deviation 1, mean 5 and deviation 3.
const X: [f32; 4] = [1.0, 3.0, 2.0, 8.0];

#[test]
fn layer_normalization_with_mean_and_inverse_deviation() {
    let op = Operator::onnx(17, "LayerNormalization")
        .fed(&[2, 2], &X)
        .weights(&[2], &[2.0, 3.0])
        .weights(&[2], &[10.0, 20.0])
        .with("epsilon", 0.0_f32);
    let op = op.floats_out().floats_out().floats_out();
    op.gives(&[&[8.0, 23.0, 8.0, 23.0], &[2.0, 5.0], &[1.0, 1.0 / 3.0]]);
    // Epsilon 3 makes the deviations sqrt(1 + 3) and sqrt(9 + 3); no bias.
    let op = Operator::onnx(17, "LayerNormalization")
        .fed(&[2, 2], &X)
        .weights(&[2], &[1.0, 1.0])
        .with("epsilon", 3.0_f32);
    let far = 3.0 / 12.0_f32.sqrt();
    op.floats_out().gives(&[&[-0.5, 0.5, -far, far]]);
}

#[test]
fn scales_of_layers_broadcast() {
    let op = |dims: &[u64], scale: &[f32]| {
        let op = Operator::onnx(17, "LayerNormalization").fed(&[1, 2, 2], &[1.0, 3.0, 3.0, 1.0]);
        let op = op.weights(dims, scale).with("axis", 1);
        op.with("epsilon", 0.0_f32).floats_out()
    };
    op(&[1], &[5.0]).gives(&[&[-5.0, 5.0, 5.0, -5.0]]);
    op(&[2], &[5.0, 6.0]).gives(&[&[-5.0, 6.0, 5.0, -6.0]]);
    op(&[2, 1], &[5.0, 6.0]).gives(&[&[-5.0, 5.0, 6.0, -6.0]]);
    op(&[2, 2], &[5.0, 6.0, 7.0, 8.0]).gives(&[&[-5.0, 6.0, 7.0, -8.0]]);
}

#[test]
fn long_rows_are_normalized() {
    // Mean 2 and deviation 1.
    let x: Vec<f32> = (0..300)
        .map(|i| if i % 2 == 0 { 1.0 } else { 3.0 })
        .collect();
    let y: Vec<f32> = (0..300)
        .map(|i| if i % 2 == 0 { -2.0 } else { 2.0 })
        .collect();
    let op = Operator::onnx(17, "LayerNormalization")
        .fed(&[1, 300], &x)
        .weights(&[300], &[2.0; 300])
        .with("epsilon", 0.0_f32);
    op.floats_out().gives(&[&y]);
}

#[test]
fn root_mean_square_normalization() {
    // The mean square of 1 and 7 is 25, with epsilon 75 it is 100.
    let op = |epsilon: f32| {
        let op = Operator::onnx(23, "RMSNormalization").fed(&[1, 2], &[1.0, 7.0]);
        op.weights(&[2], &[1.0, 10.0])
            .with("epsilon", epsilon)
            .floats_out()
    };
    op(0.0).gives(&[&[0.2, 14.0]]);
    op(75.0).gives(&[&[0.1, 7.0]]);
}

#[test]
fn instances_and_groups_have_their_own_scales() {
    let op = |opset, kind, dims: &[u64], scale: &[f32], bias: &[f32]| {
        let channels = &[scale.len() as u64];
        let op = Operator::onnx(opset, kind)
            .fed(dims, &X)
            .weights(channels, scale);
        op.weights(channels, bias)
            .with("epsilon", 0.0_f32)
            .floats_out()
    };
    let instance = op(
        6,
        "InstanceNormalization",
        &[1, 2, 2],
        &[2.0, 3.0],
        &[10.0, 20.0],
    );
    instance.gives(&[&[8.0, 12.0, 17.0, 23.0]]);
    let by_group = op(
        18,
        "GroupNormalization",
        &[1, 4, 1],
        &[2.0, 3.0],
        &[10.0, 20.0],
    );
    by_group
        .with("num_groups", 2)
        .gives(&[&[8.0, 12.0, 17.0, 23.0]]);
    let (scale, bias) = ([1.0, 2.0, 3.0, 4.0], [0.0, 0.0, 10.0, 10.0]);
    let by_channel = op(21, "GroupNormalization", &[1, 4, 1], &scale, &bias);
    by_channel
        .with("num_groups", 2)
        .gives(&[&[-1.0, 2.0, 7.0, 14.0]]);
}

fn batch_norm() -> Operator {
    // (x - 1) / sqrt(3 + 1) * 4 + 5 and (x - 2) / sqrt(8 + 1) * -3.
    Operator::onnx(15, "BatchNormalization")
        .fed(&[1, 2, 2], &X)
        .weights(&[2], &[4.0, -3.0])
        .weights(&[2], &[5.0, 0.0])
        .weights(&[2], &[1.0, 2.0])
        .weights(&[2], &[3.0, 8.0])
        .with("epsilon", 1.0_f32)
        .floats_out()
}

#[test]
fn batch_normalization_infers_and_refuses_to_train() {
    batch_norm().gives(&[&[5.0, 9.0, 0.0, -6.0]]);
    let training = batch_norm().with("training_mode", 1);
    assert!(training.refused().contains("training mode"));
}

#[test]
fn norms() {
    let lp = |p: i64, x: &[f32], axis: i64| {
        let op = Operator::onnx(22, "LpNormalization").fed(&[2, 2], x);
        op.with("p", p).with("axis", axis).floats_out()
    };
    lp(1, &[1.0, -3.0, 0.0, 0.0], -1).gives(&[&[0.25, -0.75, 0.0, 0.0]]);
    lp(2, &[3.0, 0.0, 4.0, 5.0], 0).gives(&[&[0.6, 0.0, 0.8, 1.0]]);
    assert!(lp(3, &[0.0; 4], 0).refused().contains("order 3"));
    let l2 = Operator::tflite("L2_NORMALIZATION").fed(&[2, 2], &[3.0, 4.0, 0.0, 0.0]);
    l2.floats_out().gives(&[&[0.6, 0.8, 0.0, 0.0]]);
    // Over batch and space, one channel after the other.
    let mv =
        Operator::onnx(13, "MeanVarianceNormalization").fed(&[2, 2, 1, 1], &[1.0, 2.0, 3.0, 8.0]);
    mv.floats_out().gives(&[&[-1.0, -1.0, 1.0, 1.0]]);
}

#[test]
fn rows_along_any_axis_agree_with_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let mut random = Random::new(9);
    for case in 0..60_u32 {
        let rank = 1 + random.index(6);
        let mut dims: Vec<u64> = (0..rank).map(|_| 1 + random.below(5)).collect();
        let axis = random.index(rank);
        if case % 3 == 0 {
            dims[axis] = 100 + random.below(200);
        }
        let x = numbers(&mut random, &dims);
        let along = i64::try_from(axis).expect("a small number");
        let old = if case % 2 == 0 { 11 } else { 13 };
        let op = match case % 5 {
            0 => Operator::onnx(old, "Softmax").fed(&dims, &x),
            1 => Operator::onnx(old, "LogSoftmax").fed(&dims, &x),
            2 => Operator::onnx(17, "LpNormalization").fed(&dims, &x),
            _ => {
                let count = dims[axis..].iter().product::<u64>();
                let kind = if case % 5 == 3 {
                    "LayerNormalization"
                } else {
                    "RMSNormalization"
                };
                let op = Operator::onnx(23, kind).fed(&dims, &x);
                op.weights(&dims[axis..], &numbers(&mut random, &[count]))
            }
        };
        let (on_cpu, on_gpu) = op.with("axis", along).floats_out().run(Some(&gpu));
        let on_gpu = on_gpu.expect("there is one");
        // Sums of some thousand terms in another order, and the shader's exp.
        close(&floats(&on_gpu[0]), &floats(&on_cpu[0]), 2e-5);
    }
}
