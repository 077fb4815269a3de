//! ONNX operators → dispatches: one table from kind to family.

mod arrange;
pub(super) mod elementwise;
mod indexing;
mod window;

use super::Dispatches;
use super::call::Call;

/// The dispatches of an ONNX operator of the default domain's version `opset`.
///
/// # Errors
/// What stands in the way, for people.
pub(super) fn dispatches(call: &Call<'_>, opset: u32) -> Dispatches {
    if let Some(found) = elementwise::dispatches(call, opset) {
        return found;
    }
    if let Some(found) = window::dispatches(call, opset) {
        return found;
    }
    if let Some(found) = arrange::dispatches(call, opset) {
        return found;
    }
    if let Some(found) = indexing::dispatches(call, opset) {
        return found;
    }
    Err("there is no kernel for it".into())
}
