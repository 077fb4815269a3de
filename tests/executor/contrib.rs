//! Operators of transformers and on quantised elements in the `com.microsoft` domain against ONNX
//! Runtime: `tests/data/contrib.py` makes the cases.

use executor::elements::is_float;

use super::cases::{Pair, hold};

/// Largest difference: as a share of the largest expected element.
const BOUND: f32 = 2e-5;

fn judge(pair: &Pair<'_>) -> Option<String> {
    if !pair.dtype.is_some_and(is_float) {
        return pair.exact();
    }
    let sizes = pair.expected.iter().map(|&word| f32::from_bits(word).abs());
    let most = sizes.fold(1e-3_f32, f32::max);
    pair.near(|_| BOUND * most)
}

#[test]
fn operators_of_transformers_agree_with_onnx_runtime() {
    hold("contrib", judge);
}
