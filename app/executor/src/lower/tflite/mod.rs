//! TFLite builtins → dispatches: one table from kind to family. Activations are NHWC.

pub(super) mod elementwise;
mod window;

use planner::graph::DType;

use super::Dispatches;
use super::call::Call;

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
    let families = [elementwise::dispatches, window::dispatches];
    if let Some(found) = families.iter().find_map(|family| family(call)) {
        return found;
    }
    Err("there is no kernel for it".into())
}
