//! TFLite builtins → dispatches: one table from kind to family. Activations are NHWC.

pub(super) mod elementwise;
mod window;

use super::Dispatches;
use super::call::Call;

/// The dispatches of a TFLite builtin.
///
/// # Errors
/// What stands in the way, for people.
pub(super) fn dispatches(call: &Call<'_>) -> Dispatches {
    let families = [elementwise::dispatches, window::dispatches];
    if let Some(found) = families.iter().find_map(|family| family(call)) {
        return found;
    }
    Err("there is no kernel for it".into())
}
