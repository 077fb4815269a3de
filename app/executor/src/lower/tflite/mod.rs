//! TFLite builtins → dispatches: one table from kind to family. Activations are NHWC.

use super::Dispatches;
use super::call::Call;

/// The dispatches of a TFLite builtin.
///
/// # Errors
/// What stands in the way, for people.
pub(super) fn dispatches(_call: &Call<'_>) -> Dispatches {
    Err("there is no kernel for it".into())
}
