//! TFLite builtins → dispatches: one table of families. Activations are NHWC.

mod elementwise;
mod window;

use super::Dispatches;
use super::call::Call;

/// Each answers for its own kinds and leaves the others to the next.
const FAMILIES: &[fn(&Call<'_>) -> Option<Dispatches>] =
    &[elementwise::dispatches, window::dispatches];

/// The dispatches of a TFLite builtin.
///
/// # Errors
/// What stands in the way, for people.
pub(super) fn dispatches(call: &Call<'_>) -> Dispatches {
    let found = FAMILIES.iter().find_map(|family| family(call));
    found.unwrap_or_else(|| Err("there is no kernel for it".into()))
}
