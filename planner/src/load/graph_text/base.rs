//! What a text does not hold, from the graph that it was written from.

use std::collections::BTreeMap;

use crate::graph::{Content, Dim, Graph, Role, Tensor};

/// Gives the tensors of `graph` the elements and the encoding of those of `base` that have the
/// same name and element type; elements only where the shape is the same, too.
pub(super) fn take(graph: &mut Graph, base: &Graph) {
    let named = base.tensors.iter().map(|it| (it.name.as_str(), it));
    let named: BTreeMap<&str, &Tensor> = named.collect();
    for tensor in &mut graph.tensors {
        let Some(from) = named.get(tensor.name.as_str()) else {
            continue;
        };
        if from.dtype != tensor.dtype {
            continue;
        }
        if tensor.quantization.is_none() {
            tensor.quantization.clone_from(&from.quantization);
        }
        let both_constant = [&*tensor, from].iter().all(|it| it.role == Role::Constant);
        let same = fixed(tensor).is_some() && fixed(tensor) == fixed(from);
        if both_constant && same {
            tensor.sparsity.clone_from(&from.sparsity);
            if tensor.content == Content::Stripped {
                tensor.content.clone_from(&from.content);
            }
        }
    }
}

/// The dimensions of a tensor that has no other ones.
fn fixed(tensor: &Tensor) -> Option<Vec<u64>> {
    let Some(declared) = &tensor.declared else {
        return tensor.dims.clone();
    };
    let size = |dim: &Dim| match dim {
        Dim::Fixed(size) => Some(*size),
        Dim::Symbol(_) | Dim::AtMost(..) | Dim::Unknown => None,
    };
    declared.iter().map(size).collect()
}
