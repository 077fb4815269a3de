//! Pools and LRN of both dialects, against small figures computed by hand and against their
//! definition.

use planner::Strategy;
use planner::graph::{DType, Dialect};
use tests::one_op::{OneOp, check_all};
use tests::random::Random;
use tests::runs::floats;

const ONNX: Dialect = Dialect::Onnx { opset: 22 };

/// 1 to 16 in a square.
fn square() -> Vec<f32> {
    (1..=16_u8).map(f32::from).collect()
}

/// Window 3, step 2, ceil mode over 4 x 4: the second window of each row has 2 columns.
#[test]
fn windows_that_hang_over_count_what_is_inside() {
    let op = |kind| {
        OneOp::new(ONNX, kind)
            .input(&[1, 1, 4, 4], &square())
            .output(DType::F32, &[1, 1, 2, 2])
            .ints("kernel_shape", &[3, 3])
            .ints("strides", &[2, 2])
            .int("ceil_mode", 1)
    };
    op("MaxPool").check(&[11.0, 12.0, 15.0, 16.0], 0.0);
    // Means of {1,2,3,5,6,7,9,10,11}, {3,4,7,8,11,12}, {9,10,11,13,14,15}, {11,12,15,16}; the
    // padding after the picture's edge is none, so it does not count either way.
    op("AveragePool").check(&[6.0, 7.5, 12.0, 13.5], 1e-6);
    op("AveragePool")
        .int("count_include_pad", 1)
        .check(&[6.0, 7.5, 12.0, 13.5], 1e-6);
}

/// Window 2, step 1, one row and column of padding in front of 1..4.
#[test]
fn padding_counts_where_it_is_told_to() {
    let op = |kind| {
        OneOp::new(ONNX, kind)
            .input(&[1, 1, 2, 2], &[1.0, 2.0, 3.0, 4.0])
            .output(DType::F32, &[1, 1, 2, 2])
            .ints("kernel_shape", &[2, 2])
            .ints("pads", &[1, 1, 0, 0])
    };
    op("AveragePool").check(&[1.0, 1.5, 2.0, 2.5], 1e-6);
    op("AveragePool")
        .int("count_include_pad", 1)
        .check(&[0.25, 0.75, 1.0, 2.5], 1e-6);
    // 1, sqrt 5, sqrt 10, sqrt 30; and with p = 1 the sums.
    let roots = [1.0, 5.0_f64.sqrt(), 10.0_f64.sqrt(), 30.0_f64.sqrt()];
    op("LpPool").check(&roots, 1e-6);
    op("LpPool").int("p", 1).check(&[1.0, 3.0, 4.0, 10.0], 1e-6);
    // Cube roots of 1, 1 + 8, 1 + 27, 1 + 8 + 27 + 64.
    let roots = [1.0, 9.0_f64, 28.0, 100.0].map(f64::cbrt);
    op("LpPool").int("p", 3).check(&roots, 1e-5);
}

#[test]
fn places_of_the_largest_are_counted_over_the_whole_tensor() {
    // Two channels of 2 x 3; the window sees all. The first of two equal ones counts.
    let x = [
        1.0, 7.0, 2.0, 3.0, 7.0, 0.0, -9.0, -8.0, -7.0, -6.0, -5.0, -4.0,
    ];
    let op = |order| {
        OneOp::new(ONNX, "MaxPool")
            .input(&[1, 2, 2, 3], &x)
            .output(DType::F32, &[1, 2, 1, 1])
            .output(DType::I64, &[1, 2, 1, 1])
            .ints("kernel_shape", &[2, 3])
            .int("storage_order", order)
    };
    // Row major: 1 and 6 + 5. Column major: row 0, column 1 is 2; row 1, column 2 is 5.
    for (order, expected) in [(0, [1, 0, 11, 0]), (1, [2, 0, 11, 0])] {
        let (on_cpu, on_gpu) = op(order).run();
        for outputs in [Some(on_cpu), on_gpu].into_iter().flatten() {
            assert_eq!(floats(&outputs[0]), [7.0, -4.0]);
            assert_eq!(outputs[1], expected, "storage order {order}");
        }
    }
}

#[test]
fn global_pools_see_every_pixel_of_any_rank() {
    let op = |kind| {
        OneOp::new(ONNX, kind)
            .input(&[1, 2, 1, 2, 2, 2], &square())
            .output(DType::F32, &[1, 2, 1, 1, 1, 1])
    };
    op("GlobalMaxPool").check(&[8.0, 16.0], 0.0);
    op("GlobalAveragePool").check(&[4.5, 12.5], 1e-6);
    // Sums of squares: 204 of 1 to 8, 1496 - 204 of 9 to 16.
    op("GlobalLpPool").check(&[204.0_f64.sqrt(), 1292.0_f64.sqrt()], 1e-6);
}

/// Planes of 1,600 pixels: 0 to 1,599, and the same less 800. Means 799.5 and -0.5; the sum of
/// squares of 0 to n is n (n + 1) (2n + 1) / 6.
#[test]
fn global_pools_of_large_planes_are_shared_among_threads() {
    let up = (0..1600_u16).map(f32::from);
    let x: Vec<f32> = up.clone().chain(up.map(|n| n - 800.0)).collect();
    let op = |kind| {
        OneOp::new(ONNX, kind)
            .input(&[1, 2, 40, 40], &x)
            .output(DType::F32, &[1, 2, 1, 1])
    };
    let squares = |n: f64| n * (n + 1.0) * (2.0 * n + 1.0) / 6.0;
    let norms = [squares(1599.0), squares(800.0) + squares(799.0)].map(f64::sqrt);
    let cases = [
        (op("GlobalMaxPool"), vec![1599.0, 799.0]),
        (op("GlobalAveragePool"), vec![799.5, -0.5]),
        (op("GlobalLpPool"), norms.to_vec()),
        (
            op("GlobalLpPool").int("p", 1),
            vec![1600.0 * 799.5, 640_000.0],
        ),
    ];
    let (model, _) = cases[0].0.model();
    let lowered = model.lowered(&model.plan(Strategy::Naive)).unwrap();
    assert!(lowered.recording.to_string().contains("global_pool("));
    // Sums of a thread are exact or 25 terms long, and the tree is six levels deep.
    check_all(cases, 1e-5);
}

#[test]
fn tflite_pools_do_not_count_padding() {
    // 3 x 3 pixels with two channels, the second ten times the first; window 2, SAME, step 2:
    // nothing before, one row and column after.
    let x: Vec<f32> = (1..=9_u8)
        .flat_map(|n| [f32::from(n), 10.0 * f32::from(n)])
        .collect();
    let op = |kind| {
        OneOp::new(Dialect::Tflite, kind)
            .input(&[1, 3, 3, 2], &x)
            .output(DType::F32, &[1, 2, 2, 2])
            .text("padding", "SAME")
            .int("stride_h", 2)
            .int("stride_w", 2)
            .int("filter_height", 2)
            .int("filter_width", 2)
    };
    op("MAX_POOL_2D").check(&[5.0, 50.0, 6.0, 60.0, 8.0, 80.0, 9.0, 90.0], 0.0);
    op("AVERAGE_POOL_2D").check(&[3.0, 30.0, 4.5, 45.0, 7.5, 75.0, 9.0, 90.0], 1e-6);
    op("AVERAGE_POOL_2D")
        .text("fused_activation_function", "RELU6")
        .check(&[3.0, 6.0, 4.5, 6.0, 6.0, 6.0, 6.0, 6.0], 1e-6);
    // Roots of (1 + 4 + 16 + 25) / 4, (9 + 36) / 2, (49 + 64) / 2, 81.
    let roots = [11.5_f64, 22.5, 56.5, 81.0].map(f64::sqrt);
    let both: Vec<f64> = roots.iter().flat_map(|root| [*root, 10.0 * root]).collect();
    op("L2_POOL_2D").check(&both, 1e-6);
}

/// Windows of every shape: the largest and the mean under them.
#[test]
fn arbitrary_pools_follow_their_definition() {
    let mut random = Random::new(31);
    let mut cases = Vec::new();
    for _ in 0..40 {
        let mut two = |low, high| [0, 1].map(|_| random.within(low, high));
        let (kernel, stride, dilation) = (two(1, 4), two(1, 4), two(1, 3));
        let extent = [0, 1].map(|d| (kernel[d] - 1) * dilation[d] + 1);
        // Less padding than window, as the specification wants it.
        let begin = kernel.map(|k| k / 2);
        let size = [0, 1].map(|d| extent[d] + random.below(7));
        let result = [0, 1].map(|d| (size[d] + begin[d] - extent[d]) / stride[d] + 1);
        let values = (0..2 * size[0] * size[1]).map(|_| random.below(1000));
        let values: Vec<u64> = values.collect();
        let (mut largest, mut means) = (Vec::new(), Vec::new());
        for plane in values.chunks(usize::try_from(size[0] * size[1]).unwrap()) {
            for pixel in 0..result[0] * result[1] {
                let pixel = [pixel / result[1], pixel % result[1]];
                let mut under = Vec::new();
                for tap in 0..kernel[0] * kernel[1] {
                    let tap = [tap / kernel[1], tap % kernel[1]];
                    let at = [0, 1].map(|d| {
                        let at =
                            (pixel[d] * stride[d] + tap[d] * dilation[d]).checked_sub(begin[d]);
                        at.filter(|&at| at < size[d])
                    });
                    if let [Some(y), Some(x)] = at {
                        under.push(plane[usize::try_from(y * size[1] + x).unwrap()]);
                    }
                }
                let float = |n: u64| f64::from(u32::try_from(n).unwrap());
                largest.push(float(*under.iter().max().unwrap()));
                means.push(float(under.iter().sum()) / float(under.len() as u64));
            }
        }
        let x: Vec<f32> = values
            .iter()
            .map(|&n| f32::from(u16::try_from(n).unwrap()))
            .collect();
        let narrow = |n: u64| usize::try_from(n).unwrap();
        let int = |n: u64| i64::try_from(n).unwrap();
        let op = |kind| {
            OneOp::new(ONNX, kind)
                .input(&[1, 2, narrow(size[0]), narrow(size[1])], &x)
                .output(DType::F32, &[1, 2, narrow(result[0]), narrow(result[1])])
                .ints("kernel_shape", &kernel.map(int))
                .ints("strides", &stride.map(int))
                .ints("dilations", &dilation.map(int))
                .ints("pads", &[int(begin[0]), int(begin[1]), 0, 0])
        };
        cases.push((op("MaxPool"), largest));
        cases.push((op("AveragePool"), means));
    }
    // Sums of at most nine whole numbers are exact; the division rounds once or twice.
    check_all(cases, 1e-6);
}

/// x = 1, 2, 3, 4 over channels. ONNX, size 3: x / (1 + 3 / 3 * sum)^0.5 with sums 5, 14, 29,
/// 25. TFLite, radius 1: the factor is not divided, the bias is 2.
#[test]
fn neighbouring_channels_divide() {
    let root = |x: f64, sum: f64| x / sum.sqrt();
    OneOp::new(ONNX, "LRN")
        .input(&[1, 4, 1, 1], &[1.0, 2.0, 3.0, 4.0])
        .output(DType::F32, &[1, 4, 1, 1])
        .int("size", 3)
        .float("alpha", 3.0)
        .float("beta", 0.5)
        .check(
            &[
                root(1.0, 6.0),
                root(2.0, 15.0),
                root(3.0, 30.0),
                root(4.0, 26.0),
            ],
            1e-6,
        );
    // An even size: one channel more after than before; sums over c..c+1.
    OneOp::new(ONNX, "LRN")
        .input(&[1, 3, 1, 1], &[1.0, 2.0, 3.0])
        .output(DType::F32, &[1, 3, 1, 1])
        .int("size", 2)
        .float("alpha", 2.0)
        .float("beta", 0.5)
        .check(&[root(1.0, 6.0), root(2.0, 14.0), root(3.0, 10.0)], 1e-6);
    OneOp::new(Dialect::Tflite, "LOCAL_RESPONSE_NORMALIZATION")
        .input(&[1, 1, 1, 4], &[1.0, 2.0, 3.0, 4.0])
        .output(DType::F32, &[1, 1, 1, 4])
        .int("radius", 1)
        .float("alpha", 0.5)
        .float("beta", 0.5)
        .float("bias", 2.0)
        .check(
            &[
                root(1.0, 4.5),
                root(2.0, 9.0),
                root(3.0, 16.5),
                root(4.0, 14.5),
            ],
            1e-6,
        );
}
