//! The layers that convolutional networks are made of.

use crate::onnx_builder::{Axis, DataType, OnnxBuilder, int, ints};

/// A feature map in the making: the tensor's name and its number of channels.
#[derive(Clone, Debug)]
pub(super) struct Feature {
    pub(super) name: String,
    pub(super) channels: i64,
}

/// Kernel size, stride, zero padding on each side and number of channel groups.
#[derive(Clone, Copy)]
pub(super) struct Window {
    kernel: i64,
    stride: i64,
    padding: i64,
    groups: i64,
}

impl Window {
    /// A square window padded so that a stride of 1 keeps the picture's size.
    pub(super) fn same(kernel: i64) -> Self {
        Self {
            kernel,
            stride: 1,
            padding: (kernel - 1) / 2,
            groups: 1,
        }
    }

    pub(super) fn stride(self, stride: i64) -> Self {
        Self { stride, ..self }
    }

    pub(super) fn padding(self, padding: i64) -> Self {
        Self { padding, ..self }
    }

    pub(super) fn groups(self, groups: i64) -> Self {
        Self { groups, ..self }
    }
}

/// A square float picture as the graph's input, batch 1.
pub(super) fn picture(net: &mut OnnxBuilder, name: &str, channels: i64, side: i64) -> Feature {
    let shape = [1, channels, side, side].map(Axis::from);
    Feature {
        name: net.input(name, DataType::FLOAT, &shape),
        channels,
    }
}

/// A convolution with bias: what is left of Conv and `BatchNorm` once they are folded.
pub(super) fn conv(
    net: &mut OnnxBuilder,
    name: &str,
    x: &Feature,
    channels: i64,
    window: Window,
) -> Feature {
    let Window {
        kernel,
        stride,
        padding,
        groups,
    } = window;
    let dims = [channels, x.channels / groups, kernel, kernel];
    let weight = net.weight(&format!("{name}.weight"), &dims);
    let bias = net.weight(&format!("{name}.bias"), &[channels]);
    let attributes = vec![
        ints("dilations", &[1, 1]),
        int("group", groups),
        ints("kernel_shape", &[kernel, kernel]),
        ints("pads", &[padding; 4]),
        ints("strides", &[stride, stride]),
    ];
    Feature {
        name: net.op(name, "Conv", &[&x.name, &weight, &bias], attributes),
        channels,
    }
}

/// An operator that keeps the number of channels.
pub(super) fn unary(net: &mut OnnxBuilder, name: &str, kind: &str, x: &Feature) -> Feature {
    Feature {
        name: net.op(name, kind, &[&x.name], Vec::new()),
        channels: x.channels,
    }
}

/// A convolution with bias, then `ReLU`.
pub(super) fn conv_relu(
    net: &mut OnnxBuilder,
    name: &str,
    x: &Feature,
    channels: i64,
    window: Window,
) -> Feature {
    let x = conv(net, name, x, channels, window);
    unary(net, &format!("{name}.relu"), "Relu", &x)
}

/// Maximum or average pooling (`kind`), without padding beyond the window's own.
pub(super) fn pool(
    net: &mut OnnxBuilder,
    name: &str,
    kind: &str,
    x: &Feature,
    window: Window,
) -> Feature {
    let attributes = vec![
        ints("kernel_shape", &[window.kernel; 2]),
        ints("pads", &[window.padding; 4]),
        ints("strides", &[window.stride; 2]),
    ];
    Feature {
        name: net.op(name, kind, &[&x.name], attributes),
        channels: x.channels,
    }
}

/// The sum of two feature maps of one shape.
pub(super) fn add(net: &mut OnnxBuilder, name: &str, a: &Feature, b: &Feature) -> Feature {
    Feature {
        name: net.op(name, "Add", &[&a.name, &b.name], Vec::new()),
        channels: a.channels,
    }
}

/// Feature maps one after another along the channels.
pub(super) fn concat(net: &mut OnnxBuilder, name: &str, parts: &[Feature]) -> Feature {
    let names: Vec<String> = parts.iter().map(|part| part.name.clone()).collect();
    Feature {
        name: concat_on(net, name, &names, 1),
        channels: parts.iter().map(|part| part.channels).sum(),
    }
}

/// Tensors one after another along `axis`.
pub(super) fn concat_on(net: &mut OnnxBuilder, name: &str, parts: &[String], axis: i64) -> String {
    let names: Vec<&str> = parts.iter().map(String::as_str).collect();
    net.op(name, "Concat", &names, vec![int("axis", axis)])
}

/// Global average pooling and a dense layer: `classes` scores, the graph's only output.
pub(super) fn classify(net: &mut OnnxBuilder, x: &Feature, classes: i64) {
    let pooled = unary(net, "pool", "GlobalAveragePool", x);
    let flat = net.op("flatten", "Flatten", &[&pooled.name], vec![int("axis", 1)]);
    let weight = net.weight("classifier.weight", &[classes, x.channels]);
    let bias = net.weight("classifier.bias", &[classes]);
    let scores = net.op(
        "scores",
        "Gemm",
        &[&flat, &weight, &bias],
        vec![int("transB", 1)],
    );
    net.output(&scores, DataType::FLOAT, &[1, classes].map(Axis::from));
}
