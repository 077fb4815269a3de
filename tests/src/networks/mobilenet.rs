//! `MobileNet` V2 (Sandler et al. 2018), width 1.0 at 224 × 224, `BatchNorm` folded into the
//! convolutions, `ReLU6` an operator of its own, as an exporter writes it.

use super::layers::{Feature, Window, add, classify, conv, picture};
use crate::onnx_builder::OnnxBuilder;

/// Table 2 of the paper: expansion, channels, repeats and first stride of each stage.
const STAGES: [(i64, i64, usize, i64); 7] = [
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
];

/// The bytes of the model: 100 operators.
#[must_use]
pub fn mobilenet_v2() -> Vec<u8> {
    let mut net = OnnxBuilder::new("mobilenet_v2", 17);
    net.floats("relu6.min", &[], &[0.0]);
    net.floats("relu6.max", &[], &[6.0]);
    let mut x = picture(&mut net, "image", 3, 224);
    x = conv_relu6(&mut net, "stem", &x, 32, Window::same(3).stride(2));
    let mut block = 0;
    for (expansion, channels, repeats, stride) in STAGES {
        for repeat in 0..repeats {
            block += 1;
            let stride = if repeat == 0 { stride } else { 1 };
            let name = format!("block{block}");
            x = bottleneck(&mut net, &name, &x, (expansion, channels, stride));
        }
    }
    x = conv_relu6(&mut net, "head", &x, 1280, Window::same(1));
    classify(&mut net, &x, 1000);
    net.finish()
}

/// The inverted residual block: expand, filter each channel, project; no `ReLU6` after the
/// projection.
fn bottleneck(
    net: &mut OnnxBuilder,
    name: &str,
    x: &Feature,
    (expansion, channels, stride): (i64, i64, i64),
) -> Feature {
    let hidden = x.channels * expansion;
    let mut h = x.clone();
    if expansion > 1 {
        let expand = format!("{name}.expand");
        h = conv_relu6(net, &expand, &h, hidden, Window::same(1));
    }
    let depthwise = Window::same(3).stride(stride).groups(hidden);
    h = conv_relu6(net, &format!("{name}.depthwise"), &h, hidden, depthwise);
    h = conv(
        net,
        &format!("{name}.project"),
        &h,
        channels,
        Window::same(1),
    );
    if stride == 1 && x.channels == channels {
        h = add(net, &format!("{name}.add"), x, &h);
    }
    h
}

fn conv_relu6(
    net: &mut OnnxBuilder,
    name: &str,
    x: &Feature,
    channels: i64,
    window: Window,
) -> Feature {
    let x = conv(net, name, x, channels, window);
    let inputs = [x.name.as_str(), "relu6.min", "relu6.max"];
    Feature {
        name: net.op(&format!("{name}.relu6"), "Clip", &inputs, Vec::new()),
        channels: x.channels,
    }
}
