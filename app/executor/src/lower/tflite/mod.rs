//! TFLite builtins → dispatches: one table from kind to family. Activations are NHWC.

mod window;
pub(super) mod elementwise;

use super::Dispatches;
use super::call::Call;

/// The dispatches of a TFLite builtin.
///
/// # Errors
/// What stands in the way, for people.
pub(super) fn dispatches(call: &Call<'_>) -> Dispatches {
    if let Some(found) = window::dispatches(call) {
        return found;
    }
    if let Some(found) = elementwise::dispatches(call) {
        return found;
    }
    Err("there is no kernel for it".into())
}
