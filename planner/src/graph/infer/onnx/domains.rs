//! Operators on features (ai.onnx.ml) and steps of optimizers (ai.onnx.preview.training).

use crate::graph::infer::{Call, InferredOutput, Outputs};
use crate::message;

/// Elements along the last dimension, as many as there are places; of a vector a row of them.
pub(super) fn picked(call: &Call<'_>) -> Outputs {
    let x = call.need(0)?;
    let count = call.product(call.dims(1)?)?;
    let outer = match x.dims {
        [] => return Err(call.invalid(message!("a scalar has no axis"))),
        [_] => &[1],
        [outer @ .., _] => outer,
    };
    let mut dims = outer.to_vec();
    dims.push(count);
    Ok(vec![InferredOutput::new(x.dtype, dims)])
}

/// A step of an optimizer that keeps so many moments. Behind rate and number of steps come all that is
/// trained, all gradients, and all moments; the outputs are like what is trained and its moments.
pub(super) fn training(call: &Call<'_>, moments: usize) -> Outputs {
    let count = call.inputs.len().saturating_sub(2) / (2 + moments);
    let trained = (2..2 + count).chain(2 + 2 * count..2 + (2 + moments) * count);
    let like = |index: usize| {
        let x = call.need(index)?;
        Ok(InferredOutput::new(x.dtype, x.dims))
    };
    trained.map(like).collect()
}
