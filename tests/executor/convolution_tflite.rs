//! TFLite's convolutions against LiteRT's definition: channels come after pixels, weights by
//! filter (by tap for depthwise ones), SAME puts what is odd at the end.

use planner::graph::{DType, Dialect};
use tests::one_op::{OneOp, check_all};
use tests::random::Random;

/// As for ONNX: 64 roundings of sums below 30.
const TOLERANCE: f64 = 1e-5;

fn values(random: &mut Random, count: usize) -> Vec<f32> {
    let near = |n: u64| f32::from(u16::try_from(n).expect("below 2001")) / 1000.0 - 1.0;
    (0..count).map(|_| near(random.below(2001))).collect()
}

/// Sizes of one image and its window: rows, then columns.
struct Sizes {
    size: [usize; 2],
    kernel: [usize; 2],
    stride: [usize; 2],
    dilation: [usize; 2],
    same: bool,
}

impl Sizes {
    fn seeded(random: &mut Random) -> Self {
        let mut two = |low, high| {
            [0, 1].map(|_| usize::try_from(random.within(low, high)).expect("a small number"))
        };
        let (size, kernel, stride, dilation) = (two(5, 12), two(1, 4), two(1, 4), two(1, 3));
        Self {
            size,
            kernel,
            stride,
            dilation,
            same: random.below(2) == 0,
        }
    }

    /// Size of the output and padding in front along `d`, as `ComputePadding` of LiteRT says.
    fn along(&self, d: usize) -> (usize, usize) {
        let extent = (self.kernel[d] - 1) * self.dilation[d] + 1;
        if !self.same {
            return ((self.size[d] - extent) / self.stride[d] + 1, 0);
        }
        let result = self.size[d].div_ceil(self.stride[d]);
        let reach = (result - 1) * self.stride[d] + extent;
        (result, reach.saturating_sub(self.size[d]) / 2)
    }

    fn result(&self) -> [usize; 2] {
        [self.along(0).0, self.along(1).0]
    }

    /// Row and column under a tap, if the image has them.
    fn under(&self, pixel: [usize; 2], tap: [usize; 2]) -> Option<usize> {
        let at = |d: usize| {
            let at = pixel[d] * self.stride[d] + tap[d] * self.dilation[d];
            let at = at.checked_sub(self.along(d).1);
            at.filter(|&at| at < self.size[d])
        };
        Some(at(0)? * self.size[1] + at(1)?)
    }

    fn options(&self, op: OneOp) -> OneOp {
        let int = |n: usize| i64::try_from(n).expect("a small number");
        op.text("padding", if self.same { "SAME" } else { "VALID" })
            .int("stride_h", int(self.stride[0]))
            .int("stride_w", int(self.stride[1]))
            .int("dilation_h_factor", int(self.dilation[0]))
            .int("dilation_w_factor", int(self.dilation[1]))
    }
}

fn positions([height, width]: [usize; 2]) -> impl Iterator<Item = [usize; 2]> {
    (0..height * width).map(move |i| [i / width, i % width])
}

#[test]
fn arbitrary_convolutions_follow_their_definition() {
    let mut random = Random::new(21);
    let mut cases = Vec::new();
    for round in 0..40 {
        let sizes = Sizes::seeded(&mut random);
        let mut small = |most| usize::try_from(random.within(1, most)).expect("a small number");
        let (groups, inputs, filters, batch) = (small(3), small(5), small(10), small(3));
        let outputs = groups * filters;
        let channels = groups * inputs;
        let taps = sizes.kernel[0] * sizes.kernel[1];
        let pixels = sizes.size[0] * sizes.size[1];
        let x = values(&mut random, batch * pixels * channels);
        let w = values(&mut random, outputs * taps * inputs);
        let bias = values(&mut random, outputs);
        let mut expected = Vec::new();
        for image in 0..batch {
            for pixel in positions(sizes.result()) {
                for filter in 0..outputs {
                    let mut sum = f64::from(bias[filter]);
                    for (tap, at) in positions(sizes.kernel).enumerate() {
                        let Some(at) = sizes.under(pixel, at) else {
                            continue;
                        };
                        for channel in 0..inputs {
                            let from = filter / filters * inputs + channel;
                            let x = x[(image * pixels + at) * channels + from];
                            let w = w[(filter * taps + tap) * inputs + channel];
                            sum += f64::from(x) * f64::from(w);
                        }
                    }
                    expected.push(match round % 3 {
                        0 => sum,
                        1 => sum.clamp(0.0, 6.0),
                        _ => sum.tanh(),
                    });
                }
            }
        }
        let [height, width] = sizes.size;
        let [tall, wide] = sizes.result();
        let op = OneOp::new(Dialect::Tflite, "CONV_2D")
            .input(&[batch, height, width, channels], &x)
            .weights(&[outputs, sizes.kernel[0], sizes.kernel[1], inputs], &w)
            .weights(&[outputs], &bias)
            .output(DType::F32, &[batch, tall, wide, outputs])
            .text(
                "fused_activation_function",
                ["NONE", "RELU6", "TANH"][round % 3],
            );
        cases.push((sizes.options(op), expected));
    }
    check_all(cases, TOLERANCE);
}

#[test]
fn arbitrary_depthwise_convolutions_follow_their_definition() {
    let mut random = Random::new(22);
    let mut cases = Vec::new();
    for _ in 0..40 {
        let sizes = Sizes::seeded(&mut random);
        let mut small = |most| usize::try_from(random.within(1, most)).expect("a small number");
        let (channels, multiplier) = (small(9), small(4));
        let outputs = channels * multiplier;
        let taps = sizes.kernel[0] * sizes.kernel[1];
        let x = values(&mut random, sizes.size[0] * sizes.size[1] * channels);
        let w = values(&mut random, taps * outputs);
        let mut expected = Vec::new();
        for pixel in positions(sizes.result()) {
            for filter in 0..outputs {
                let mut sum = 0.0;
                for (tap, at) in positions(sizes.kernel).enumerate() {
                    if let Some(at) = sizes.under(pixel, at) {
                        let x = x[at * channels + filter / multiplier];
                        sum += f64::from(x) * f64::from(w[tap * outputs + filter]);
                    }
                }
                expected.push(sum);
            }
        }
        let [height, width] = sizes.size;
        let [tall, wide] = sizes.result();
        let op = OneOp::new(Dialect::Tflite, "DEPTHWISE_CONV_2D")
            .input(&[1, height, width, channels], &x)
            .weights(&[1, sizes.kernel[0], sizes.kernel[1], outputs], &w)
            .output(DType::F32, &[1, tall, wide, outputs]);
        cases.push((sizes.options(op), expected));
    }
    check_all(cases, TOLERANCE);
}

/// A transposed convolution is the gradient of the convolution that leads back: input pixel p
/// adds to output pixel q exactly what q adds to p there.
#[test]
fn arbitrary_transposed_convolutions_lead_back() {
    let mut random = Random::new(23);
    let mut cases = Vec::new();
    for _ in 0..30 {
        let mut back = Sizes::seeded(&mut random);
        back.dilation = [1, 1];
        let mut small = |most| usize::try_from(random.within(1, most)).expect("a small number");
        let (inputs, outputs) = (small(6), small(10));
        let taps = back.kernel[0] * back.kernel[1];
        let [height, width] = back.result();
        let x = values(&mut random, height * width * inputs);
        let w = values(&mut random, outputs * taps * inputs);
        let mut expected = vec![0.0; back.size[0] * back.size[1] * outputs];
        for (p, pixel) in positions(back.result()).enumerate() {
            for (tap, at) in positions(back.kernel).enumerate() {
                let Some(q) = back.under(pixel, at) else {
                    continue;
                };
                for filter in 0..outputs {
                    for channel in 0..inputs {
                        let w = w[(filter * taps + tap) * inputs + channel];
                        let x = x[p * inputs + channel];
                        expected[q * outputs + filter] += f64::from(x) * f64::from(w);
                    }
                }
            }
        }
        let shape = [1, back.size[0], back.size[1], outputs];
        let sides = shape.map(|side| i32::try_from(side).expect("a small number"));
        let op = OneOp::new(Dialect::Tflite, "TRANSPOSE_CONV")
            .integers(&sides)
            .weights(&[outputs, back.kernel[0], back.kernel[1], inputs], &w)
            .input(&[1, height, width, inputs], &x)
            .output(DType::F32, &shape);
        cases.push((back.options(op), expected));
    }
    check_all(cases, TOLERANCE);
}

#[test]
fn fused_activations_are_those_of_the_schema() {
    let op = |name: &str| {
        OneOp::new(Dialect::Tflite, "CONV_2D")
            .input(&[1, 1, 4, 1], &[-4.0, -0.25, 0.5, 4.0])
            .weights(&[1, 1, 1, 1], &[2.0])
            .output(DType::F32, &[1, 1, 4, 1])
            .int("stride_h", 1)
            .int("stride_w", 1)
            .text("padding", "VALID")
            .text("fused_activation_function", name)
    };
    op("NONE").check(&[-8.0, -0.5, 1.0, 8.0], 0.0);
    op("RELU").check(&[0.0, 0.0, 1.0, 8.0], 0.0);
    op("RELU6").check(&[0.0, 0.0, 1.0, 6.0], 0.0);
    op("RELU_N1_TO_1").check(&[-1.0, -0.5, 1.0, 1.0], 0.0);
    // tanh 0.5 and tanh 1 from tables.
    op("TANH").check(&[-1.0, -0.462_117_157, 0.761_594_156, 1.0], 1e-6);
    assert!(op("SIGN_BIT").refusal().contains("SIGN_BIT"));
}

#[test]
fn dense_layers_of_volumes_add_up_every_tap() {
    // One volume of 2 x 2 x 2 pixels with two channels; the sum of 1 * 1 to 16 * 1.
    let x: Vec<f32> = (1..=16_u8).map(f32::from).collect();
    OneOp::new(Dialect::Tflite, "CONV_3D")
        .input(&[1, 2, 2, 2, 2], &x)
        .weights(&[2, 2, 2, 2, 1], &[1.0; 16])
        .output(DType::F32, &[1, 1, 1, 1, 1])
        .int("stride_d", 1)
        .int("stride_h", 1)
        .int("stride_w", 1)
        .text("padding", "VALID")
        .check(&[136.0], 0.0);
}
