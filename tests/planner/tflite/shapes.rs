//! Shapes follow the symbols that are bound.

use planner::graph::{Bindings, Graph, Role, UnsizedReason, infer};
use tests::shared;

use super::{changed, read};

/// Sizes the graph with these symbols bound.
fn sized(graph: &Graph, bindings: &[(&str, u64)]) -> Graph {
    let mut graph = graph.clone();
    let bindings = bindings
        .iter()
        .map(|&(name, value)| (name.to_owned(), value))
        .collect();
    infer(&mut graph, &bindings);
    graph
}

fn dims(graph: &Graph, tensor: usize) -> Option<&[u64]> {
    graph.tensors[tensor].dims.as_deref()
}

#[test]
fn bound_symbols_reach_every_tensor() {
    let (graph, _) = changed(|model| {
        model.tensors[0].signature = vec![-1, -1, 8, 3];
        model.tensors[3].signature = vec![-1, -1, 4, 4];
        model.tensors[4].signature = vec![-1, -1, 4, 4];
    })
    .unwrap();
    let at_default = sized(&graph, &[]);
    assert_eq!(dims(&at_default, 4), Some(&[1, 4, 4, 4][..]));
    // SAME with stride 2: half of 17 rows, rounded up.
    let bound = sized(&graph, &[("x.0", 5), ("x.1", 17)]);
    assert_eq!(dims(&bound, 3), Some(&[5, 9, 4, 4][..]));
    assert_eq!(dims(&bound, 4), Some(&[5, 9, 4, 4][..]));
    let huge = sized(&graph, &[("x.0", u64::MAX)]);
    assert_eq!(huge.tensors[4].role, Role::Unsized);
}

#[test]
fn unknown_operators_keep_the_example_of_the_defaults_only() {
    let (graph, _) = changed(|model| {
        model.codes[0] = (32, "Mine");
        model.tensors[0].signature = vec![-1, 8, 8, 3];
        model.tensors[3].signature = vec![-1, 4, 4, 4];
    })
    .unwrap();
    assert_eq!(dims(&sized(&graph, &[]), 3), Some(&[1, 4, 4, 4][..]));
    let bound = sized(&graph, &[("x.0", 2)]);
    let missing = bound.tensors[3].missing.as_ref().unwrap();
    assert_eq!(
        (missing.reason, &*missing.detail.to_string()),
        (UnsizedReason::UnknownOperator, "Mine")
    );
}

/// Real converters wrote these shapes: an independent judge of ours.
#[test]
fn inferred_shapes_are_those_of_the_shared_models() {
    for (name, bytes) in shared::models(".tflite") {
        let (graph, _) = read(&bytes).unwrap();
        let mut blank = graph.clone();
        for id in graph.ops.iter().flat_map(|op| op.written()) {
            let tensor = &mut blank.tensors[id.index()];
            (tensor.dims, tensor.declared) = (None, None);
        }
        infer(&mut blank, &Bindings::new());
        for (written, inferred) in graph.tensors.iter().zip(&blank.tensors) {
            assert_eq!(written.dims, inferred.dims, "{name}: {inferred:?}");
        }
    }
}
