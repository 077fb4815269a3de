//! Operators that pick elements.

use crate::graph::DType;
use crate::graph::infer::call::resolve;
use crate::graph::infer::eval::cast;
use crate::graph::infer::{Call, Elements, InferredOutput, Outputs, Unsized, Value};
use crate::message;

/// One axis of a Slice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::graph::infer) struct Range {
    /// The axis.
    pub axis: usize,
    /// First index; within the axis unless `count` is 0.
    pub start: i64,
    /// Distance between indices, never 0.
    pub step: i64,
    /// Number of indices.
    pub count: u64,
}

/// What a Slice takes of each axis that it names.
pub(in crate::graph::infer) fn ranges(call: &Call<'_>) -> Result<Vec<Range>, Unsized> {
    let dims = call.dims(0)?;
    let starts = call.list("starts", 1)?.unwrap_or_default();
    let ends = call.list("ends", 2)?.unwrap_or_default();
    let axes = match call.list("axes", 3)? {
        Some(axes) => call.axes(axes, dims.len())?,
        None => (0..starts.len()).collect(),
    };
    let steps = match call.input(4) {
        Some(_) => call.elements(4)?.to_vec(),
        None => vec![1; starts.len()],
    };
    let counts = [ends.len(), axes.len(), steps.len()];
    if counts != [starts.len(); 3] || axes.iter().any(|&axis| axis >= dims.len()) {
        return Err(call.invalid(message!("starts, ends, axes and steps do not fit")));
    }
    let mut ranges = Vec::with_capacity(starts.len());
    for (index, axis) in axes.into_iter().enumerate() {
        let (start, end, step) = (starts[index], ends[index], steps[index]);
        let dim = i64::try_from(dims[axis]).map_err(|_error| call.too_large())?;
        ranges.push(
            range(axis, dim, start, end, step).ok_or_else(|| call.invalid(message!("step 0")))?,
        );
    }
    Ok(ranges)
}

/// Negative positions count from the end; then all are clamped to the axis. Walking
/// backwards, the end may lie before the first element.
fn range(axis: usize, dim: i64, start: i64, end: i64, step: i64) -> Option<Range> {
    let from_end = |x: i64| if x < 0 { x.saturating_add(dim) } else { x };
    let (start, end) = (from_end(start), from_end(end));
    let (start, distance) = match step {
        0 => return None,
        1.. => {
            let start = start.clamp(0, dim);
            (start, end.clamp(0, dim) - start)
        }
        _ => {
            let start = start.clamp(0, (dim - 1).max(0));
            (start, start - end.clamp(-1, (dim - 1).max(-1)))
        }
    };
    let distance = if dim == 0 { 0 } else { distance };
    let distance = u64::try_from(distance).unwrap_or(0);
    let count = distance.div_ceil(step.unsigned_abs());
    Some(Range {
        axis,
        start,
        step,
        count,
    })
}

pub(super) fn slice(call: &Call<'_>) -> Outputs {
    let x = call.need(0)?;
    let mut dims = x.dims.to_vec();
    for range in ranges(call)? {
        dims[range.axis] = range.count;
    }
    Ok(vec![InferredOutput::new(x.dtype, dims)])
}

/// The dimension of the axis is replaced by those of the indices.
pub(super) fn gather(call: &Call<'_>) -> Outputs {
    let x = call.need(0)?;
    let indices = call.dims(1)?;
    let axis = call.axis(call.int("axis", 0), x.dims.len())?;
    let mut dims = x.dims[..axis].to_vec();
    dims.extend_from_slice(indices);
    dims.extend_from_slice(&x.dims[axis + 1..]);
    Ok(vec![InferredOutput::new(x.dtype, dims)])
}

/// Like the indices.
pub(super) fn gather_elements(call: &Call<'_>) -> Outputs {
    let dtype = call.need(0)?.dtype;
    Ok(vec![InferredOutput::new(dtype, call.dims(1)?)])
}

pub(super) fn gather_nd(call: &Call<'_>) -> Outputs {
    let x = call.need(0)?;
    let indices = call.dims(1)?;
    let batch = call.size(call.int("batch_dims", 0))?;
    let mismatch = || {
        call.invalid(message!(
            "indices {} of {}",
            format_args!("{indices:?}"),
            format_args!("{:?}", x.dims)
        ))
    };
    let (depth, outer) = indices.split_last().ok_or_else(mismatch)?;
    let used = batch
        .checked_add(*depth)
        .and_then(|n| usize::try_from(n).ok());
    let inner = used
        .and_then(|used| x.dims.get(used..))
        .ok_or_else(mismatch)?;
    Ok(vec![InferredOutput::new(x.dtype, [outer, inner].concat())])
}

pub(super) fn top_k(call: &Call<'_>) -> Outputs {
    let x = call.need(0)?;
    let k = match call.op.int("k") {
        Some(k) => k,
        None => match call.elements(1)? {
            [k] => *k,
            k => return Err(call.invalid(message!("k {}", format_args!("{k:?}")))),
        },
    };
    let axis = call.axis(call.int("axis", -1), x.dims.len())?;
    let mut dims = x.dims.to_vec();
    dims[axis] = call.size(k)?;
    Ok(vec![
        InferredOutput::new(x.dtype, dims.clone()),
        InferredOutput::new(DType::I64, dims),
    ])
}

pub(super) fn one_hot(call: &Call<'_>) -> Outputs {
    let mut dims = call.dims(0)?.to_vec();
    // The depth may be of any numeric type.
    let depth = call
        .need(1)?
        .value
        .and_then(|depth| cast(depth, DType::I64));
    let depth = match depth {
        Some(Elements::Ints(depth)) if depth.len() == 1 => call.size(depth[0])?,
        _ => return Err(call.data_dependent(1)),
    };
    let axis = call.int("axis", -1);
    let axis =
        resolve(axis, dims.len() + 1).ok_or_else(|| call.invalid(message!("axis {}", axis)))?;
    dims.insert(axis, depth);
    Ok(vec![InferredOutput::new(call.need(2)?.dtype, dims)])
}

/// One column of indices per element that is not zero.
pub(super) fn non_zero(call: &Call<'_>) -> Outputs {
    let x = call.need(0)?;
    let value = x.value.ok_or_else(|| call.data_dependent(0))?;
    let hits: Vec<usize> = match &value.elements {
        Elements::Ints(x) => (0..x.len()).filter(|&i| x[i] != 0).collect(),
        Elements::Floats(x) => (0..x.len()).filter(|&i| x[i] != 0.0).collect(),
    };
    let mut rows = Vec::with_capacity(hits.len() * x.dims.len());
    for axis in 0..x.dims.len() {
        let inner = call.product(&x.dims[axis + 1..])?.max(1);
        let index = |&hit: &usize| (hit as u64 / inner % x.dims[axis].max(1)).cast_signed();
        rows.extend(hits.iter().map(index));
    }
    let mut made = InferredOutput::new(DType::I64, [x.dims.len() as u64, hits.len() as u64]);
    made.value = Some(Value {
        dims: made.dims.clone(),
        elements: Elements::Ints(rows),
    });
    Ok(vec![made])
}

pub(super) fn compress(call: &Call<'_>) -> Outputs {
    let x = call.need(0)?;
    let kept = call.elements(1)?.iter().filter(|&&keep| keep != 0).count() as u64;
    let dims = match call.op.int("axis") {
        Some(axis) => {
            let axis = call.axis(axis, x.dims.len())?;
            let mut dims = x.dims.to_vec();
            dims[axis] = kept;
            dims
        }
        None => vec![kept],
    };
    Ok(vec![InferredOutput::new(x.dtype, dims)])
}

/// Instead of the last dimension, one element for each column that an n-gram has.
pub(super) fn n_grams(call: &Call<'_>) -> Outputs {
    let x = call.need(0)?;
    let columns = call.op.ints("ngram_indexes").unwrap_or_default();
    let last = columns.iter().max().copied().unwrap_or(-1);
    let mut dims = x.dims.to_vec();
    let items = dims
        .last_mut()
        .ok_or_else(|| call.invalid(message!("a scalar")))?;
    *items = call.size(last.saturating_add(1))?;
    Ok(vec![InferredOutput::new(DType::F32, dims)])
}
