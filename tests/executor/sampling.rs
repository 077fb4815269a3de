//! Sampling where other tensors say, overlapping blocks, and Fourier transforms, beyond what
//! ONNX's node cases have: more images, channels and groups than one.

use planner::graph::DType;
use tests::random::Random;
use tests::runs::{floats, gpu};

use crate::operator::{Operator, close};

/// Elements of some tensor, from -1 to 1.
fn some(random: &mut Random, count: usize) -> Vec<f32> {
    let element = |_index| random.below(2001) as f32 / 1000.0 - 1.0;
    (0..count).map(element).collect()
}

#[expect(clippy::cast_possible_truncation, reason = "the kernels give f32")]
fn narrow(value: f64) -> f32 {
    value as f32
}

/// The first output on both machines.
fn outputs(operator: &Operator) -> Vec<Vec<f32>> {
    let (on_cpu, on_gpu) = operator.run(gpu().as_ref());
    let runs = [Some(on_cpu), on_gpu].into_iter().flatten();
    runs.map(|outputs| floats(&outputs[0])).collect()
}

/// A window that is not shifted is that of a convolution.
#[test]
fn deformed_convolutions_without_shifts_are_convolutions() {
    let mut random = Random::new(3);
    let x = some(&mut random, 2 * 4 * 6 * 7);
    let w = some(&mut random, 6 * 2 * 2 * 3);
    let bias = some(&mut random, 6);
    let like = |kind: &str| {
        Operator::onnx(19, kind)
            .fed(&[2, 4, 6, 7], &x)
            .weights(&[6, 2, 2, 3], &w)
    };
    let with = |operator: Operator| {
        let operator = operator.with("group", 2).with("pads", &[1, 0, 1, 2][..]);
        let operator = operator.with("strides", &[2, 1][..]);
        operator.with("dilations", &[1, 2][..]).floats_out()
    };
    let plain = with(like("Conv").weights(&[6], &bias));
    // 4 rows and 5 columns; two groups of channels are shifted apart.
    let pixels = 4 * 5;
    let shifted = like("DeformConv")
        .fed(&[2, 24, 4, 5], &vec![0.0; 2 * 24 * pixels])
        .weights(&[6], &bias)
        .fed(&[2, 12, 4, 5], &vec![1.0; 2 * 12 * pixels]);
    let shifted = with(shifted.with("offset_group", 2));
    let expected = outputs(&plain);
    for found in outputs(&shifted) {
        close(&found, &expected[0], 1e-5);
    }
}

/// By rows and columns of halves the mean of neighbours.
#[test]
fn grids_name_places_of_every_image() {
    let mut random = Random::new(4);
    let x = some(&mut random, 2 * 3 * 2 * 2);
    // The four corners, then the middle, of the first image; the other way round of the second.
    let places = [-1.0, -1.0, 1.0, -1.0, -1.0, 1.0, 1.0, 1.0, 0.0, 0.0];
    let turned = [0.0, 0.0, 1.0, 1.0, -1.0, 1.0, 1.0, -1.0, -1.0, -1.0];
    let sampled = Operator::onnx(20, "GridSample")
        .fed(&[2, 3, 2, 2], &x)
        .fed(&[2, 1, 5, 2], &[places, turned].concat())
        .with("align_corners", 1);
    let mut expected = Vec::new();
    for (image, x) in x.chunks(12).enumerate() {
        for x in x.chunks(4) {
            let mean = x.iter().sum::<f32>() / 4.0;
            let mut own = [x, &[mean]].concat();
            if image == 1 {
                own.reverse();
            }
            expected.extend(own);
        }
    }
    sampled.floats_out().gives(&[&expected]);
}

/// Every image and channel by itself; blocks of 2 x 2 one pixel apart.
#[test]
fn overlapping_blocks_add_up() {
    let mut random = Random::new(5);
    let (images, channels, steps) = (2, 3, 4);
    let x = some(&mut random, images * channels * 4 * steps);
    let mut expected = vec![0.0; images * channels * 9];
    for (plane, x) in x.chunks(4 * steps).enumerate() {
        for (at, value) in x.iter().enumerate() {
            let (tap, block) = (at / steps, at % steps);
            let (row, column) = (tap / 2 + block / 2, tap % 2 + block % 2);
            expected[plane * 9 + row * 3 + column] += value;
        }
    }
    let added = Operator::onnx(18, "Col2Im").fed(&[2, 12, 4], &x);
    let added = added.ints(&[2], &[3, 3]).ints(&[2], &[2, 2]);
    added.floats_out().gives(&[&expected]);
}

/// Zeros are put after a signal that is too short, and the end of a long one is left out.
#[test]
fn transforms_of_other_lengths_than_the_signal() {
    let x = [1.0, -2.0, 3.0, 0.5, -1.0, 2.0_f32];
    for length in [4_i64, 6, 9] {
        let transformed = Operator::onnx(20, "DFT").fed(&[2, 3, 1], &x);
        let transformed = transformed.ints(&[], &[length]).ints(&[], &[1]);
        let mut expected = Vec::new();
        for signal in x.chunks(3) {
            for bin in 0..length {
                let (mut real, mut imaginary) = (0.0, 0.0);
                for (n, &value) in (0..length).zip(signal) {
                    let angle = std::f64::consts::TAU * (bin * n) as f64 / length as f64;
                    real += f64::from(value) * angle.cos();
                    imaginary -= f64::from(value) * angle.sin();
                }
                expected.extend([narrow(real), narrow(imaginary)]);
            }
        }
        transformed.floats_out().gives(&[&expected]);
    }
}

/// Of all but the targets that do not count.
#[test]
fn losses_over_many_targets() {
    let mut random = Random::new(6);
    let (batch, classes) = (70, 11);
    let x = some(&mut random, batch * classes);
    let targets: Vec<i64> = (0..batch)
        .map(|_index| random.below(11).cast_signed())
        .collect();
    let loss = Operator::onnx(13, "SoftmaxCrossEntropyLoss")
        .fed(&[70, 11], &x)
        .fed_ints(&[70], &targets)
        .with("ignore_index", 3);
    let each = x
        .chunks(classes)
        .zip(&targets)
        .filter(|(_, target)| **target != 3);
    let each = each.map(|(x, &target)| {
        let sum: f64 = x.iter().map(|&x| f64::from(x).exp()).sum();
        sum.ln() - f64::from(x[usize::try_from(target).unwrap()])
    });
    let each: Vec<f64> = each.collect();
    let mean = each.iter().sum::<f64>() / each.len() as f64;
    loss.output(DType::F32).gives(&[&[narrow(mean)]]);
}
