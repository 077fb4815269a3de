//! TFLite builtins → dispatches: one table from kind to family. Activations are NHWC.

mod arrange;
mod blocks;
mod resize;
mod strided_slice;

use super::Dispatches;
use super::call::Call;

/// The dispatches of a TFLite builtin.
///
/// # Errors
/// What stands in the way, for people.
pub(super) fn dispatches(call: &Call<'_>) -> Dispatches {
    if let Some(found) = arrange::dispatches(call) {
        return found;
    }
    if let Some(found) = strided_slice::dispatches(call) {
        return found;
    }
    if let Some(found) = blocks::dispatches(call) {
        return found;
    }
    if let Some(found) = resize::dispatches(call) {
        return found;
    }
    Err("there is no kernel for it".into())
}
