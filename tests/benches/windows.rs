//! Milliseconds of the convolutions and pools of SqueezeNet 1.1 and `MobileNet` v2 at 224 x 224
//! on the GPU at hand, beside their CPU references: the ratio holds when the machine is busy.
//!
//! `cargo bench -p tests --bench windows [-- WORD]`: layers whose name has
//! the word in it.

#![expect(clippy::print_stdout, reason = "a benchmark prints")]

use std::time::Instant;

use executor::arena::Memory;
use executor::engine::{Connection, Loaded};
use executor::reference;
use executor::supply::{Supply, seeded};
use planner::Strategy;
use planner::graph::{DType, Dialect};
use tests::one_op::OneOp;
use tests::runs::gpu;

const ONNX: Dialect = Dialect::Onnx { opset: 17 };

/// Runs of a layer; the fastest counts, for whatever else the machine does only adds.
const RUNS: usize = 5;

/// Dense layers of `MobileNet` v1: count, inputs, outputs, side of the input; and the step of
/// the depthwise layer in front.
const MOBILENET_V1: [[usize; 5]; 9] = [
    [1, 32, 64, 112, 1],
    [1, 64, 128, 112, 2],
    [1, 128, 128, 56, 1],
    [1, 128, 256, 56, 2],
    [1, 256, 256, 28, 1],
    [1, 256, 512, 28, 2],
    [5, 512, 512, 14, 1],
    [1, 512, 1024, 14, 2],
    [1, 1024, 1024, 7, 1],
];

/// What a layer does.
#[derive(Clone, Copy, PartialEq)]
enum LayerKind {
    Conv,
    MaxPool,
    GlobalAveragePool,
}

/// One shape of layer.
#[derive(Clone, Copy)]
struct Layer {
    kind: LayerKind,
    dialect: Dialect,
    /// How often the network has it.
    count: usize,
    inputs: usize,
    outputs: usize,
    groups: usize,
    side: usize,
    kernel: usize,
    stride: usize,
}

/// Count, inputs, outputs, side of the input, window, step.
const SQUEEZENET: [[usize; 6]; 18] = [
    [1, 3, 64, 224, 3, 2],
    [1, 64, 16, 55, 1, 1],
    [1, 128, 16, 55, 1, 1],
    [2, 16, 64, 55, 1, 1],
    [2, 16, 64, 55, 3, 1],
    [1, 128, 32, 27, 1, 1],
    [1, 256, 32, 27, 1, 1],
    [2, 32, 128, 27, 1, 1],
    [2, 32, 128, 27, 3, 1],
    [1, 256, 48, 13, 1, 1],
    [1, 384, 48, 13, 1, 1],
    [2, 48, 192, 13, 1, 1],
    [2, 48, 192, 13, 3, 1],
    [1, 384, 64, 13, 1, 1],
    [1, 512, 64, 13, 1, 1],
    [2, 64, 256, 13, 1, 1],
    [2, 64, 256, 13, 3, 1],
    [1, 512, 1000, 13, 1, 1],
];

/// Blocks of `MobileNet` v2: count, inputs, expansion, outputs, side of the input, step.
const MOBILENET: [[usize; 6]; 10] = [
    [1, 16, 96, 24, 112, 2],
    [1, 24, 144, 24, 56, 1],
    [1, 24, 144, 32, 56, 2],
    [2, 32, 192, 32, 28, 1],
    [1, 32, 192, 64, 28, 2],
    [3, 64, 384, 64, 14, 1],
    [1, 64, 384, 96, 14, 1],
    [2, 96, 576, 96, 14, 1],
    [1, 96, 576, 160, 14, 2],
    [2, 160, 960, 160, 7, 1],
];

fn main() {
    let Some(gpu) = gpu() else { return };
    let wanted = std::env::args()
        .skip(1)
        .find(|word| !word.starts_with("--"));
    let wanted = wanted.unwrap_or_default();
    println!(
        "on {}; work is the time of all processors together",
        gpu.adapter.name
    );
    let [times, ms, work, cpu, speed, ratio] = ["times", "ms", "work", "CPU", "GMAC/s", "ratio"];
    println!(
        "{:<40} {times:>5} {ms:>8} {work:>8} {cpu:>8} {speed:>7} {ratio:>7}",
        "layer"
    );
    for (network, layers) in [
        ("squeezenet", squeezenet()),
        ("mobilenet_v2", mobilenet()),
        ("mobilenet_v1 as TFLite", mobilenet_v1()),
    ] {
        let mut all = [0.0; 3];
        for layer in &layers {
            let name = layer.name(network);
            if !name.contains(&wanted) {
                continue;
            }
            let [ms, work, cpu] = layer.measure(&gpu);
            let (speed, ratio) = (layer.products() / work / 1e6, work / cpu);
            let count = layer.count;
            println!(
                "{name:<40} {count:>5} {ms:>8.2} {work:>8.2} {cpu:>8.2} {speed:>7.3} {ratio:>7.2}"
            );
            for (all, one) in all.iter_mut().zip([ms, work, cpu]) {
                *all += count as f64 * one;
            }
        }
        let [ms, work, cpu] = all;
        let ratio = work / cpu;
        println!("{network:<46} {ms:>8.1} {work:>8.1} {cpu:>8.1} {ratio:>15.2}");
    }
}

fn squeezenet() -> Vec<Layer> {
    let layer = |[count, inputs, outputs, side, kernel, stride]: [usize; 6]| Layer {
        kind: LayerKind::Conv,
        dialect: ONNX,
        count,
        inputs,
        outputs,
        groups: 1,
        side,
        kernel,
        stride,
    };
    let pool = |channels, side| Layer {
        kind: LayerKind::MaxPool,
        ..layer([1, channels, channels, side, 3, 2])
    };
    let mut layers: Vec<Layer> = SQUEEZENET.map(layer).into();
    layers.extend([
        pool(64, 111),
        pool(128, 55),
        pool(256, 27),
        global(1000, 13),
    ]);
    layers
}

/// The mean of every channel.
fn global(channels: usize, side: usize) -> Layer {
    Layer {
        kind: LayerKind::GlobalAveragePool,
        dialect: ONNX,
        count: 1,
        inputs: channels,
        outputs: channels,
        groups: channels,
        side,
        kernel: side,
        stride: side,
    }
}

fn mobilenet() -> Vec<Layer> {
    let dense = |count, inputs, outputs, side| Layer {
        kind: LayerKind::Conv,
        dialect: ONNX,
        count,
        inputs,
        outputs,
        groups: 1,
        side,
        kernel: 1,
        stride: 1,
    };
    let depthwise = |count, channels, side, stride| Layer {
        kind: LayerKind::Conv,
        dialect: ONNX,
        count,
        inputs: channels,
        outputs: channels,
        groups: channels,
        side,
        kernel: 3,
        stride,
    };
    let stem = Layer {
        kernel: 3,
        stride: 2,
        ..dense(1, 3, 32, 224)
    };
    let mut layers = vec![stem, depthwise(1, 32, 112, 1), dense(1, 32, 16, 112)];
    for [count, inputs, wide, outputs, side, stride] in MOBILENET {
        layers.push(dense(count, inputs, wide, side));
        layers.push(depthwise(count, wide, side, stride));
        layers.push(dense(count, wide, outputs, side / stride));
    }
    layers.extend([
        dense(1, 160, 960, 7),
        depthwise(1, 960, 7, 1),
        dense(1, 960, 320, 7),
    ]);
    layers.extend([dense(1, 320, 1280, 7), global(1280, 7)]);
    layers
}

fn mobilenet_v1() -> Vec<Layer> {
    let tflite = |layer| Layer {
        dialect: Dialect::Tflite,
        ..layer
    };
    let layers = mobilenet();
    let (stem, depthwise) = (layers[0], layers[1]);
    let depthwise = |count, channels, side, stride| Layer {
        count,
        inputs: channels,
        outputs: channels,
        groups: channels,
        side,
        stride,
        ..depthwise
    };
    let dense = |count, inputs, outputs, side| Layer {
        count,
        inputs,
        outputs,
        side,
        kernel: 1,
        stride: 1,
        ..stem
    };
    let pairs = MOBILENET_V1
        .iter()
        .flat_map(|&[count, inputs, outputs, side, stride]| {
            let first = depthwise(count, inputs, side, stride);
            [first, dense(count, inputs, outputs, side / stride)]
        });
    [stem].into_iter().chain(pairs).map(tflite).collect()
}

impl Layer {
    fn name(&self, network: &str) -> String {
        let Self {
            inputs,
            outputs,
            side,
            kernel,
            stride,
            ..
        } = self;
        let kind = match self.kind {
            LayerKind::Conv if self.groups > 1 => "depthwise",
            LayerKind::Conv => "dense",
            LayerKind::MaxPool | LayerKind::GlobalAveragePool => "pool",
        };
        format!("{network} {kind} {inputs}>{outputs} {side} {kernel}/{stride}")
    }

    fn result(&self) -> usize {
        let padding = match self.kind {
            LayerKind::Conv => self.kernel / 2 * 2,
            LayerKind::MaxPool | LayerKind::GlobalAveragePool => 0,
        };
        (self.side + padding - self.kernel) / self.stride + 1
    }

    /// Elements that are compared, or products that are added up, padding included.
    fn products(&self) -> f64 {
        let channels = match self.kind {
            LayerKind::Conv => self.inputs / self.groups,
            LayerKind::MaxPool | LayerKind::GlobalAveragePool => 1,
        };
        let taps = self.kernel * self.kernel * channels;
        (taps * self.outputs * self.result() * self.result()) as f64
    }

    fn op(&self) -> OneOp {
        let int = |n: usize| i64::try_from(n).expect("a small number");
        let values = |seed, count: usize| {
            let count = u32::try_from(count).expect("a small layer");
            seeded(seed, count, 0.1, 0.0)
        };
        let Self {
            inputs,
            outputs,
            side,
            kernel,
            ..
        } = *self;
        let op = |kind| {
            let x = values(1, inputs * side * side);
            OneOp::new(ONNX, kind).input(&[1, inputs, side, side], &x)
        };
        let result = [1, outputs, self.result(), self.result()];
        let strides = [int(self.stride); 2];
        match self.kind {
            LayerKind::Conv => {}
            LayerKind::MaxPool => {
                return op("MaxPool")
                    .output(DType::F32, &result)
                    .ints("kernel_shape", &[int(kernel); 2])
                    .ints("strides", &strides);
            }
            LayerKind::GlobalAveragePool => {
                let result = [1, outputs, 1, 1];
                return op("GlobalAveragePool").output(DType::F32, &result);
            }
        }
        if self.dialect == Dialect::Tflite {
            return self.tflite(values);
        }
        let per_group = inputs / self.groups;
        op("Conv")
            .weights(
                &[outputs, per_group, kernel, kernel],
                &values(2, outputs * per_group * kernel * kernel),
            )
            .weights(&[outputs], &values(3, outputs))
            .output(DType::F32, &result)
            .int("group", int(self.groups))
            .ints("strides", &strides)
            .ints("pads", &[int(kernel / 2); 4])
            .text("fused_activation", "Relu")
    }

    fn tflite(&self, values: impl Fn(u64, usize) -> Vec<f32>) -> OneOp {
        let Self {
            inputs,
            outputs,
            side,
            kernel,
            stride,
            ..
        } = *self;
        let int = |n: usize| i64::try_from(n).expect("a small number");
        let (kind, weights) = match self.groups {
            1 => ("CONV_2D", [outputs, kernel, kernel, inputs]),
            _ => ("DEPTHWISE_CONV_2D", [1, kernel, kernel, outputs]),
        };
        let x = values(1, inputs * side * side);
        OneOp::new(Dialect::Tflite, kind)
            .input(&[1, side, side, inputs], &x)
            .weights(&weights, &values(2, weights.iter().product()))
            .weights(&[outputs], &values(3, outputs))
            .output(DType::F32, &[1, self.result(), self.result(), outputs])
            .text("padding", "SAME")
            .int("stride_h", int(stride))
            .int("stride_w", int(stride))
            .text("fused_activation_function", "RELU6")
    }

    /// Milliseconds on the GPU, the work in them, and that of the CPU reference.
    fn measure(&self, gpu: &Connection) -> [f64; 3] {
        let op = self.op();
        let (model, inputs) = op.model();
        let lowered = model.lowered(&model.plan(Strategy::OffsetsBySize));
        let recording = &lowered.expect("a convolution has a kernel").recording;
        let supply = Supply {
            file: None,
            inputs,
            folded: &[],
        };
        let loaded = pollster::block_on(Loaded::new(gpu, recording, &supply));
        let loaded = loaded.expect("room for a layer");
        pollster::block_on(loaded.feed(0, &supply)).expect("room for a layer");
        let (ms, work) = fastest(|| {
            pollster::block_on(loaded.run(&|| 0.0, async |_| ())).expect("a run on the GPU");
        });
        loaded.free();
        let mut memory = Memory::of(recording);
        supply
            .fill(&recording.uploads, &mut memory)
            .expect("the elements");
        let (cpu, _) = fastest(|| reference::run(recording, &mut memory));
        [ms, work, cpu]
    }
}

/// The least time of some runs in milliseconds: on the clock, and of all processors of this
/// process together, where the system counts it.
fn fastest(mut run: impl FnMut()) -> (f64, f64) {
    let (mut least, mut least_work) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..RUNS {
        let (start, work) = (Instant::now(), processor_time());
        run();
        least = least.min(start.elapsed().as_secs_f64() * 1e3);
        least_work = least_work.min(processor_time() - work);
    }
    (least, least_work)
}

/// Milliseconds that the threads of this process have run, as Linux counts them.
fn processor_time() -> f64 {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else {
        return f64::NAN;
    };
    let nanoseconds = threads.flatten().filter_map(|thread| {
        let schedule = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        schedule.split(' ').next()?.parse::<f64>().ok()
    });
    nanoseconds.sum::<f64>() / 1e6
}
