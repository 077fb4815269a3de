//! Operators of the domain ai.onnx.ml.

use planner::message;

use crate::elements::is_float;
use crate::kernels::UnaryOp;
use crate::lower::Dispatches;
use crate::lower::call::Call;
use crate::lower::elementwise::unary;
use crate::lower::gather::gather;
use planner::operators::Operator;

/// The dispatches of an operator on features; `None` when it is of another family.
pub(in crate::lower) fn dispatches(call: &Call<'_>, _opset: u32) -> Option<Dispatches> {
    Some(match call.op.operator {
        Operator::Binarizer => binarizer(call),
        Operator::ArrayFeatureExtractor => picked(call),
        _ => return None,
    })
}

/// Whether it is above a threshold.
fn binarizer(call: &Call<'_>) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    if !is_float(x.dtype) {
        return Err(message!("there is no kernel for it on {}", x.dtype.name()));
    }
    let threshold = call.float_attribute("threshold").unwrap_or_default();
    Ok(vec![unary(UnaryOp::Above, threshold, 0.0, x, y)?])
}

/// Elements along the last dimension.
fn picked(call: &Call<'_>) -> Dispatches {
    let (x, places, y) = (call.input(0)?, call.input(1)?, call.output(0)?);
    let Some((_, outer)) = x.dims.split_last() else {
        return Err(message!("a scalar has no axis"));
    };
    let mut dims = outer.to_vec();
    dims.push(places.len());
    if dims.iter().product::<u32>() != y.len() {
        return Err(message!("its shapes do not fit"));
    }
    let places = places.viewed([places.len()]);
    gather(x, &places, (outer.len(), 0), &y.viewed(dims))
}
