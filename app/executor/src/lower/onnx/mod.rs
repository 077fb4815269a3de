//! ONNX operators → dispatches: one table of families.

mod arrange;
pub(super) mod attention;
pub(super) mod caches;
mod grouped;
pub(super) mod transformers;
pub(super) mod elementwise;
pub(super) mod quantization;
pub(super) mod integers;
pub(super) mod quantised;
mod indexing;
mod resize;
pub(super) mod states;
pub(super) mod layers;
mod linear;
mod normalization;
pub(super) mod recurrent;
pub(super) mod dynamic_lstm;
mod generated;
pub(super) mod contrib;
pub(super) mod features;
pub(super) mod training;
mod reduction;
mod window;
pub(super) mod losses;
pub(super) mod sampling;
pub(super) mod overlaps;
pub(super) mod fourier;
pub(super) mod text;

use super::Dispatches;
use super::call::Call;
use super::families::{Families, Onnx};
use super::refused::absent;

/// The operators that are always there. Each list answers for its own kinds and leaves the others
/// to the next.
const ALWAYS: &[Onnx] = &[
    elementwise::dispatches,
    window::dispatches,
    linear::dispatches,
    normalization::dispatches,
    generated::dispatches,
    reduction::dispatches,
    arrange::dispatches,
    indexing::dispatches,
    resize::dispatches,
];

/// The dispatches of an ONNX operator of the default domain's version `opset`.
///
/// # Errors
/// What stands in the way, for people.
pub(super) fn dispatches(call: &Call<'_>, opset: u32, families: Families) -> Dispatches {
    let mut all = families.onnx().chain(ALWAYS);
    let found = all.find_map(|family| family(call, opset));
    found.unwrap_or_else(|| Err(absent(call)))
}
