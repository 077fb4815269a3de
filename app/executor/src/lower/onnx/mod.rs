//! ONNX operators → dispatches: one table of families.

mod arrange;
mod attention;
mod caches;
mod grouped;
mod transformers;
pub(super) mod elementwise;
mod quantization;
mod integers;
mod quantised;
mod indexing;
mod resize;
mod states;
mod layers;
mod linear;
mod normalization;
mod recurrent;
mod generated;
mod features;
mod training;
mod reduction;
mod window;
mod losses;
mod sampling;
mod overlaps;
mod fourier;
mod text;

use super::Dispatches;
use super::call::Call;

/// Each answers for its own kinds and leaves the others to the next.
const FAMILIES: &[fn(&Call<'_>, u32) -> Option<Dispatches>] = &[
    elementwise::dispatches,
    quantization::dispatches,
    integers::dispatches,
    quantised::dispatches,
    window::dispatches,
    linear::dispatches,
    normalization::dispatches,
    recurrent::dispatches,
    generated::dispatches,
    features::dispatches,
    training::dispatches,
    attention::dispatches,
    caches::dispatches,
    transformers::dispatches,
    layers::dispatches,
    states::dispatches,
    reduction::dispatches,
    arrange::dispatches,
    indexing::dispatches,
    resize::dispatches,
    losses::dispatches,
    sampling::dispatches,
    overlaps::dispatches,
    fourier::dispatches,
    text::dispatches,
];

/// The dispatches of an ONNX operator of the default domain's version `opset`.
///
/// # Errors
/// What stands in the way, for people.
pub(super) fn dispatches(call: &Call<'_>, opset: u32) -> Dispatches {
    let found = FAMILIES.iter().find_map(|family| family(call, opset));
    found.unwrap_or_else(|| Err("there is no kernel for it".into()))
}
