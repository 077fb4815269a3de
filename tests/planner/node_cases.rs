//! ONNX's node cases: every one of them is there, loads, and is sized as its authors expect.

use std::collections::BTreeSet;

use planner::graph::{DType, Graph, TensorId};
use planner::load::{Document, load};
use planner::prepare;
use tests::node_cases::{self, Array, NodeCase, listed, refused, with_constants};

fn graph(case: &NodeCase) -> Result<Graph, String> {
    match load(&case.model).map_err(|error| error.to_string())? {
        (_, Document::Model(graph), _) => Ok(graph),
        other => Err(format!("not a model: {other:?}")),
    }
}

/// The sized graph, whose outputs inference must work out: what the file declares of them, on
/// which it would fall back, is taken away.
fn prepared(mut graph: Graph) -> Result<Graph, String> {
    for id in graph.outputs.clone() {
        graph.tensors[id.index()].declared = None;
    }
    let document = Document::Model(graph);
    let subject = prepare(&document, &Default::default(), &Default::default());
    let subject = subject.map_err(|error| error.to_string())?;
    let program = subject.program;
    program
        .map(|it| it.graph)
        .ok_or_else(|| "no graph is left".to_owned())
}

/// Whether the graph has as much room for every output as the case needs, and not more
/// dimensions: what is counted during a run has only a bound.
fn has_room(graph: &Graph, case: &NodeCase) -> bool {
    let tensors = graph.outputs.iter().map(|&id| graph.tensor(id));
    tensors.zip(&case.outputs).all(|(tensor, array)| {
        let dims = tensor.dims.as_deref().unwrap_or_default();
        let pairs = dims.iter().zip(&array.dims);
        let fits = |(room, size): (&u64, &u64)| size <= room && (tensor.at_most || size == room);
        (tensor.dtype, dims.len()) == (array.dtype, array.dims.len()) && pairs.into_iter().all(fits)
    })
}

/// Name, element type and dimensions of what the graph has.
fn sized(graph: &Graph, ids: &[TensorId]) -> Vec<String> {
    let tensors = ids.iter().map(|&id| graph.tensor(id));
    let shown = tensors.map(|tensor| match (&tensor.dims, &tensor.missing) {
        (Some(dims), None) => format!("{} {} {dims:?}", tensor.name, tensor.dtype.name()),
        (_, missing) => format!("{} {missing:?}", tensor.name),
    });
    shown.collect()
}

/// The same of what the case has.
fn expected<'a>(arrays: impl IntoIterator<Item = &'a Array>) -> Vec<String> {
    let shown = |array: &Array| format!("{} {} {:?}", array.name, array.dtype.name(), array.dims);
    arrays.into_iter().map(shown).collect()
}

fn check(case: &NodeCase) -> Result<(), String> {
    let given = with_constants(graph(case)?, case);
    let fed: Vec<&str> = given
        .inputs
        .iter()
        .map(|&id| &*given.tensor(id).name)
        .collect();
    let graph = prepared(given.clone())?;
    let data = case
        .inputs
        .iter()
        .filter(|array| fed.contains(&&*array.name));
    let expected = [expected(data), expected(&case.outputs)];
    let found = [&graph.inputs, &graph.outputs].map(|ids| sized(&graph, ids));
    if found == expected || !graph.counts.is_empty() && has_room(&graph, case) {
        return Ok(());
    }
    Err(format!("{found:?}\ninstead of {expected:?}"))
}

#[test]
fn the_list_names_1355_cases_of_189_operators() {
    let listed = listed();
    let unique = |names: Vec<&'static str>| names.into_iter().collect::<BTreeSet<_>>().len();
    let operators = listed.iter().map(|&(operator, _)| operator);
    let names = listed.iter().map(|&(_, name)| name);
    assert_eq!(listed.len(), 1355);
    assert_eq!(unique(operators.collect()), 189);
    assert_eq!(unique(names.collect()), 1355);
}

#[test]
fn every_refused_case_is_listed_once() {
    let names: BTreeSet<&str> = listed().into_iter().map(|(_, name)| name).collect();
    let refused = refused();
    let unique: BTreeSet<&str> = refused.iter().copied().collect();
    assert_eq!(unique.len(), refused.len());
    assert!(unique.is_subset(&names), "{:?}", unique.difference(&names));
}

#[test]
fn every_listed_case_is_there() {
    let Some(cases) = node_cases::load() else {
        return;
    };
    let there: Vec<_> = cases.iter().map(|case| (&*case.op, &*case.name)).collect();
    assert_eq!(there, listed());
}

#[test]
fn arrays_hold_as_many_bytes_as_their_dimensions_say() {
    for case in node_cases::load().unwrap_or_default() {
        for array in case.inputs.iter().chain(&case.outputs) {
            let elements: u64 = array.dims.iter().product();
            let bits = array.dtype.bits().expect("node cases have numbers only");
            let name = format!("{} {}", case.name, array.name);
            assert_eq!(
                array.bytes.len() as u64,
                (elements * bits).div_ceil(8),
                "{name}"
            );
            let floats = array.floats().map(|floats| floats.len() as u64);
            let is_float = matches!(
                array.dtype,
                DType::F64 | DType::F32 | DType::F16 | DType::BF16
            );
            assert_eq!(floats, is_float.then_some(elements), "{name}");
        }
    }
}

#[test]
fn every_case_that_runs_is_sized_as_its_authors_expect() {
    let refused = refused();
    let mut wrong = Vec::new();
    for case in node_cases::load().unwrap_or_default() {
        if refused.contains(&&*case.name) {
            continue;
        }
        if let Err(what) = check(&case) {
            wrong.push(format!("{}: {what}", case.name));
        }
    }
    let count = wrong.len();
    assert!(wrong.is_empty(), "{count} wrong:\n{}", wrong.join("\n\n"));
}
