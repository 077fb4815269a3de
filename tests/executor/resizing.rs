//! Resize, Upsample and TFLite's resizes against figures by hand and against the definition
//! in f64.

use planner::graph::{DType, Dialect};
use tests::one_op::OneOp;
use tests::random::Random;

const ONNX: Dialect = Dialect::Onnx { opset: 19 };

/// Resize of a row of two dimensions of 1 in front, by scales.
fn row(values: &[f32], scale: f32, size: usize) -> OneOp {
    OneOp::new(ONNX, "Resize")
        .input(&[1, 1, values.len()], values)
        .weights(&[0], &[])
        .weights(&[3], &[1.0, 1.0, scale])
        .output(DType::F32, &[1, 1, size])
}

const FOUR: [f32; 4] = [1.0, 2.0, 3.0, 4.0];

/// Twice as long: centres lie at -1/4, 1/4, 3/4, ... of the input.
#[test]
fn a_row_twice_as_long() {
    let linear = row(&FOUR, 2.0, 8).text("mode", "linear");
    linear
        .clone()
        .check(&[1.0, 1.25, 1.75, 2.25, 2.75, 3.25, 3.75, 4.0], 1e-6);
    // Divided by the scale: 0, 1/2, 1, ...; after the last element is the last.
    let linear = linear.text("coordinate_transformation_mode", "asymmetric");
    linear.check(&[1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.0], 1e-6);
    // With a = -1/2 Keys' cubic keeps straight lines: 2.5 ± 1/4 between the inner two.
    let cubic = row(&FOUR, 2.0, 8)
        .text("mode", "cubic")
        .float("cubic_coeff_a", -0.5);
    let (on_cpu, on_gpu) = cubic.run();
    for outputs in [Some(on_cpu), on_gpu].into_iter().flatten() {
        let y = tests::runs::floats(&outputs[0]);
        assert!(
            (y[3] - 2.25).abs() < 1e-6 && (y[4] - 2.75).abs() < 1e-6,
            "{y:?}"
        );
    }
}

/// Divided by two, every second element lies halfway between two.
#[test]
fn nearest_breaks_ties_as_specified() {
    let nearest = |mode: &str| {
        row(&FOUR, 2.0, 8)
            .text("coordinate_transformation_mode", "asymmetric")
            .text("nearest_mode", mode)
    };
    let down = [1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0];
    let up = [1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0, 4.0];
    nearest("round_prefer_floor").check(&down, 0.0);
    nearest("floor").check(&down, 0.0);
    nearest("round_prefer_ceil").check(&up, 0.0);
    nearest("ceil").check(&up, 0.0);
}

/// Scale 0.6 of 5 gives 3; places i / 0.6 are 0, 5/3 and 10/3, centres 1/3, 2 and 11/3: the
/// one in the middle is an element, although 0.6 in 32 bits is a little more than 3/5.
#[test]
fn scales_mean_the_fraction_that_they_are_written_as() {
    let five = [10.0, 20.0, 30.0, 40.0, 50.0];
    for (mode, expected) in [
        ("floor", [10.0, 30.0, 40.0]),
        ("ceil", [20.0, 30.0, 50.0]),
        ("round_prefer_floor", [10.0, 30.0, 50.0]),
    ] {
        row(&five, 0.6, 3)
            .text("nearest_mode", mode)
            .check(&expected, 0.0);
    }
}

/// The forerunners divide by the scale: Upsample rounds down, and so does the first Resize
/// where it does not shrink; where it does, it rounds up.
#[test]
fn the_forerunners() {
    let scales = [1.0, 1.0, 2.0];
    let upsample = |mode: &str| {
        OneOp::new(Dialect::Onnx { opset: 9 }, "Upsample")
            .input(&[1, 1, 4], &FOUR)
            .weights(&[3], &scales)
            .text("mode", mode)
            .output(DType::F32, &[1, 1, 8])
    };
    upsample("nearest").check(&[1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0], 0.0);
    upsample("linear").check(&[1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.0], 1e-6);
    // The operator set's own example: [[1, 2, 3, 4], [5, 6, 7, 8]] by 0.6 is [[1, 3]].
    let first = OneOp::new(Dialect::Onnx { opset: 10 }, "Resize")
        .input(&[1, 1, 2, 4], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])
        .weights(&[4], &[1.0, 1.0, 0.6, 0.6])
        .output(DType::F32, &[1, 1, 1, 2]);
    first.check(&[1.0, 3.0], 0.0);
}

/// Three elements from 2/5 to 4/5 of five: at 1.6, 2.4 and 3.2; then from 1/2 to 1.5 of the
/// last index: 2, 4 and, beyond, 6.
#[test]
fn a_region_is_cut_out() {
    let cut = |roi: [f32; 2]| {
        OneOp::new(ONNX, "Resize")
            .input(&[5], &[0.0, 10.0, 20.0, 30.0, 40.0])
            .weights(&[2], &roi)
            .weights(&[0], &[])
            .integers(&[3])
            .text("mode", "linear")
            .text("coordinate_transformation_mode", "tf_crop_and_resize")
            .float("extrapolation_value", -7.0)
            .output(DType::F32, &[3])
    };
    cut([0.4, 0.8]).check(&[16.0, 24.0, 32.0], 1e-6);
    cut([0.5, 1.5]).check(&[20.0, 40.0, -7.0], 1e-6);
}

/// Weights of the elements of one dimension that make the element i, by the definition: Keys'
/// kernel with a = -3/4, or a triangle.
fn weights(i: usize, from: usize, to: usize, cubic: bool) -> Vec<f64> {
    let place = (i as f64 + 0.5) * from as f64 / to as f64 - 0.5;
    let mut weights = vec![0.0; from];
    let a = -0.75;
    for tap in -1..=2 {
        let at = place.floor() + f64::from(tap);
        let t = (place - at).abs();
        let weight = match (cubic, t) {
            (false, t) => (1.0 - t).max(0.0),
            (true, t) if t <= 1.0 => (a + 2.0) * t.powi(3) - (a + 3.0) * t.powi(2) + 1.0,
            (true, t) => a * t.powi(3) - 5.0 * a * t.powi(2) + 8.0 * a * t - 4.0 * a,
        };
        let held = (0..from).min_by(|&x, &y| {
            let far = |i: usize| (i as f64 - at).abs();
            far(x).total_cmp(&far(y))
        });
        weights[held.unwrap()] += weight;
    }
    weights
}

#[test]
fn planes_of_any_size_follow_the_definition() {
    let mut random = Random::new(11);
    for cubic in [false, true] {
        for _ in 0..6 {
            let [h, w, to_h, to_w] = [(); 4].map(|()| 1 + random.index(7));
            let float = |x: u64| (x >> 40) as f32 / 16_777_216.0 - 0.5;
            let x: Vec<f32> = (0..2 * h * w).map(|_| float(random.bits())).collect();
            let mut expected = Vec::new();
            for plane in x.chunks(h * w) {
                for i in 0..to_h {
                    for j in 0..to_w {
                        let (rows, columns) =
                            (weights(i, h, to_h, cubic), weights(j, w, to_w, cubic));
                        let mut sum = 0.0;
                        for (row, weight) in plane.chunks(w).zip(rows) {
                            for (&x, column) in row.iter().zip(&columns) {
                                sum += weight * column * f64::from(x);
                            }
                        }
                        expected.push(sum);
                    }
                }
            }
            let sizes = [2, to_h, to_w].map(|x| i32::try_from(x).unwrap());
            let op = OneOp::new(ONNX, "Resize")
                .input(&[2, h, w], &x)
                .weights(&[0], &[])
                .weights(&[0], &[])
                .integers(&sizes)
                .text("mode", if cubic { "cubic" } else { "linear" })
                .output(DType::F32, &[2, to_h, to_w]);
            // f32 sums of up to 16 products of numbers below 1.
            op.check(&expected, 2e-6);
        }
    }
}

#[test]
fn antialias_is_refused() {
    let op = row(&FOUR, 0.5, 2).int("antialias", 1);
    assert!(op.refusal().contains("antialias"), "{}", op.refusal());
}

/// 2 x 1 to 4 x 1 in NHWC, one channel: 0 and 10.
fn tflite(kind: &str) -> OneOp {
    OneOp::new(Dialect::Tflite, kind)
        .input(&[1, 2, 1, 1], &[0.0, 10.0])
        .integers(&[4, 1])
        .output(DType::F32, &[1, 4, 1, 1])
}

/// Places i / 2; i / 3 with corners on corners; i / 2 - 1/4 with centres.
#[test]
fn tflite_resizes() {
    let bilinear = tflite("RESIZE_BILINEAR");
    bilinear.clone().check(&[0.0, 5.0, 10.0, 10.0], 1e-6);
    let corners = bilinear.clone().int("align_corners", 1);
    corners.check(&[0.0, 10.0 / 3.0, 20.0 / 3.0, 10.0], 1e-6);
    let centres = bilinear.int("half_pixel_centers", 1);
    centres.check(&[0.0, 2.5, 7.5, 10.0], 1e-6);
    let nearest = tflite("RESIZE_NEAREST_NEIGHBOR");
    nearest.clone().check(&[0.0, 0.0, 10.0, 10.0], 0.0);
    nearest
        .int("align_corners", 1)
        .check(&[0.0, 0.0, 10.0, 10.0], 0.0);
}
