//! Reductions over axes.

use crate::graph::DType;
use crate::graph::infer::{Call, InferredOutput, Outputs, Unsized};

/// The axes that a Reduce operator removes: all unless it names some.
pub(in crate::graph::infer) fn reduced_axes(call: &Call<'_>) -> Result<Vec<usize>, Unsized> {
    let rank = call.dims(0)?.len();
    match call.list("axes", 1)? {
        Some(axes) if !axes.is_empty() => call.axes(axes, rank),
        _ if call.flag("noop_with_empty_axes") => Ok(Vec::new()),
        _ => Ok((0..rank).collect()),
    }
}

/// `dims` without `axes`, or with 1 in their place.
fn without(dims: &[u64], axes: &[usize], keep: bool) -> Vec<u64> {
    let mut reduced = Vec::with_capacity(dims.len());
    for (axis, &dim) in dims.iter().enumerate() {
        if !axes.contains(&axis) {
            reduced.push(dim);
        } else if keep {
            reduced.push(1);
        }
    }
    reduced
}

pub(super) fn reduce(call: &Call<'_>) -> Outputs {
    let x = call.need(0)?;
    let keep = call.int("keepdims", 1) != 0;
    let dims = without(x.dims, &reduced_axes(call)?, keep);
    Ok(vec![InferredOutput::new(x.dtype, dims)])
}

pub(super) fn arg(call: &Call<'_>) -> Outputs {
    let dims = call.dims(0)?;
    let axis = call.axis(call.int("axis", 0), dims.len())?;
    let keep = call.int("keepdims", 1) != 0;
    Ok(vec![InferredOutput::new(
        DType::I64,
        without(dims, &[axis], keep),
    )])
}
