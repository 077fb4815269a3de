//! TFLite builtins → dispatches: one table of families. Activations are NHWC.

pub(super) mod elementwise;
mod linear;
mod reduction;
mod window;
mod arrange;
mod blocks;
mod resize;
mod strided_slice;

use planner::graph::DType;

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
    resize::dispatches,
];

/// The dispatches of a TFLite builtin.
///
/// # Errors
/// What stands in the way, for people.
pub(super) fn dispatches(call: &Call<'_>) -> Dispatches {
    let written = call.outputs.iter().flatten();
    let read = call.inputs.iter().flatten();
    for x in written.chain(read.filter(|x| !call.is_constant(x))) {
        let narrow = matches!(x.dtype, DType::I8 | DType::U8 | DType::I16);
        if narrow && call.graph.tensor(x.tensor).quantization.is_some() {
            return Err(format!(
                "quantised activations: {} is {}",
                x.name,
                x.dtype.name()
            ));
        }
    }
    let found = FAMILIES.iter().find_map(|family| family(call));
    found.unwrap_or_else(|| Err("there is no kernel for it".into()))
}
