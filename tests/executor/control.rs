//! Models with control flow against ONNX Runtime and LiteRT: `tests/data/control.py` makes the
//! cases.

use executor::elements::is_float;

use super::cases::{Pair, hold};

/// What floats may differ by, beside as much again of their size.
const NEAR: f32 = 1e-5;

fn judge(pair: &Pair<'_>) -> Option<String> {
    match pair.dtype.is_some_and(is_float) {
        true => pair.near(|expected| NEAR * (1.0 + expected.abs())),
        false => pair.exact(),
    }
}

#[test]
fn control_flow_computes_what_others_do() {
    hold("control", judge);
}
