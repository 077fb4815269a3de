//! Where the elements of an output lie in an input, for operators that compute nothing and
//! could hand on the input's bytes: slices, reshapes, splits, transpositions, broadcasts.

use std::collections::BTreeMap;

use super::onnx::{permutation, ranges};
use super::tflite::picked;
use super::{Call, KnownInput, Value, call};
use crate::graph::{Dialect, Graph, Op, TensorId};
use crate::operators::Operator;

/// Where the elements of an output lie, counted in elements of the input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StridedView {
    /// The first element.
    pub(crate) offset: u64,
    /// From one index of each dimension to the next.
    pub(crate) strides: Vec<u64>,
}

/// Why an operator of this family hands on no bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoView {
    /// Some elements run backwards.
    Backwards,
    /// The input's elements do not lie as the output needs them.
    Contiguous,
    /// Sizes, or the operator's parameters, are not known before the run.
    Unknown,
}

/// The position of the input whose elements the outputs of `op` are, unchanged; `None` for
/// operators that do anything else.
pub(crate) fn source(op: &Op) -> Option<usize> {
    let facts = op.facts();
    let views = facts.view.is_some() && op.captures.is_empty();
    views.then_some(facts.source)
}

/// Where the elements of each output of `op` lie in its [`source`], whose own elements are
/// `strides` apart.
///
/// # Errors
/// Why the outputs are no views of it.
pub(crate) fn views(
    graph: &Graph,
    op: &Op,
    values: &BTreeMap<TensorId, Value>,
    strides: &[u64],
) -> Result<Vec<StridedView>, NoView> {
    let inputs = KnownInput::inputs(graph, values, op);
    let call = Call {
        op,
        inputs: &inputs,
        graph,
        follow: false,
    };
    let dims = |id: &Option<TensorId>| id.and_then(|id| graph.tensor(id).dims.as_deref());
    let outputs: Vec<_> = op.outputs.iter().map(dims).collect();
    let position = source(op).ok_or(NoView::Unknown)?;
    let dims = call.dims(position).map_err(|_unsized| NoView::Unknown)?;
    if dims.len() != strides.len() {
        return Err(NoView::Unknown);
    }
    let first = outputs.first().copied().flatten().ok_or(NoView::Unknown);
    let tflite = graph.dialect == Dialect::Tflite;
    match op.operator {
        Operator::Slice if tflite => one(boxed(&call, strides)),
        Operator::Slice => one(sliced(&call, strides)),
        Operator::StridedSlice => {
            one(picked(&call).map_or(Err(NoView::Unknown), |picks| taken(&picks, strides)))
        }
        Operator::Transpose if tflite => {
            let order = call.elements(1).map_err(|_bad| NoView::Unknown)?;
            let axes = call.axes(order, strides.len());
            one(permuted(&axes.map_err(|_bad| NoView::Unknown)?, strides))
        }
        Operator::Transpose => {
            let axes = permutation(&call).map_err(|_bad| NoView::Unknown)?;
            one(permuted(&axes, strides))
        }
        Operator::Split if tflite => split(at(&call, 2, strides.len()), &outputs, strides),
        Operator::Split => {
            let axis = call::resolve(call.int("axis", 0), strides.len());
            split(axis, &outputs, strides)
        }
        Operator::TfliteSplit => split(at(&call, 0, strides.len()), &outputs, strides),
        Operator::Unpack => unpacked(&call, &outputs, strides),
        Operator::Expand => one(expanded(dims, first?, strides)),
        _ => one(reshaped(dims, first?, strides)),
    }
}

fn one(laid: Result<StridedView, NoView>) -> Result<Vec<StridedView>, NoView> {
    laid.map(|laid| vec![laid])
}

/// The axis that the scalar input at `index` names.
fn at(call: &Call<'_>, index: usize, rank: usize) -> Option<usize> {
    let axis = call.input(index)?.value?.single()?;
    call::resolve(axis, rank)
}

/// One range of an axis: its first index and its step, as factors of the stride.
fn stepped(laid: &mut StridedView, stride: u64, (start, step): (i64, i64)) -> Result<u64, NoView> {
    let step = u64::try_from(step).map_err(|_negative| NoView::Backwards)?;
    let start = u64::try_from(start).map_err(|_negative| NoView::Unknown)?;
    let moved = start.checked_mul(stride);
    let offset = moved.and_then(|moved| laid.offset.checked_add(moved));
    laid.offset = offset.ok_or(NoView::Unknown)?;
    step.checked_mul(stride).ok_or(NoView::Unknown)
}

fn sliced(call: &Call<'_>, strides: &[u64]) -> Result<StridedView, NoView> {
    let mut laid = StridedView {
        offset: 0,
        strides: strides.to_vec(),
    };
    for range in ranges(call).map_err(|_bad| NoView::Unknown)? {
        let stride = strides[range.axis];
        laid.strides[range.axis] = stepped(&mut laid, stride, (range.start, range.step))?;
    }
    Ok(laid)
}

fn boxed(call: &Call<'_>, strides: &[u64]) -> Result<StridedView, NoView> {
    let begins = call.elements(1).map_err(|_bad| NoView::Unknown)?;
    let mut laid = StridedView::default();
    for (&begin, &stride) in begins.iter().zip(strides) {
        let stride = stepped(&mut laid, stride, (begin, 1))?;
        laid.strides.push(stride);
    }
    Ok(laid)
}

/// What a strided slice takes, dimension by dimension; `None` for a new one of 1.
pub(super) type Taken = Option<(i64, i64, bool)>;

/// Each entry is a first index, a step, and whether the dimension stays.
fn taken(picks: &[Taken], strides: &[u64]) -> Result<StridedView, NoView> {
    let mut laid = StridedView::default();
    let mut strides = strides.iter();
    for pick in picks {
        let Some((start, step, stays)) = *pick else {
            laid.strides.push(0);
            continue;
        };
        let stride = *strides.next().ok_or(NoView::Unknown)?;
        let stride = stepped(&mut laid, stride, (start, step))?;
        if stays {
            laid.strides.push(stride);
        }
    }
    Ok(laid)
}

fn permuted(axes: &[usize], strides: &[u64]) -> Result<StridedView, NoView> {
    let strides = axes.iter().map(|&axis| strides.get(axis).copied());
    let strides = strides.collect::<Option<Vec<u64>>>();
    let strides = strides.filter(|all| all.len() == axes.len());
    let strides = strides.ok_or(NoView::Unknown)?;
    Ok(StridedView { offset: 0, strides })
}

fn split(
    axis: Option<usize>,
    outputs: &[Option<&[u64]>],
    strides: &[u64],
) -> Result<Vec<StridedView>, NoView> {
    let axis = axis.ok_or(NoView::Unknown)?;
    let mut begin = 0_u64;
    let mut laid = Vec::with_capacity(outputs.len());
    for dims in outputs {
        let size = dims
            .and_then(|dims| dims.get(axis))
            .ok_or(NoView::Unknown)?;
        let offset = begin.checked_mul(strides[axis]).ok_or(NoView::Unknown)?;
        laid.push(StridedView {
            offset,
            strides: strides.to_vec(),
        });
        begin = begin.checked_add(*size).ok_or(NoView::Unknown)?;
    }
    Ok(laid)
}

fn unpacked(
    call: &Call<'_>,
    outputs: &[Option<&[u64]>],
    strides: &[u64],
) -> Result<Vec<StridedView>, NoView> {
    let axis = call::resolve(call.int("axis", 0), strides.len()).ok_or(NoView::Unknown)?;
    let mut rest = strides.to_vec();
    let stride = rest.remove(axis);
    let one = |index: usize| {
        let offset = (index as u64).checked_mul(stride).ok_or(NoView::Unknown)?;
        let strides = rest.clone();
        Ok(StridedView { offset, strides })
    };
    (0..outputs.len()).map(one).collect()
}

/// A stretched dimension, and a new one in front, has stride 0.
fn expanded(from: &[u64], to: &[u64], strides: &[u64]) -> Result<StridedView, NoView> {
    let new = to.len().checked_sub(from.len()).ok_or(NoView::Unknown)?;
    let mut laid = vec![0; new];
    for ((&from, &to), &stride) in from.iter().zip(&to[new..]).zip(strides) {
        laid.push(if from == to { stride } else { 0 });
    }
    Ok(StridedView {
        offset: 0,
        strides: laid,
    })
}

/// The strides of `to` over elements that lie as `from` with `strides` has them, in the same
/// order: dimensions are merged while one follows from the next, and each group is cut into
/// dimensions of `to` (as `NumPy` does it, `attempt_nocopy_reshape`).
fn reshaped(from: &[u64], to: &[u64], strides: &[u64]) -> Result<StridedView, NoView> {
    let elements = |dims: &[u64]| call::count(dims).ok_or(NoView::Unknown);
    let count = elements(from)?;
    if count != elements(to)? {
        return Err(NoView::Unknown);
    }
    let mut laid = StridedView::default();
    laid.strides.resize(to.len(), 0);
    if count == 0 {
        return Ok(laid);
    }
    let kept = from.iter().zip(strides).filter(|(dim, _)| **dim != 1);
    let mut kept = kept.rev().map(|(&dim, &stride)| (dim, stride)).peekable();
    // How many elements of the group that is being cut are left, and how far apart they are.
    let (mut left, mut stride) = (1_u64, 1_u64);
    for (slot, &dim) in laid.strides.iter_mut().zip(to).rev() {
        if dim == 1 {
            continue;
        }
        if left == 1 {
            (left, stride) = kept.next().ok_or(NoView::Unknown)?;
            let next = |left: u64| left.checked_mul(stride);
            while let Some(&(size, apart)) = kept.peek() {
                if next(left) != Some(apart) {
                    break;
                }
                left = left.checked_mul(size).ok_or(NoView::Unknown)?;
                kept.next();
            }
        }
        if !left.is_multiple_of(dim) {
            return Err(NoView::Contiguous);
        }
        *slot = stride;
        left /= dim;
        stride = stride.checked_mul(dim).ok_or(NoView::Unknown)?;
    }
    Ok(laid)
}
