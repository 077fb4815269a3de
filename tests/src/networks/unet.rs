//! U-Net (Ronneberger et al. 2015) at 256 × 256 with padded convolutions, so that the skip
//! connections need no cropping.

use super::layers::{Feature, Window, concat, conv, conv_relu, picture, pool};
use crate::onnx_builder::{Axis, DataType, OnnxBuilder, ints};

/// The bytes of the model: four levels down and up again, 64 channels at the top.
#[must_use]
pub fn unet() -> Vec<u8> {
    let mut net = OnnxBuilder::new("unet", 17);
    let mut x = picture(&mut net, "image", 3, 256);
    let mut skips = Vec::new();
    for (level, channels) in [64, 128, 256, 512].into_iter().enumerate() {
        let skip = double_conv(&mut net, &format!("down{level}"), &x, channels);
        let window = Window::same(2).stride(2);
        x = pool(
            &mut net,
            &format!("down{level}.pool"),
            "MaxPool",
            &skip,
            window,
        );
        skips.push(skip);
    }
    x = double_conv(&mut net, "bottom", &x, 1024);
    for (level, skip) in skips.iter().enumerate().rev() {
        let up = up_conv(&mut net, &format!("up{level}"), &x, skip.channels);
        let joined = concat(&mut net, &format!("up{level}.concat"), &[skip.clone(), up]);
        x = double_conv(&mut net, &format!("up{level}"), &joined, skip.channels);
    }
    let mask = conv(&mut net, "mask", &x, 2, Window::same(1));
    let shape = [1, 2, 256, 256].map(Axis::from);
    net.output(&mask.name, DataType::FLOAT, &shape);
    net.finish()
}

fn double_conv(net: &mut OnnxBuilder, name: &str, x: &Feature, channels: i64) -> Feature {
    let x = conv_relu(net, &format!("{name}.conv1"), x, channels, Window::same(3));
    conv_relu(net, &format!("{name}.conv2"), &x, channels, Window::same(3))
}

/// The "up-convolution": twice the side, half the channels.
fn up_conv(net: &mut OnnxBuilder, name: &str, x: &Feature, channels: i64) -> Feature {
    let weight = net.weight(&format!("{name}.weight"), &[x.channels, channels, 2, 2]);
    let bias = net.weight(&format!("{name}.bias"), &[channels]);
    let attributes = vec![ints("kernel_shape", &[2, 2]), ints("strides", &[2, 2])];
    let inputs = [x.name.as_str(), &weight, &bias];
    Feature {
        name: net.op(
            &format!("{name}.upconv"),
            "ConvTranspose",
            &inputs,
            attributes,
        ),
        channels,
    }
}
