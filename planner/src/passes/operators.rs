//! What passes need to know of operators: one table of families, and what each accepts.
//!
//! | family | an element of the output needs | its inputs may lie |
//! |---|---|---|
//! | element-wise | the elements at its place | with any strides |
//! | moves | one element | with any strides |
//! | reduces | a row | with any strides |
//! | rows | the row that it is in, of the first input | with the last dimension contiguous |
//! | product | rows and columns | with any strides |
//! | updates | one element of the first input or of another | contiguous |
//! | other | anything | contiguous |

use crate::graph::{DType, Graph, Op, TensorId};
pub(super) use crate::operators::Family;

/// How the elements of an input may lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// With any strides.
    Any,
    /// The last dimension without gaps.
    LastContiguous,
    /// One after the other.
    Contiguous,
}

/// The family of `op`.
pub(super) fn family(op: &Op) -> Family {
    if !op.captures.is_empty() {
        return Family::Other;
    }
    if let Some(parts) = &op.fused {
        return of_parts(parts);
    }
    let facts = op.facts();
    let beside = facts.alone && op.written().nth(1).is_some();
    if beside { Family::Other } else { facts.family }
}

/// The family of fused operators, which run one after the other in the bytes of the result. The
/// first ones' inputs stand first; what a later one reads again must not be written over.
fn of_parts(parts: &Graph) -> Family {
    let families = parts.ops.iter().map(family);
    let families: Vec<Family> = families.collect();
    let Some((first, later)) = parts.ops.split_first() else {
        return Family::Other;
    };
    let reads = |op: &Op, id: TensorId| op.read().any(|other| other == id);
    let only_first = |id: TensorId| reads(first, id) && !later.iter().any(|op| reads(op, id));
    let own = parts.inputs.iter().take_while(|id| only_first(**id));
    let once = own.count();
    let each = |family: &Family| matches!(family, Family::ElementWise(_));
    let any = |wanted: Family| families.contains(&wanted);
    match families[0] {
        first @ (Family::Product | Family::Window) => first,
        _ if families.iter().all(each) => Family::ElementWise(once),
        _ if any(Family::Reduces) || any(Family::Rows) && once > 0 => Family::Rows,
        _ => Family::Other,
    }
}

/// How the input of `op` at `position` may lie; the output of an element-wise one may lie the
/// same way. Kernels of narrow elements read whole words.
pub(super) fn layout(graph: &Graph, op: &Op, position: usize) -> Layout {
    let dtype = |id: &Option<_>| id.map(|id| graph.tensor(id).dtype);
    let input = op.inputs.get(position).and_then(dtype);
    let output = op.outputs.first().and_then(dtype);
    let floats = input == Some(DType::F32) && output == Some(DType::F32);
    let parts = op.fused.as_ref().map(|parts| parts.ops.as_slice());
    let parts = parts.unwrap_or(std::slice::from_ref(op));
    match family(op) {
        Family::Moves if op.facts().strided => Layout::Any,
        Family::ElementWise(count) if floats && parts.iter().all(|op| op.facts().strided) => {
            match op.fused.is_some() || position < count {
                true => Layout::Any,
                false => Layout::Contiguous,
            }
        }
        Family::Reduces if floats && position == 0 => Layout::Any,
        Family::Rows if floats && position == 0 => Layout::LastContiguous,
        Family::Product if floats && position < 2 && parts[0].facts().strided => Layout::Any,
        _ => Layout::Contiguous,
    }
}

/// Whether elements that are `strides` apart lie as `layout` asks, in a tensor of `dims`.
pub(super) fn lies(layout: Layout, dims: &[u64], strides: &[u64]) -> bool {
    if strides.is_empty() {
        return true;
    }
    let wide = |(dim, _): &(&u64, &u64)| **dim != 1;
    match layout {
        Layout::Any => true,
        Layout::LastContiguous => {
            let mut last = dims.iter().zip(strides).rev().filter(wide);
            last.next().is_none_or(|(_, stride)| *stride == 1)
        }
        Layout::Contiguous => {
            let mut step = 1_u64;
            let mut from_last = dims.iter().zip(strides).rev().filter(wide);
            from_last.all(|(dim, stride)| {
                let follows = *stride == step;
                step = step.saturating_mul(*dim);
                follows
            })
        }
    }
}

/// Strides of elements that follow one another, the last dimension first.
pub(super) fn contiguous(dims: &[u64]) -> Vec<u64> {
    let mut strides = vec![1_u64; dims.len()];
    for axis in (1..dims.len()).rev() {
        strides[axis - 1] = strides[axis].saturating_mul(dims[axis].max(1));
    }
    strides
}
