//! Text graphs: what they say, what is wrong with them, and models as text and back.

mod damaged;
mod faults;
mod meaning;
mod round_trip;

use planner::graph::{Graph, Tensor, TensorId};
use planner::load::{LoadError, graph_text};
use tests::chinese::assert_told;

const ARTICLE: &str = include_str!("../../data/article.graph");

/// The graph of `text`, of which nothing is worth a warning.
fn graph(text: &str) -> Graph {
    let (graph, warnings) = graph_text(text, None).expect("it is a graph");
    assert_eq!(warnings, []);
    graph
}

/// What is wrong with `text`, which is said in Chinese, too.
fn error(text: &str) -> LoadError {
    let error = graph_text(text, None).expect_err("it is no graph");
    assert_told(&error.place);
    assert_told(&error.message);
    error
}

fn tensor<'g>(graph: &'g Graph, name: &str) -> &'g Tensor {
    let found = graph.tensors.iter().find(|it| it.name == name);
    found.expect("a tensor of this name")
}

fn names(graph: &Graph, ids: &[TensorId]) -> Vec<String> {
    let name = |id: &TensorId| graph.tensor(*id).name.clone();
    ids.iter().map(name).collect()
}
