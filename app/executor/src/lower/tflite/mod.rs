//! TFLite builtins → dispatches: one table of families. Activations are NHWC.

pub(super) mod elementwise;
mod linear;
mod reduction;
mod window;
mod arrange;
mod blocks;
mod resize;
mod strided_slice;
pub(super) mod recurrent;
mod variables;
pub(super) mod quantised;
pub(super) mod hybrid;

use super::Dispatches;
use super::call::Call;
use super::families::{Families, Tflite};
use super::refused::absent;

/// The operators that are always there. Each list answers for its own kinds and leaves the others
/// to the next.
const ALWAYS: &[Tflite] = &[
    elementwise::dispatches,
    window::dispatches,
    linear::dispatches,
    reduction::dispatches,
    arrange::dispatches,
    strided_slice::dispatches,
    blocks::dispatches,
    resize::dispatches,
];

/// The dispatches of a TFLite builtin.
///
/// # Errors
/// What stands in the way, for people.
pub(super) fn dispatches(call: &Call<'_>, families: Families) -> Dispatches {
    let own = variables::dispatches(call);
    let own = own.or_else(|| families.tflite().find_map(|family| family(call)));
    own.unwrap_or_else(|| found(call))
}

/// The dispatches of a builtin that needs no family.
fn found(call: &Call<'_>) -> Dispatches {
    let found = ALWAYS.iter().find_map(|family| family(call));
    found.unwrap_or_else(|| Err(absent(call)))
}
