//! `GoogLeNet` (Szegedy et al. 2015), the first Inception network, at 224 × 224: four
//! branches of different widths are live side by side in every module.

use super::layers::{Feature, Window, classify, concat, conv_relu, picture, pool};
use crate::onnx_builder::{OnnxBuilder, float, int};

/// Channels of one module: 1×1, 3×3 reduce, 3×3, 5×5 reduce, 5×5, pool projection.
type Widths = [i64; 6];

/// Table 1 of the paper, and whether a pooling follows.
const MODULES: [(&str, Widths, bool); 9] = [
    ("3a", [64, 96, 128, 16, 32, 32], false),
    ("3b", [128, 128, 192, 32, 96, 64], true),
    ("4a", [192, 96, 208, 16, 48, 64], false),
    ("4b", [160, 112, 224, 24, 64, 64], false),
    ("4c", [128, 128, 256, 24, 64, 64], false),
    ("4d", [112, 144, 288, 32, 64, 64], false),
    ("4e", [256, 160, 320, 32, 128, 128], true),
    ("5a", [256, 160, 320, 32, 128, 128], false),
    ("5b", [384, 192, 384, 48, 128, 128], false),
];

/// The bytes of the model, without the two classifiers that only training needs.
#[must_use]
pub fn inception() -> Vec<u8> {
    let mut net = OnnxBuilder::new("inception", 17);
    // 3 × 3 with stride 2, padded by 1: 112 to 56, 56 to 28, and so on.
    let halve = Window::same(3).stride(2);
    let mut x = picture(&mut net, "image", 3, 224);
    x = conv_relu(&mut net, "conv1", &x, 64, Window::same(7).stride(2));
    x = pool(&mut net, "pool1", "MaxPool", &x, halve);
    x = normalise(&mut net, "norm1", &x);
    x = conv_relu(&mut net, "conv2.reduce", &x, 64, Window::same(1));
    x = conv_relu(&mut net, "conv2", &x, 192, Window::same(3));
    x = normalise(&mut net, "norm2", &x);
    x = pool(&mut net, "pool2", "MaxPool", &x, halve);
    for (name, widths, pooled) in MODULES {
        x = module(&mut net, &format!("inception{name}"), &x, widths);
        if pooled {
            x = pool(&mut net, &format!("pool{name}"), "MaxPool", &x, halve);
        }
    }
    classify(&mut net, &x, 1000);
    net.finish()
}

/// Local response normalisation over five channels.
fn normalise(net: &mut OnnxBuilder, name: &str, x: &Feature) -> Feature {
    let attributes = vec![float("alpha", 1e-4), float("beta", 0.75), int("size", 5)];
    Feature {
        name: net.op(name, "LRN", &[&x.name], attributes),
        channels: x.channels,
    }
}

fn module(net: &mut OnnxBuilder, name: &str, x: &Feature, widths: Widths) -> Feature {
    let [one, reduce3, three, reduce5, five, projection] = widths;
    let point = Window::same(1);
    let a = conv_relu(net, &format!("{name}.1x1"), x, one, point);
    let b = conv_relu(net, &format!("{name}.3x3.reduce"), x, reduce3, point);
    let b = conv_relu(net, &format!("{name}.3x3"), &b, three, Window::same(3));
    let c = conv_relu(net, &format!("{name}.5x5.reduce"), x, reduce5, point);
    let c = conv_relu(net, &format!("{name}.5x5"), &c, five, Window::same(5));
    let d = pool(net, &format!("{name}.pool"), "MaxPool", x, Window::same(3));
    let d = conv_relu(net, &format!("{name}.project"), &d, projection, point);
    concat(net, &format!("{name}.concat"), &[a, b, c, d])
}
