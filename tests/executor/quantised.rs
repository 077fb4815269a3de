//! TFLite's builtins on quantised elements, bit for bit what LiteRT's reference kernels compute,
//! and ONNX's operators on integers, what its reference evaluator does: `tests/data/quantised.py`
//! makes the cases.

use super::cases::hold;

#[test]
fn quantised_operators_are_bit_exact() {
    hold("quantised", |pair| pair.exact());
}

/// Files of packages, of which some keep state from run to run: `tests/data/deployed_models.py`.
#[test]
fn deployed_models_are_bit_exact() {
    hold("deployed_models", |pair| pair.exact());
}
