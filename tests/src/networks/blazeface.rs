//! `BlazeFace` (Bazarevsky et al. 2019), the face detector for 128 × 128 pictures, with the
//! widths of the shipped model.
//!
//! Written as frameworks export it that count padding differently: wherever the stride is 2,
//! a `Pad` stands before the convolution, and each shortcut gets its missing channels from
//! another. Those blocks of almost, but not quite, the usual sizes lead the size-first
//! planners astray: a plan at the lower bound exists, and they miss it by a third.

use super::layers::{Feature, Window, add, concat_on, conv, picture, pool, unary};
use crate::onnx_builder::{Axis, DataType, OnnxBuilder, ints};

/// Channels and stride of the blocks that the 16 × 16 detection heads stand on.
const FINE: [(i64, i64); 11] = [
    (24, 1),
    (28, 1),
    (32, 2),
    (36, 1),
    (42, 1),
    (48, 2),
    (56, 1),
    (64, 1),
    (72, 1),
    (80, 1),
    (88, 1),
];

/// The same for the blocks after them, up to the 8 × 8 heads.
const COARSE: [(i64, i64); 5] = [(96, 2), (96, 1), (96, 1), (96, 1), (96, 1)];

/// Boxes proposed at each place of the two grids: 512 + 384 = 896 in all.
const ANCHORS: [i64; 2] = [2, 6];

/// Numbers per box: its corners and six keypoints.
const COORDINATES: i64 = 16;

/// The bytes of the model.
#[must_use]
pub fn blazeface() -> Vec<u8> {
    let mut net = OnnxBuilder::new("blazeface", 17);
    // What SAME padding is for a window of 5 and a stride of 2: one before, two after.
    net.ints("pad.spatial", &[8], &[0, 0, 1, 1, 0, 0, 2, 2]);
    let mut x = picture(&mut net, "image", 3, 128);
    x = pad(&mut net, "stem.pad", &x, ("pad.spatial", 0));
    let window = Window::same(5).stride(2).padding(0);
    x = conv(&mut net, "stem", &x, 24, window);
    x = unary(&mut net, "stem.relu", "Relu", &x);
    for (index, (channels, stride)) in FINE.into_iter().enumerate() {
        x = block(
            &mut net,
            &format!("block{}", index + 1),
            &x,
            channels,
            stride,
        );
    }
    let fine = x.clone();
    for (index, (channels, stride)) in COARSE.into_iter().enumerate() {
        let number = FINE.len() + index + 1;
        x = block(&mut net, &format!("block{number}"), &x, channels, stride);
    }
    for (name, numbers) in [("scores", 1), ("boxes", COORDINATES)] {
        head(&mut net, name, &[&fine, &x], numbers);
    }
    net.finish()
}

/// Depthwise 5 × 5, pointwise, and a shortcut that is pooled and padded to fit.
fn block(net: &mut OnnxBuilder, name: &str, x: &Feature, channels: i64, stride: i64) -> Feature {
    let mut window = Window::same(5).stride(stride).groups(x.channels);
    let mut h = x.clone();
    if stride == 2 {
        h = pad(net, &format!("{name}.pad"), &h, ("pad.spatial", 0));
        window = window.padding(0);
    }
    h = conv(net, &format!("{name}.depthwise"), &h, x.channels, window);
    h = conv(
        net,
        &format!("{name}.pointwise"),
        &h,
        channels,
        Window::same(1),
    );
    let mut shortcut = x.clone();
    if stride == 2 {
        let halve = Window::same(2).stride(2);
        shortcut = pool(net, &format!("{name}.pool"), "MaxPool", &shortcut, halve);
    }
    let more = channels - x.channels;
    if more > 0 {
        let pads = net.ints(&format!("{name}.more"), &[8], &[0, 0, 0, 0, 0, more, 0, 0]);
        shortcut = pad(net, &format!("{name}.channels"), &shortcut, (&pads, more));
    }
    h = add(net, &format!("{name}.add"), &h, &shortcut);
    unary(net, &format!("{name}.relu"), "Relu", &h)
}

/// Pads with zeros by the initializer `pads`, which adds `more` channels.
fn pad(net: &mut OnnxBuilder, name: &str, x: &Feature, (pads, more): (&str, i64)) -> Feature {
    Feature {
        name: net.op(name, "Pad", &[&x.name, pads], Vec::new()),
        channels: x.channels + more,
    }
}

/// `numbers` for each anchor of both grids, as one list: a graph output.
fn head(net: &mut OnnxBuilder, name: &str, grids: &[&Feature; 2], numbers: i64) {
    let mut parts = Vec::new();
    for (index, (grid, anchors)) in grids.iter().zip(ANCHORS).enumerate() {
        let part = format!("{name}{index}");
        let channels = anchors * numbers;
        let map = conv(
            net,
            &format!("{part}.conv"),
            grid,
            channels,
            Window::same(1),
        );
        let attributes = vec![ints("perm", &[0, 2, 3, 1])];
        let moved = net.op(
            &format!("{part}.nhwc"),
            "Transpose",
            &[&map.name],
            attributes,
        );
        let shape = net.ints(&format!("{part}.shape"), &[3], &[1, -1, numbers]);
        let list = net.op(
            &format!("{part}.list"),
            "Reshape",
            &[&moved, &shape],
            Vec::new(),
        );
        parts.push(list);
    }
    concat_on(net, name, &parts, 1);
    net.output(name, DataType::FLOAT, &[1, 896, numbers].map(Axis::from));
}
