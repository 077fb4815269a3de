//! TFLite builtins → dispatches: one table of families. Activations are NHWC.

pub(super) mod elementwise;
mod linear;
mod reduction;
mod window;
mod arrange;
mod blocks;
mod resize;
mod strided_slice;
mod recurrent;
mod variables;
mod quantised;

use super::Dispatches;
use super::call::Call;

/// Each answers for its own kinds and leaves the others to the next.
const FAMILIES: &[fn(&Call<'_>) -> Option<Dispatches>] = &[
    elementwise::dispatches,
    window::dispatches,
    linear::dispatches,
    reduction::dispatches,
    arrange::dispatches,
    strided_slice::dispatches,
    blocks::dispatches,
    recurrent::dispatches,
    resize::dispatches,
];

/// The dispatches of a TFLite builtin.
///
/// # Errors
/// What stands in the way, for people.
pub(super) fn dispatches(call: &Call<'_>) -> Dispatches {
    if let Some(found) = variables::dispatches(call) {
        return found;
    }
    if quantised::is(call) {
        return quantised::dispatches(call);
    }
    found(call)
}

/// The dispatches of the first family that has some.
fn found(call: &Call<'_>) -> Dispatches {
    let found = FAMILIES.iter().find_map(|family| family(call));
    found.unwrap_or_else(|| Err("there is no kernel for it".into()))
}
