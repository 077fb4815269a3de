//! Where the elements of a view lie, and whether two tensors of one storage share a byte.

use crate::graph::{Graph, TensorId};
use crate::storage::{Storages, View};

/// Most elements that are looked at one by one.
const MOST: u64 = 1 << 16;

/// Whether the two, whose bytes overlap from the first to the last, share one. Strided ones of
/// more elements than are looked at share one only where both have the same view.
pub(super) fn overlap(graph: &Graph, storages: &Storages, pair: (TensorId, TensorId)) -> bool {
    let (Some(one), Some(other)) = (storages.view(pair.0), storages.view(pair.1)) else {
        return true;
    };
    if one.strides.is_empty() && other.strides.is_empty() {
        return true;
    }
    match (bytes(graph, pair.0, one), bytes(graph, pair.1, other)) {
        (Some(mut one), Some(mut other)) => {
            one.sort_unstable();
            other.sort_unstable();
            let mut left = one.iter().peekable();
            other.iter().any(|range| {
                while left.next_if(|it| it.1 <= range.0).is_some() {}
                left.peek().is_some_and(|it| it.0 < range.1)
            })
        }
        _ => one == other,
    }
}

/// Start and end of every element; `None` for too many.
fn bytes(graph: &Graph, tensor: TensorId, view: &View) -> Option<Vec<(u64, u64)>> {
    let tensor = graph.tensor(tensor);
    let dims = tensor.dims.as_deref()?;
    let width = tensor.dtype.bits()? / 8;
    let whole = tensor.bytes()?.0;
    if view.strides.is_empty() {
        return Some(vec![(view.offset.0, view.offset.0.checked_add(whole)?)]);
    }
    if whole > MOST.checked_mul(width)? {
        return None;
    }
    let mut starts = vec![view.offset.0];
    for (dim, stride) in dims.iter().zip(&view.strides) {
        let step = stride.checked_mul(width)?;
        let along = |start: &u64| {
            let start = *start;
            (0..*dim).map(move |index| start.saturating_add(index.saturating_mul(step)))
        };
        starts = starts.iter().flat_map(along).collect();
    }
    Some(
        starts
            .into_iter()
            .map(|start| (start, start.saturating_add(width)))
            .collect(),
    )
}

/// The first byte of an element of `tensor`, from the start of its storage; `None` where it
/// cannot be known.
pub(super) fn byte(
    graph: &Graph,
    storages: &Storages,
    tensor: TensorId,
    at: &[u64],
) -> Option<u64> {
    let view = storages.view(tensor)?;
    let tensor = graph.tensor(tensor);
    let dims = tensor.dims.as_deref()?;
    let width = tensor.dtype.bits()?.checked_div(8)?;
    let mut step = 1_u64;
    let mut element = 0_u64;
    for axis in (0..dims.len()).rev() {
        let stride = view.strides.get(axis).copied().unwrap_or(step);
        element = element.checked_add(at.get(axis)?.checked_mul(stride)?)?;
        step = step.checked_mul(dims[axis].max(1))?;
    }
    element.checked_mul(width)?.checked_add(view.offset.0)
}
