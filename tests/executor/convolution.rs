//! Convolutions of both dialects against their definition, computed in 64 bits here: every
//! output pixel adds up taps times inputs, a transposed one is spread the other way round.

use executor::elements::words;
use planner::Strategy;
use planner::graph::{DType, Dialect};
use tests::one_op::{OneOp, check_all};
use tests::random::Random;
use tests::runs::{Model, gpu};

const ONNX: Dialect = Dialect::Onnx { opset: 17 };

/// Sums of at most 300 products of numbers below 1 in size lose at most 300 roundings of 2^-24
/// of sums below 100; real errors are errors of whole products, above 1e-3.
const TOLERANCE: f64 = 2e-5;

/// A convolution of any dialect, three spatial dimensions always.
struct Case {
    batch: usize,
    groups: usize,
    inputs: usize,
    outputs: usize,
    size: [usize; 3],
    kernel: [usize; 3],
    stride: [usize; 3],
    dilation: [usize; 3],
    begin: [usize; 3],
    end: [usize; 3],
    x: Vec<f32>,
    w: Vec<f32>,
    bias: Option<Vec<f32>>,
}

fn values(random: &mut Random, count: usize) -> Vec<f32> {
    let value = |_| random.below(2001);
    let bits: Vec<u64> = (0..count).map(value).collect();
    let near = |n: &u64| f32::from(u16::try_from(*n).expect("below 2001")) / 1000.0 - 1.0;
    bits.iter().map(near).collect()
}

fn volume(sides: [usize; 3]) -> usize {
    sides.iter().product()
}

/// Every position in a box, the last dimension fastest.
fn positions([depth, height, width]: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    (0..depth * height * width).map(move |i| [i / width / height, i / width % height, i % width])
}

fn index(at: [usize; 3], size: [usize; 3]) -> usize {
    (at[0] * size[1] + at[1]) * size[2] + at[2]
}

impl Case {
    fn seeded(random: &mut Random, spatial: usize, transposed: bool) -> Self {
        let unused = 3 - spatial;
        let mut sides = |low: u64, high: u64| -> [usize; 3] {
            [0, 1, 2].map(|d| match d < unused {
                true => 1,
                false => random.within(low, high).try_into().expect("a small size"),
            })
        };
        let most = [0, 14, 9, 6][spatial];
        let size = sides(1, most);
        let kernel = sides(1, 4);
        let stride = sides(1, 4);
        let dilation = sides(1, 3);
        let [begin, end] = [sides(1, 3), sides(1, 3)].map(|pads| pads.map(|pad| pad - 1));
        let mut small = |most| usize::try_from(random.within(1, most)).expect("a small number");
        let (batch, groups) = (small(3), small(4));
        let (inputs, outputs) = (small(5), small(12));
        // Room for one window at least; a transposed one must leave something.
        let size = [0, 1, 2].map(|d| {
            let extent = (kernel[d] - 1) * dilation[d] + 1;
            let padded = begin[d] + end[d];
            match transposed {
                true => size[d].max(padded + 1),
                false => size[d].max(extent.saturating_sub(padded)).max(1),
            }
        });
        let taps = volume(kernel);
        let bias = (small(3) > 1).then(|| groups * outputs);
        let x = values(random, batch * groups * inputs * volume(size));
        let w = values(random, groups * outputs * inputs * taps);
        let bias = bias.map(|count| values(random, count));
        Self {
            batch,
            groups,
            inputs,
            outputs,
            size,
            kernel,
            stride,
            dilation,
            begin,
            end,
            x,
            w,
            bias,
        }
    }

    fn result(&self) -> [usize; 3] {
        [0, 1, 2].map(|d| {
            let extent = (self.kernel[d] - 1) * self.dilation[d] + 1;
            (self.size[d] + self.begin[d] + self.end[d] - extent) / self.stride[d] + 1
        })
    }

    fn transposed_result(&self) -> [usize; 3] {
        [0, 1, 2].map(|d| {
            let extent = (self.kernel[d] - 1) * self.dilation[d] + 1;
            (self.size[d] - 1) * self.stride[d] + extent - self.begin[d] - self.end[d]
        })
    }

    /// Channels first. `w` lies by filter, channel, tap.
    fn definition(&self, result: [usize; 3]) -> Vec<f64> {
        self.sums(result, |pixel, tap, d| {
            let at = pixel[d] * self.stride[d] + tap[d] * self.dilation[d];
            at.checked_sub(self.begin[d])
        })
    }

    /// The same, where pixel p of the input goes to p * stride + tap * dilation - begin.
    fn transposed_definition(&self, result: [usize; 3]) -> Vec<f64> {
        self.sums(result, |pixel, tap, d| {
            let steps = (pixel[d] + self.begin[d]).checked_sub(tap[d] * self.dilation[d])?;
            (steps % self.stride[d] == 0).then_some(steps / self.stride[d])
        })
    }

    fn sums(
        &self,
        result: [usize; 3],
        source: impl Fn([usize; 3], [usize; 3], usize) -> Option<usize>,
    ) -> Vec<f64> {
        let mut sums = Vec::new();
        for image in 0..self.batch {
            for filter in 0..self.groups * self.outputs {
                for pixel in positions(result) {
                    let bias = self.bias.as_ref().map_or(0.0, |bias| bias[filter]);
                    let mut sum = f64::from(bias);
                    for channel in 0..self.inputs {
                        let group = image * self.groups + filter / self.outputs;
                        let plane = (group * self.inputs + channel) * volume(self.size);
                        for (number, tap) in positions(self.kernel).enumerate() {
                            let at = [0, 1, 2]
                                .map(|d| source(pixel, tap, d).filter(|&at| at < self.size[d]));
                            let [Some(z), Some(y), Some(x)] = at else {
                                continue;
                            };
                            let taps = volume(self.kernel);
                            let w = (filter * self.inputs + channel) * taps + number;
                            let x = self.x[plane + index([z, y, x], self.size)];
                            sum += f64::from(x) * f64::from(self.w[w]);
                        }
                    }
                    sums.push(sum);
                }
            }
        }
        sums
    }

    /// ONNX's operator with everything but its kind's own attributes.
    fn onnx(&self, kind: &str, spatial: usize, result: [usize; 3]) -> OneOp {
        let first = 3 - spatial;
        let list = |sides: [usize; 3]| -> Vec<i64> {
            let sides = sides[first..].iter();
            sides
                .map(|&side| i64::try_from(side).expect("small"))
                .collect()
        };
        let dims = |channels: usize, sides: [usize; 3]| {
            [&[self.batch, channels][..], &sides[first..]].concat()
        };
        let x = dims(self.groups * self.inputs, self.size);
        let (w_dims, w) = if kind == "Conv" {
            let filters = [self.groups * self.outputs, self.inputs];
            (
                [&filters[..], &self.kernel[first..]].concat(),
                self.w.clone(),
            )
        } else {
            let filters = [self.groups * self.inputs, self.outputs];
            (
                [&filters[..], &self.kernel[first..]].concat(),
                self.by_input(),
            )
        };
        let mut op = OneOp::new(ONNX, kind)
            .input(&x, &self.x)
            .weights(&w_dims, &w);
        if let Some(bias) = &self.bias {
            op = op.weights(&[bias.len()], bias);
        }
        op.output(DType::F32, &dims(self.groups * self.outputs, result))
            .int("group", i64::try_from(self.groups).expect("small"))
            .ints("strides", &list(self.stride))
            .ints("dilations", &list(self.dilation))
            .ints("pads", &[list(self.begin), list(self.end)].concat())
    }

    /// The weights by group, input channel, filter, tap.
    fn by_input(&self) -> Vec<f32> {
        let taps = volume(self.kernel);
        let mut w = Vec::new();
        for group in 0..self.groups {
            for channel in 0..self.inputs {
                for filter in 0..self.outputs {
                    let filter = group * self.outputs + filter;
                    let start = (filter * self.inputs + channel) * taps;
                    w.extend_from_slice(&self.w[start..start + taps]);
                }
            }
        }
        w
    }
}

#[test]
fn arbitrary_convolutions_follow_their_definition() {
    let mut random = Random::new(11);
    let cases = (0..60).map(|round| {
        let spatial = 1 + round % 3;
        let case = Case::seeded(&mut random, spatial, false);
        let result = case.result();
        let op = case.onnx("Conv", spatial, result);
        (op, case.definition(result))
    });
    check_all(cases, TOLERANCE);
}

#[test]
fn arbitrary_transposed_convolutions_follow_their_definition() {
    let mut random = Random::new(12);
    let cases = (0..60).map(|round| {
        let spatial = 1 + round % 3;
        let case = Case::seeded(&mut random, spatial, true);
        let result = case.transposed_result();
        let op = case.onnx("ConvTranspose", spatial, result);
        (op, case.transposed_definition(result))
    });
    check_all(cases, TOLERANCE);
}

/// `ShuffleNet`'s: a peer gets one channel in 34 of such a group wrong.
#[test]
fn groups_of_34_channels_are_whole() {
    let mut random = Random::new(13);
    let case = Case {
        batch: 1,
        groups: 4,
        inputs: 34,
        outputs: 34,
        size: [1, 5, 5],
        kernel: [1, 1, 1],
        stride: [1; 3],
        dilation: [1; 3],
        begin: [0; 3],
        end: [0; 3],
        x: values(&mut random, 136 * 25),
        w: values(&mut random, 136 * 34),
        bias: None,
    };
    let op = case.onnx("Conv", 2, [1, 5, 5]);
    op.check(&case.definition([1, 5, 5]), TOLERANCE);
}

#[test]
fn fused_activations_bound_the_sums() {
    let op = || {
        OneOp::new(ONNX, "Conv")
            .input(&[1, 1, 1, 3], &[-2.0, 0.5, 3.0])
            .weights(&[1, 1, 1, 1], &[2.0])
            .weights(&[1], &[1.0])
            .output(DType::F32, &[1, 1, 1, 3])
    };
    // 2x + 1.
    op().check(&[-3.0, 2.0, 7.0], 0.0);
    op().text("fused_activation", "Relu")
        .check(&[0.0, 2.0, 7.0], 0.0);
    op().text("fused_activation", "Clip")
        .float("fused_min", -1.0)
        .float("fused_max", 6.0)
        .check(&[-1.0, 2.0, 6.0], 0.0);
    op().text("fused_activation", "Clip")
        .float("fused_max", 6.0)
        .check(&[-3.0, 2.0, 6.0], 0.0);
    assert!(
        op().text("fused_activation", "Softmax")
            .refusal()
            .contains("Softmax")
    );
}

/// Sides 5 and 4, window 3, step 2, SAME: 3 x 2 outputs; the height lacks 2 rows, one on each side,
/// the width lacks 1 column: at the end for UPPER, at the start for LOWER. With ones everywhere a
/// result counts the taps inside.
#[test]
fn same_padding_puts_what_is_odd_where_it_belongs() {
    let op = |auto_pad| {
        OneOp::new(ONNX, "Conv")
            .input(&[1, 1, 5, 4], &[1.0; 20])
            .weights(&[1, 1, 3, 3], &[1.0; 9])
            .output(DType::F32, &[1, 1, 3, 2])
            .ints("strides", &[2, 2])
            .text("auto_pad", auto_pad)
    };
    op("SAME_UPPER").check(&[6.0, 4.0, 9.0, 6.0, 6.0, 4.0], 0.0);
    op("SAME_LOWER").check(&[4.0, 6.0, 6.0, 9.0, 4.0, 6.0], 0.0);
}

/// From the specification of ConvTranspose: `total = stride * (in - 1) + output_padding +
/// extent - output_shape`; here 2 * 2 + 3 - 6 = 1, in front unless SAME_UPPER. Row x = [1, 2,
/// 3] spread with ones at step 2 is [1, 1, 3, 2, 5, 3, 3]; one element is cut off.
#[test]
fn a_given_output_shape_decides_the_padding() {
    let op = || {
        OneOp::new(ONNX, "ConvTranspose")
            .input(&[1, 1, 3], &[1.0, 2.0, 3.0])
            .weights(&[1, 1, 3], &[1.0; 3])
            .output(DType::F32, &[1, 1, 6])
            .ints("strides", &[2])
    };
    op().ints("output_shape", &[6])
        .check(&[1.0, 3.0, 2.0, 5.0, 3.0, 3.0], 0.0);
    op().text("auto_pad", "SAME_UPPER")
        .check(&[1.0, 1.0, 3.0, 2.0, 5.0, 3.0], 0.0);
    op().text("auto_pad", "SAME_LOWER")
        .check(&[1.0, 3.0, 2.0, 5.0, 3.0, 3.0], 0.0);
}

/// The same row with one element more at the end: nothing reaches it.
#[test]
fn output_padding_appends_what_the_window_leaves() {
    OneOp::new(ONNX, "ConvTranspose")
        .input(&[1, 1, 3], &[1.0, 2.0, 3.0])
        .weights(&[1, 1, 3], &[1.0; 3])
        .output(DType::F32, &[1, 1, 8])
        .ints("strides", &[2])
        .ints("output_padding", &[1])
        .check(&[1.0, 1.0, 3.0, 2.0, 5.0, 3.0, 3.0, 0.0], 0.0);
}

#[test]
fn four_spatial_dimensions_are_refused_by_name() {
    let refusal = OneOp::new(ONNX, "Conv")
        .input(&[1, 1, 2, 2, 2, 2], &[1.0; 16])
        .weights(&[1, 1, 1, 1, 1, 1], &[1.0])
        .output(DType::F32, &[1, 1, 2, 2, 2, 2])
        .refusal();
    assert!(refusal.contains("1 to 3 spatial dimensions"), "{refusal}");
}

/// Attributes that contradict themselves, with a declared output, so that nothing but lowering
/// stands between them and the GPU.
#[test]
fn odd_attributes_are_refused_and_nothing_panics() {
    let conv = || {
        OneOp::new(ONNX, "Conv")
            .input(&[1, 2, 4, 4], &[1.0; 32])
            .weights(&[2, 2, 3, 3], &[1.0; 36])
            .output(DType::F32, &[1, 2, 2, 2])
    };
    let pool = || {
        OneOp::new(ONNX, "MaxPool")
            .input(&[1, 2, 4, 4], &[1.0; 32])
            .output(DType::F32, &[1, 2, 2, 2])
    };
    let far = i64::MAX;
    let odd = [
        (conv().ints("strides", &[0, 1]), "strides"),
        (
            conv().ints("strides", &[1]),
            "one stride for two dimensions",
        ),
        (
            conv().ints("dilations", &[far, 1]),
            "a dilation beyond memory",
        ),
        (
            conv().ints("pads", &[far, 0, 0, far]),
            "padding beyond memory",
        ),
        (
            conv().ints("pads", &[i64::MIN, 0, 0, 0]),
            "cropping beyond memory",
        ),
        (conv().ints("pads", &[1, 1]), "padding of one dimension"),
        (
            conv().ints("kernel_shape", &[2, 2]),
            "another window than the weights'",
        ),
        (conv().int("group", 0), "no groups"),
        (conv().int("group", -1), "fewer than no groups"),
        (conv().int("group", 3), "groups that do not divide"),
        (conv().text("auto_pad", "SOMETIMES"), "unknown padding"),
        (pool(), "a pool without a window"),
        (pool().ints("kernel_shape", &[0, 2]), "an empty window"),
        (
            pool().ints("kernel_shape", &[far, 2]),
            "a window beyond memory",
        ),
        (
            pool().ints("kernel_shape", &[1 << 20, 1 << 20]),
            "a window of 2^40",
        ),
        (
            pool().ints("kernel_shape", &[2, 2, 2]),
            "a window of three dimensions",
        ),
    ];
    for (op, what) in odd {
        assert!(!op.refusal().is_empty(), "{what}");
    }
}

/// No images, but as many pixels as do not fit into 32 bits: nothing is computed.
#[test]
fn empty_tensors_of_huge_sides_compute_nothing() {
    let huge = 1 << 20;
    for kind in ["Conv", "GlobalAveragePool", "LRN"] {
        let op = OneOp::new(ONNX, kind)
            .input(&[0, 2, huge, huge], &[])
            .int("size", 3);
        let op = match kind {
            "Conv" => op
                .weights(&[2, 2, 1, 1], &[1.0; 4])
                .output(DType::F32, &[0, 2, huge, huge]),
            "LRN" => op.output(DType::F32, &[0, 2, huge, huge]),
            _ => op.output(DType::F32, &[0, 2, 1, 1]),
        };
        op.check(&[], 0.0);
    }
}

/// All taps are 1 and x counts from 0: the first element is 0 + 1 + 3 + 4 and 9 + 10 + 12 + 13, a
/// step to the right adds 1 to each of eight, a step down 3.
#[test]
fn integers_have_three_spatial_dimensions() {
    let text = "graph volume\ninput x: u8[1,1,2,3,3]\n\
                const w: u8[1,1,2,2,2] = [1, 1, 1, 1, 1, 1, 1, 1]\n\
                y = ConvInteger(x, w)\noutput y\n";
    let model = Model::open(text.as_bytes());
    let lowered = model
        .lowered(&model.plan(Strategy::Naive))
        .expect("it runs");
    let x: Vec<u8> = (0..18).collect();
    let inputs = [words(&x)];
    let expected = vec![vec![52, 60, 76, 84]];
    assert_eq!(model.on_cpu(&lowered, &inputs), expected);
    if let Some(gpu) = gpu() {
        let found = model.on_gpu(&gpu, &lowered, &inputs, u32::MAX);
        assert_eq!(found.expect("a run"), expected);
    }
}
