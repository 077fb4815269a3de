//! Recurrent layers of arbitrary shapes and options against ONNX Runtime and LiteRT:
//! `tests/data/recurrent.py` makes the cases.

use super::cases::hold;

/// What elements may differ by, and how much more with their size.
const NEAR: [f32; 2] = [1e-4, 1e-3];

#[test]
fn recurrent_layers_compute_what_others_do() {
    hold("recurrent", |pair| {
        pair.near(|expected| NEAR[0] + NEAR[1] * expected.abs())
    });
}
