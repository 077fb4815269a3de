//! `DenseNet` (Huang et al. 2017) with 40 layers and growth 12, the paper's smallest, for
//! 32 × 32 pictures: every layer reads all features before it.

use super::layers::{Feature, Window, classify, concat, conv, picture, pool, unary};
use crate::onnx_builder::{OnnxBuilder, float};

const GROWTH: i64 = 12;
const LAYERS_PER_BLOCK: usize = 12;

/// The bytes of the model. `BatchNorm` stands before `ReLU` and cannot be folded.
#[must_use]
pub fn densenet() -> Vec<u8> {
    let mut net = OnnxBuilder::new("densenet", 14);
    let mut x = picture(&mut net, "image", 3, 32);
    x = conv(&mut net, "stem", &x, 16, Window::same(3));
    for block in 1..=3 {
        let mut features = vec![x.clone()];
        for layer in 1..=LAYERS_PER_BLOCK {
            let name = format!("block{block}.layer{layer}");
            let all = gather(&mut net, &name, &features);
            let new = norm_relu(&mut net, &name, &all);
            let window = Window::same(3);
            features.push(conv(
                &mut net,
                &format!("{name}.conv"),
                &new,
                GROWTH,
                window,
            ));
        }
        x = gather(&mut net, &format!("block{block}"), &features);
        if block < 3 {
            let name = format!("transition{block}");
            x = norm_relu(&mut net, &name, &x);
            let channels = x.channels;
            x = conv(
                &mut net,
                &format!("{name}.conv"),
                &x,
                channels,
                Window::same(1),
            );
            let window = Window::same(2).stride(2);
            x = pool(&mut net, &format!("{name}.pool"), "AveragePool", &x, window);
        }
    }
    x = norm_relu(&mut net, "head", &x);
    classify(&mut net, &x, 10);
    net.finish()
}

/// All features so far as one: copied anew for every layer, as the usual export has it.
fn gather(net: &mut OnnxBuilder, name: &str, features: &[Feature]) -> Feature {
    match features {
        [only] => only.clone(),
        several => concat(net, &format!("{name}.concat"), several),
    }
}

fn norm_relu(net: &mut OnnxBuilder, name: &str, x: &Feature) -> Feature {
    let norm = format!("{name}.norm");
    let mut inputs = vec![x.name.clone()];
    for part in ["scale", "bias", "mean", "var"] {
        inputs.push(net.weight(&format!("{norm}.{part}"), &[x.channels]));
    }
    let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
    let attributes = vec![float("epsilon", 1e-5)];
    let x = Feature {
        name: net.op(&norm, "BatchNormalization", &inputs, attributes),
        channels: x.channels,
    };
    unary(net, &format!("{name}.relu"), "Relu", &x)
}
